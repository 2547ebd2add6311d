#include "host/setup/expressions.hpp"

#include "host/setup/names.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

// As the model has it: of agents, of one of them.
const model::Member& described_member(const Setup& setup, ColumnId column) {
    return setup.row_of(setup.collections[setup.columns[column].collection]).members[setup.columns[column].member];
}

} // namespace

void check_expression(const Setup& setup, const run_file::Located<expression::Expression>& expression) {
    for (const auto& attribute : expression->attributes) {
        run_file::Where where = expression.where;
        where.column += attribute.column; // behind the opening quote
        if (attribute.kind != expression::Attribute::Kind::member) {
            const auto collection = require_collection(setup, attribute.collection, where);
            if (attribute.kind != expression::Attribute::Kind::presence && !setup.collections[collection].is_managed())
                run_file::fail_at(where, fmt::format("{} are not agents", attribute.collection), "places neither move nor die",
                                  "name a collection of agents");
            continue;
        }
        const auto column = require_column(setup, {{attribute.collection, attribute.member}, where});
        const auto& member = described_member(setup, column);
        const std::string name = attribute.collection + "." + attribute.member;
        if (member.elements == 1 && attribute.element)
            run_file::fail_at(where, fmt::format("{} has no elements", name), "it is a single value", "leave out the brackets");
        if (member.elements > 1 && !attribute.element)
            run_file::fail_at(where, fmt::format("{} is an array", name), fmt::format("it has {} elements", member.elements),
                              fmt::format("write {}[0], say", name));
        if (attribute.element && (*attribute.element < 0 || *attribute.element >= member.elements))
            run_file::fail_at(where, fmt::format("there is no {}[{}]", name, *attribute.element),
                              fmt::format("it has {} elements, from 0", member.elements));
    }
}

} // namespace tessera
