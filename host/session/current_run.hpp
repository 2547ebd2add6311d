// The run that goes on now. Another one takes its place when its sources change, or when its lists need more room.
#pragma once

#include "host/outputs/manifest.hpp"
#include "host/outputs/outbox.hpp"
#include "host/session/run.hpp"

#include <cstdint>
#include <memory>

namespace tessera {

class CurrentRun {
public:
    // Writes into `folder` from now on. Session and folder must outlive it; what happens is told in `report`.
    CurrentRun(std::unique_ptr<Run> run, Session& session, const ResultFolder& folder, RunReport& report);

    [[nodiscard]] Run& run() noexcept { return *run_; }
    [[nodiscard]] const Run& run() const noexcept { return *run_; }
    [[nodiscard]] const Setup& setup() const noexcept { return run_->setup(); }
    [[nodiscard]] std::uint64_t step() const noexcept { return run_->step(); }
    // The state at which it ends if nothing ends it before. Where the run file gives none, the last that a run can have.
    [[nodiscard]] std::uint64_t end() const;

    [[nodiscard]] Session& session() const noexcept { return session_; }
    [[nodiscard]] const ResultFolder& folder() const noexcept { return folder_; }
    [[nodiscard]] RunReport& report() const noexcept { return report_; }
    // For what is written beside its steps, whichever the run is.
    [[nodiscard]] Outbox& outbox() const noexcept { return *outbox_; }

    // With which state it began; none: with first values. It must outlive the run.
    void begins_with(const Snapshot& state) noexcept { beginning_ = &state; }
    [[nodiscard]] const Snapshot* beginning() const noexcept { return beginning_; }

    // From now on the run is that one; its outputs go on, once those of the one before are written.
    void follow(std::unique_ptr<Run> next);
    // How often that was.
    [[nodiscard]] int replacements() const noexcept { return replacements_; }

private:
    std::unique_ptr<Run> run_;
    Session& session_;
    const ResultFolder& folder_;
    RunReport& report_;
    const Snapshot* beginning_ = nullptr;
    int replacements_ = 0;
    std::unique_ptr<Outbox> outbox_; // goes before the run that it writes of
};

} // namespace tessera
