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

private:
    struct Column {
        const PhaseSetup* written_by = nullptr; // and not exchanged since
    };
    void call(const PhaseSetup& phase, const CallPhase& called, std::uint64_t step);
    void make_known(const std::vector<CollectionId>& collections);
    void rotate(const RotatePhase& phase);
    void ask(const UntilPhase& until, bool is_first);

    const Setup& setup_;
    [[nodiscard]] Column& state(ColumnId column) { return columns_[column.index()]; }
    std::vector<Column> columns_; // by ColumnId
    std::vector<Column> before_;  // the repeat whose rounds are being followed
};

// Checks the first steps of a run; as many as can show every combination of phases in practice, and never so many that it takes long.
void check_exchanges(const Setup& setup);

} // namespace tessera
