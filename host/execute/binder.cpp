#include "host/execute/binder.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/agent_records.hpp"
#include "host/execute/step_words.hpp"
#include "host/generate/agent_source.hpp"
#include "host/generate/reduce_source.hpp"
#include "kernels/agents/chain_head.hpp"
#include "kernels/launch/arguments.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

namespace {

Launch launch_of(const Kernel* kernel, const LaunchShape& shape, std::vector<std::byte> args) {
    Launch launch;
    launch.kernel = kernel;
    launch.grid = shape.grid;
    launch.block = shape.block;
    launch.items = shape.items;
    launch.args = std::move(args);
    return launch;
}

void put(std::vector<std::byte>& bytes, std::size_t at, const void* from, std::size_t count) {
    std::memcpy(bytes.data() + at, from, count);
}

} // namespace

Launch Binder::bind(const Task& task, const LoadedPrograms& programs) const {
    return std::visit([&](const auto& work) { return bind_work(work, task, programs); }, task.work);
}

std::uint64_t Binder::random_key(KernelId kernel, int call_in_step) const {
    return stream_key(setup_.values.seed, name_hash(setup_.kernels[kernel].name.c_str()), static_cast<std::uint32_t>(call_in_step));
}

launch_arguments Binder::begin_of_arguments(const Task& task) const {
    return {partition_of(task).step_counter(), static_cast<std::uint32_t>(task.counted), task.left_out_at_yes ? 1U : 0U, task.rows.first,
            task.rows.end};
}

// The word on the device that says whether it is.
const std::uint64_t* Binder::left_out_of(const Task& task) const {
    return task.left_out_at_yes ? partition_of(task).step_counter() + left_out_word : nullptr;
}

void Binder::add_agent_arguments(std::vector<std::byte>& arguments, CollectionId agents, const Task& task) const {
    const auto counted = setup_.collections[agents].are_places() ? setup_.first_agents_id() : agents;
    const auto records = records_of(partition_of(task), setup_, counted);
    const auto stripe = setup_.stripe(agents, task.partition);
    const agent_pointers pointers{records.faults, records.counters, std::get<CallWork>(task.work).phase, stripe.first, stripe.end};
    const auto bytes = bytes_of(pointers);
    arguments.insert(arguments.end(), bytes.begin(), bytes.end());
}

// As it stands for `whose` partition, where each has its own.
const void* Binder::origin_of(int buffer, std::size_t whose, const Task& task) const {
    if (buffer == Placement::none) return nullptr;
    if (const auto reduction = Touch::reduction_of(buffer))
        return words_of(partition_of(task), setup_, *reduction) +
               task.partition * static_cast<std::size_t>(setup_.reductions[*reduction].words);
    return world_.origin(buffer, setup_.own_memory() ? whose : task.partition);
}

// As kernels/launch/arguments.hpp says. A kernel that names no column is given one that is nowhere.
std::vector<std::byte> Binder::arguments_of(const Task& task, const std::vector<std::uint64_t>& keys) const {
    const auto columns = std::max<std::size_t>(task.touches.size(), 1);
    const auto at = offsets_of_arguments(columns, keys.size());
    std::vector<std::byte> bytes(at.end);
    const auto launch = begin_of_arguments(task);
    put(bytes, 0, &launch, sizeof(launch));
    for (std::size_t i = 0; i < task.touches.size(); ++i) {
        const auto& touch = task.touches[i];
        const void *const in = origin_of(touch.in, touch.in_of, task), *const out = origin_of(touch.out, touch.out_of, task);
        put(bytes, at.in + i * sizeof(in), &in, sizeof(in));
        put(bytes, at.out + i * sizeof(out), &out, sizeof(out));
    }
    put(bytes, at.random_key, keys.data(), keys.size() * sizeof(keys[0]));
    return bytes;
}

// The last touch is of the words.
std::vector<std::byte> Binder::any_reduce_arguments_of(const Task& task, const KernelSetup& kernel) const {
    const auto& partition = partition_of(task);
    const auto& collection = setup_.collections[kernel.collection];
    any_reduce_arguments arguments{};
    static_cast<launch_arguments&>(arguments) = begin_of_arguments(task);
    arguments.code = partition.reduces->code.at(partition.reduces->memory.address(), kernel.reduction);
    arguments.words = words_of(partition, setup_, kernel.reduction) + task.partition * static_cast<std::size_t>(arguments.code.words);
    arguments.collection = static_cast<std::int64_t>(kernel.collection.index());
    arguments.places = collection.first_of_row(arguments.end_row) - collection.first_of_row(arguments.first_row);
    arguments.places_a_line = collection.size[0];
    arguments.lines_a_row = collection.dimensions == 3 ? collection.size[1] : 1;
    for (std::size_t i = 0; i + 1 < task.touches.size(); ++i) arguments.in[i] = origin_of(task.touches[i].in, task.touches[i].in_of, task);
    return bytes_of(arguments);
}

// What is compiled for the whole grid would make it whole, and be no mistake that anybody sees.
void Binder::expect_rows_are_known(CollectionId collection, const Task& task, const std::string& name) const {
    if (!setup_.in_bands() && task.rows != setup_.collections[collection].whole())
        throw Error(Failure::internal, name + " was compiled for the whole grid and asked for some of its rows");
}

Launch Binder::bind_work(const CallWork& work, const Task& task, const LoadedPrograms&) const {
    const auto& kernel = setup_.kernels[work.kernel];
    expect_rows_are_known(kernel.collection, task, kernel.name);
    const auto number = work.kernel.index();
    const auto& kernels = partition_of(task).kernels;
    const bool is_runtime = kernel.is_reduction() && partition_of(task).reduces;
    auto arguments = is_runtime ? any_reduce_arguments_of(task, kernel) : arguments_of(task, {random_key(work.kernel, work.call_in_step)});
    const bool among_agents = setup_.is_among_agents(kernel);
    if (among_agents) add_agent_arguments(arguments, kernel.collection, task);
    if (kernel.kind->list_work() == ListWork::links) {
        const auto call = bytes_of(LinksCall{partition_of(task).links[kernel.collection.index()].get()});
        arguments.insert(arguments.begin(), call.begin(), call.end());
    } else if (const auto work_on_list = kernel.kind->list_work()) {
        const auto call = bytes_of(ListCall{partition_of(task).lists[kernel.collection.index()].get(), *work_on_list});
        arguments.insert(arguments.begin(), call.begin(), call.end());
    }
    const auto& collection = setup_.collections[kernel.collection];
    const auto shape = kernel.is_reduction() ? reduction_shape(setup_, kernel, task.rows)
                       : among_agents        ? kernel.kind->shape(setup_, kernel, task.rows)
                                             : launch_shape(collection, kernels.views[number], task.rows);
    return launch_of(kernels.calls[number], shape, std::move(arguments));
}

namespace {

std::size_t bytes_of_part(const Setup& setup, const KernelSetup& kernel) {
    const auto columns = std::max<std::size_t>(kernel.accesses.size(), 1);
    return offsets_of_arguments(columns, 1).end + (setup.is_among_agents(kernel) ? sizeof(agent_pointers) : 0);
}

chain_head head_of(const Chain& chain, const Launch& first_part, fault_record* faults) {
    const auto &first = chain.parts.front(), &last = chain.parts.back();
    launch_arguments of_first;
    std::memcpy(&of_first, first_part.args.data(), sizeof(of_first));
    chain_head head{};
    head.faults = faults;
    head.first_step = of_first.first_step;
    head.step_after_first = of_first.step_after_first;
    head.steps_later = last.step - first.step;
    head.first_phase = first.phase.index() + 1;
    head.last_phase = last.phase.index() + 1;
    head.first_part = static_cast<std::int32_t>(chain.first);
    head.left_out = of_first.left_out_at_yes != 0 ? of_first.first_step + left_out_word : nullptr;
    head.end_part = static_cast<std::int32_t>(chain.first + chain.parts.size());
    return head;
}

} // namespace

// As kernels/agents/chained.hpp says: each part among agents has a record of faults of its own, behind the partition's. Nobody reads the
// arguments of parts that are not made.
Launch Binder::join(const Chain& chain, const std::vector<Launch>& parts) const {
    const auto& partition = partitions_.front();
    auto* const faults = records_of(partition, setup_, setup_.first_agents_id()).faults;
    auto arguments = bytes_of(head_of(chain, parts.front(), faults));
    const auto& kernels = partition.kernels.chains.codes[chain.code];
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto& kernel = setup_.kernels[kernels[i]];
        const auto at = arguments.size();
        arguments.resize(at + bytes_of_part(setup_, kernel));
        if (i < chain.first || i - chain.first >= parts.size()) continue;
        const auto& part = parts[i - chain.first].args;
        put(arguments, at, part.data(), part.size());
        fault_record* const own = faults + 1 + i;
        if (setup_.is_among_agents(kernel))
            put(arguments, arguments.size() - sizeof(agent_pointers), &own, sizeof(own)); // the first of these pointers
    }
    const auto places = setup_.collections[chain.places].places();
    LaunchShape shape;
    shape.block = {static_cast<unsigned>(chain_threads), 1, 1};
    shape.grid = {static_cast<unsigned>((places + chain_threads - 1) / chain_threads), 1, 1};
    return launch_of(partition.kernels.chained[chain.code], shape, std::move(arguments));
}

std::vector<std::byte> Binder::program_arguments(const LoadedProgram& program, const Task& task) const {
    const auto& step = program.steps.program.step;
    const auto& phases = step.phases;
    expect_rows_are_known(step.collection, task, program.steps.program.symbol);
    std::vector<std::uint64_t> keys;
    for (const auto id : phases) {
        const auto& phase = setup_.phases[id];
        keys.push_back(random_key(std::get<CallPhase>(phase.action).kernel, phase.call_in_step));
    }
    return arguments_of(task, keys);
}

Launch Binder::bind_work(const ProgramWork& work, const Task& task, const LoadedPrograms& programs) const {
    const auto& program = programs.programs[work.program];
    const auto& on = program.on[task.partition];
    return launch_of(on.kernel, launch_shape(program.tiling, task.rows), program_arguments(program, task));
}

Launch Binder::bind_work(const ConvertWork& work, const Task& task, const LoadedPrograms& programs) const {
    const auto& program = programs.programs[work.program];
    const auto& on = program.on[task.partition];
    return launch_of(work.to_words ? on.pack : on.unpack, launch_shape(program.convert, task.rows), program_arguments(program, task));
}

Launch Binder::bind_work(const CopyWork&, const Task&, const LoadedPrograms&) const {
    throw Error(Failure::internal, "rows that are copied were to be launched");
}

Launch Binder::bind_work(const ShareWork&, const Task&, const LoadedPrograms&) const {
    throw Error(Failure::internal, "words of a reduce that are copied were to be launched");
}

Launch Binder::bind_work(const JoinWork& work, const Task& task, const LoadedPrograms&) const {
    const auto& partition = partition_of(task);
    const join_arguments arguments{partition.step_counter(), task.counted,     words_of(partition, setup_, work.reduction),
                                   setup_.partitions(),      work.phase,       work.tells_no ? 1U : 0U,
                                   work.is_stop ? 1U : 0U,   left_out_of(task)};
    const auto* const join = partition.kernels.joins[work.reduction.index()];
    if (!partition.reduces) return launch_of(join, {}, bytes_of(arguments));
    return launch_of(
        join, {}, bytes_of(any_join_arguments{arguments, partition.reduces->code.at(partition.reduces->memory.address(), work.reduction)}));
}

// On a GPU a thread makes each value, on a CPU one call all of them.
Launch Binder::bind_work(const UniformWork& work, const Task& task, const LoadedPrograms&) const {
    constexpr std::uint64_t most_threads = 128;
    const auto& partition = partition_of(task);
    const auto values = work.steps * static_cast<std::uint64_t>(setup_.description().uniforms[work.uniform].elements);
    LaunchShape shape;
    shape.block = {static_cast<unsigned>(std::min(values, most_threads)), 1, 1};
    shape.grid = {static_cast<unsigned>((values + most_threads - 1) / most_threads), 1, 1};
    return launch_of(partition.kernels.uniforms[work.uniform], shape,
                     bytes_of(uniform_arguments{partition.step_counter(), task.counted, work.steps, left_out_of(task)}));
}

std::vector<Copy> Binder::copies(const Task& task) const {
    if (const auto* share = std::get_if<ShareWork>(&task.work)) return {copy_of_words(partitions_, setup_, *share, task.partition)};
    const auto first = std::get<CopyWork>(task.work).from;
    const auto& touch = task.touches.front();
    const auto from = world_.rows_at(touch.in, touch.in_of, {first, first + task.rows.rows()});
    const auto to = world_.rows_at(touch.out, touch.out_of, task.rows);
    std::vector<Copy> copies;
    for (std::size_t e = 0; e < from.size(); ++e) copies.push_back({to[e].data(), from[e].data(), from[e].size()});
    return copies;
}

Launch Binder::bind_work(const AdvanceWork& work, const Task& task, const LoadedPrograms&) const {
    const auto& partition = partition_of(task);
    return launch_of(partition.kernels.advance, {}, bytes_of(advance_arguments{partition.step_counter(), work.by}));
}

} // namespace tessera
