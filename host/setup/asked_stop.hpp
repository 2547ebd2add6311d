// The condition `stop` as a question that one GPU asks itself behind each step, as `until` is asked.
#pragma once

#include "host/setup/setup.hpp"

#include <optional>
#include <string>

namespace tessera {

// Why the host has to look whether `stop` holds, also where one GPU makes the run; empty: it need not, or there is no `stop`.
[[nodiscard]] std::string obstacle_to_asking_stop(const Setup& setup);

// The question that was added (host/bind/stop_question.hpp).
[[nodiscard]] std::optional<ReductionId> find_stop_question(const Setup& setup);

} // namespace tessera
