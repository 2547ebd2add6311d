#include "host/bench/reference_program.hpp"

#include "device_runtime/error.hpp"
#include "host/bench/handed_over.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/setup/names.hpp"
#include "host/world/agent_table.hpp"

#include <tessera/detail/philox.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace tessera::bench {
namespace {

constexpr std::uint64_t recorded_steps = 16;   // an even number: names that were exchanged are as they were
constexpr std::size_t bytes_behind = 128;      // a column, for whole words and one value more
constexpr std::size_t at_a_time = 16ull << 20; // bytes of zeros

CollectionId agents_of(const Reference& reference, const Setup& setup) {
    return *setup.find_collection(*reference.agents->collection); // obstacle() has looked
}

const CollectionSetup& places_of(const Reference& reference, const Setup& setup) {
    return setup.collections[*setup.find_collection(*reference.collection)];
}

ColumnId column_of(const Setup& setup, const std::string& collection, const std::string& member) {
    const auto found = *setup.find_collection(collection);
    return setup.column_of(found, *setup.row_of(setup.collections[found]).find(member));
}

// Types of the columns that are handed over, in their order.
std::vector<Scalar> handed_types(const Reference& reference, const Setup& setup) {
    std::vector<Scalar> types;
    for (const auto& name : reference.members) types.push_back(setup.member_of(column_of(setup, *reference.collection, *name)).type);
    types.push_back(Scalar::u64);
    if (reference.agents->in_list) types.push_back(Scalar::u32);
    for (const auto& name : reference.agents->members)
        types.push_back(setup.member_of(column_of(setup, *reference.agents->collection, *name)).type);
    return types;
}

// Each kernel once, with as many threads as it has where it has most.
std::map<std::string, unsigned> threads_of(const ProgramByHand& program) {
    std::map<std::string, unsigned> threads;
    for (const auto* kernels : {&program.begin, &program.step, &program.end})
        for (const auto& kernel : *kernels) threads[kernel.name] = std::max(threads[kernel.name], kernel.block);
    return threads;
}

template<class T> std::vector<T> in_order(const std::vector<T>& values, const std::vector<std::size_t>& order) {
    std::vector<T> result;
    result.reserve(order.size());
    for (const auto i : order) result.push_back(values[i]);
    return result;
}

std::vector<std::byte> in_order(const std::vector<std::byte>& values, std::size_t bytes, const std::vector<std::size_t>& order) {
    std::vector<std::byte> result(order.size() * bytes);
    for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(result.data() + i * bytes, values.data() + order[i] * bytes, bytes);
    return result;
}

// Numbers from 0 in the order that `before` says.
template<class Before> std::vector<std::size_t> sorted(std::size_t count, const Before& before) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), before);
    return order;
}

} // namespace

AgentState agent_state(const Reference& reference, const Setup& setup, const StateReader& read) {
    AgentState state;
    const auto places = places_of(reference, setup).places();
    for (const auto& name : reference.members) {
        const auto column = column_of(setup, *reference.collection, *name);
        auto& values = state.members.emplace_back(static_cast<std::size_t>(places) * size_of(setup.member_of(column).type));
        read(column, 0, {0, places}, values.data());
    }
    auto table = find_agents(setup, agents_of(reference, setup), read);
    for (const auto& name : reference.agents->members)
        state.values.push_back(agent_values(setup, column_of(setup, *reference.agents->collection, *name), 0, table, read));
    state.ids = std::move(table.ids);
    state.places = std::move(table.places);
    return state;
}

jit::SourceFile program_text(const Reference& reference, const ReferenceSource& source, const Setup& setup, bool cuda) {
    auto text = author_text(reference, source);
    std::string members, copies;
    const auto add = [&](const std::string& type, const std::string& name) {
        members += fmt::format(" alignas(8) {} {};", type, name);
        copies += fmt::format(" s.{0} = a.{0};", name);
    };
    const auto names = handed_columns(reference);
    const auto types = handed_types(reference, setup);
    for (std::size_t i = 0; i < names.size(); ++i) add(fmt::format("{}*", plain_name(types[i])), names[i]);
    for (const auto& column : source.program.columns) add(fmt::format("{}*", plain_name(column.type)), column.name);
    for (const char* name : {"nx", "ny", "places", "room"}) add("long long", name);
    if (reference.random) add("unsigned long long", "key");
    for (const auto& name : reference.parameters) add(plain_name(value_of(setup, *name).type), *name);
    text += fmt::format("\n#line 1 \"tessera-generated\"\nstruct tessera_entry {{{} }};\n"
                        "{} state tessera_state(const tessera_entry& a) {{ state s;{} return s; }}\n",
                        members, cuda ? "static __device__ __forceinline__" : "static inline", copies);
    for (const auto& [name, threads] : threads_of(source.program))
        text +=
            cuda ? fmt::format("extern \"C\" __global__ void __launch_bounds__({1}) entry_{0}(const __grid_constant__ tessera_entry "
                               "tessera_args) {{ {0}(tessera_state(tessera_args)); }}\n",
                               name, threads)
                 : fmt::format("extern \"C\" [[gnu::visibility(\"default\")]] void entry_{0}(const void* tessera_args, long tessera_first, "
                               "long tessera_last) {{ {0}(tessera_state(*static_cast<const tessera_entry*>(tessera_args)), "
                               "tessera_first, tessera_last); }}\n",
                               name);
    return {source.file.string(), text, source.file.filename().string()};
}

ReferenceProgram::ReferenceProgram(const Reference& reference, const ReferenceSource& source, const Setup& setup, const AgentState& initial,
                                   Device& device, jit::Compiler& compiler)
    : reference_(reference), source_(source), initial_(initial), device_(device),
      queue_(device.queue(Priority::normal, Execution::inline_)), nx_(places_of(reference, setup).size[0]),
      ny_(places_of(reference, setup).size[1]),
      room_(reference.agents->in_list ? setup.collections[agents_of(reference, setup)].agents->capacity : nx_ * ny_) {
    const auto add = [&](const auto& value) {
        const auto bytes = bytes_of(value);
        handed_.insert(handed_.end(), bytes.begin(), bytes.end());
    };
    for (const std::int64_t number : {nx_, ny_, nx_ * ny_, room_}) add(number);
    if (reference.random) add(stream_key(setup.values.seed, name_hash((**reference.random).c_str()), 0));
    for (const auto& name : reference.parameters) add_value(handed_, value_of(setup, *name));
    const bool cuda = device.info().kind == DeviceKind::cuda;
    const auto text = program_text(reference, source, setup, cuda);
    const auto image = compiler.compile_text(text, target_for(setup, cuda, device.info().architecture));
    program_ = image.file.empty() ? device.load({source.file, image.bytes}) : device.load(image.file);
    add_columns(setup);
    add_swaps();
    std::vector<Launch> launches;
    for (std::uint64_t step = 0; step < recorded_steps; ++step)
        for (const auto& kernel : source_.program.step) launches.push_back(launch(kernel, !source_.program.swaps.empty() && step % 2 == 1));
    many_ = queue_->record(launches);
    restart();
}

std::int64_t ReferenceProgram::how_many(Each each, std::int64_t covers) const {
    return each == Each::once ? 1 : ((each == Each::place ? nx_ * ny_ : room_) + covers - 1) / covers;
}

void ReferenceProgram::add_columns(const Setup& setup) {
    const auto names = handed_columns(reference_);
    const auto types = handed_types(reference_, setup);
    const auto add = [&](const std::string& name, Scalar type, std::int64_t count) {
        auto memory = device_.allocate(static_cast<std::size_t>(count) * size_of(type) + bytes_behind);
        columns_.push_back({name, type, count, std::move(memory), columns_.size()});
    };
    for (std::size_t i = 0; i < names.size(); ++i) add(names[i], types[i], i < reference_.members.size() ? nx_ * ny_ : room_);
    own_ = columns_.size();
    for (const auto& column : source_.program.columns)
        add(column.name, column.type, column.each == Each::once ? column.count : how_many(column.each, column.covers));
}

void ReferenceProgram::add_swaps() {
    const auto find = [&](const std::string& name) {
        const auto is_this = [&](const Column& column) { return column.name == name; };
        return static_cast<std::size_t>(std::find_if(columns_.begin(), columns_.end(), is_this) - columns_.begin());
    };
    for (const auto& [first, second] : source_.program.swaps) {
        const auto a = find(first), b = find(second);
        if (columns_[a].type != columns_[b].type || columns_[a].count != columns_[b].count)
            throw Error(Failure::input, fmt::format("{}: {} and {} cannot exchange names", reference_.file.string(), first, second),
                        "they have different types or sizes");
        columns_[a].swapped_with = b, columns_[b].swapped_with = a;
    }
}

const Memory& ReferenceProgram::memory(std::size_t column, bool swapped) const {
    return columns_[swapped ? columns_[column].swapped_with : column].memory;
}

// In a list they stand in the order of their places.
std::vector<std::size_t> ReferenceProgram::slots_of_agents() const {
    std::vector<std::size_t> slots(initial_.places.begin(), initial_.places.end());
    if (!reference_.agents->in_list) return slots;
    const auto before = [&](std::size_t a, std::size_t b) {
        return std::pair(initial_.places[a], initial_.ids[a]) < std::pair(initial_.places[b], initial_.ids[b]);
    };
    const auto order = sorted(slots.size(), before);
    for (std::size_t i = 0; i < order.size(); ++i) slots[order[i]] = i;
    return slots;
}

void ReferenceProgram::write(std::size_t column, const std::vector<std::byte>& bytes) {
    if (!bytes.empty()) queue_->write(columns_[column].memory.address(), bytes.data(), bytes.size());
}

template<class T> void ReferenceProgram::enter(std::size_t column, const std::vector<T>& values, const std::vector<std::size_t>& at) {
    const auto bytes = size_of(columns_[column].type);
    std::vector<std::byte> image(static_cast<std::size_t>(columns_[column].count) * bytes);
    for (std::size_t i = 0; i < at.size(); ++i)
        std::memcpy(image.data() + at[i] * bytes, reinterpret_cast<const std::byte*>(values.data()) + i * bytes, bytes);
    write(column, image);
}

void ReferenceProgram::restart() {
    swapped_ = false;
    std::size_t next = 0;
    for (const auto& values : initial_.members) write(next++, values);
    const auto slots = slots_of_agents();
    enter(next++, initial_.ids, slots);
    if (reference_.agents->in_list) enter(next++, std::vector<std::uint32_t>(initial_.places.begin(), initial_.places.end()), slots);
    for (const auto& values : initial_.values) enter(next++, values, slots);
    const std::vector<std::byte> zeros(at_a_time);
    for (std::size_t i = own_; i < columns_.size(); ++i) {
        const auto& memory = columns_[i].memory;
        for (std::size_t from = 0; from < memory.size(); from += at_a_time)
            queue_->write(static_cast<std::byte*>(memory.address()) + from, zeros.data(), std::min(at_a_time, memory.size() - from));
    }
    launch_all(source_.program.begin);
    queue_->synchronize();
}

Launch ReferenceProgram::launch(const OwnKernel& kernel, bool swapped) const {
    Launch launch;
    launch.kernel = &program_->kernel("entry_" + kernel.name);
    launch.block = {kernel.block, 1, 1};
    launch.items = how_many(kernel.each, kernel.covers);
    launch.grid[0] = static_cast<unsigned>(launch.items);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto address = bytes_of(memory(i, swapped).address());
        launch.args.insert(launch.args.end(), address.begin(), address.end());
    }
    launch.args.insert(launch.args.end(), handed_.begin(), handed_.end());
    return launch;
}

void ReferenceProgram::launch_all(const std::vector<OwnKernel>& kernels) {
    for (const auto& kernel : kernels) queue_->launch(launch(kernel, swapped_));
}

std::uint64_t ReferenceProgram::advance(std::uint64_t steps) {
    for (auto left = steps; left > 0;) {
        if (left >= recorded_steps && !swapped_) {
            queue_->replay(*many_);
            left -= recorded_steps;
            continue;
        }
        launch_all(source_.program.step);
        swapped_ = !swapped_ && !source_.program.swaps.empty();
        left -= 1;
    }
    queue_->synchronize();
    return steps;
}

template<class T> std::vector<T> ReferenceProgram::read(std::size_t column) const {
    const auto& found = columns_[column];
    std::vector<T> values(static_cast<std::size_t>(found.count) * size_of(found.type) / sizeof(T));
    queue_->read(values.data(), memory(column, swapped_).address(), values.size() * sizeof(T));
    return values;
}

AgentState ReferenceProgram::state() {
    launch_all(source_.program.end);
    queue_->synchronize();
    AgentState state;
    std::size_t next = 0;
    for (std::size_t i = 0; i < reference_.members.size(); ++i) state.members.push_back(read<std::byte>(next++));
    const auto ids = read<std::uint64_t>(next++);
    const auto places = reference_.agents->in_list ? read<std::uint32_t>(next++) : std::vector<std::uint32_t>{};
    auto order = sorted(ids.size(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
    order.erase(order.begin(), std::find_if(order.begin(), order.end(), [&](std::size_t i) { return ids[i] != 0; })); // 0 is nobody
    state.ids = in_order(ids, order);
    for (const auto i : order) state.places.push_back(places.empty() ? static_cast<std::int64_t>(i) : places[i]);
    for (std::size_t i = 0; i < reference_.agents->members.size(); ++i, ++next)
        state.values.push_back(in_order(read<std::byte>(next), size_of(columns_[next].type), order));
    return state;
}

} // namespace tessera::bench
