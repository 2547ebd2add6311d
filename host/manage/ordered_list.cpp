#include "host/manage/ordered_list.hpp"

#include "host/manage/list_births.hpp"
#include "host/manage/list_launch.hpp"
#include "host/manage/list_moves.hpp"
#include "host/manage/list_scratch.hpp"
#include "host/manage/list_settle.hpp"

#include <utility>

namespace tessera {

OrderedList::OrderedList(ListPlan plan) : plan_(std::move(plan)), scratch_(std::make_unique<ListScratch>()) {}

OrderedList::~OrderedList() = default;

void OrderedList::run(const void* arguments, ThreadPool& team) {
    const auto& call = *static_cast<const ListCall*>(arguments);
    const ListLaunch launch(call.list->plan_, &call + 1);
    if (launch.is_over()) return;
    auto& scratch = *call.list->scratch_;
    switch (call.work) {
    case ListWork::moves: return find_targets(launch, scratch, team);
    case ListWork::births: return choose_children(launch, scratch, team);
    case ListWork::settles: return settle_list(launch, scratch, team);
    case ListWork::links: break; // of no agents (changing_links.hpp)
    }
}

} // namespace tessera
