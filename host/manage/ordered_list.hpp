// manageAll of agents in a list in the order of their ids, on a CPU. It is compiled with the program and not with each model: it depends
// on how columns stand in memory alone.
//
// In three parts. `moves` finds out where everybody wants to be, and refuses those for whom a place has no room; `births` decides which
// children are born; `settles` moves together who stays, in order, puts the children behind them, and counts and ranks all. The order of
// the list is that of ids, so that ranks are counted and no id is compared: a child's id is greater than all before it, for it begins with
// the number of the manageAll.
#pragma once

#include "host/manage/list_plan.hpp"
#include "host/manage/neighbours.hpp"

#include <cstdint>
#include <tuple>
#include <vector>

namespace tessera {

enum class ListWork : std::uint64_t { moves, births, settles, links };

// A child that is to be born: the number of its source and of its request there, its place, and how many are born there before it.
struct ListChild {
    std::size_t source;
    std::int64_t request;
    std::int32_t place, rank;
};

// A request for a child, and when its turn comes among those of a place: by the parents' types, their priorities, and what they asked for
// one after the other.
struct ListRequest {
    std::int32_t place;
    int order;
    std::uint64_t priority;
    int phase, call;
    std::size_t source;
    std::int64_t parent; // its number in the list, or its place
    std::int64_t request;

    [[nodiscard]] auto turn() const noexcept { return std::tie(place, order, priority, phase, call); }
};

// One of several who want to go to a place.
struct ListRival {
    std::int32_t place, agent;
    std::uint64_t priority;
};

// Numbers of agents, in order. What room was made for is not cleared before it is written.
class ListNumbers {
public:
    // Where at most so many are written, of which then the first few are kept.
    [[nodiscard]] std::int32_t* room_for(std::size_t most) {
        if (all_.size() < most) all_.resize(most);
        return all_.data();
    }
    void keep(std::size_t count) noexcept { size_ = count; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::int32_t* begin() noexcept { return all_.data(); }
    [[nodiscard]] std::int32_t* end() noexcept { return all_.data() + size_; }
    [[nodiscard]] const std::int32_t* begin() const noexcept { return all_.data(); }
    [[nodiscard]] const std::int32_t* end() const noexcept { return all_.data() + size_; }

private:
    std::vector<std::int32_t> all_;
    std::size_t size_ = 0;
};

// What the parts of one manageAll leave each other.
struct ListScratch {
    ListNumbers dying, movers;
    std::vector<std::int32_t> arrivals;     // of each place; 0 between launches
    std::vector<std::uint8_t> few_arrivals; // the same, up to 255, where counts are bytes
    std::vector<ListRival> rivals;
    std::vector<ListRequest> requests;
    std::vector<ListChild> children; // in the order of their ids
};

class OrderedList {
public:
    explicit OrderedList(ListPlan plan) : plan_(std::move(plan)), beside_(plan_) {}
    OrderedList(const OrderedList&) = delete;
    OrderedList& operator=(const OrderedList&) = delete;

    [[nodiscard]] const ListPlan& plan() const noexcept { return plan_; }

    // A kernel of one item, as a launch of the engine's calls it. Its arguments begin with ListCall.
    static void run(const void* arguments, std::int64_t first, std::int64_t last);

private:
    const ListPlan plan_;
    const Neighbours beside_;
    ListScratch scratch_;
};

// What stands in front of the arguments of a part of manageAll (kernels/launch/arguments.hpp).
struct ListCall {
    OrderedList* list;
    ListWork work;
};

} // namespace tessera
