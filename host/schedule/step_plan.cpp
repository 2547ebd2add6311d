#include "host/schedule/step_plan.hpp"

#include <tessera/random.hpp>

#include <cstring>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

// Writes the `arguments` struct of device_runtime/kernels/grid.hpp, 8 bytes a field.
class Arguments {
public:
    explicit Arguments(std::size_t fields) { bytes_.reserve(fields * 8); }
    void add(const void* address) { add(reinterpret_cast<std::uintptr_t>(address)); }
    void add(std::uint64_t value) {
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof(value));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

} // namespace

void StepPlan::append_phase(std::size_t number, std::uint64_t step, std::uint64_t after_counter, Placement& placement,
                            std::vector<Launch>& launches) const {
    const auto& phase = setup_.phases[number];
    if (!phase.timing.includes(step)) return;
    if (const auto* call = std::get_if<CallPhase>(&phase.action))
        append_call(call->kernel, phase.call_in_step, after_counter, placement, launches);
    else if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) {
        const auto first = world_.slot(rotate->collection, 0);
        const int last = placement.current[first + rotate->columns.back()];
        for (std::size_t i = rotate->columns.size() - 1; i > 0; --i)
            placement.current[first + rotate->columns[i]] = placement.current[first + rotate->columns[i - 1]];
        placement.current[first + rotate->columns.front()] = last;
    } // exchangeAll moves nothing on one partition
}

void StepPlan::append_call(std::size_t number, int call_in_step, std::uint64_t after_counter, Placement& placement,
                           std::vector<Launch>& launches) const {
    const auto& kernel = setup_.kernels[number];
    const auto& collection = setup_.collections[kernel.collection];
    const auto& uses = setup_.description().functions[kernel.function].uses;
    const auto first = world_.slot(kernel.collection, 0);

    // A column that is read around and written goes from its current buffer into its spare; every other stays where it is.
    const auto moves = [&](std::size_t i) { return uses[i].writes && uses[i].around && collection.columns[i].has_spare; };
    Arguments arguments(2 * uses.size() + 3);
    for (std::size_t i = 0; i < uses.size(); ++i) arguments.add(world_.origin(placement.current[first + i]));
    for (std::size_t i = 0; i < uses.size(); ++i)
        arguments.add(world_.origin(moves(i) ? placement.spare[first + i] : placement.current[first + i]));
    arguments.add(world_.step_counter());
    arguments.add(after_counter);
    arguments.add(random_key(number, call_in_step));

    Launch launch;
    launch.kernel = kernels_.calls[number];
    launch.grid = kernels_.shapes[number].grid;
    launch.block = kernels_.shapes[number].block;
    launch.items = kernels_.shapes[number].items;
    launch.args = arguments.take();
    launches.push_back(std::move(launch));
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (moves(i)) std::swap(placement.current[first + i], placement.spare[first + i]);
}

std::uint64_t StepPlan::random_key(std::size_t kernel, int call_in_step) const {
    return stream_key(*setup_.run.run.seed, name_hash(setup_.kernels[kernel].name.c_str()), static_cast<std::uint32_t>(call_in_step));
}

std::vector<bool> columns_used(const Setup& setup, const CallSequence& all) {
    std::vector<bool> used(all.after.size());
    for (std::size_t call = 0; call < all.phases.size(); ++call) {
        const auto& uses = uses_of(setup, all.phases[call]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].reads || uses[m].writes) used[all.columns[call][m]] = true;
    }
    for (std::size_t m = 0; m < used.size(); ++m)
        if (all.after[m] != m) used[m] = true;
    return used;
}

std::vector<bool> columns_with_spares(const Setup& setup, const FusedKernel& fused) {
    auto columns = fused.all.written(setup);
    // Words are spread only behind the last of several programs. Where names rotate, that may be any column.
    if (fused.program.view.words)
        for (std::size_t m = 0; m < columns.size(); ++m)
            if (fused.all.after[m] != m) columns[m] = columns[fused.all.after[m]] = true;
    return columns;
}

void StepPlan::append_program(const FusedKernel& fused, std::uint64_t times, std::uint64_t after_counter, Placement& placement,
                              std::vector<Launch>& launches) const {
    if (fused.program.view.words) return append_words(fused, times, after_counter, placement, launches);
    for (std::uint64_t i = 0; i < times; ++i)
        append_columns(fused, after_counter + i * static_cast<std::uint64_t>(fused.program.view.depth), placement, launches);
}

Launch StepPlan::launch_of(const FusedKernel& fused, const std::vector<const void*>& in, const std::vector<void*>& out,
                           std::uint64_t after_counter) const {
    const auto& phases = fused.program.step.phases;
    Arguments arguments(in.size() + out.size() + 2 + phases.size());
    for (const void* column : in) arguments.add(column);
    for (void* column : out) arguments.add(column);
    arguments.add(world_.step_counter());
    arguments.add(after_counter);
    for (const auto phase : phases)
        arguments.add(random_key(std::get<CallPhase>(setup_.phases[phase].action).kernel, setup_.phases[phase].call_in_step));
    Launch launch;
    launch.kernel = fused.kernel;
    launch.grid = fused.shape.grid;
    launch.block = fused.shape.block;
    launch.items = fused.shape.items;
    launch.args = arguments.take();
    return launch;
}

void StepPlan::append_columns(const FusedKernel& fused, std::uint64_t after_counter, Placement& placement,
                              std::vector<Launch>& launches) const {
    const auto first = world_.slot(fused.program.step.collection, 0);
    const auto written = fused.all.written(setup_);
    std::vector<const void*> in;
    std::vector<void*> out;
    for (std::size_t c = 0; c < written.size(); ++c) {
        in.push_back(world_.origin(placement.current[first + c]));
        out.push_back(world_.origin(written[c] ? placement.spare[first + c] : placement.current[first + c]));
    }
    launches.push_back(launch_of(fused, in, out, after_counter));
    for (std::size_t c = 0; c < written.size(); ++c)
        if (written[c]) std::swap(placement.current[first + c], placement.spare[first + c]);
    const Placement before = placement;
    for (std::size_t m = 0; m < written.size(); ++m) placement.current[first + m] = before.current[first + fused.all.after[m]];
}

// Columns to words, the programs, and back into the spares of the columns.
void StepPlan::append_words(const FusedKernel& fused, std::uint64_t times, std::uint64_t after_counter, Placement& placement,
                            std::vector<Launch>& launches) const {
    const auto first = world_.slot(fused.program.step.collection, 0);
    const auto written = fused.all.written(setup_), spared = columns_with_spares(setup_, fused);
    const std::size_t columns = written.size();
    const auto convert = [&](const Kernel* kernel, const std::vector<const void*>& in, const std::vector<void*>& out) {
        Launch launch = launch_of(fused, in, out, after_counter);
        launch.kernel = kernel;
        launch.grid = fused.convert.grid;
        launch.block = fused.convert.block;
        launch.items = fused.convert.items;
        launches.push_back(std::move(launch));
    };
    std::vector<const void*> in(columns);
    std::vector<void*> out(columns);
    for (std::size_t c = 0; c < columns; ++c) in[c] = world_.origin(placement.current[first + c]), out[c] = fused.words[c][0].address();
    convert(fused.pack, in, out);

    std::vector<std::size_t> named(columns),
        newest(columns); // the column that a name stands for, and which of a column's memories is its newest
    std::iota(named.begin(), named.end(), std::size_t{0});
    for (std::uint64_t i = 0; i < times; ++i) {
        for (std::size_t c = 0; c < columns; ++c) {
            const auto& memory = fused.words[named[c]];
            in[c] = memory[newest[named[c]]].address();
            out[c] = memory[newest[named[c]] ^ (written[c] ? 1U : 0U)].address();
        }
        launches.push_back(launch_of(fused, in, out, after_counter + i * static_cast<std::uint64_t>(fused.program.view.depth)));
        for (std::size_t c = 0; c < columns; ++c)
            if (written[c]) newest[named[c]] ^= 1;
        const auto before = named;
        for (std::size_t m = 0; m < columns; ++m) named[m] = before[fused.all.after[m]];
    }

    for (std::size_t c = 0; c < columns; ++c) {
        in[c] = fused.words[c][newest[c]].address();
        out[c] = spared[c] ? world_.origin(placement.spare[first + c]) : nullptr;
    }
    convert(fused.unpack, in, out);
    for (std::size_t c = 0; c < columns; ++c)
        if (spared[c]) std::swap(placement.current[first + c], placement.spare[first + c]);
    const Placement before = placement;
    for (std::size_t m = 0; m < columns; ++m) placement.current[first + m] = before.current[first + named[m]];
}

Launch StepPlan::advance(std::uint64_t by) const {
    Launch launch;
    launch.kernel = kernels_.advance;
    launch.args = bytes_of(AdvanceArguments{world_.step_counter(), by});
    return launch;
}

std::string StepPlan::activity(std::uint64_t from, std::uint64_t count) const {
    std::string key;
    key.reserve(count * setup_.phases.size());
    for (std::uint64_t k = from; k < from + count; ++k)
        for (const auto& phase : setup_.phases) key += phase.timing.includes(k) ? '1' : '0';
    return key;
}

} // namespace tessera
