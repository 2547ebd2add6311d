#include "host/execute/binder.hpp"

#include "device_runtime/error.hpp"

#include <tessera/random.hpp>

#include <cstring>
#include <utility>

namespace tessera {

// Writes the argument structs of device_runtime/kernels/grid.hpp and program.hpp, 8 bytes a field.
class Binder::Arguments {
public:
    explicit Arguments(std::size_t fields) { bytes_.reserve(fields * 8); }
    void add(const void* address) { add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address))); }
    void add(std::uint64_t value) {
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof(value));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

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

} // namespace

Launch Binder::bind(const Task& task, const LoadedPrograms& programs) const {
    return std::visit([&](const auto& work) { return bind_work(work, task, programs); }, task.work);
}

std::uint64_t Binder::random_key(KernelId kernel, int call_in_step) const {
    return stream_key(*setup_.run.run.seed, name_hash(setup_.kernels[kernel].name.c_str()), static_cast<std::uint32_t>(call_in_step));
}

// Where the columns are that a task reads, and where those that it writes; a kernel that has none is given one that is nowhere.
void Binder::add_columns(Arguments& arguments, const Task& task, std::size_t at_least) const {
    const auto add = [&](int Touch::*buffer) {
        for (const auto& touch : task.touches)
            arguments.add(touch.*buffer == Placement::none ? nullptr : static_cast<const void*>(world_.origin(touch.*buffer)));
        for (auto i = task.touches.size(); i < at_least; ++i) arguments.add(static_cast<const void*>(nullptr));
    };
    add(&Touch::in);
    add(&Touch::out);
}

// What is compiled for the whole grid would make it whole, and be no mistake that anybody sees.
void Binder::expect_rows_are_known(CollectionId collection, const Task& task, const std::string& name) const {
    if (!setup_.in_bands && task.rows != setup_.collections[collection].whole())
        throw Error(Failure::internal, name + " was compiled for the whole grid and asked for some of its rows");
}

Launch Binder::bind_work(const CallWork& work, const Task& task, const LoadedPrograms&) const {
    const auto& kernel = setup_.kernels[work.kernel];
    expect_rows_are_known(kernel.collection, task, kernel.name);
    Arguments arguments(2 * task.touches.size() + 7);
    add_columns(arguments, task, 1);
    arguments.add(partition_of(task).step_counter());
    arguments.add(task.counted);
    arguments.add(random_key(work.kernel, work.call_in_step));
    arguments.add(static_cast<std::uint64_t>(task.rows.first));
    arguments.add(static_cast<std::uint64_t>(task.rows.end));
    const auto number = work.kernel.index();
    const auto& kernels = partition_of(task).kernels;
    return launch_of(kernels.calls[number], launch_shape(setup_.collections[kernel.collection], kernels.views[number], task.rows),
                     arguments.take());
}

std::vector<std::byte> Binder::program_arguments(const LoadedProgram& program, const Task& task) const {
    const auto& step = program.steps.program.step;
    const auto& phases = step.phases;
    expect_rows_are_known(step.collection, task, program.steps.program.symbol);
    Arguments arguments(2 * task.touches.size() + 4 + phases.size());
    add_columns(arguments, task, 0);
    arguments.add(partition_of(task).step_counter());
    arguments.add(task.counted);
    arguments.add(static_cast<std::uint64_t>(task.rows.first));
    arguments.add(static_cast<std::uint64_t>(task.rows.end));
    for (const auto id : phases) {
        const auto& phase = setup_.phases[id];
        arguments.add(random_key(std::get<CallPhase>(phase.action).kernel, phase.call_in_step));
    }
    return arguments.take();
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

Launch Binder::bind_work(const AdvanceWork& work, const Task& task, const LoadedPrograms&) const {
    const auto& partition = partition_of(task);
    return launch_of(partition.kernels.advance, {}, bytes_of(AdvanceArguments{partition.step_counter(), work.by}));
}

} // namespace tessera
