// A list as it stands behind a manageAll.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/list_scratch.hpp"

namespace tessera {

class ThreadPool;

// Moves together who stays, puts children behind them, counts and ranks all, and chains them where anybody meets them. Behind find_targets
// and choose_children of the same manageAll.
void settle_list(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team);

// Counts and ranks the agents that stand on these places, and chains them where the plan says that they are met; `start` has their number
// behind the last place.
void index_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, void* count, std::int32_t* rank, std::int32_t* next);
// Chains them: `start` has the first of each place, `next` who follows.
void chain_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, std::int32_t* next);

} // namespace tessera
