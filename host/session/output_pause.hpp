// Outputs that are due at a state, and the condition that ends a run.
#pragma once

#include "host/session/pause.hpp"

namespace tessera {

// Writes what is due at the state; with `is_last`, what is left as well.
void write_outputs(CurrentRun& run, bool is_last);

// At the end: waits until all is on the disk. Throws what could not be written.
void finish_outputs(CurrentRun& run);

class OutputPause : public Pause {
public:
    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    // Where a file could not be written meanwhile.
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
};

// `stop` of the run file.
class StopPause : public Pause {
public:
    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
};

} // namespace tessera
