#include "host/generate/numbered.hpp"

#include "host/setup/seams.hpp"
#include "kernels/places/few_links.hpp"

#include <tessera/detail/records.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::string link_row_type(const model::Row& row) { return "tessera_model::" + (row.scope.empty() ? "" : row.scope + "::") + row.name; }

const char* side_name(model::LinkSide side) {
    switch (side) {
    case model::LinkSide::in: return "in";
    case model::LinkSide::out: return "out";
    case model::LinkSide::from: return "from";
    case model::LinkSide::to: return "to";
    case model::LinkSide::both: break;
    }
    return "both";
}

std::string list_type(const Setup& setup, const model::LinkUse& use) {
    return fmt::format("tessera::link_list<{}, tessera::link_side::{}>", link_row_type(setup.description().rows[use.row]),
                       side_name(use.side));
}

// Which of a kernel's arguments a column is.
int argument_for(const KernelSetup& kernel, ColumnId column) {
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        if (kernel.accesses[i].column == column) return static_cast<int>(i);
    return -1;
}

// Values of an array of C++, which has one at least.
class ValueList {
public:
    template<class T> void add(T value) { text_ += fmt::format("{}{}", text_.empty() ? "" : ", ", value); }
    [[nodiscard]] std::string text() const { return text_.empty() ? "-1" : text_; }

private:
    std::string text_;
};

// By member of the places at an end: the argument.
std::string end_members_source(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, CollectionId places) {
    ValueList end;
    const auto& seen = use.end_members;
    for (std::size_t m = 0; m < setup.row_of(setup.collections[places]).members.size(); ++m)
        end.add(std::find(seen.begin(), seen.end(), m) == seen.end() ? -1 : argument_for(kernel, setup.column_of(places, m)));
    return end.text();
}

// Of a function of links, one of the two ends.
std::string end_source(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, const std::string& function) {
    const auto& links = *setup.collections[kernel.collection].links;
    const bool is_from = use.side == model::LinkSide::from;
    const auto places = is_from ? links.from : links.to;
    const auto column = ColumnId(setup.column_of(kernel.collection, Role::link_end).index() + (is_from ? 0 : 1));
    return fmt::format(R"(template<> struct tessera::link_columns<{}, tessera::link_end<{}, tessera::link_side::{}>> {{
    using end_grid = {};
    static constexpr int other = {}, end[] = {{{}}};
}};
)",
                       function, link_row_type(setup.description().rows[use.row]), side_name(use.side),
                       grid_type(setup.collections[places]), argument_for(kernel, column), end_members_source(setup, kernel, use, places));
}

// Of a function of places or agents, what it needs to want links of a row.
std::string wishes_source(const Setup& setup, const KernelSetup& kernel, const std::string& function) {
    std::string text;
    for (const auto& collection : setup.collections) {
        if (!collection.links) continue;
        for (const auto& source : collection.links->sources) {
            if (source.phase != kernel.phase || source.authors != kernel.collection) continue;
            const auto argument = [&](std::size_t c) {
                return argument_for(kernel, ColumnId(collection.first_column.index() + source.column + c));
            };
            ValueList members, elements;
            for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m) {
                members.add(argument(3 + m));
                elements.add(collection.columns[source.column + 3 + m].layout.element);
            }
            text += fmt::format(R"(template<> struct tessera::link_wishes<{}, {}> {{
    static constexpr int most = {}, asked = {}, from = {}, to = {}, author = {};
    static constexpr int member[] = {{{}}};
    static constexpr std::int64_t element[] = {{{}}};
}};
)",
                                function, link_row_type(setup.row_of(collection)), source.calls, argument(0), argument(1), argument(2),
                                setup.collections[source.authors].agents ? argument(3 + setup.row_of(collection).members.size()) : -1,
                                members.text(), elements.text());
        }
    }
    return text;
}

int folds_of(model::SentAs as) {
    switch (as) {
    case model::SentAs::least: return access_least;
    case model::SentAs::most: return access_most;
    case model::SentAs::sum: break;
    }
    return access_adds;
}

// Of what is sent along a list: to which columns of the places there, by their members.
std::string sent_source(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, CollectionId far) {
    if (use.sent.empty()) return {};
    const auto& places = setup.collections[far];
    std::string due;
    for (std::size_t m = 0; m < setup.row_of(places).members.size(); ++m) {
        const auto found = std::find_if(places.sent.begin(), places.sent.end(), [m](const auto& sent) { return sent.member == m; });
        const bool is_sent = found != places.sent.end() &&
                             std::any_of(use.sent.begin(), use.sent.end(), [m](const auto& sending) { return sending.member == m; });
        due += is_sent ? fmt::format("{}{{{}, {}, {}}}", due.empty() ? "" : ", ", argument_for(kernel, setup.column_of(far, found->column)),
                                     found->column, places.columns[found->column].planes)
                       : fmt::format("{}{{}}", due.empty() ? "" : ", ");
    }
    const auto number = std::find_if(setup.kernels.begin(), setup.kernels.end(), [&](const auto& each) { return &each == &kernel; });
    return fmt::format("    static constexpr tessera::due_column due[] = {{{}}};\n    static constexpr std::uint64_t kernel = {};\n", due,
                       number - setup.kernels.begin() + 1);
}

std::string columns_source(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, const std::string& function) {
    if (use.side == model::LinkSide::from || use.side == model::LinkSide::to) return end_source(setup, kernel, use, function);
    const auto id = links_at(setup, setup.ground_of(kernel.collection), use).front();
    const auto& collection = setup.collections[id];
    const auto& list = *collection.links->find(use.side);
    const auto far = use.side == model::LinkSide::out ? collection.links->to : collection.links->from;
    ValueList link, elements;
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m) {
        const auto found = std::find_if(list.members.begin(), list.members.end(), [m](const auto& named) { return named.first == m; });
        link.add(found == list.members.end() ? -1 : argument_for(kernel, setup.column_of(id, found->second)));
        elements.add(found == list.members.end() ? 0 : collection.columns[found->second].layout.element);
    }
    return fmt::format(R"(template<> struct tessera::link_columns<{}, {}> {{
    using end_grid = {};
    static constexpr int start = {}, other = {}, number = {};
    static constexpr int link[] = {{{}}}, end[] = {{{}}};
    static constexpr std::int64_t element[] = {{{}}};
{}}};
)",
                       function, list_type(setup, use), grid_type(setup.collections[far]),
                       argument_for(kernel, setup.column_of(id, list.start)), argument_for(kernel, setup.column_of(id, list.other)),
                       list.number ? argument_for(kernel, setup.column_of(id, *list.number)) : -1, link.text(),
                       end_members_source(setup, kernel, use, far), elements.text(), sent_source(setup, kernel, use, far));
}

// Of a function of links, what its type has besides.
std::string of_links_source(const Setup& setup, const KernelSetup& kernel) {
    const auto& links = setup.collections[kernel.collection].links;
    if (!links) return {};
    auto text = fmt::format("    static constexpr bool tessera_parallel = {};\n", links->parallel);
    if (setup.function_of(kernel).ends_links)
        text += fmt::format("    static constexpr int tessera_dying = {};\n",
                            argument_for(kernel, setup.column_of(kernel.collection, Role::link_dying)));
    return text;
}

// Which arguments of a kernel are of other partitions that have all rows of what it writes, by member of its row.
std::string stored_everywhere_source(const Setup& setup, const KernelSetup& kernel) {
    const auto stored = accesses_stored_everywhere(setup, kernel);
    if (stored.empty()) return {};
    const auto others = setup.partitions() - 1;
    std::vector<std::ptrdiff_t> first(setup.row_of(setup.collections[kernel.collection]).members.size(), -1);
    for (std::size_t i = 0; i < stored.size(); ++i)
        first[setup.columns[kernel.accesses[stored[i]].column].member] = static_cast<std::ptrdiff_t>(kernel.accesses.size() + i * others);
    ValueList arguments;
    for (const auto argument : first) arguments.add(argument);
    return fmt::format("    static constexpr int tessera_others = {}, tessera_elsewhere[] = {{{}}};\n", others, arguments.text());
}

} // namespace

ViewChoice numbered_view(const CollectionSetup& collection) {
    auto view = direct_view(collection);
    view.kind = ViewChoice::Kind::numbered;
    return view;
}

ViewChoice team_view(const Setup& setup, const KernelSetup& kernel) {
    constexpr std::int64_t enough_threads = std::int64_t{1} << 18; // to keep a GPU busy
    const auto& collection = setup.collections[kernel.collection];
    auto view = numbered_view(collection);
    view.teams = block_threads;
    if (!setup.function_of(kernel).sends()) {
        view.width = 32; // each warp of a block somewhere else
        return view;
    }
    view.teams = 256;
    while (view.shared < 16 && view.shared * collection.places() < enough_threads) view.shared *= 2;
    return view;
}

MostLinks most_links(const Setup& setup, CollectionId id, model::LinkSide side, std::size_t enough) {
    const auto& links = *setup.collections[id].links;
    const auto& table = *setup.start[id].links;
    std::vector<std::size_t> degree(
        static_cast<std::size_t>(setup.collections[side == model::LinkSide::out ? links.from : links.to].places()));
    MostLinks most;
    const auto count = [&](std::int32_t end) {
        const auto place = static_cast<std::size_t>(end);
        if (++degree[place] > most.links || (degree[place] == most.links && place < most.place)) most = {place, degree[place]};
    };
    for (std::size_t i = 0; i < table.size() && most.links <= enough; ++i) {
        const bool is_loop = table.from[i] == table.to[i];
        if (side != model::LinkSide::out) count(table.to[i]);
        if (side == model::LinkSide::out || (side == model::LinkSide::both && !is_loop)) count(table.from[i]);
    }
    return most;
}

bool goes_in_teams(const Setup& setup, const KernelSetup& kernel) {
    constexpr auto few = static_cast<std::size_t>(few_links);
    const auto& function = setup.function_of(kernel);
    if (!setup.collections[kernel.collection].are_places() || function.is_init) return false;
    return std::any_of(function.link_uses.begin(), function.link_uses.end(), [&](const model::LinkUse& use) {
        const auto links = links_at(setup, kernel.collection, use).front();
        return setup.collections[links].are_changing_links() || most_links(setup, links, use.side, few).links > few;
    });
}

std::string numbered_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view) {
    const auto& function = setup.function_of(kernel);
    auto type = function_type(setup, kernel);
    std::string text;
    const auto stored = accesses_stored_everywhere(setup, kernel).size();
    if (function.has_to_do_with_links() || stored > 0) {
        const auto of_row = std::count_if(kernel.accesses.begin(), kernel.accesses.end(), [&](const Access& access) {
            const auto& place = setup.columns[access.column];
            return place.collection == kernel.collection && std::any_of(function.accesses.begin(), function.accesses.end(),
                                                                        [&](const auto& named) { return named.member == place.member; });
        });
        const auto linked = kernel.symbol + "_along_links";
        const auto behind = kernel.accesses.size() + stored * (setup.partitions() - 1);
        text = fmt::format("struct {} : {} {{\n    static constexpr int tessera_link_arguments = {};\n{}{}}};\n", linked, type,
                           static_cast<std::ptrdiff_t>(behind) - of_row, of_links_source(setup, kernel),
                           stored_everywhere_source(setup, kernel));
        text += lists_source(setup, kernel, linked);
        type = linked;
    }
    const auto grid = grid_type(setup.collections[kernel.collection]);
    if (view.teams == 0)
        return text + fmt::format("TESSERA_ENTRY({0}, {1}, call_numbered<{1}, {2}, {3}>)\n", kernel.symbol, type, grid, view.width);
    if (function.sends())
        return text + fmt::format("TESSERA_ENTRY_OF({0}, {1}, {4}, call_senders<{1}, {2}, {3}, {4}, {5}>)\n", kernel.symbol, type, grid,
                                  view.width, view.teams, view.shared);
    std::string lists;
    for (const auto& use : function.link_uses) lists += ", " + list_type(setup, use);
    return text +
           fmt::format("TESSERA_ENTRY({0}, {1}, call_numbered_in_teams<{1}, {2}, {3}{4}>)\n", kernel.symbol, type, grid, view.width, lists);
}

std::string lists_source(const Setup& setup, const KernelSetup& kernel, const std::string& key) {
    auto text = wishes_source(setup, kernel, key);
    for (const auto& use : setup.function_of(kernel).link_uses) text += columns_source(setup, kernel, use, key);
    return text;
}

std::string arrivals_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view) {
    const auto& places = setup.collections[kernel.collection];
    const auto type = kernel.symbol + "_call", grid = grid_type(places);
    std::string members;
    for (std::size_t i = 0; i < kernel.arrivals.size(); ++i) {
        const auto& [s, is_last] = kernel.arrivals[i];
        const auto& sent = places.sent[s];
        members += fmt::format("        tessera::arrive<{}, {}, {}, {}, {}, {}>(static_cast<{}*>(args.out[{}]), "
                               "static_cast<std::uint64_t*>(args.out[{}]), step, x, y, z);\n",
                               grid, sent.member, folds_of(sent.as), sent.column, places.columns[sent.column].planes, is_last,
                               scalar_type(places.columns[sent.member].layout.type), 2 * i, 2 * i + 1);
    }
    return fmt::format(R"(struct {0} {{
    static constexpr int tessera_arguments = {1};
    template<class Args>
    static TESSERA_FN void arrive(const Args& args, std::uint64_t step, std::int64_t x, std::int64_t y, std::int64_t z) {{
{2}    }}
}};
TESSERA_ENTRY({3}, {0}, call_arrivals<{0}, {4}, {5}>)
)",
                       type, 2 * kernel.arrivals.size(), members, kernel.symbol, grid, view.width);
}

} // namespace tessera
