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
    default: break;
    }
    return "links";
}

CollectionId require_links(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, const run_file::Where& where) {
    const auto ground = setup.ground_of(kernel.collection);
    const auto found = links_at(setup, ground, use);
    if (found.size() == 1) return found.front();
    const auto& places = setup.collections[ground];
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

model::Use putting(bool reads) {
    model::Use use;
    use.reads = reads;
    use.writes = true;
    return use;
}

// Of a function of links: where its own comes from, or leads to, and what it sees of that place.
void add_end(const Setup& setup, KernelSetup& kernel, const model::LinkUse& use) {
    const auto& links = *setup.collections[kernel.collection].links;
    const bool is_from = use.side == model::LinkSide::from;
    const auto first = setup.column_of(kernel.collection, Role::link_end);
    add_use(kernel.accesses, is_from ? first : ColumnId(first.index() + 1), along());
    auto seen = along();
    seen.around = true;
    for (const auto member : use.end_members) add_use(kernel.accesses, setup.column_of(is_from ? links.from : links.to, member), seen);
}

// What a function asks for of links.
void add_wishes(const Setup& setup, KernelSetup& kernel) {
    if (setup.function_of(kernel).ends_links)
        kernel.accesses.push_back({setup.column_of(kernel.collection, Role::link_dying), putting(false)});
    for (const auto id : setup.collections.ids()) {
        const auto& links = setup.collections[id].links;
        if (!links) continue;
        for (const auto& source : links->sources) {
            if (source.phase != kernel.phase || source.authors != kernel.collection) continue;
            const std::size_t ids = setup.collections[source.authors].agents ? 1 : 0;
            for (std::size_t c = 0; c < 3 + setup.row_of(setup.collections[id]).members.size() + ids; ++c)
                kernel.accesses.push_back({setup.column_of(id, source.column + c), putting(c == 0)});
        }
    }
}

} // namespace

void add_link_accesses(const Setup& setup, KernelSetup& kernel, const run_file::Where& where) {
    add_wishes(setup, kernel);
    for (const auto& use : setup.function_of(kernel).link_uses) {
        if (use.side == model::LinkSide::from || use.side == model::LinkSide::to) {
            add_end(setup, kernel, use);
            continue;
        }
        const auto id = require_links(setup, kernel, use, where);
        const auto& links = *setup.collections[id].links;
        const auto& list = *links.find(use.side);
        add_use(kernel.accesses, setup.column_of(id, list.start), along());
        add_use(kernel.accesses, setup.column_of(id, list.other), along());
        if (list.number && !use.link_members.empty()) add_use(kernel.accesses, setup.column_of(id, *list.number), along());
        auto seen = along(); // as it was before the phase
        seen.around = true;
        for (const auto& [member, column] : list.members)
            if (std::find(use.link_members.begin(), use.link_members.end(), member) != use.link_members.end())
                add_use(kernel.accesses, setup.column_of(id, column), links.members_change ? seen : along());
        for (const auto member : use.end_members)
            add_use(kernel.accesses, setup.column_of(use.side == model::LinkSide::out ? links.to : links.from, member), seen);
    }
    for (const auto& use : setup.function_of(kernel).link_uses)
        if (!use.sent.empty()) add_sent_accesses(setup, kernel, links_at(setup, kernel.collection, use).front(), use);
}

} // namespace tessera
