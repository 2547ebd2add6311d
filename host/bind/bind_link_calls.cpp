// What a function of places uses of the links that it goes along.
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

const char* spelled(model::LinkSide side) {
    switch (side) {
    case model::LinkSide::in: return "in_links";
    case model::LinkSide::out: return "out_links";
    case model::LinkSide::both: break;
    }
    return "links";
}

CollectionId require_links(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, const run_file::Where& where) {
    const auto found = links_at(setup, kernel.collection, use);
    if (found.size() == 1) return found.front();
    const auto& places = setup.collections[kernel.collection];
    const auto& row = setup.description().rows[use.row];
    std::vector<std::string> names;
    for (const auto id : found) names.push_back(setup.collections[id].name);
    run_file::fail_at(where, fmt::format("{} goes along {}<{}>", kernel.name, spelled(use.side), row.name),
                      names.empty() ? fmt::format("no such links {} places of {}",
                                                  use.side == model::LinkSide::both ? "join"
                                                  : use.side == model::LinkSide::in ? "lead to"
                                                                                    : "come from",
                                                  places.name)
                                    : fmt::format("{} are such links of {}", listed(names), places.name),
                      names.empty() ? fmt::format("add [links.{}]", row.collection) : "leave one of them, or declare two types of links");
}

model::Use along() {
    model::Use use;
    use.reads = use.everywhere = true;
    return use;
}

// One use of a column that a kernel has: what is read at the other ends is as it was before the phase.
void add_use(std::vector<Access>& accesses, ColumnId column, const model::Use& use) {
    for (auto& access : accesses)
        if (access.column == column) {
            access.use.reads = true;
            access.use.around |= use.around;
            access.use.everywhere = true;
            return;
        }
    accesses.push_back({column, use});
}

} // namespace

void add_link_accesses(const Setup& setup, KernelSetup& kernel, const run_file::Where& where) {
    for (const auto& use : setup.function_of(kernel).link_uses) {
        const auto id = require_links(setup, kernel, use, where);
        const auto& links = *setup.collections[id].links;
        const auto& list = *links.find(use.side);
        add_use(kernel.accesses, setup.column_of(id, list.start), along());
        add_use(kernel.accesses, setup.column_of(id, list.other), along());
        for (const auto& [member, column] : list.members)
            if (std::find(use.link_members.begin(), use.link_members.end(), member) != use.link_members.end())
                add_use(kernel.accesses, setup.column_of(id, column), along());
        auto seen = along();
        seen.around = true;
        for (const auto member : use.end_members)
            add_use(kernel.accesses, setup.column_of(use.side == model::LinkSide::out ? links.to : links.from, member), seen);
    }
}

} // namespace tessera
