// A run's state kept on the disk now and then, so that it can go on from there.
#pragma once

#include "host/checkpoint/store.hpp"
#include "host/session/pause.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

class CheckpointPause : public Pause {
public:
    using Clock = std::chrono::steady_clock;

    // Of the run of that number, which began in this process at `process_start`; `written` is the state from which it goes on.
    CheckpointPause(std::uint64_t number, Clock::time_point process_start, std::optional<std::uint64_t> written);

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    // A checkpoint that cannot be written is a warning, and is tried again when the next one is due. Throws Failure::output where outputs
    // up to here do not come to the disk.
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    // At the end of a run that somebody ends, or where the run file asks for one there, before what else is written there. Throws
    // Failure::output where it cannot be written.
    [[nodiscard]] bool resumes(CurrentRun& run) override;
    [[nodiscard]] std::optional<KeptRun> saved(const CurrentRun& run) const override;

private:
    [[nodiscard]] bool is_due(const CurrentRun& run) const;
    void write(CurrentRun& run);

    const std::uint64_t number_;
    const Clock::time_point process_start_;
    std::optional<std::uint64_t> written_;
    Clock::time_point last_ = Clock::now(); // when the last one was done
};

// A run file of the same run whose model is among the kept sources, in the folder `sources` as seen from where it is to stand.
[[nodiscard]] std::string kept_run_file(const Setup& setup, const run_file::RunFile& run_file, const std::string& sources);

} // namespace tessera
