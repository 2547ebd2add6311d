#include "host/session/room_pause.hpp"

#include "host/session/as_error.hpp"
#include "host/session/room.hpp"
#include "jit/log.hpp"

#include <chrono>
#include <utility>

namespace tessera {

bool RoomPause::follows(const CurrentRun& run) const { return has_growing_lists(run.setup()) && refused_ != run.replacements(); }

// Where the run cannot begin again with more, it has to see in time whether there is room.
std::uint64_t RoomPause::next(const CurrentRun& run) const { return follows(run) && !all_.are_repeatable() ? run.step() + 1 : never; }

// So seldom that looking costs nothing.
bool RoomPause::pending(CurrentRun& run, std::uint64_t) {
    return follows(run) && run.session().pacer().now() - looked_ > std::chrono::milliseconds(500);
}

Outcome RoomPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.ends || !follows(run)) return Outcome::go_on;
    looked_ = run.session().pacer().now();
    auto next = with_room_that_fits(run);
    if (!next) return Outcome::go_on;
    next->count_on_from(run.run());
    run.follow(std::move(next));
    log_info("step {}: there is room for {} now", run.step(), rooms_text(run.setup()));
    return Outcome::go_on;
}

// The state at hand, if it has to have more room, and that can be had.
std::unique_ptr<Run> RoomPause::with_room_that_fits(CurrentRun& run) {
    try {
        auto next = with_fitting_room(run.setup(), run.run().run_file(),
                                      [&](CollectionId agents) { return run.run().simulation().population(agents); });
        if (!next) return nullptr;
        return std::make_unique<Run>(run.run().model(), *next, run.session(), run.run(), Run::Remarks::known);
    } catch (const std::exception& thrown) {
        const auto error = as_error(thrown);
        if (error.kind() == Failure::interrupted) return nullptr;
        refused_ = run.replacements();
        log_info("there is no more room than before, {}: {}", rooms_text(run.setup()), error.what());
        return nullptr;
    }
}

} // namespace tessera
