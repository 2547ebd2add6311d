// The functions that a run's phases call around a manageAll, where these may do a part of it.
#pragma once

#include "host/setup/setup.hpp"

#include <optional>

namespace tessera {

// Whether the phase is made in each step, and once.
[[nodiscard]] bool is_usual(const PhaseSetup& phase);
// Whether no more than one phase calls the function.
[[nodiscard]] bool is_called_once(const Setup& setup, KernelId function);
// Whether the phase is a manageAll of these agents.
[[nodiscard]] bool is_manage_all_of(const PhaseSetup& phase, CollectionId agents);
// The last function before a manageAll by which agents move or die, if each step has one call of it and one of that manageAll.
[[nodiscard]] std::optional<KernelId> last_to_ask(const Setup& setup, PhaseId manage, CollectionId agents);

} // namespace tessera
