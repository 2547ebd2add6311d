// What codes of agents in a list ask for.
#pragma once

#include "host/manage/list_plan.hpp"

namespace tessera {

// What became of a request: move_result of kernels/agents/collection.hpp.
inline constexpr int stayed = 0, moved = 1, refused = 2;

// Codes as kernels/agents/collection.hpp has them, with or without results.
struct ListCodes {
    int results;

    [[nodiscard]] int of(int action, int result) const noexcept { return 1 + (results == 3 ? result : 0) + results * action; }
    [[nodiscard]] int first_dying() const noexcept { return of(1, 0); }
    [[nodiscard]] int first_going() const noexcept { return of(2, 0); }
};
[[nodiscard]] inline ListCodes codes_of(const ListPlan& plan) noexcept { return {plan.keeps_results ? 3 : 1}; }

} // namespace tessera
