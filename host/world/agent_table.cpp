#include "host/world/agent_table.hpp"

#include "host/world/sort_by_key.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace tessera {
namespace {

// Calls `visit(slot, places)` for pieces of the grid, all of one slot and then all of the next.
template<class Visit> void for_each_slot(const Setup& setup, const CollectionSetup& agents, const Visit& visit) {
    const auto at_a_time = std::max<std::int64_t>(static_cast<std::int64_t>(setup.bytes_at_a_time / 16), 1);
    for (int slot = 0; slot < agents.agents->capacity; ++slot)
        for_each_piece(agents.places(), at_a_time, [&](const PlaceRange& places) { visit(slot, places); });
}

// Agents as they were found, those of a slot behind those of the one before, by their ids.
AgentTable sorted_by_id(const std::vector<std::uint64_t>& ids, const std::vector<std::int64_t>& places, std::vector<std::size_t> slots,
                        int threads) {
    std::vector<Keyed> order(ids.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = {ids[i], i};
    sort_by_key(order, threads);
    AgentTable table;
    table.slots = std::move(slots);
    table.positions.resize(order.size());
    table.ids.resize(order.size());
    table.places.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        table.positions[order[i].number] = i;
        table.ids[i] = order[i].key;
        table.places[i] = places[order[i].number];
    }
    return table;
}

// Of a list: everybody, in the order in which they stand.
AgentTable find_in_list(const Setup& setup, CollectionId id, const StateReader& read, int threads) {
    std::int32_t population = 0;
    const auto places = setup.collections[id].places();
    read(setup.starts_of(id), 0, {places, places + 1}, reinterpret_cast<std::byte*>(&population));
    const auto count = static_cast<std::size_t>(population);
    std::vector<std::uint64_t> ids(count);
    std::vector<std::int32_t> stands(count);
    read(setup.ids_of(id), 0, {0, population}, reinterpret_cast<std::byte*>(ids.data()));
    read(setup.places_of(id), 0, {0, population}, reinterpret_cast<std::byte*>(stands.data()));
    return sorted_by_id(ids, {stands.begin(), stands.end()}, {0, count}, threads);
}

// Elements of a member, or 1 of what else stands in a slot.
int elements_of(const CollectionSetup& agents, ColumnId column, const Setup& setup) {
    return agents.stored[setup.columns[column].member].elements / (agents.agents->in_list() ? 1 : agents.agents->capacity);
}

} // namespace

AgentTable find_agents(const Setup& setup, CollectionId id, const StateReader& read, int threads) {
    const auto& agents = setup.collections[id];
    if (agents.agents->in_list()) return find_in_list(setup, id, read, threads);
    const auto codes = setup.codes_of(id), ids = setup.ids_of(id);
    const auto code_bytes = size_of(setup[codes].layout.type);
    std::vector<std::uint64_t> found_ids;
    std::vector<std::int64_t> found_places;
    std::vector<std::size_t> slots;
    std::vector<std::byte> piece;
    std::vector<std::uint64_t> of_piece;
    int last_slot = -1;
    for_each_slot(setup, agents, [&](int slot, const PlaceRange& places) {
        if (slot != last_slot) slots.push_back(found_ids.size());
        last_slot = slot;
        const auto count = static_cast<std::size_t>(places.count());
        piece.resize(count * code_bytes);
        of_piece.resize(count);
        read(codes, slot, places, piece.data());
        read(ids, slot, places, reinterpret_cast<std::byte*>(of_piece.data()));
        for (std::size_t p = 0; p < count; ++p)
            if (std::any_of(piece.data() + p * code_bytes, piece.data() + (p + 1) * code_bytes,
                            [](std::byte b) { return b != std::byte{0}; })) {
                found_ids.push_back(of_piece[p]);
                found_places.push_back(places.first + static_cast<std::int64_t>(p));
            }
    });
    slots.push_back(found_ids.size());
    return sorted_by_id(found_ids, found_places, std::move(slots), threads);
}

std::vector<std::byte> agent_values(const Setup& setup, ColumnId column, int element, const AgentTable& table, const StateReader& read) {
    const auto& agents = setup.collections[setup.columns[column].collection];
    const auto bytes = size_of(setup[column].layout.type);
    const auto elements = elements_of(agents, column, setup);
    std::vector<std::byte> values(table.size() * bytes);
    std::vector<std::byte> piece;
    if (agents.agents->in_list()) {
        piece.resize(values.size());
        read(column, element, {0, static_cast<std::int64_t>(table.size())}, piece.data());
        for (std::size_t i = 0; i < table.size(); ++i)
            std::memcpy(values.data() + table.positions[i] * bytes, piece.data() + i * bytes, bytes);
        return values;
    }
    std::size_t next = 0; // in the order of slots
    for_each_slot(setup, agents, [&](int slot, const PlaceRange& places) {
        const auto end = table.slots[static_cast<std::size_t>(slot) + 1];
        if (next == end || table.places[table.positions[next]] >= places.end) return;
        piece.resize(static_cast<std::size_t>(places.count()) * bytes);
        read(column, slot * elements + element, places, piece.data());
        for (; next < end; ++next) {
            const auto position = table.positions[next];
            const auto at = table.places[position] - places.first;
            if (at >= places.count()) break;
            std::memcpy(values.data() + position * bytes, piece.data() + static_cast<std::size_t>(at) * bytes, bytes);
        }
    });
    return values;
}

Extents place_of(const CollectionSetup& collection, std::int64_t number) {
    return {number % collection.size[0], number / collection.size[0] % collection.size[1],
            number / (collection.size[0] * collection.size[1])};
}

} // namespace tessera
