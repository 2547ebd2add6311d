// The manifest of a run from its first moment to its last.
#pragma once

#include "host/outputs/manifest.hpp"
#include "host/run/running.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace tessera {

// While a run goes on its manifest says "running", so that the folder of one that was killed is known for what it is. Everything handed
// over must outlive the record.
class RunRecord {
public:
    using Clock = std::chrono::steady_clock;

    RunRecord(const ResultFolder& folder, RunReport& report, const Running& running, Clock::time_point process_start);

    // From now on it is of this one.
    void follow(const Running& running) noexcept { running_ = &running; }

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

    // Writes the first manifest. Where that cannot be done the run goes on, and is told so; then no earlier manifest stays.
    void begin();

    // Says how far the run is, if that was not said lately: cheap, and to be called often.
    void update(std::uint64_t step);

    // Completes the report and writes what stays. Throws Failure::output.
    void finish();

private:
    [[nodiscard]] RunReport completed(RunReport report) const;
    void write_running(std::uint64_t step);

    const ResultFolder& folder_;
    RunReport& report_;
    const Running* running_;
    Clock::time_point process_start_, next_{};
};

} // namespace tessera
