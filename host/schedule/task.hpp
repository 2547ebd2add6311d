// A piece of work on the state: what it does, which rows it makes, what it touches and what comes before it. Without addresses, so that
// the same task can be bound to any device that holds the buffers (host/execute/binder.hpp).
#pragma once

#include "host/setup/setup.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>
#include <vector>

namespace tessera {

// Some ranges of rows: a range of a grid, and what lies beyond its edges as rows of the grid. Without memory of their own, for plans are
// made of thousands.
class RowRanges {
public:
    using value_type = RowRange;
    using const_iterator = const RowRange*;
    static constexpr std::size_t most = 3;

    RowRanges() = default;
    RowRanges(std::initializer_list<RowRange> ranges) {
        for (const auto& range : ranges) push_back(range);
    }
    // At most `most`.
    void push_back(const RowRange& range) { ranges_.at(size_++) = range; }

    [[nodiscard]] const RowRange* begin() const noexcept { return ranges_.data(); }
    [[nodiscard]] const RowRange* end() const noexcept { return ranges_.data() + size_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const RowRange& front() const { return ranges_.front(); }

private:
    std::array<RowRange, most> ranges_;
    std::size_t size_ = 0;
};

// A column as a task uses it. The buffers are World's, by number; they are one where the column is changed in place.
struct Touch {
    ColumnId column;
    bool reads = false, writes = false;
    int in = 0, out = 0;
    // The partitions whose buffers these are, where each has its own (Distribution::own_memory), or their staging_of; else 0.
    std::size_t in_of = 0, out_of = 0;
    // Rows of `in`: those of the grid that what is read comes from, ghosts being copies; of a partition's own buffer the ghosts themselves.
    RowRanges read;
    RowRange written; // rows of `out`

    // Buffers that are no columns': the words of a reduction, where row p is what partition p has added up; on each partition, and in
    // memory of the host (Setup::staging_of(0)).
    [[nodiscard]] static int buffer_of(ReductionId reduction) noexcept { return -2 - static_cast<int>(reduction.index()); }
    [[nodiscard]] static std::optional<ReductionId> reduction_of(int buffer) noexcept {
        return buffer < -1 ? std::optional(ReductionId(static_cast<std::size_t>(-2 - buffer))) : std::nullopt;
    }
};

// A function, for the rows of the task. Touches are the kernel's accesses, in their order.
struct CallWork {
    KernelId kernel;
    int call_in_step = 0;
    std::uint64_t phase = 0; // number of its phase, from 1; 0: an init function

    friend bool operator==(const CallWork&, const CallWork&) = default;
};
// All steps of program number `program` of those in use. Touches are all columns of its collection, in their order; `in` and `out` are
// buffers of words where the program is one of words.
struct ProgramWork {
    std::size_t program = 0;

    friend bool operator==(const ProgramWork&, const ProgramWork&) = default;
};
// Between the columns of such a program and their words.
struct ConvertWork {
    std::size_t program = 0;
    bool to_words = true;

    friend bool operator==(const ConvertWork&, const ConvertWork&) = default;
};
// Rows of a column, from `from` on in one partition's buffer (or staging) into another's: the task's rows.
struct CopyWork {
    std::int64_t from = 0;

    friend bool operator==(const CopyWork&, const CopyWork&) = default;
};
// Of a reduce of several partitions: the words that one has added up, into memory of the host; or those of all from there. The task's
// partition does it.
struct ShareWork {
    ReductionId reduction;
    bool to_all = true;

    friend bool operator==(const ShareWork&, const ShareWork&) = default;
};
// Makes of them what the reduce is for, on the task's partition.
struct JoinWork {
    ReductionId reduction;
    std::uint64_t phase = 0; // number of its phase, from 1
    bool tells_no = true;    // of a question: whether the host is told a no as well
    bool is_stop = false;    // of a question: that of `stop`, behind step number `phase` of those that are queued together, from 1

    friend bool operator==(const JoinWork&, const JoinWork&) = default;
};
// Makes a uniform for so many steps, from the task's on, on the task's partition.
struct UniformWork {
    std::size_t uniform = 0; // in Description::uniforms
    std::uint64_t steps = 1;

    friend bool operator==(const UniformWork&, const UniformWork&) = default;
};
// Adds to the step counter of the task's partition, behind everything that it was asked before.
struct AdvanceWork {
    std::uint64_t by = 0;

    friend bool operator==(const AdvanceWork&, const AdvanceWork&) = default;
};

struct Task {
    std::variant<CallWork, ProgramWork, ConvertWork, CopyWork, ShareWork, JoinWork, UniformWork, AdvanceWork> work;
    std::vector<Touch> touches;
    std::size_t partition = 0; // that makes the rows
    RowRange rows;
    std::uint64_t counted = 0;      // its (first) step, from the one that the device's counter stands at
    bool left_out_at_yes = false;   // not made where the answer to a question before it is yes (rounds_ahead.hpp)
    std::vector<std::size_t> after; // tasks of the list that have to be done before: order_by_touches
};

// The rows of the grid that a launch of `rows` reads of a column, its ghosts taken for the rows that they are copies of.
[[nodiscard]] RowRanges rows_read(const CollectionSetup& collection, const model::Use& use, const RowRange& rows);

// The rows that a launch of `rows` looks at, ghosts by their own numbers: below 0, or behind the grid's last.
[[nodiscard]] RowRange rows_seen(const CollectionSetup& collection, const model::Use& use, const RowRange& rows);

// Whether it is a part of a reduce, or makes a uniform, and so makes no rows that others look at.
[[nodiscard]] bool is_of_step_values(const Setup& setup, const Task& task);

// Whether one has to wait for the other, in whichever order they stand: one writes rows of a buffer that the other reads or writes.
[[nodiscard]] bool collide(const Task& a, const Task& b);

// Fills in `after`: whatever collides keeps its order, and all else may run beside each other. Tasks that are before anyway, through one of
// the others, are left out. Takes time in proportion to the tasks, where each writes all of its rows anew now and then.
void order_by_touches(std::vector<Task>& tasks);

} // namespace tessera
