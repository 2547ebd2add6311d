// Rounds of a repeat that one GPU is given together, before it is known how many of them are made: what comes behind a question whose
// answer is yes is left out there (Task::left_out_at_yes), so that the host is waited for once for all of them.
#pragma once

#include "host/schedule/schedule.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Why the host has to look at the answer before each round, also where one GPU makes the run; empty: it need not.
[[nodiscard]] std::string obstacle_to_rounds_ahead(const Setup& setup);

// A question that is queued with others.
struct QueuedQuestion {
    PhaseId phase;
    Placement behind; // what is where if its answer is yes
};

struct FirstQuestion {
    PhaseId phase;
    std::size_t asked = 0;    // how many of the repeat were asked before it
    std::size_t expected = 1; // how many are likely to be asked, from it on
};
// Adds to `tasks`, which end with the first question, the rounds behind it, each with its question, for as long as it pays: a launch that
// is left out takes some tenths of a microsecond, and the way over the host some microseconds. `placement` becomes what it is behind all of
// them. Returns the questions, the first one included; only the last one tells a no.
[[nodiscard]] std::vector<QueuedQuestion> append_rounds(const Setup& setup, const Schedule& schedule, std::uint64_t step,
                                                        const FirstQuestion& first, Placement& placement, std::vector<Task>& tasks);

} // namespace tessera
