// Room for lists that grow, in time.
#pragma once

#include "host/session/pause.hpp"

#include <memory>
#include <optional>

namespace tessera {

// Looks twice a second whether lists have become so full that they want more room, and makes a run with more from the state at hand. Those
// that outgrow their room between two looks are recovered (recovery.hpp).
class RoomPause : public Pause {
public:
    // `all`: what the run stands still for, this included.
    explicit RoomPause(const Pauses& all) : all_(all) {}

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;

private:
    [[nodiscard]] bool follows(const CurrentRun& run) const;
    [[nodiscard]] std::unique_ptr<Run> with_room_that_fits(CurrentRun& run);

    const Pauses& all_;
    std::optional<int> refused_; // the run (CurrentRun::replacements) for which more was not to be had
    Pacer::Clock::time_point looked_{};
};

} // namespace tessera
