// A manageAll in which everybody goes somewhere, as walkers do.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/list_scratch.hpp"

namespace tessera {

class ThreadPool;

// If all want to go, to places that are there, and nobody asks for a child, it lets them go, and counts, ranks and chains all. Returns
// whether it did; if not, nothing is changed. For lists that one thread makes.
[[nodiscard]] bool let_all_go(const ListLaunch& launch, ListScratch& scratch, const ThreadPool& team);

} // namespace tessera
