// Which phases may want links, and the columns in which it stands what they want. Known from the run file's phases and what their functions
// declare, before columns have numbers.
#include "host/bind/function_errors.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/storage/link_kinds.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

// The links of a row that join places of a collection; or of any.
std::vector<CollectionId> links_of_row(const Setup& setup, std::size_t row, std::optional<CollectionId> places) {
    std::vector<CollectionId> found;
    for (const auto id : setup.collections.ids()) {
        const auto& links = setup.collections[id].links;
        if (links && setup.collections[id].row == row && (!places || links->from == *places || links->to == *places)) found.push_back(id);
    }
    return found;
}

// Those of which a function asks for some in this phase. Agents may know places of a collection on which they do not stand.
CollectionId require_wanted_links(const Setup& setup, CollectionId authors, const model::Function& function, std::size_t row,
                                  const run_file::Where& where) {
    const auto ground = setup.ground_of(authors);
    auto found = links_of_row(setup, row, ground);
    if (found.empty() && ground != authors) found = links_of_row(setup, row, {});
    if (found.size() == 1) return found.front();
    std::vector<std::string> names;
    for (const auto id : found) names.push_back(setup.collections[id].name);
    const auto& type = setup.description().rows[row];
    run_file::fail_at(where, fmt::format("{}.{} spawns links of type {}", setup.collections[authors].name, function.name, type.collection),
                      names.empty() ? ground != authors ? "there are no such links"
                                                        : fmt::format("no such links join places of {}", setup.collections[authors].name)
                                    : fmt::format("{} are such links", listed(names)),
                      names.empty() ? fmt::format("add [links.{}]", type.collection) : "leave one of them, or declare two types of links");
}

std::size_t add_wish_column(CollectionSetup& links, Role role, model::Member stored, const char* name, std::int64_t cells) {
    stored.name = name + stored.name + ")";
    ColumnSetup column;
    column.role = role;
    column.layout.type = stored.type;
    column.layout.elements = stored.elements;
    column.cells = cells;
    column.outside = column.missing = stored.initial;
    links.columns.push_back(std::move(column));
    links.stored.push_back(std::move(stored));
    return links.columns.size() - 1;
}

model::Member number_of_type(Scalar type) {
    model::Member member;
    member.type = type;
    member.initial.resize(size_of(type));
    return member;
}

void add_source(Setup& setup, CollectionId authors, CollectionId id, PhaseId phase, int most) {
    auto& collection = setup.collections[id];
    LinkSource source;
    source.phase = phase;
    source.authors = authors;
    source.calls = most;
    const auto places = authors_of(setup, source);
    source.column = add_wish_column(collection, Role::link_wish, number_of_type(Scalar::i32), "(wishes", places);
    (void)add_wish_column(collection, Role::link_wish_end, number_of_type(Scalar::i64), "(wished from", places * most);
    (void)add_wish_column(collection, Role::link_wish_end, number_of_type(Scalar::i64), "(wished to", places * most);
    for (const auto& member : setup.row_of(collection).members)
        (void)add_wish_column(collection, Role::link_wish_member, member, "(wished ", places * most);
    if (setup.collections[authors].agents)
        (void)add_wish_column(collection, Role::link_wish_author, number_of_type(Scalar::u64), "(wished by", places);
    collection.links->sources.push_back(source);
}

void bind_wishes(Setup& setup, CollectionId authors, const model::Function& function, PhaseId phase, const run_file::Where& where) {
    if (function.is_init && !function.link_births.empty())
        fail_in_function(setup, function, setup.collections[authors].where,
                         fmt::format("{}.{} spawns links before the first step", setup.collections[authors].name, function.name),
                         "it is a TESSERA_INIT function, and no manageAll follows it", "do that in a TESSERA_CALL function");
    for (const auto& birth : function.link_births)
        add_source(setup, authors, require_wanted_links(setup, authors, function, birth.row, where), phase, birth.most);
}

void bind_wishes_of_phases(Setup& setup, const run_file::RunFile& run) {
    const auto& functions = setup.description().functions;
    std::size_t phase = 0;
    for (std::size_t f = 0; f < functions.size(); ++f)
        for (const auto c : setup.collections.ids())
            if (functions[f].row == setup.collections[c].row) {
                if (functions[f].is_init)
                    bind_wishes(setup, c, functions[f], {}, {});
                else if (run.phases.empty())
                    bind_wishes(setup, c, functions[f], PhaseId(phase++), setup.collections[c].where);
            }
    for (std::size_t p = 0; p < run.phases.size(); ++p) {
        const auto* call = std::get_if<run_file::CallAll>(&run.phases[p]->action);
        const auto collection = call == nullptr ? std::nullopt : setup.find_collection(call->function->collection);
        if (!collection) continue;
        const auto function = setup.description().find_function(setup.collections[*collection].row, call->function->member);
        if (function && !functions[*function].is_init)
            bind_wishes(setup, *collection, functions[*function], PhaseId(p), call->function.where);
    }
}

} // namespace

void bind_link_wishes(Setup& setup, const run_file::RunFile& run) {
    bind_wishes_of_phases(setup, run);
    if (setup.modes().on_one_cpu) return; // whose manageAll is compiled with the program
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].are_changing_links()) add_link_work(setup, id);
}

} // namespace tessera
