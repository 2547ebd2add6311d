#include "host/world/link_lists.hpp"

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
    ListMaker(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to, model::LinkSide side, std::int64_t places)
        : from_(from), to_(to), side_(side) {
        rows_.start.assign(static_cast<std::size_t>(places) + 1, 0);
    }

    LinkRows make() {
        for_each_row([&](std::int32_t place, std::int32_t, std::size_t) { ++rows_.start[static_cast<std::size_t>(place) + 1]; });
        for (std::size_t place = 1; place < rows_.start.size(); ++place) rows_.start[place] += rows_.start[place - 1];
        auto next = rows_.start;
        rows_.other.resize(static_cast<std::size_t>(rows_.start.back()));
        rows_.link.resize(rows_.other.size());
        for_each_row([&](std::int32_t place, std::int32_t far, std::size_t link) {
            const auto row = static_cast<std::size_t>(next[static_cast<std::size_t>(place)]++);
            rows_.other[row] = far;
            rows_.link[row] = static_cast<std::int32_t>(link);
        });
        return std::move(rows_);
    }

private:
    // In such an order that at each place those at the other ends rise. Of a link of both sides the lower end is the source: at a place all
    // that come from lower ones are met before those that lead to higher ones, which rise with their targets.
    template<class Visit> void for_each_row(const Visit& visit) const {
        if (side_ != model::LinkSide::out)
            for (std::size_t i = 0; i < from_.size(); ++i) visit(to_[i], from_[i], i);
        if (side_ == model::LinkSide::out)
            for (std::size_t i = 0; i < from_.size(); ++i) visit(from_[i], to_[i], i);
        if (side_ == model::LinkSide::both)
            for (std::size_t i = 0; i < from_.size(); ++i)
                if (from_[i] != to_[i]) visit(from_[i], to_[i], i);
    }

    const std::vector<std::int32_t>&from_, &to_;
    model::LinkSide side_;
    LinkRows rows_;
};

template<class T> std::vector<T> read_all(const World& world, ColumnId column, std::int64_t links) {
    std::vector<T> values(static_cast<std::size_t>(links));
    world.read(column, 0, {0, links}, reinterpret_cast<std::byte*>(values.data()));
    return values;
}

template<class T> void put_in_order(const std::byte* values, const std::vector<std::int32_t>& order, std::byte* into) {
    for (const auto link : order) {
        std::memcpy(into, values + static_cast<std::size_t>(link) * sizeof(T), sizeof(T));
        into += sizeof(T);
    }
}
void put_in_order(const std::byte* values, std::size_t bytes, const std::vector<std::int32_t>& order, std::byte* into) {
    switch (bytes) {
    case 1: return put_in_order<std::uint8_t>(values, order, into);
    case 2: return put_in_order<std::uint16_t>(values, order, into);
    case 4: return put_in_order<std::uint32_t>(values, order, into);
    default: return put_in_order<std::uint64_t>(values, order, into);
    }
}

// A member in the order of a list's rows.
void write_member(World& world, ColumnId from, ColumnId to, const model::Member& member, std::int64_t links, const LinkRows& rows) {
    const auto bytes = size_of(member.type), elements = static_cast<std::size_t>(member.elements);
    std::vector<std::byte> values(static_cast<std::size_t>(links) * bytes);
    auto planes = std::make_shared<std::vector<std::byte>>(rows.link.size() * bytes * elements);
    for (std::size_t e = 0; e < elements; ++e) {
        world.read(from, static_cast<int>(e), {0, links}, values.data());
        put_in_order(values.data(), bytes, rows.link, planes->data() + e * rows.link.size() * bytes);
    }
    const auto count = static_cast<std::int64_t>(rows.link.size());
    if (count > 0) world.write(to, source_of_planes(std::move(planes), count, elements, bytes), count);
}

void write_lists_of(World& world, const Setup& setup, CollectionId id) {
    const auto& collection = setup.collections[id];
    const auto& links = *collection.links;
    const auto count = links_there(setup, id, world.reader());
    const auto first_end = setup.column_of(id, Role::link_end);
    const auto from = read_all<std::int32_t>(world, first_end, count);
    const auto to = read_all<std::int32_t>(world, ColumnId(first_end.index() + 1), count);
    for (const auto& list : links.lists) {
        const auto places = setup.collections[list.side == model::LinkSide::out ? links.from : links.to].places();
        const auto rows = ListMaker(from, to, list.side, places).make();
        world.write(setup.column_of(id, list.start), source_of_numbers(rows.start));
        if (!rows.other.empty())
            world.write(setup.column_of(id, list.other), source_of_numbers(rows.other), static_cast<std::int64_t>(rows.other.size()));
        if (list.number && !rows.link.empty())
            world.write(setup.column_of(id, *list.number), source_of_numbers(rows.link), static_cast<std::int64_t>(rows.link.size()));
        for (const auto& [member, column] : list.members)
            if (column != member)
                write_member(world, setup.column_of(id, member), setup.column_of(id, column), collection.stored[member], count, rows);
    }
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

void write_link_lists(World& world, const Setup& setup) {
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].links) write_lists_of(world, setup, id);
}

} // namespace tessera
