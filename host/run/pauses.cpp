#include "host/run/pauses.hpp"

#include "host/session/checkpoint_pause.hpp"
#include "host/session/output_pause.hpp"
#include "host/session/progress.hpp"
#include "host/session/room_pause.hpp"
#include "host/session/tuner_pause.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace tessera {

RunPauses::RunPauses(CurrentRun& run, RunRecord& record, Hooks& hooks, const RunOptions& options, std::optional<std::uint64_t> number) {
    std::function<bool()> is_restless;
    all.add(record);
    all.add(std::make_unique<Progress>(options.quiet, run.step()));
    all.add(hooks); // before outputs, so that these show the state that the run goes on from
    all.add(std::make_unique<OutputPause>());
    all.add(std::make_unique<StopPause>());
    if (number) { // behind all that belongs to the state, before it is changed
        const auto* const saved = options.resumption != nullptr ? options.resumption->saved : nullptr;
        all.add(std::make_unique<CheckpointPause>(*number, options.process_start, run.step(), saved, options.keeping));
    }
    if (auto* changes = options.changes) {
        auto pause = std::make_unique<EditPause>(run, *changes, options.waits_at_end);
        edits = pause.get();
        all.add(std::move(pause));
        is_restless = [changes] { return changes->is_restless(); };
    }
    for (auto* pause : options.pauses) all.add(*pause);
    all.add(std::make_unique<RoomPause>(all));
    all.add(std::make_unique<TunerPause>(all, is_restless));
}

} // namespace tessera
