// Rows to cut at, and orders to make tasks in, that a test draws.
#pragma once

#include "host/schedule/task.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace tessera::test {

// Every third row of each collection, about.
inline std::vector<std::int64_t> some_cuts(const Setup& setup, std::mt19937& dice) {
    std::vector<std::int64_t> cuts;
    for (const auto& collection : setup.collections)
        for (std::int64_t row = 1; row < collection.whole().end; ++row)
            if (dice() % 3 == 0) cuts.push_back(row);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

// Any order that `after` allows; any at all, where it is not obeyed.
inline std::vector<std::size_t> drawn_order(const std::vector<Task>& tasks, std::mt19937& dice, bool obey = true) {
    std::vector<std::size_t> order, open(tasks.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    std::vector<bool> done(tasks.size());
    while (!open.empty()) {
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const auto& after = tasks[open[i]].after;
            if (!obey || std::all_of(after.begin(), after.end(), [&](std::size_t before) { return done[before]; })) ready.push_back(i);
        }
        const auto chosen = ready[dice() % ready.size()];
        order.push_back(open[chosen]);
        done[open[chosen]] = true;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return order;
}

// Each partition makes its tasks in their order. `ahead` goes on whenever `after` lets it, and `behind` when nobody else can: whatever of
// `ahead` does not have to wait for a task of `behind` comes before it.
inline std::vector<std::size_t> order_apart(const std::vector<Task>& tasks, std::size_t ahead, std::size_t behind) {
    std::vector<std::vector<std::size_t>> queues{{}, {}};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        queues.resize(std::max(queues.size(), tasks[i].partition + 1));
        queues[tasks[i].partition].push_back(i);
    }
    std::vector<std::size_t> turns{ahead}, next(queues.size(), 0), order;
    for (std::size_t p = 0; p < queues.size(); ++p)
        if (p != ahead && p != behind) turns.push_back(p);
    turns.push_back(behind);
    std::vector<bool> done(tasks.size());
    const auto can_go_on = [&](std::size_t p) {
        if (next[p] == queues[p].size()) return false;
        const auto& after = tasks[queues[p][next[p]]].after;
        return std::all_of(after.begin(), after.end(), [&](std::size_t before) { return done[before]; });
    };
    while (order.size() < tasks.size()) {
        const auto p = *std::find_if(turns.begin(), turns.end(), can_go_on);
        order.push_back(queues[p][next[p]++]);
        done[order.back()] = true;
    }
    return order;
}

} // namespace tessera::test
