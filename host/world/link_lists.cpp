#include "host/world/link_lists.hpp"

#include "device_runtime/stable_places.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

// Of values that are kept as planes of elements, `places` of each.
ArraySource source_of_planes(std::shared_ptr<const std::vector<std::byte>> values, std::int64_t places, std::size_t elements,
                             std::size_t bytes) {
    return [values = std::move(values), places, elements, bytes](const PlaceRange& range, std::byte* into) {
        const auto count = static_cast<std::size_t>(range.count()) * bytes;
        for (std::size_t e = 0; e < elements; ++e)
            std::memcpy(into + e * count,
                        values->data() + (e * static_cast<std::size_t>(places) + static_cast<std::size_t>(range.first)) * bytes, count);
    };
}

template<class T> ArraySource source_of_numbers(const std::vector<T>& numbers) {
    auto bytes = std::make_shared<std::vector<std::byte>>(numbers.size() * sizeof(T));
    if (!numbers.empty()) std::memcpy(bytes->data(), numbers.data(), bytes->size());
    return source_of_planes(std::move(bytes), static_cast<std::int64_t>(numbers.size()), 1, sizeof(T));
}

// Of values that stand link after link.
ArraySource source_of_links(const LinkTable& table, const LinkTable::Column& column, const model::Member& member) {
    const auto bytes = size_of(member.type), elements = static_cast<std::size_t>(member.elements);
    auto planes = std::make_shared<std::vector<std::byte>>(column.values.size());
    for (std::size_t i = 0; i < table.size(); ++i)
        for (std::size_t e = 0; e < elements; ++e)
            std::memcpy(planes->data() + (e * table.size() + i) * bytes, column.values.data() + (i * elements + e) * bytes, bytes);
    return source_of_planes(std::move(planes), static_cast<std::int64_t>(table.size()), elements, bytes);
}

// Values of the first `count`; the others are as the member's default says.
ArraySource first_of(ArraySource values, std::int64_t count, const model::Member& member) {
    return [values = std::move(values), count, initial = member.initial, bytes = size_of(member.type),
            elements = static_cast<std::size_t>(member.elements)](const PlaceRange& range, std::byte* into) {
        const auto end = std::clamp(count, range.first, range.end);
        const auto all = static_cast<std::size_t>(range.count()), known = static_cast<std::size_t>(end - range.first);
        if (known == all) return values(range, into);
        std::vector<std::byte> first(known * bytes * elements);
        if (known > 0) values({range.first, end}, first.data());
        for (std::size_t e = 0; e < elements; ++e) {
            auto* const plane = into + e * all * bytes;
            if (known > 0) std::memcpy(plane, first.data() + e * known * bytes, known * bytes);
            for (auto i = known; i < all; ++i) std::memcpy(plane + i * bytes, initial.data() + e * bytes, bytes);
        }
    };
}

// A list: where each place's links begin, and which link each row of it is, which leads from the place at the other end.
struct LinkRows {
    std::vector<std::int32_t> start, other, link;
};

// `at` and `far` are the ends of each link, of which the first is that at whose place it stands. Those of both sides stand at either end.
// By counting: the links are in the order of where they lead to and come from, and stay so at each place.
class ListMaker {
public:
    ListMaker(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to, model::LinkSide side, std::int64_t places,
              ThreadPool& pool)
        : from_(from), to_(to), side_(side), places_(static_cast<std::size_t>(places)), pool_(pool) {}

    LinkRows make() const {
        LinkRows rows;
        const auto links = static_cast<std::int64_t>(from_.size());
        rows.other.resize(from_.size() + (side_ == model::LinkSide::both ? from_.size() - loops() : 0));
        rows.link.resize(rows.other.size());
        rows.start = put_in_places<std::int32_t>(
            pool_, side_ == model::LinkSide::both ? 2 * links : links, places_, [&](std::int64_t row) { return place_of(row); },
            [&](std::int64_t row, std::int32_t place) {
                const auto link = link_of(row);
                rows.other[static_cast<std::size_t>(place)] = leads_to(row) ? from_[link] : to_[link];
                rows.link[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(link);
            });
        return rows;
    }

private:
    // Rows are in such an order that at each place those at the other ends rise. Of a link of both sides the lower end is the source: at a
    // place all that come from lower ones are met before those that lead to higher ones, which rise with their targets.
    [[nodiscard]] bool leads_to(std::int64_t row) const {
        return side_ != model::LinkSide::out && row < static_cast<std::int64_t>(from_.size());
    }
    [[nodiscard]] std::size_t link_of(std::int64_t row) const {
        const auto number = static_cast<std::size_t>(row);
        return number < from_.size() ? number : number - from_.size();
    }
    // None of the second row of a loop.
    [[nodiscard]] std::size_t place_of(std::int64_t row) const {
        const auto link = link_of(row);
        if (leads_to(row)) return static_cast<std::size_t>(to_[link]);
        return side_ == model::LinkSide::both && from_[link] == to_[link] ? places_ : static_cast<std::size_t>(from_[link]);
    }
    [[nodiscard]] std::size_t loops() const {
        std::size_t loops = 0;
        for (std::size_t i = 0; i < from_.size(); ++i) loops += from_[i] == to_[i] ? 1 : 0;
        return loops;
    }

    const std::vector<std::int32_t>&from_, &to_;
    model::LinkSide side_;
    std::size_t places_;
    ThreadPool& pool_;
};

template<class T> std::vector<T> read_all(const World& world, ColumnId column, std::int64_t links) {
    std::vector<T> values(static_cast<std::size_t>(links));
    world.read(column, 0, {0, links}, reinterpret_cast<std::byte*>(values.data()));
    return values;
}

template<class T> void put_in_order(const std::byte* values, const std::vector<std::int32_t>& order, std::byte* into, ThreadPool& pool) {
    pool.run(static_cast<std::int64_t>(order.size()), [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
            std::memcpy(into + i * sizeof(T), values + static_cast<std::size_t>(order[i]) * sizeof(T), sizeof(T));
    });
}
void put_in_order(const std::byte* values, std::size_t bytes, const std::vector<std::int32_t>& order, std::byte* into, ThreadPool& pool) {
    switch (bytes) {
    case 1: return put_in_order<std::uint8_t>(values, order, into, pool);
    case 2: return put_in_order<std::uint16_t>(values, order, into, pool);
    case 4: return put_in_order<std::uint32_t>(values, order, into, pool);
    default: return put_in_order<std::uint64_t>(values, order, into, pool);
    }
}

// A member in the order of a list's rows.
void write_member(World& world, ColumnId from, ColumnId to, const model::Member& member, std::int64_t links,
                  const std::vector<std::int32_t>& order, ThreadPool& pool) {
    const auto bytes = size_of(member.type), elements = static_cast<std::size_t>(member.elements);
    std::vector<std::byte> values(static_cast<std::size_t>(links) * bytes);
    auto planes = std::make_shared<std::vector<std::byte>>(order.size() * bytes * elements);
    for (std::size_t e = 0; e < elements; ++e) {
        world.read(from, static_cast<int>(e), {0, links}, values.data());
        put_in_order(values.data(), bytes, order, planes->data() + e * order.size() * bytes, pool);
    }
    const auto count = static_cast<std::int64_t>(order.size());
    if (count > 0) world.write(to, source_of_planes(std::move(planes), count, elements, bytes), count);
}

} // namespace

std::optional<ArraySource> link_values(const Setup& setup, ColumnId column) {
    const auto [id, number] = setup.columns[column];
    const auto& table = setup.start[id].links;
    if (!table) return std::nullopt;
    const auto& member = setup.member_of(column);
    const auto links = static_cast<std::int64_t>(table->size());
    if (setup[column].role == Role::link_count) return source_of_numbers(std::vector<std::int64_t>{links});
    if (setup[column].role == Role::link_end)
        return first_of(source_of_numbers(column == setup.column_of(id, Role::link_end) ? table->from : table->to), links, member);
    if (setup[column].role != Role::member) return std::nullopt;
    const auto* const given = table->find(number);
    if (given == nullptr || table->size() == 0) return std::nullopt;
    return first_of(source_of_links(*table, *given, member), links, member);
}

std::int64_t links_there(const Setup& setup, CollectionId links, const StateReader& read) {
    if (!setup.collections[links].are_changing_links()) return setup.collections[links].places();
    std::int64_t count = 0;
    read(setup.column_of(links, Role::link_count), 0, {0, 1}, reinterpret_cast<std::byte*>(&count));
    return count;
}

LinkLists::LinkLists(World& world, const Setup& setup, ThreadPool& pool) : world_(world), setup_(setup), pool_(pool) {
    for (const auto id : setup.collections.ids()) {
        if (!setup.collections[id].links) continue;
        make(id);
        write_members(id);
    }
}

void LinkLists::make(CollectionId id) {
    const auto& links = *setup_.collections[id].links;
    const auto count = links_there(setup_, id, world_.reader());
    const auto first_end = setup_.column_of(id, Role::link_end);
    const auto from = read_all<std::int32_t>(world_, first_end, count);
    const auto to = read_all<std::int32_t>(world_, ColumnId(first_end.index() + 1), count);
    for (const auto& list : links.lists) {
        const auto places = setup_.collections[list.side == model::LinkSide::out ? links.from : links.to].places();
        auto rows = ListMaker(from, to, list.side, places, pool_).make();
        world_.write(setup_.column_of(id, list.start), source_of_numbers(rows.start));
        if (!rows.other.empty())
            world_.write(setup_.column_of(id, list.other), source_of_numbers(rows.other), static_cast<std::int64_t>(rows.other.size()));
        if (list.number && !rows.link.empty())
            world_.write(setup_.column_of(id, *list.number), source_of_numbers(rows.link), static_cast<std::int64_t>(rows.link.size()));
        const bool has_copies =
            std::any_of(list.members.begin(), list.members.end(), [](const auto& named) { return named.first != named.second; });
        orders_.push_back({id, list.side, count, has_copies ? std::move(rows.link) : std::vector<std::int32_t>{}});
    }
}

void LinkLists::write_members(CollectionId id) {
    const auto& collection = setup_.collections[id];
    for (const auto& order : orders_) {
        if (order.of != id) continue;
        for (const auto& [member, column] : collection.links->find(order.side)->members)
            if (column != member)
                write_member(world_, setup_.column_of(id, member), setup_.column_of(id, column), collection.stored[member], order.links,
                             order.rows, pool_);
    }
}

} // namespace tessera
