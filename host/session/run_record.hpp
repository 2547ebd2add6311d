// The manifest of a run from its first moment to its last.
#pragma once

#include "host/session/pause.hpp"

#include <chrono>
#include <cstdint>

namespace tessera {

// While a run goes on its manifest says "running", so that the folder of one that was killed is known for what it is. Everything handed
// over must outlive the record.
class RunRecord : public Pause {
public:
    using Clock = std::chrono::steady_clock;

    RunRecord(CurrentRun& run, Clock::time_point process_start);

    // Writes the first manifest. Where that cannot be done the run goes on, and is told so; then no earlier manifest stays.
    void start();

    // Says how far the run is, if that was not said lately. The run need not stand still for it.
    [[nodiscard]] std::uint64_t next(const CurrentRun&) const override { return never; }
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;

    // Completes the report and writes what stays. Throws Failure::output.
    void finish();
    // The same of a run that ended by an error.
    void finish(const Error& error);

private:
    [[nodiscard]] RunReport completed(RunReport report) const;
    void update(std::uint64_t step);
    void write_running(std::uint64_t step);

    CurrentRun& run_;
    Clock::time_point process_start_, next_{};
};

} // namespace tessera
