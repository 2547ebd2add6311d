#include "host/generate/link_source.hpp"

#include "host/generate/kernel_source.hpp"
#include "host/storage/link_kinds.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string type_of_changes(const CollectionSetup& links) { return "tessera_changes_of_" + links.name; }
std::string type_of_wishes(const CollectionSetup& links, std::size_t source) {
    return fmt::format("tessera_wishes_{}_of_{}", source, links.name);
}

// Those of the row's members that stand from this column on. A kernel's argument is the column's number in its collection.
std::string members_source(const Setup& setup, const CollectionSetup& links, std::size_t first) {
    std::string list;
    for (std::size_t m = 0; m < setup.row_of(links).members.size(); ++m) {
        const auto& layout = links.columns[first + m].layout;
        list += fmt::format("{}tessera::link_member<{}, {}, {}, {}l>", list.empty() ? "" : ", ", first + m, scalar_type(layout.type),
                            layout.elements, layout.element);
    }
    return "tessera::function_list<" + list + ">";
}

std::string wishes_types(const Setup& setup, const CollectionSetup& links) {
    std::string text;
    std::int64_t first = 0;
    for (std::size_t s = 0; s < links.links->sources.size(); ++s) {
        const auto& source = links.links->sources[s];
        const auto authors = authors_of(setup, source);
        const auto members = setup.row_of(links).members.size();
        text += fmt::format(R"(struct {} {{
    static constexpr int asked = {}, from = {}, to = {}, author = {}, calls = {}, phase = {};
    static constexpr std::int64_t authors = {}l, first = {}l;
    using members = {};
}};
)",
                            type_of_wishes(links, s), source.column, source.column + 1, source.column + 2,
                            setup.collections[source.authors].agents ? static_cast<int>(source.column + 3 + members) : -1, source.calls,
                            source.phase.index() + 1, authors, first, members_source(setup, links, source.column + 3));
        first += authors * source.calls;
    }
    return text;
}
std::string wishes_list(const CollectionSetup& links) {
    std::string list;
    for (std::size_t s = 0; s < links.links->sources.size(); ++s) list += (s > 0 ? ", " : "") + type_of_wishes(links, s);
    return "tessera::function_list<" + list + ">";
}

std::string list_type(const Setup& setup, const CollectionSetup& links) {
    const auto* const list = other_list(links);
    if (list == nullptr) return "void";
    const bool is_out = list->side == model::LinkSide::out;
    return fmt::format("tessera::link_rows<{}, {}, {}, {}l, {}>", list->start, list->other, list->number.value(),
                       setup.collections[is_out ? links.links->from : links.links->to].places(), !is_out);
}

// "totals = 12, sums = 13, ..."
std::string work_columns(const CollectionSetup& links) {
    constexpr std::pair<const char*, LinkWork> names[] = {{"totals", LinkWork::totals},
                                                          {"sums", LinkWork::sums},
                                                          {"bits", LinkWork::bits},
                                                          {"staying", LinkWork::staying},
                                                          {"births", LinkWork::births},
                                                          {"keys", LinkWork::keys},
                                                          {"refs", LinkWork::refs},
                                                          {"judged", LinkWork::judged},
                                                          {"born_keys", LinkWork::born_keys},
                                                          {"born_refs", LinkWork::born_refs},
                                                          {"born_rows", LinkWork::born_rows},
                                                          {"list_bits", LinkWork::list_bits},
                                                          {"list_staying", LinkWork::list_staying},
                                                          {"list_births", LinkWork::list_births}};
    std::string text;
    for (const auto& [name, which] : names)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, find_work(links, which).value());
    return text;
}

std::string changes_type(const Setup& setup, const CollectionSetup& links) {
    const auto& ends = *links.links;
    const auto* const in = ends.find(model::LinkSide::in);
    const auto from = links.find_column(Role::link_end).value();
    return fmt::format(R"(struct {} {{
    static constexpr int columns = {};
    static constexpr std::int64_t room = {}l, from_places = {}l, to_places = {}l, most_born = {}l, most_sorted = {}l;
    static constexpr bool is_directed = {}, parallel = {}, loops = {};
    static constexpr int from = {}, to = {}, dying = {}, count = {};
    static constexpr int {};
    static constexpr int in_start = {}, in_other = {};
    using list = {};
    using members = {};
    using sources = {};
}};
)",
                       type_of_changes(links), links.columns.size(), *links.count, setup.collections[ends.from].places(),
                       setup.collections[ends.to].places(), most_born(setup, links), most_sorted(setup, links), ends.is_directed,
                       ends.parallel, ends.loops, from, from + 1, links.find_column(Role::link_dying).value(),
                       links.find_column(Role::link_count).value(), work_columns(links), in == nullptr ? -1 : static_cast<int>(in->start),
                       in == nullptr ? -1 : static_cast<int>(in->other), list_type(setup, links), members_source(setup, links, 0),
                       wishes_list(links));
}

bool is_changed(const Setup& setup, CollectionId links) {
    for (const auto& kernel : setup.kernels)
        if (kernel.collection == links && kernel.is_of_manage_all() && !kernel.kind->list_work()) return true;
    return false;
}

} // namespace

std::string changing_links_source(const Setup& setup) {
    std::string text;
    for (const auto id : setup.collections.ids()) {
        const auto& links = setup.collections[id];
        if (!links.links || !is_changed(setup, id)) continue;
        if (text.empty()) text = "#include <tessera/kernels/agents/changing_links.hpp>\n";
        text += wishes_types(setup, links) + changes_type(setup, links);
    }
    return text;
}

std::string link_call_source(const Setup& setup, const KernelSetup& kernel) {
    const auto call = "tessera_call_of_" + kernel.symbol;
    return fmt::format("struct {0} : {1} {{\n    static constexpr int round = {2};\n}};\nTESSERA_AGENTS({3}, {0}, {4})\n", call,
                       type_of_changes(setup.collections[kernel.collection]), kernel.round, kernel.symbol,
                       kernel.kind->entry(setup, kernel));
}

} // namespace tessera
