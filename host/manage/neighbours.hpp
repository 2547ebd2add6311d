// What codes of agents in a list ask for, and the places to which they lead. Made once for a list.
#pragma once

#include "host/manage/list_plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Codes as kernels/agents/collection.hpp has them, with or without results.
struct ListCodes {
    int results;

    [[nodiscard]] int of(int action, int result) const noexcept { return 1 + (results == 3 ? result : 0) + results * action; }
    [[nodiscard]] int first_dying() const noexcept { return of(1, 0); }
    [[nodiscard]] int first_going() const noexcept { return of(2, 0); }
    [[nodiscard]] int end(std::size_t offsets) const noexcept { return of(2 + static_cast<int>(offsets), 0); }
};
[[nodiscard]] inline ListCodes codes_of(const ListPlan& plan) noexcept { return {plan.keeps_results ? 3 : 1}; }

// Divides numbers below 2^32 (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
class ListDivider {
public:
    explicit ListDivider(std::int64_t by) : factor_(by == 1 ? 0 : ~std::uint64_t{0} / static_cast<std::uint64_t>(by) + 1) {}
    [[nodiscard]] std::int32_t operator()(std::int32_t n) const noexcept {
        if (factor_ == 0) return n;
        return static_cast<std::int32_t>(static_cast<Wide>(factor_) * static_cast<std::uint32_t>(n) >> 64);
    }

private:
    __extension__ using Wide = unsigned __int128;
    std::uint64_t factor_;
};

// The places to which codes lead.
class Neighbours {
public:
    explicit Neighbours(const ListPlan& plan);

    // Of a grid of two dimensions, or of three; -1: beyond an edge.
    template<int Dimensions> [[nodiscard]] std::int32_t beside(std::int32_t place, std::size_t code) const noexcept {
        const auto line = by_nx_(place), x = place - line * size_[0];
        const auto z = Dimensions == 3 ? by_ny_(line) : 0, y = line - z * size_[1];
        if (is_away(x, 0) && is_away(y, 1) && (Dimensions < 3 || is_away(z, 2))) return place + distances_[code];
        return beyond_inner(x, y, z, code);
    }

private:
    // In the middle of the grid, from where no offset leads beyond an edge.
    [[nodiscard]] bool is_away(std::int32_t i, std::size_t axis) const noexcept {
        return static_cast<std::uint32_t>(i - reach_[axis]) < static_cast<std::uint32_t>(inner_[axis]);
    }
    [[nodiscard]] std::int32_t beyond_inner(std::int32_t x, std::int32_t y, std::int32_t z, std::size_t code) const noexcept;
    [[nodiscard]] std::int32_t along(std::size_t axis, std::int32_t i, int by) const noexcept;

    int dimensions_;
    std::array<std::int32_t, 3> size_;
    std::array<bool, 3> is_round_;
    ListDivider by_nx_, by_ny_;
    std::array<int, 3> reach_{};
    std::array<std::int32_t, 3> inner_{}; // how many coordinates are away from the edges
    std::vector<ListOffset> offsets_;     // by code
    std::vector<std::int32_t> distances_; // in numbers of places, by code
};

} // namespace tessera
