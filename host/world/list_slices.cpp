#include "host/world/list_slices.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera {
namespace {

// The list that a column is of.
const LinkList* list_of(const LinksSetup& links, std::size_t column) {
    for (const auto& list : links.lists) {
        const auto has_member = [&] {
            return std::any_of(list.members.begin(), list.members.end(),
                               [&](const auto& named) { return named.first != named.second && named.second == column; });
        };
        if (list.start == column || list.other == column || list.number == column || has_member()) return &list;
    }
    return nullptr;
}

// How many rows of a list are of places below one: links without a direction stand at both of their ends, but for loops.
std::int64_t rows_before(const LinkTable& table, model::LinkSide side, std::int64_t place) {
    const auto below = [&](const std::vector<std::int32_t>& ends) {
        return std::count_if(ends.begin(), ends.end(), [place](std::int32_t end) { return end < place; });
    };
    if (side == model::LinkSide::in) return below(table.to);
    if (side == model::LinkSide::out) return below(table.from);
    const auto loops = std::transform_reduce(table.from.begin(), table.from.end(), table.to.begin(), std::int64_t{0}, std::plus<>(),
                                             [place](std::int32_t from, std::int32_t to) { return from == to && from < place ? 1 : 0; });
    return below(table.to) + below(table.from) - loops;
}

} // namespace

std::vector<ListSlice> slices_of_list(const Setup& setup, ColumnId column) {
    const auto [id, number] = setup.columns[column];
    const auto& links = setup.collections[id].links;
    const auto& table = setup.start[id].links;
    if (!links || links->changes || !table) return {};
    const auto* const list = list_of(*links, number);
    if (list == nullptr) return {};
    const auto ground = list->side == model::LinkSide::out ? links->from : links->to;
    const bool is_start = list->start == number;
    std::vector<ListSlice> slices;
    for (std::size_t p = 0; p < setup.partitions(); ++p) {
        const auto stripe = setup.stripe(ground, p);
        const auto value_at = [&](std::int64_t row) {
            const auto place = setup.collections[ground].first_of_row(row);
            return is_start ? place : rows_before(*table, list->side, place);
        };
        auto& [values, shared] = slices.emplace_back();
        if (stripe.rows() == 0) continue;
        values = {value_at(stripe.first), value_at(stripe.end)};
        if (is_start) ++values.end, shared = 1; // where the links of the last place end
    }
    return slices;
}

} // namespace tessera
