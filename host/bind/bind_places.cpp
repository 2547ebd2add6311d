// [places.NAME] of the run file as a collection of the model's rows.
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

using run_file::Boundary;

std::size_t find_row(const model::Description& description, const run_file::Places& places) {
    const auto& wanted = places.type.value.empty() ? places.name : places.type;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description.rows.size(); ++i) {
        if (description.rows[i].ground || description.rows[i].ends) continue;
        if (description.rows[i].collection == *wanted) return i;
        known.push_back(description.rows[i].collection);
    }
    const bool are_agents = std::any_of(description.rows.begin(), description.rows.end(),
                                        [&](const model::Row& row) { return row.ground && row.collection == *wanted; });
    const bool are_links = std::any_of(description.rows.begin(), description.rows.end(),
                                       [&](const model::Row& row) { return row.ends && row.collection == *wanted; });
    run_file::fail_at(wanted.where, fmt::format("{} has no places of type `{}`", description.name, *wanted), "it has " + listed(known),
                      are_agents  ? fmt::format("they are agents: write [agents.{}]", *places.name)
                      : are_links ? fmt::format("they are links: write [links.{}]", *places.name)
                                  : did_you_mean(*wanted, known));
}

std::array<Boundary, 3> boundaries_of(const run_file::Places& places, int dimensions) {
    std::array<Boundary, 3> result{};
    result.fill(Boundary::open);
    for (int axis = 0; axis < dimensions; ++axis)
        result[static_cast<std::size_t>(axis)] =
            places.boundary.empty() ? Boundary::torus
                                    : *places.boundary[std::min(static_cast<std::size_t>(axis), places.boundary.size() - 1)];
    return result;
}

} // namespace

CollectionSetup bind_collection(const model::Description& description, const run_file::Places& places) {
    CollectionSetup collection;
    collection.name = *places.name;
    collection.where = places.name.where;
    collection.size_where = places.size.where;
    collection.row = find_row(description, places);
    collection.dimensions = static_cast<int>(places.size->size());
    for (std::size_t axis = 0; axis < places.size->size(); ++axis) collection.size[axis] = static_cast<std::int64_t>((*places.size)[axis]);
    collection.boundary = boundaries_of(places, collection.dimensions);
    const auto& row = description.rows[collection.row];
    if (places.count) collection.count = static_cast<std::int64_t>(**places.count);
    if (places.count && row.find("id"))
        run_file::fail_at(places.count->where, fmt::format("{} cannot be places of which there is a `count`", collection.name),
                          fmt::format("{} has a member `id`, and `self.id` is the number of such a place", row.name), "rename the member");
    collection.stored = row.members;
    for (const auto& member : row.members) {
        ColumnSetup column;
        column.outside = column.missing = member.initial;
        column.layout.type = member.type;
        column.layout.elements = member.elements;
        collection.columns.push_back(std::move(column));
    }
    const bool any_fixed = std::find(collection.boundary.begin(), collection.boundary.end(), Boundary::fixed) != collection.boundary.end();
    for (const auto& [name, value] : places.outside) {
        const auto index = require_member(row, *name, name.where);
        if (!any_fixed)
            run_file::fail_at(name.where, fmt::format("`outside` has no effect in places.{}", collection.name),
                              "no boundary of it is fixed", "set boundary = \"fixed\", or leave `outside` out");
        collection.columns[index].outside = constant_bytes(value, row.members[index].type, row.members[index].elements, name.where,
                                                           fmt::format("{}.{}", collection.name, *name));
    }
    for (const auto& [name, steps] : places.init) {
        const auto& member = row.members[require_member(row, *name, name.where)];
        const std::string what = fmt::format("{}.{}", collection.name, *name);
        for (const auto& step : steps) {
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source))
                (void)constant_bytes(*constant, member.type, member.elements, step.where, what);
            check_random(*step, member.type, step.where, what);
        }
    }
    return collection;
}

} // namespace tessera
