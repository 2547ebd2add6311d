// Children that places have before the first step, of agents in a list: how they come among those who stand there.
//
// An init function is called twice. First each place counts its children in a column of the list (coming); then this makes room behind
// those who stand on the place, and says there how many are to come, below 0; and then the function puts them there
// (kernels/agents/births.hpp).
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/world.hpp"

namespace tessera {

// Behind the first call. Waits for it. Throws OutgrownRoom where the list has no room for so many.
void make_room_for_children(World& world, const Setup& setup, CollectionId agents);

// Behind the second: throws Failure::internal if other children came than were counted.
void check_children_came(const World& world, const Setup& setup, CollectionId agents);

} // namespace tessera
