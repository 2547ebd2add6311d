// Which children of agents, or of places, are born into a list.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/list_scratch.hpp"

namespace tessera {

class ThreadPool;

// Those that are stand in `scratch.children`, by place and by turn; parents who are to know how many are not are told. Behind find_targets
// of the same manageAll, by whose counts places have room. Notes are forgotten, but for the members in them. If there is no room in the
// list for all, that is a fault, and none is born.
void choose_children(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team);

} // namespace tessera
