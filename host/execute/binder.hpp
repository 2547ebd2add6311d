// From tasks to launches on the devices of their partitions. The only one that knows addresses: a task names buffers, a launch points at
// them.
#pragma once

#include "device_runtime/queue.hpp"
#include "host/execute/loaded_programs.hpp"
#include "host/execute/partition.hpp"
#include "host/schedule/task.hpp"
#include "host/world/world.hpp"
#include "kernels/launch/arguments.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

class Binder {
public:
    // All must outlive the binder.
    Binder(const Setup& setup, const World& world, const Partitions& partitions) : setup_(setup), world_(world), partitions_(partitions) {}

    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    // `programs` are those that ProgramWork and ConvertWork number.
    [[nodiscard]] Launch bind(const Task& task, const LoadedPrograms& programs) const;
    // One launch of what launches of a chain's parts would do.
    [[nodiscard]] Launch join(const Chain& chain, const std::vector<Launch>& parts) const;
    // Of a task that is CopyWork: the copies of one element each that it is; or ShareWork.
    [[nodiscard]] std::vector<Copy> copies(const Task& task) const;

private:
    [[nodiscard]] Launch bind_work(const CallWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const ProgramWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const ConvertWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const CopyWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const ShareWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const JoinWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] Launch bind_work(const UniformWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] const void* origin_of(int buffer, std::size_t whose, const Task& task) const;
    [[nodiscard]] Launch bind_work(const AdvanceWork& work, const Task& task, const LoadedPrograms& programs) const;
    [[nodiscard]] std::vector<std::byte> program_arguments(const LoadedProgram& program, const Task& task) const;
    [[nodiscard]] const Partition& partition_of(const Task& task) const { return partitions_[task.partition]; }
    void expect_rows_are_known(CollectionId collection, const Task& task, const std::string& name) const;
    [[nodiscard]] std::vector<std::byte> arguments_of(const Task& task, const std::vector<std::uint64_t>& keys) const;
    [[nodiscard]] std::vector<std::byte> any_reduce_arguments_of(const Task& task, const KernelSetup& kernel) const;
    [[nodiscard]] launch_arguments begin_of_arguments(const Task& task) const;
    [[nodiscard]] const std::uint64_t* left_out_of(const Task& task) const;
    [[nodiscard]] std::uint64_t random_key(KernelId kernel, int call_in_step) const;
    void add_agent_arguments(std::vector<std::byte>& arguments, CollectionId agents, const Task& task) const;

    const Setup& setup_;
    const World& world_;
    const Partitions& partitions_;
};

} // namespace tessera
