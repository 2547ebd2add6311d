#include "host/outputs/state_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace tessera {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};
constexpr std::int64_t rows_of_piece = 65536;

// Values of all rows.
Rows::Field field_of(std::string name, Scalar type, const std::byte* values) {
    return {std::move(name), type,
            [values, bytes = static_cast<std::int64_t>(size_of(type))](const PlaceRange& rows) { return values + rows.first * bytes; }};
}

// A coordinate of the places that agents stand on.
Rows::Field coordinate(const CollectionSetup& collection, const AgentTable& table, std::size_t axis) {
    const auto held = std::make_shared<std::vector<std::int64_t>>();
    return {axes[axis], Scalar::i64, [&collection, &table, axis, held](const PlaceRange& rows) {
                held->clear();
                for (auto i = rows.first; i < rows.end; ++i)
                    held->push_back(place_of(collection, table.places[static_cast<std::size_t>(i)])[axis]);
                return reinterpret_cast<const std::byte*>(held->data());
            }};
}

// `visit(member, element, name)` for each element of each member.
template<class Visit> void for_each_element(const Setup& setup, CollectionId collection, const Visit& visit) {
    const auto& members = setup.row_of(setup.collections[collection]).members;
    for (std::size_t m = 0; m < members.size(); ++m)
        for (int e = 0; e < members[m].elements; ++e)
            visit(m, e, members[m].elements == 1 ? members[m].name : fmt::format("{}[{}]", members[m].name, e));
}

} // namespace

Rows agent_rows(const Setup& setup, CollectionId agents, const StateView& state) {
    const auto& collection = setup.collections[agents];
    const auto& table = state.agents(agents);
    const auto& space = collection.agents->space;
    Rows rows{static_cast<std::int64_t>(table.size()), rows_of_piece, {}};
    rows.fields.push_back(field_of("id", Scalar::u64, reinterpret_cast<const std::byte*>(table.ids.data())));
    const bool has_shape = setup.collections[collection.agents->ground].has_shape();
    if (!has_shape) rows.fields.push_back(field_of("place", Scalar::i64, reinterpret_cast<const std::byte*>(table.places.data())));
    for (int axis = 0; has_shape && axis < collection.dimensions; ++axis) {
        if (space)
            rows.fields.push_back(field_of(axes[axis], space->number, state.agent_values(setup.positions_of(agents), axis)));
        else
            rows.fields.push_back(coordinate(collection, table, static_cast<std::size_t>(axis)));
    }
    for_each_element(setup, agents, [&](std::size_t member, int element, const std::string& name) {
        const auto column = setup.column_of(agents, member);
        rows.fields.push_back(field_of(name, setup[column].layout.type, state.agent_values(column, element)));
    });
    return rows;
}

Needs needs_of_agent_rows(const Setup& setup, CollectionId agents) {
    Needs needs;
    const auto& collection = setup.collections[agents];
    needs.agents.insert(agents);
    for (int axis = 0; collection.agents->space && axis < collection.dimensions; ++axis)
        needs.agent_values.emplace(setup.positions_of(agents), axis);
    for_each_element(setup, agents, [&](std::size_t member, int element, const std::string&) {
        needs.agent_values.emplace(setup.column_of(agents, member), element);
    });
    return needs;
}

Rows link_rows(const Setup& setup, CollectionId links, const StateView& state) {
    Rows rows{state.links(links), std::min(rows_of_piece, state.places_at_a_time()), {}};
    const auto add = [&](const std::string& name, ColumnId column, int element) {
        rows.fields.push_back({name, setup[column].layout.type,
                               [&state, column, element](const PlaceRange& range) { return state.values(column, element, range); }});
    };
    const auto from = setup.column_of(links, Role::link_end);
    add("from", from, 0);
    add("to", ColumnId(from.index() + 1), 0);
    for_each_element(setup, links,
                     [&](std::size_t member, int element, const std::string& name) { add(name, setup.column_of(links, member), element); });
    return rows;
}

} // namespace tessera
