#include "host/cli/links_page.hpp"

#include "host/run_file/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {
namespace {

using model::Description;
using model::Function;

std::string named(const Description& description, const Function& function) {
    return fmt::format("`{}.{}`", description.rows[function.row].collection, function.name);
}

// "`a`, `b` and `c`".
std::string joined(const std::vector<std::string>& names) {
    if (names.size() < 2) return names.empty() ? "" : names.front();
    return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string members_of_row(const model::Row& row, const std::vector<std::size_t>& members) {
    std::vector<std::string> names;
    for (const auto member : members) names.push_back(fmt::format("`{}`", row.members[member].name));
    return fmt::format("{}", fmt::join(names, ", "));
}

// "along links `road`", and from which side.
std::string along(const Description& description, const model::LinkUse& use) {
    const auto& name = description.rows[use.row].collection;
    switch (use.side) {
    case model::LinkSide::in: return fmt::format("along links `{}` that lead to the place", name);
    case model::LinkSide::out: return fmt::format("along links `{}` that lead away", name);
    default: return fmt::format("along links `{}`", name);
    }
}

// The row of the places at the other end; of a function of links, at that end.
const model::Row& row_there(const Description& description, const model::LinkUse& use) {
    const auto& ends = *description.rows[use.row].ends;
    return description.rows[use.side == model::LinkSide::out || use.side == model::LinkSide::to ? ends.to : ends.from];
}

std::string rule_text(const run_file::LinkRule& rule) {
    std::vector<std::string> told;
    if (rule.degree) told.push_back(fmt::format("degree {}", **rule.degree));
    if (rule.chance) told.push_back(fmt::format("chance {}", **rule.chance));
    if (rule.links) told.push_back(fmt::format("{} links", **rule.links));
    if (rule.rewire) told.push_back(fmt::format("rewire {}", **rule.rewire));
    if (rule.torus && **rule.torus) told.emplace_back("on a torus");
    if (!rule.sizes.empty()) {
        std::vector<std::uint64_t> sizes;
        for (const auto& size : rule.sizes) sizes.push_back(*size);
        told.push_back(fmt::format("of {} places", fmt::join(sizes, ", ")));
    }
    return fmt::format("`{}`{}", run_file::spelling_of(run_file::link_rules, rule.kind),
                       told.empty() ? "" : fmt::format(" ({})", fmt::join(told, ", ")));
}

} // namespace

std::string links_heading(const Description& description, const model::Row& row) {
    const auto &from = description.rows[row.ends->from].collection, &to = description.rows[row.ends->to].collection;
    return fmt::format("**Links `{}`** (struct {}), {}", row.collection, row.name,
                       row.ends->is_directed ? fmt::format("from a place of `{}` to one of `{}`", from, to)
                                             : fmt::format("between two places of `{}`", from));
}

std::string life_of_links(const Description& description, std::size_t row) {
    std::vector<std::string> begin, end;
    for (const auto& function : description.functions) {
        const auto wants = [row](const model::LinkBirth& birth) { return birth.row == row; };
        if (std::any_of(function.link_births.begin(), function.link_births.end(), wants)) begin.push_back(named(description, function));
        if (function.row == row && function.ends_links) end.push_back(named(description, function));
    }
    const auto& name = description.rows[row].collection;
    if (begin.empty() && end.empty()) return fmt::format("Links `{}` stay: none begins or ends in a step.\n\n", name);
    return fmt::format("Links `{}`{}{}{}.\n\n", name, begin.empty() ? "" : " begin in " + joined(begin),
                       begin.empty() || end.empty() ? "" : " and", end.empty() ? "" : " end in " + joined(end));
}

std::vector<std::string> seen_along_links(const Description& description, const Function& function) {
    std::vector<std::string> seen;
    const bool is_of_links = description.rows[function.row].ends.has_value();
    for (const auto& use : function.link_uses) {
        const auto &there = row_there(description, use), &links = description.rows[use.row];
        if (is_of_links) {
            const bool is_second = use.side == model::LinkSide::to;
            if (use.end_members.empty() || (is_second && !links.ends->is_directed)) continue;
            seen.push_back(fmt::format("{} of {}", members_of_row(there, use.end_members),
                                       !links.ends->is_directed
                                           ? fmt::format("the two places `{}`", there.collection)
                                           : fmt::format("the place `{}` where it {}", there.collection, is_second ? "ends" : "begins")));
            continue;
        }
        std::vector<std::string> what;
        if (!use.end_members.empty()) what.push_back(fmt::format("{} of `{}`", members_of_row(there, use.end_members), there.collection));
        if (!use.link_members.empty()) what.push_back(fmt::format("{} of the link", members_of_row(links, use.link_members)));
        seen.push_back((what.empty() ? "places" : joined(what)) + " " + along(description, use));
    }
    return seen;
}

std::vector<std::string> done_by_links(const Description& description, const Function& function) {
    std::vector<std::string> done;
    for (const auto& use : function.link_uses) {
        if (use.sent.empty()) continue;
        std::vector<std::size_t> members;
        for (const auto& sent : use.sent) members.push_back(sent.member);
        const auto& there = row_there(description, use);
        done.push_back(fmt::format("{} sends to {} of `{}` {}", named(description, function), members_of_row(there, members),
                                   there.collection, along(description, use)));
    }
    const bool is_of_links = description.rows[function.row].ends.has_value();
    const auto goes_along = [](const model::LinkUse& use) { return use.sent.empty() && (!use.end_members.empty() || use.has_agents); };
    if (!is_of_links && std::any_of(function.link_uses.begin(), function.link_uses.end(), goes_along)) {
        std::vector<std::string> lists;
        for (const auto& use : function.link_uses)
            if (goes_along(use)) lists.push_back(along(description, use));
        done.push_back(fmt::format("{} looks {}", named(description, function), joined(lists)));
    }
    return done;
}

std::string managed_links_text(const Setup& setup) {
    std::string text;
    for (const auto& collection : setup.collections) {
        if (!collection.are_changing_links()) continue;
        std::vector<std::string> refused;
        if (!collection.links->parallel) refused.emplace_back("between places that are joined already");
        if (!collection.links->loops) refused.emplace_back("from a place to itself");
        if (!refused.empty()) text += fmt::format(" A link `{}` {} is refused.", collection.name, fmt::join(refused, ", or "));
    }
    return " In `manageAll` links that have been ended are removed, and then those that were asked for are added: in the order of the "
           "phases, "
           "of the numbers of the places, or ids of the agents, that asked, and of their calls." +
           text;
}

std::string first_links(const Bound& run) {
    std::string text;
    for (const auto id : run.setup.collections.ids()) {
        const auto& collection = run.setup.collections[id];
        if (!collection.links) continue;
        const auto& links = run.run_file.links;
        const auto given = std::find_if(links.begin(), links.end(), [&](const auto& each) { return *each->name == collection.name; });
        text += fmt::format("At the start there are {} links `{}`", run.setup.start[id].links->size(), collection.name);
        if (given != links.end() && (*given)->file) text += fmt::format(", from `{}`", **(*given)->file);
        if (given != links.end() && (*given)->generate) text += ", by the rule " + rule_text(**(*given)->generate);
        text += ". ";
    }
    return text;
}

void add_files_of_links(const run_file::RunFile& run, std::set<std::string>& files) {
    for (const auto& links : run.links) {
        if (links->file) files.insert("`" + **links->file + "`");
        if (!links->generate) continue;
        const auto& rule = **links->generate;
        for (const auto& file : {rule.file, rule.to_file})
            if (file) files.insert("`" + **file + "`");
    }
}

} // namespace tessera
