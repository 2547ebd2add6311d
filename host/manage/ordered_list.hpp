// manageAll of agents in a list in the order of their ids, on a CPU. It is compiled with the program and not with each model: it depends
// on how columns stand in memory alone.
//
// In three parts. `moves` finds out where everybody wants to be, and refuses those for whom a place has no room; `births` decides which
// children are born; `settles` moves together who stays, in order, puts the children behind them, and counts and ranks all. The order of
// the list is that of ids, so that ranks are counted and no id is compared: a child's id is greater than all before it, for it begins with
// the number of the manageAll.
#pragma once

#include "host/manage/list_plan.hpp"

#include <cstdint>
#include <memory>

namespace tessera {

enum class ListWork : std::uint64_t { moves, births, settles, links };

class ThreadPool;
struct ListScratch;

class OrderedList {
public:
    explicit OrderedList(ListPlan plan);
    ~OrderedList();
    OrderedList(const OrderedList&) = delete;
    OrderedList& operator=(const OrderedList&) = delete;

    [[nodiscard]] const ListPlan& plan() const noexcept { return plan_; }

    // A kernel, as a launch of the engine's calls it; it cuts its work for the team itself. Its arguments begin with ListCall.
    static void run(const void* arguments, ThreadPool& team);

private:
    const ListPlan plan_;
    const std::unique_ptr<ListScratch> scratch_;
};

// What stands in front of the arguments of a part of manageAll (kernels/launch/arguments.hpp).
struct ListCall {
    OrderedList* list;
    ListWork work;
};

} // namespace tessera
