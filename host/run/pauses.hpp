// All that a run stands still for between two steps, in one order. What comes to be more of them is registered here.
#pragma once

#include "host/edits/edit_pause.hpp"
#include "host/hooks/hooks.hpp"
#include "host/run/run_to_end.hpp"
#include "host/session/run_record.hpp"

#include <cstdint>
#include <optional>

namespace tessera {

// Of one run, which goes by the options; `number` is the one by which its checkpoints are known, if it writes any. Run, record and hooks
// must outlive it.
struct RunPauses {
    RunPauses(CurrentRun& run, RunRecord& record, Hooks& hooks, const RunOptions& options, std::optional<std::uint64_t> number);

    Pauses all;
    EditPause* edits = nullptr; // none: the run does not change
};

} // namespace tessera
