#include "host/world/first_children.hpp"

#include "device_runtime/error.hpp"
#include "host/world/outgrown_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::int32_t to_come = -1;

std::vector<std::int32_t> numbers(const World& world, ColumnId column, std::int64_t count) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    world.read(column, 0, {0, count}, reinterpret_cast<std::byte*>(values.data()));
    return values;
}

void write_numbers(World& world, ColumnId column, const std::vector<std::int32_t>& values) {
    world.write(column, [&](const PlaceRange& range, std::byte* into) {
        const auto end = std::min<std::int64_t>(range.end, static_cast<std::int64_t>(values.size()));
        std::memset(into, 0, static_cast<std::size_t>(range.count()) * sizeof(std::int32_t));
        if (range.first < end)
            std::memcpy(into, values.data() + range.first, static_cast<std::size_t>(end - range.first) * sizeof(std::int32_t));
    });
}

// Where each place's agents begin, who stand in the order of places before the first step.
std::vector<std::int32_t> starts_of(const World& world, const Setup& setup, CollectionId agents) {
    const auto places = setup.collections[agents].places();
    if (!setup.collections[agents].agents->storage->is_ordered()) return numbers(world, setup.starts_of(agents), places + 1);
    std::vector<std::int32_t> population(1), starts(static_cast<std::size_t>(places) + 1);
    world.read(setup.starts_of(agents), 0, {places, places + 1}, reinterpret_cast<std::byte*>(population.data()));
    for (const auto place : numbers(world, setup.places_of(agents), population.front())) ++starts[static_cast<std::size_t>(place) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
}

// Whoever finds no room on its place is not born.
void keep_to_capacity(std::vector<std::int32_t>& coming, const std::vector<std::int32_t>& starts, int most_on_place) {
    if (most_on_place == 0) return;
    for (std::size_t p = 0; p < coming.size(); ++p) coming[p] = std::min(coming[p], most_on_place - (starts[p + 1] - starts[p]));
}

// The list as it will be: of each entry, where it stood before or that it is to come; its place; and where each place's begin.
struct NewList {
    std::vector<std::int32_t> from, places, starts;
};
NewList list_with_room(const std::vector<std::int32_t>& starts, const std::vector<std::int32_t>& coming) {
    NewList list;
    for (std::size_t p = 0; p < coming.size(); ++p) {
        list.starts.push_back(static_cast<std::int32_t>(list.from.size()));
        for (auto agent = starts[p]; agent < starts[p + 1]; ++agent) list.from.push_back(agent);
        list.from.insert(list.from.end(), static_cast<std::size_t>(coming[p]), to_come);
        list.places.insert(list.places.end(), list.from.size() - list.places.size(), static_cast<std::int32_t>(p));
    }
    list.starts.push_back(static_cast<std::int32_t>(list.from.size()));
    return list;
}

// The values of those who were there, where they will stand.
void move_values(World& world, const Setup& setup, ColumnId column, const std::vector<std::int32_t>& from, std::int64_t before) {
    const auto& layout = setup[column].layout;
    const auto size = size_of(layout.type), plane = static_cast<std::size_t>(before) * size;
    std::vector<std::byte> old(plane * static_cast<std::size_t>(layout.elements));
    for (int e = 0; e < layout.elements && before > 0; ++e)
        world.read(column, e, {0, before}, old.data() + static_cast<std::size_t>(e) * plane);
    world.write(column, [&](const PlaceRange& range, std::byte* into) {
        std::memset(into, 0, static_cast<std::size_t>(range.count()) * size * static_cast<std::size_t>(layout.elements));
        for (std::size_t e = 0; e < static_cast<std::size_t>(layout.elements); ++e)
            for (auto i = range.first; i < std::min<std::int64_t>(range.end, static_cast<std::int64_t>(from.size())); ++i)
                if (const auto was = from[static_cast<std::size_t>(i)]; was != to_come)
                    std::memcpy(into + (e * static_cast<std::size_t>(range.count()) + static_cast<std::size_t>(i - range.first)) * size,
                                old.data() + e * plane + static_cast<std::size_t>(was) * size, size);
    });
}

} // namespace

void make_room_for_children(World& world, const Setup& setup, CollectionId agents) {
    const auto& collection = setup.collections[agents];
    const auto places = collection.places();
    auto coming = numbers(world, setup.arrivals_of(agents), places);
    if (std::all_of(coming.begin(), coming.end(), [](std::int32_t number) { return number == 0; })) return;
    const auto starts = starts_of(world, setup, agents);
    keep_to_capacity(coming, starts, collection.agents->most_on_place);
    const auto children = std::accumulate(coming.begin(), coming.end(), std::int64_t{0});
    if (starts.back() + children > collection.agents->capacity)
        throw OutgrownRoom(setup, {agents}, static_cast<std::uint64_t>(starts.back() + children), "before the first step");
    const auto list = list_with_room(starts, coming);
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m)
        move_values(world, setup, setup.column_of(agents, m), list.from, starts.back());
    move_values(world, setup, setup.codes_of(agents), list.from, starts.back());
    move_values(world, setup, setup.ids_of(agents), list.from, starts.back());
    if (collection.agents->space) move_values(world, setup, setup.positions_of(agents), list.from, starts.back());
    write_numbers(world, setup.places_of(agents), list.places);
    write_numbers(world, setup.starts_of(agents), list.starts);
    for (auto& number : coming) number = -number;
    write_numbers(world, setup.arrivals_of(agents), coming);
}

void check_children_came(const World& world, const Setup& setup, CollectionId agents) {
    const auto left = numbers(world, setup.arrivals_of(agents), setup.collections[agents].places());
    const auto wrong = std::find_if(left.begin(), left.end(), [](std::int32_t number) { return number != 0; });
    if (wrong != left.end())
        throw Error(Failure::internal,
                    fmt::format("other {} were born before the first step than had been counted", setup.collections[agents].name),
                    fmt::format("{} on place {}", *wrong, wrong - left.begin()));
}

} // namespace tessera
