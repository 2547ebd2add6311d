// A list as it stands behind a manageAll.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/ordered_list.hpp"

namespace tessera {

// Moves together who stays, puts children behind them, and counts, ranks and chains all, as far as anybody asks. Behind find_targets and
// choose_children of the same manageAll.
void settle_list(const ListLaunch& launch, ListScratch& scratch);

// Counts, ranks and chains the agents that stand on these places, as far as the plan says that anybody asks; `start` has their number
// behind the last place. Of what nobody asks for the pointer may be null.
void index_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, void* count, std::int32_t* rank, std::int32_t* next);

} // namespace tessera
