// The kernels of a manageAll of agents in slots: who wants to go and may, which children are born of one source, and what then becomes of
// each slot. Who wants to go anywhere bids: all bid, and who has the least priority may go, in rounds.
#pragma once

#include "host/setup/kernel_kind.hpp"

namespace tessera {

[[nodiscard]] const KernelKind& kind_of_move_requests();
[[nodiscard]] const KernelKind& kind_of_bids();
[[nodiscard]] const KernelKind& kind_of_granted_bids();
// No refused births are known yet.
[[nodiscard]] const KernelKind& kind_of_forgotten_births();
[[nodiscard]] const KernelKind& kind_of_births();
// What becomes of each slot: where none of these came before; where they left marks; where birth requests are to be forgotten as well.
[[nodiscard]] const KernelKind& kind_of_slots();
[[nodiscard]] const KernelKind& kind_of_marked_slots();
[[nodiscard]] const KernelKind& kind_of_slots_and_birth_requests();

// A launch over the slots of agents, by their codes.
[[nodiscard]] LaunchShape shape_of_slots(const Setup& setup, const KernelSetup& kernel, const RowRange& rows);

} // namespace tessera
