// [links.NAME] of the run file as a collection of links: which there are, and in which lists functions go along them.
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/bind/link_rules.hpp"
#include "host/bind/parts.hpp"
#include "host/bind/read_links_file.hpp"
#include "host/bind/sorted_links.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

std::size_t find_link_row(const model::Description& description, const run_file::Links& links) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description.rows.size(); ++i) {
        if (!description.rows[i].ends) continue;
        if (description.rows[i].collection == *links.type) return i;
        known.push_back(description.rows[i].collection);
    }
    run_file::fail_at(links.type.where, fmt::format("{} has no links of type `{}`", description.name, *links.type),
                      known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(*links.type, known));
}

// The collection that is named, or the only one of the row.
CollectionId find_end(const Setup& setup, const run_file::Links& links, const std::optional<run_file::Located<std::string>>& named,
                      std::size_t row, const char* key) {
    const auto& type = setup.description().rows[row];
    if (named) {
        const auto found = require_collection(setup, **named, named->where);
        if (setup.collections[found].row != row || !setup.collections[found].are_places())
            run_file::fail_at(named->where, fmt::format("`links.{}` cannot join places of {}", *links.name, **named),
                              fmt::format("its type joins those of the type {}", type.collection));
        return found;
    }
    std::vector<std::string> known;
    CollectionId only;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].row == row) only = id, known.push_back(setup.collections[id].name);
    if (known.size() == 1) return only;
    run_file::fail_at(links.name.where, fmt::format("it is not known which places `links.{}` joins", *links.name),
                      known.empty() ? fmt::format("there are no places of type {}", type.collection)
                                    : fmt::format("{} are of type {}", listed(known), type.collection),
                      known.empty() ? fmt::format("add [places.{}]", type.collection)
                                    : fmt::format("write links.{}.{} = \"{}\", say", *links.name, key, known.front()));
}

LinkTable links_of_file(const run_file::Links& links, const std::string& path, const model::Row& row, const CollectionSetup& from,
                        const CollectionSetup& to, const LinkOrder& order, ThreadPool& pool) {
    try {
        const auto file = read_links_file(path, {row, from, to, order.is_directed});
        const auto& given = file.links;
        return sorted_links(
            file.links, order,
            [&](std::int64_t link, std::int64_t twin) {
                const auto at = static_cast<std::size_t>(link);
                const run_file::Where where{path, static_cast<int>(file.lines[at]), 1};
                if (twin < 0)
                    run_file::fail_at(where, fmt::format("a link leads from place {} to itself", given.from[at]), "`loops` is false",
                                      "remove the line, or set loops = true");
                run_file::fail_at(where, fmt::format("a second link joins places {} and {}", given.from[at], given.to[at]),
                                  fmt::format("line {} has the first, and `parallel` is false", file.lines[static_cast<std::size_t>(twin)]),
                                  "remove one of them, or set parallel = true");
            },
            pool);
    } catch (const Error& error) {
        run_file::fail_at(links.file->where, fmt::format("cannot read the links of {}", *links.name), error.what());
    }
}

LinkTable links_of_rule(const Setup& setup, const run_file::Links& links, const LinkedPlaces& places, const run_file::RunFile& run,
                        ThreadPool& pool) {
    auto [table, left_out] = made_links(*links.generate, places, *links.name, run, pool);
    if (left_out > 0 && setup.functions() == Functions::called)
        log_warning("links.{}: {} of the {} links of its rule are left out (they lead from a place to itself, or join places that another "
                    "link joins)",
                    *links.name, left_out, left_out + static_cast<std::int64_t>(table.size()));
    table.left_out = left_out;
    return std::move(table);
}

// Those that are known, which may be those of a state that somebody kept.
void check_known(const run_file::Links& links, const CollectionSetup& from, const CollectionSetup& to) {
    const auto check = [&](const std::vector<std::int32_t>& ends, const char* way, const CollectionSetup& places) {
        for (const auto end : ends)
            if (end < 0 || end >= places.places())
                throw Error(Failure::input, fmt::format("the saved state does not fit into {}", *links.name),
                            fmt::format("a link of it leads {} place {}, and {} has {}", way, end, places.name, places.places()),
                            "give the places the size that they had");
    };
    check(links.table->from, "from", from);
    check(links.table->to, "to", to);
}

// Whether they are those of a run: in order, and without what it does not allow.
void check_order(const run_file::Links& links, const LinkOrder& order) {
    const auto &from = links.table->from, &to = links.table->to;
    const auto refuse = [&](std::size_t link, const std::string& why) {
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", *links.name),
                    fmt::format("link {} of it, from {} to {}, {}", link, from[link], to[link], why),
                    "go on from an earlier checkpoint, or begin the run again");
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!order.loops && from[i] == to[i]) refuse(i, "leads to where it comes from, and `loops` is false");
        if (!order.is_directed && from[i] > to[i]) refuse(i, "does not lead to the higher of its ends");
        if (i == 0) continue;
        const bool is_twin = from[i] == from[i - 1] && to[i] == to[i - 1];
        if (is_twin && !order.parallel) refuse(i, "has the ends of the one before, and `parallel` is false");
        if (to[i] < to[i - 1] || (to[i] == to[i - 1] && from[i] < from[i - 1])) refuse(i, "is not in the order of links");
    }
}

std::shared_ptr<const LinkTable> links_of(const Setup& setup, const run_file::RunFile& run, const run_file::Links& links,
                                          const CollectionSetup& collection, const LinkOrder& order) {
    const auto &from = setup.collections[collection.links->from], &to = setup.collections[collection.links->to];
    if (links.table) {
        check_known(links, from, to);
        check_order(links, order);
        return links.table;
    }
    ThreadPool pool(run.run.threads ? static_cast<int>(**run.run.threads) : usable_threads());
    if (links.file)
        return std::make_shared<const LinkTable>(
            links_of_file(links, run.resolve(**links.file).string(), setup.description().rows[collection.row], from, to, order, pool));
    const LinkedPlaces places{from.places(),
                              to.places(),
                              collection.links->from == collection.links->to,
                              order,
                              from.has_shape() ? std::optional(from.size) : std::nullopt,
                              from.name,
                              to.name};
    return std::make_shared<const LinkTable>(links_of_rule(setup, links, places, run, pool));
}

// What the file has of members takes the place of what an earlier layer says: the model's defaults, or where the command line names the
// file, the run file.
void links_give_way(const run_file::RunFile& run, const run_file::Links& links, const model::Row& row, const LinkTable& table,
                    CollectionStart& start) {
    const auto is_in_file = [&](const auto& named) { return table.find(*row.find(*named.name)) != nullptr; };
    const auto layer = [&](const run_file::Where& where) { return where.line == 0 ? 2 : where.file == run.path ? 1 : 0; };
    for (const auto& named : links.init)
        if (is_in_file(named) && layer(named.name.where) >= layer(links.file->where))
            run_file::fail_at(named.name.where, fmt::format("{}.{} is given twice", *links.name, *named.name),
                              fmt::format("{} has it for each link", **links.file), "remove one of them");
    std::erase_if(start.init, is_in_file);
}

void check_link_init(const run_file::Links& links, const model::Row& row) {
    for (const auto& [name, steps] : links.init) {
        const auto& member = row.members[require_member(row, *name, name.where)];
        const std::string what = fmt::format("{}.{}", *links.name, *name);
        for (const auto& step : steps) {
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source))
                (void)constant_bytes(*constant, member.type, member.elements, step.where, what);
            check_random(*step, member.type, step.where, what);
        }
    }
}

// Adds a column; `cells` is how many values it has, where these are not one a link.
std::size_t add_link_column(CollectionSetup& collection, Role role, const model::Member& stored, std::int64_t cells) {
    ColumnSetup column;
    column.role = role;
    column.layout.type = stored.type;
    column.layout.elements = stored.elements;
    column.cells = cells;
    column.outside = column.missing = stored.initial;
    collection.columns.push_back(std::move(column));
    collection.stored.push_back(stored);
    return collection.columns.size() - 1;
}

model::Member numbers_called(const std::string& name, Scalar type = Scalar::i32) {
    model::Member member;
    member.name = name;
    member.type = type;
    member.initial.resize(size_of(type));
    return member;
}

// Whether functions of the model write to members of links in steps, and whether links are born or die in these.
void find_changes(const model::Description& description, std::size_t row, LinksSetup& links) {
    for (const auto& function : description.functions) {
        if (function.is_init) continue;
        const auto writes = [](const model::MemberAccess& access) { return access.use.writes; };
        links.members_change |= function.row == row && std::any_of(function.accesses.begin(), function.accesses.end(), writes);
        links.changes |= function.row == row && function.ends_links;
        links.changes |= std::any_of(function.link_births.begin(), function.link_births.end(),
                                     [row](const model::LinkBirth& birth) { return birth.row == row; });
    }
    links.members_change |= links.changes;
}

// For how many links there is memory: for those that there are, or, where more are born, at first several times as many.
std::int64_t room_for_links(const run_file::Links& links, const LinksSetup& ends, std::int64_t there, std::int64_t places) {
    if (!ends.changes) return there;
    constexpr std::int64_t many = std::int64_t{1} << 20, most = std::int64_t{1} << 30;
    const auto room = std::max(there < many ? 8 * there : 3 * there, 4 * std::min(places, many));
    return std::max(std::clamp(room, std::int64_t{1}, most), static_cast<std::int64_t>(links.grown_room));
}

void add_ends(CollectionSetup& collection) {
    for (const auto* const name : {link_from_name, link_to_name}) {
        auto end = numbers_called(name);
        if (collection.links->changes) std::fill(end.initial.begin(), end.initial.end(), std::byte{0xff}); // -1: no link stands there
        (void)add_link_column(collection, Role::link_end, end, 0);
    }
    if (!collection.links->changes) return;
    (void)add_link_column(collection, Role::link_count, numbers_called("(count)", Scalar::i64), 1);
    (void)add_link_column(collection, Role::link_dying, numbers_called("(dying)", Scalar::u8), 0);
}

// How many rows a list has: links without a direction stand at both of their ends, but for loops.
std::int64_t rows_of_list(const CollectionSetup& collection, const LinkTable& table, model::LinkSide side) {
    if (collection.links->changes) return *collection.count * (side == model::LinkSide::both ? 2 : 1);
    auto rows = static_cast<std::int64_t>(table.size());
    if (side == model::LinkSide::both)
        for (std::size_t i = 0; i < table.size(); ++i) rows += table.from[i] != table.to[i] ? 1 : 0;
    return rows;
}

// Of a list: a place's links stand one after the other.
void add_list(CollectionSetup& collection, const Setup& setup, const LinkTable& table, model::LinkSide side,
              const std::vector<std::size_t>& members) {
    const auto& links = *collection.links;
    const auto places = setup.collections[side == model::LinkSide::out ? links.from : links.to].places();
    auto rows = rows_of_list(collection, table, side);
    if (rows >= std::int64_t{1} << 31)
        run_file::fail_at(collection.where, fmt::format("`links.{}` has too many links", collection.name),
                          fmt::format("their list would have {} rows, and has fewer than 2^31", rows), "make it sparser");
    const std::string name = side == model::LinkSide::in ? "in" : side == model::LinkSide::out ? "out" : "all";
    rows = std::max<std::int64_t>(rows, 1); // a column has a value at least
    LinkList list;
    list.side = side;
    list.start = add_link_column(collection, Role::link_start, numbers_called("(start of " + name + ")"), places + 1);
    list.other = add_link_column(collection, Role::link_other, numbers_called("(other of " + name + ")"), rows);
    // Those that lead to a place stand in its list as they stand in their collection.
    const bool is_found_by_number = (links.members_change && !members.empty()) || (links.changes && !setup.modes().on_one_cpu);
    if (is_found_by_number && side != model::LinkSide::in)
        list.number = add_link_column(collection, Role::link_number, numbers_called("(number of " + name + ")"), rows);
    for (const auto member : members) {
        if (links.members_change) {
            list.members.emplace_back(member, member);
            continue;
        }
        auto stored = collection.stored[member];
        stored.name = fmt::format("({} of {})", stored.name, name);
        list.members.emplace_back(member, add_link_column(collection, Role::link_member, stored, rows));
    }
    collection.links->lists.push_back(std::move(list));
}

// The lists that functions of the model go along, with the members that they read there.
void add_lists(CollectionSetup& collection, const Setup& setup, const LinkTable& table) {
    for (const auto side : {model::LinkSide::in, model::LinkSide::out, model::LinkSide::both}) {
        bool is_used = false;
        std::vector<std::size_t> members;
        for (const auto& function : setup.description().functions)
            for (const auto& use : function.link_uses) {
                if (use.row != collection.row || use.side != side) continue;
                is_used = true;
                for (const auto member : use.link_members)
                    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
            }
        if (is_used) add_list(collection, setup, table, side, members);
    }
}

void check_ends(const Setup& setup, const run_file::Links& links, std::size_t row, const LinksSetup& ends) {
    if (!ends.is_directed && ends.from != ends.to)
        run_file::fail_at((links.to ? *links.to : links.name).where, fmt::format("`links.{}` joins two collections", *links.name),
                          "its links have no direction, and join places of one", "declare them from<ROW>::to<ROW>");
    for (const auto end : {ends.from, ends.to})
        if (setup.collections[end].places() >= std::int64_t{1} << 31)
            run_file::fail_at(links.name.where,
                              fmt::format("`links.{}` cannot join places of {}", *links.name, setup.collections[end].name),
                              fmt::format("it has {} places", setup.collections[end].places()), "places with links are fewer than 2^31");
    for (const auto& other : setup.collections)
        if (other.links && other.row == row && other.links->from == ends.from && other.links->to == ends.to)
            run_file::fail_at(links.name.where, fmt::format("{} and {} are of one type and join the same places", other.name, *links.name),
                              "functions name links by their types", "make them one collection, or declare two types in the model");
}

} // namespace

BoundLinks bind_links(const Setup& setup, const run_file::RunFile& run, const run_file::Links& links) {
    if (const auto twin = setup.find_collection(*links.name))
        run_file::fail_at(links.name.where, fmt::format("two collections are called {}", *links.name), "phases and outputs name them",
                          "rename one");
    CollectionSetup collection;
    collection.name = *links.name;
    collection.where = collection.size_where = links.name.where;
    collection.row = find_link_row(setup.description(), links);
    const auto& row = setup.description().rows[collection.row];
    auto& ends = collection.links.emplace();
    ends.is_directed = row.ends->is_directed;
    ends.from = find_end(setup, links, links.from, row.ends->from, "from");
    ends.to = find_end(setup, links, links.to, row.ends->to, "to");
    check_ends(setup, links, collection.row, ends);
    check_link_init(links, row);
    const auto &from = setup.collections[ends.from], &to = setup.collections[ends.to];
    const LinkOrder order{ends.is_directed, *links.parallel, *links.loops || ends.from != ends.to};
    const auto table = links_of(setup, run, links, collection, order);
    ends.parallel = *links.parallel;
    ends.loops = order.loops;
    find_changes(setup.description(), collection.row, ends);
    collection.count = room_for_links(links, ends, static_cast<std::int64_t>(table->size()), std::max(from.places(), to.places()));
    collection.size = {run_file::row_of_count, std::max<std::int64_t>((*collection.count - 1) / run_file::row_of_count + 1, 1), 1};
    collection.boundary.fill(run_file::Boundary::open);
    for (const auto& member : row.members) (void)add_link_column(collection, Role::member, member, 0);
    add_ends(collection);
    add_lists(collection, setup, *table);
    auto start = start_of(links);
    start.links = table;
    if (links.file && !links.table) links_give_way(run, links, row, *table, start);
    return {std::move(collection), std::move(start)};
}

} // namespace tessera
