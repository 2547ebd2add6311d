#include "host/generate/agent_source.hpp"

#include "host/generate/numbered.hpp"
#include "host/setup/births.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

std::string type_of_agents(const CollectionSetup& agents) { return "tessera_agents_of_" + agents.name; }

std::string row_type(const model::Row& row) { return "tessera_model::" + (row.scope.empty() ? "" : row.scope + "::") + row.name; }

bool goes(const model::Function& function) {
    return std::any_of(function.agent_uses.begin(), function.agent_uses.end(), [](const model::AgentUse& use) { return use.moves; });
}

// The functions that want to go somewhere.
std::string movers(const Setup& setup, CollectionId agents) {
    std::string list;
    for (const auto& kernel : setup.kernels)
        if (kernel.collection == agents && kernel.is_function() && goes(setup.function_of(kernel)))
            list += (list.empty() ? "" : ", ") + function_type(setup, kernel);
    return "tessera::function_list<" + list + ">";
}

std::string offset(const std::array<int, 3>& steps) { return fmt::format("{{{}, {}, {}}}", steps[0], steps[1], steps[2]); }

std::string source_type(const CollectionSetup& children, std::size_t source) {
    return fmt::format("tessera_births_{}_of_{}", source, children.name);
}

// The kernel of the function that a phase calls.
const KernelSetup& kernel_of_phase(const Setup& setup, PhaseId phase) {
    return setup.kernels[std::get<CallPhase>(setup.phases[phase].action).kernel];
}

int number_or_none(const std::optional<std::size_t>& number) { return number ? static_cast<int>(*number) : -1; }

// The sources of children, before their Agents type; and the list of them.
std::string birth_sources(const Setup& setup, CollectionId children) {
    const auto& collection = setup.collections[children];
    std::string text;
    const auto& sources = collection.agents->sources;
    std::int64_t first_birth_request = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        const bool tells = setup.tells_parents(sources[s]);
        if (tells) text += fmt::format("struct {};\n", type_of_agents(setup.collections[sources[s].parents]));
        text += fmt::format(
            R"(struct {} {{
    using child = {};
    using told = {};
    using function = {};
    using code = std::{}_t;
    static constexpr int column = {}, parents = {}, calls = {}, order = {}, phase = {}, log = {}, flags = {};
    static constexpr bool of_places = {}, in_list = {}, at_parents = {};
    static constexpr std::int64_t first_birth_request = {};
    static constexpr tessera::place_offset low = {}, high = {};
}};
)",
            source_type(collection, s), type_of_agents(collection), tells ? type_of_agents(setup.collections[sources[s].parents]) : "void",
            function_type(setup, kernel_of_phase(setup, sources[s].phase)), name_of(collection.columns[sources[s].column].layout.type),
            sources[s].column, sources[s].slots, sources[s].calls, sources[s].of_places ? 0 : 1 + setup.collections[sources[s].parents].row,
            sources[s].phase.index() + 1, number_or_none(sources[s].log), number_or_none(sources[s].flags), sources[s].of_places,
            sources[s].in_list, are_born_at_parents(setup, children, sources[s]), first_birth_request, offset(sources[s].low),
            offset(sources[s].high));
        first_birth_request += birth_requests_of(collection, sources[s]);
    }
    return text;
}
std::string birth_list(const CollectionSetup& children) {
    std::string list;
    for (std::size_t s = 0; s < children.agents->sources.size(); ++s) list += (s > 0 ? ", " : "") + source_type(children, s);
    return "tessera::function_list<" + list + ">";
}
std::string birth_phases(const Setup& setup, const AgentsSetup& agents) {
    std::string list;
    for (const auto phase : agents.birth_phases) {
        const auto& timing = setup.phases[phase].timing;
        list += fmt::format("{{{}, {}, {}, {}u}}, ", phase.index() + 1, timing.every, timing.from, timing.until.value_or(0xffffffff));
    }
    return list.empty() ? list : fmt::format("    static constexpr tessera::birth_phase birth_phases[] = {{{}}};\n", list);
}

// "code = 2, mark = 3, ..."; -1: there is none.
std::string columns_by_role(const CollectionSetup& agents) {
    constexpr std::pair<const char*, Role> roles[] = {
        {"code", Role::code},       {"mark", Role::mark},         {"id", Role::id},
        {"place", Role::place},     {"start", Role::start},       {"coming", Role::arrival},
        {"order", Role::order},     {"sum", Role::sum},           {"target", Role::target},
        {"arrived", Role::arrived}, {"count", Role::count},       {"rank", Role::rank},
        {"next", Role::next},       {"position", Role::position}, {"aim", Role::aim},
        {"goal", Role::goal},       {"claim", Role::claim},       {"refused_births", Role::refused_births}};
    std::string text;
    for (const auto& [name, role] : roles) {
        const auto column = agents.find_column(role);
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, column ? static_cast<int>(*column) : -1);
    }
    return text;
}

// Whether moves that lead beyond an edge are refused; or none do, for what is beyond the edges of a torus is on it: then nobody has to
// look.
bool refuses_at_edge(const Setup& setup, const AgentsSetup& agents) {
    if (agents.on_edge == run_file::EdgeRule::refuse) return true;
    const auto& places = setup.collections[agents.ground];
    const auto axes = static_cast<std::ptrdiff_t>(places.dimensions);
    return agents.storage->is_ordered() && std::all_of(places.boundary.begin(), places.boundary.begin() + axes,
                                                       [](auto rule) { return rule == run_file::Boundary::torus; });
}

std::string source_of_agents(const Setup& setup, CollectionId agents) {
    const auto& collection = setup.collections[agents];
    const auto& agents_setup = *collection.agents;
    const auto& row = setup.row_of(collection);
    const auto counts = setup.find_column(agents, Role::count);
    const auto count_number = counts ? fmt::format("std::{}_t", name_of(setup[*counts].layout.type)) : std::string("void");
    const auto space = agents_setup.space.value_or(SpaceSetup{});
    const std::string number = !agents_setup.space ? "void" : space.number == Scalar::f32 ? "float" : "double";
    return fmt::format("struct {};\n{}", type_of_agents(collection), birth_sources(setup, agents)) +
           fmt::format(R"(struct {} {{
    using row = {};
    using members = {};
    using grid = {};
    using ground = {};
    static constexpr bool is_list = {}, is_ordered = {};
    static constexpr int capacity = {}, most_on_place = {};
    using count_number = {};
    using code = std::{}_t;
    using number = {};
    static constexpr double extent[3] = {{{:a}, {:a}, {:a}}};
    static constexpr bool keeps_results = {}, random_priority = {}, refuses_at_edge = {};
    static constexpr tessera::place_offset low = {}, high = {};
    struct column {{
        static constexpr int {};
    }};
    using movers = {};
    using sources = {};
{}}};
)",
                       type_of_agents(collection), row_type(row), members_type(row), grid_type(collection),
                       grid_type(setup.collections[agents_setup.ground]), agents_setup.in_list(), agents_setup.storage->is_ordered(),
                       agents_setup.capacity, agents_setup.most_on_place, count_number, name_of(setup[setup.codes_of(agents)].layout.type),
                       number, space.extent[0], space.extent[1], space.extent[2], agents_setup.keeps_results,
                       agents_setup.priority == run_file::Priority::random, refuses_at_edge(setup, agents_setup), offset(agents_setup.low),
                       offset(agents_setup.high), columns_by_role(collection),
                       collection.has(Role::goal) ? "tessera::function_list<>" : movers(setup, agents), birth_list(collection),
                       birth_phases(setup, agents_setup));
}

// Which argument of the kernel the column is; -1: none.
int argument_of(const KernelSetup& kernel, ColumnId column) {
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        if (kernel.accesses[i].column == column) return static_cast<int>(i);
    return -1;
}

std::string arguments_table(const Setup& setup, const KernelSetup& kernel, CollectionId collection) {
    std::string table;
    for (std::size_t c = 0; c < setup.collections[collection].columns.size(); ++c)
        table += fmt::format("{}{}", table.empty() ? "" : ", ", argument_of(kernel, setup.column_of(collection, c)));
    return table.empty() ? "-1" : table; // an array has a value at least
}

// In which column of its agents' each member of the places has their shares; -1: in none.
std::string shares_table(const Setup& setup, const KernelSetup& kernel, CollectionId ground) {
    const auto& agents = setup.collections[kernel.collection].agents;
    std::string table;
    for (std::size_t m = 0; m < setup.row_of(setup.collections[ground]).members.size(); ++m) {
        const auto column = agents && m < agents->shares.size() ? agents->shares[m] : 0;
        const bool named = column != 0 && argument_of(kernel, setup.column_of(kernel.collection, column)) >= 0;
        table += (m > 0 ? ", " : "") + (named ? std::to_string(column) : "-1");
    }
    return table.empty() ? "-1" : table;
}

// How far the kernel looks at all: over its columns, and where its agents want to go. In a list in the order of ids no function has to do
// with what others have asked for, nor with where the grid ends if moves beyond it are refused.
std::string reach_of(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const auto& agents = collection.agents;
    const bool goes_for_others = agents && !(kernel.is_function() && agents->storage->is_ordered());
    const auto is_no_look = [&](const model::AgentUse& use) {
        return use.moves && !use.counts && !use.meets && !use.spawns && refuses_at_edge(setup, *agents) && !collection.has(Role::goal);
    };
    std::array<int, 3> reach{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (goes_for_others) reach[axis] = std::max(agents->low[axis], agents->high[axis]) * kernel.kind->sights();
        for (const auto& access : kernel.accesses)
            reach[axis] = std::max({reach[axis], access.use.low[dims][axis], access.use.high[dims][axis]});
        if (kernel.is_function())
            for (const auto& use : setup.function_of(kernel).agent_uses)
                if (goes_for_others || !is_no_look(use)) reach[axis] = std::max({reach[axis], use.low[dims][axis], use.high[dims][axis]});
    }
    return fmt::format("{}, {}, {}", reach[0], reach[1], reach[2]);
}

// A type for each type of agents that the function sees, or wants children of, and a function by which it is found.
std::string others_source(const Setup& setup, const KernelSetup& kernel) {
    std::string text;
    std::vector<CollectionId> seen, asked;
    const auto is_new = [](std::vector<CollectionId>& list, CollectionId id) {
        if (std::find(list.begin(), list.end(), id) != list.end()) return false;
        list.push_back(id);
        return true;
    };
    for (const auto& use : setup.function_of(kernel).agent_uses) {
        const auto id = setup.agents_of_row(use.row, kernel.collection);
        if (!id) continue;
        const auto& other = setup.collections[*id];
        const auto arguments = arguments_table(setup, kernel, *id);
        if ((use.counts || use.meets) && is_new(seen, *id))
            text += fmt::format(
                "    struct seen_{0} {{\n        using agents = {1};\n        static constexpr int arguments[] = {{{2}}};\n    }};\n"
                "    static seen_{0} seen(tessera::agents_type<{3}>*);\n",
                other.name, type_of_agents(other), arguments, row_type(setup.row_of(other)));
        if (!use.spawns || !is_new(asked, *id)) continue;
        std::string source = "void";
        for (std::size_t s = 0; s < other.agents->sources.size(); ++s)
            if (kernel.phase && other.agents->sources[s].phase == *kernel.phase) source = source_type(other, s);
        text += fmt::format("    struct asked_{0} {{\n        using agents = {1};\n        using source = {2};\n"
                            "        static constexpr int number = {3}, arguments[] = {{{4}}};\n    }};\n"
                            "    static asked_{0} asked(tessera::agents_type<{5}>*);\n",
                            other.name, type_of_agents(other), source, id->index() - setup.first_agents_id().index(), arguments,
                            row_type(setup.row_of(other)));
    }
    return text;
}

// Where the columns of the parents are who are told of refused births.
std::string told_source(const Setup& setup, const KernelSetup& kernel) {
    if (!kernel.kind->tells_parents()) return {};
    const auto& source = setup.collections[kernel.collection].agents->sources[kernel.source];
    if (!setup.tells_parents(source)) return {};
    return fmt::format("    static constexpr int told[] = {{{}}};\n", arguments_table(setup, kernel, source.parents));
}

} // namespace

std::string agents_source(const Setup& setup) {
    if (!setup.has_agents()) return {};
    std::string text = "#include <tessera/kernels/agents/agents.hpp>\n#include <tessera/kernels/agents/manage.hpp>\n";
    std::vector<CollectionId> grounds;
    for (const auto& collection : setup.collections)
        if (collection.agents && std::find(grounds.begin(), grounds.end(), collection.agents->ground) == grounds.end())
            grounds.push_back(collection.agents->ground);
    for (const auto ground : grounds) text += beyond_source(setup.collections[ground]);
    for (const auto c : setup.collections.ids())
        if (setup.collections[c].agents) text += source_of_agents(setup, c);
    return text;
}

std::string agent_call_source(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const auto ground = collection.agents ? collection.agents->ground : kernel.collection;
    const bool calls = kernel.is_function(), has_function = !kernel.is_of_manage_all();
    const bool has_source = kernel.kind->number() == KernelKind::Number::source;
    const std::string call = "tessera_call_of_" + kernel.symbol;
    return fmt::format(
               R"(struct {} {{
    using function = {};
    using agents = {};
    using places = {};
    static constexpr int columns = {};
    static constexpr int arguments[] = {{{}}}, ground[] = {{{}}}, reach[3] = {{{}}};
    static constexpr int shares[] = {{{}}};
    static constexpr bool moves = {}, spawns = {}, settles = {}, buries = {}, finds_targets = {}, counts_children = {};
    static constexpr int round = {};
    using source = {};
{}{}}};
)",
               call, has_function ? function_type(setup, kernel) : "void", collection.agents ? type_of_agents(collection) : "void",
               grid_type(setup.collections[ground]), std::max<std::size_t>(kernel.accesses.size(), 1),
               collection.agents ? arguments_table(setup, kernel, kernel.collection) : "-1", arguments_table(setup, kernel, ground),
               reach_of(setup, kernel), has_function ? shares_table(setup, kernel, ground) : "-1",
               kernel.kind->is_of_moves() || kernel.settles == SlotWork::marked, kernel.kind->forgets_birth_requests(),
               kernel.settles != SlotWork::none, kernel.buries, kernel.finds_targets && !setup.in_bands(),
               !setup.lists_with_first_children(kernel).empty(), kernel.round, has_source ? source_type(collection, kernel.source) : "void",
               told_source(setup, kernel), calls ? others_source(setup, kernel) : "") +
           (calls ? lists_source(setup, kernel, call) : std::string()) +
           fmt::format("TESSERA_AGENTS({}, {}, {})\n", kernel.symbol, call, kernel.kind->entry(setup, kernel));
}

} // namespace tessera
