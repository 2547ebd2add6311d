// Finds the first phase that reads around a column which was written and not exchanged since.
#pragma once

#include "host/setup/setup.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

// Follows the phases of executed steps; the initial state counts as exchanged.
class ExchangeCheck {
public:
    explicit ExchangeCheck(const Setup& setup);

    // One step further. Throws Failure::input that names the phase, the column and the phase to add.
    void step(std::uint64_t number);

    struct Column {
        const PhaseSetup* written_by = nullptr; // and not exchanged since
        friend bool operator==(const Column&, const Column&) = default;
    };
    // What is known of each column, by ColumnId. Steps of the same phases from the same state on find nothing new.
    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

private:
    void call(const PhaseSetup& phase, const CallPhase& called, std::uint64_t step);
    void make_known(const std::vector<CollectionId>& collections);
    void note_writes(const PhaseSetup& phase, const KernelSetup& done);
    void note_arrivals(const PhaseSetup& phase);
    void rotate(const RotatePhase& phase);
    void ask(const UntilPhase& until, bool is_first);

    [[nodiscard]] Column& state(ColumnId column) { return columns_[column.index()]; }

    const Setup& setup_;
    std::vector<Column> columns_;
    std::vector<Column> before_; // the repeat whose rounds are being followed
};

// Checks the first steps of a run; as many as can show every combination of phases in practice, and never so many that it takes long.
void check_exchanges(const Setup& setup);

} // namespace tessera
