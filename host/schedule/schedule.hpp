// From phases to tasks: what one step, or several in a row, do to the state.
#pragma once

#include "host/schedule/task.hpp"
#include "host/views/fused_program.hpp"
#include "host/world/placement.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// A program as it is scheduled. `words` has two buffers for each column of its collection that it uses, where it is one of words.
struct ProgramSteps {
    FusedProgram program;
    CallSequence all; // of all its steps
    std::vector<std::array<int, 2>> words{};
};

// Columns that a program's calls use, or that change names: one entry a member.
[[nodiscard]] std::vector<bool> columns_used(const Setup& setup, const CallSequence& all);
// Columns that need a spare for a program to write.
[[nodiscard]] std::vector<bool> columns_with_spares(const Setup& setup, const ProgramSteps& steps);

class Schedule {
public:
    // A call, or a program, is a task for each stripe of its collection that is not empty.
    explicit Schedule(const Setup& setup) : setup_(setup) {}

    // The tasks of one phase, if it runs in step `step`; `placement` becomes what it is behind it. `counted` is the task's (Task::counted).
    void append_phase(PhaseId phase, std::uint64_t step, std::uint64_t counted, Placement& placement, std::vector<Task>& tasks) const;

    // A call of a kernel, outside of the phases (init functions) or within. Where partitions have their own memory, calls become a cycle
    // before they are made (make_cycle).
    void append_call(const CallWork& call, std::uint64_t counted, Placement& placement, std::vector<Task>& tasks) const;

    // What is made of uniforms before the first of `count` steps, for all of them at once: at most uniform_rows. In front of tasks of
    // cycles (make_cycle), and no part of them.
    void append_uniforms(std::uint64_t count, std::vector<Task>& tasks) const;

    // What a reduce, or a question, is made of; `phase` as CallWork has it.
    void append_reduction(ReductionId reduction, std::uint64_t phase, std::uint64_t counted, Placement& placement,
                          std::vector<Task>& tasks) const;

    // All steps of a program at once, `times` times; it is number `number` of those in use. The columns that need one have a spare
    // (columns_with_spares). Where partitions have their own memory, these are cycles.
    void append_program(const ProgramSteps& steps, std::size_t number, std::uint64_t times, std::uint64_t counted, Placement& placement,
                        std::vector<Task>& tasks) const;

    // Adds to the step counter of each partition.
    [[nodiscard]] std::vector<Task> advance(std::uint64_t by) const;

    // Which phases run in the steps [from, from + count), as a key that is short whatever their
    // number: equal keys and placements give equal tasks.
    [[nodiscard]] std::string activity(std::uint64_t from, std::uint64_t count) const;

private:
    void append_uniform(const UniformWork& work, std::uint64_t counted, std::vector<Task>& tasks) const;
    void append_columns(const ProgramSteps& steps, std::size_t number, std::uint64_t counted, Placement& placement,
                        std::vector<Task>& tasks) const;
    void append_words(const ProgramSteps& steps, std::size_t number, std::uint64_t times, std::uint64_t counted, Placement& placement,
                      std::vector<Task>& tasks) const;

    const Setup& setup_;
};

} // namespace tessera
