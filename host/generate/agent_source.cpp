#include "host/generate/agent_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

constexpr std::int64_t threads_a_block = 256, cells_a_block = threads_a_block * 16; // as kernels/agents.hpp has them

std::string crowd_type(const CollectionSetup& agents) { return "tessera_crowd_of_" + agents.name; }

std::string row_type(const model::Row& row) { return "tessera_model::" + (row.scope.empty() ? "" : row.scope + "::") + row.name; }

bool goes(const model::Function& function) {
    return std::any_of(function.crowds.begin(), function.crowds.end(), [](const model::CrowdUse& use) { return use.moves; });
}

// The functions that want to go somewhere.
std::string movers(const Setup& setup, CollectionId agents) {
    std::string list;
    for (const auto& kernel : setup.kernels)
        if (kernel.collection == agents && kernel.work == KernelWork::function && goes(setup.function_of(kernel)))
            list += (list.empty() ? "" : ", ") + function_type(setup, kernel);
    return "tessera::function_list<" + list + ">";
}

std::string crowd_source(const Setup& setup, CollectionId agents) {
    const auto& collection = setup.collections[agents];
    const auto& crowd = *collection.crowd;
    const auto& row = setup.row_of(collection);
    return fmt::format(R"(struct {} {{
    using row = {};
    using members = {};
    using grid = {};
    using ground = {};
    static constexpr int capacity = {};
    using code = std::{}_t;
    static constexpr bool keeps_results = {}, random_priority = {}, refuses_at_edge = {};
    static constexpr tessera::place_offset low = {{{}, {}, {}}}, high = {{{}, {}, {}}};
    using movers = {};
}};
)",
                       crowd_type(collection), row_type(row), members_type(row), grid_type(collection),
                       grid_type(setup.collections[crowd.ground]), crowd.capacity, name_of(setup[setup.codes_of(agents)].layout.type),
                       crowd.keeps_results, crowd.priority == run_file::Priority::random, crowd.on_edge == run_file::EdgeRule::refuse,
                       crowd.low[0], crowd.low[1], crowd.low[2], crowd.high[0], crowd.high[1], crowd.high[2], movers(setup, agents));
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

// How far the kernel looks at all: over its columns, and where its agents want to go.
std::string reach_of(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    std::array<int, 3> reach{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reach[axis] = std::max(collection.crowd->low[axis], collection.crowd->high[axis]) * (kernel.work == KernelWork::wishes ? 2 : 1);
        for (const auto& access : kernel.accesses)
            reach[axis] = std::max({reach[axis], access.use.low[dims][axis], access.use.high[dims][axis]});
    }
    return fmt::format("{}, {}, {}", reach[0], reach[1], reach[2]);
}

std::string entry_of(const KernelSetup& kernel, const std::string& call) {
    const char* const entry = kernel.work == KernelWork::function ? "call_agents"
                              : kernel.work == KernelWork::wishes ? "settle_wishes"
                                                                  : "settle_slots";
    return fmt::format("TESSERA_AGENTS({}, {}, {})\n", kernel.symbol, call, entry);
}

} // namespace

std::string crowds_source(const Setup& setup) {
    if (!setup.has_agents()) return {};
    std::string text = "#include <tessera/kernels/manage.hpp>\n";
    std::vector<CollectionId> grounds;
    for (const auto c : setup.collections.ids())
        if (const auto& crowd = setup.collections[c].crowd) {
            if (std::find(grounds.begin(), grounds.end(), crowd->ground) == grounds.end()) {
                grounds.push_back(crowd->ground);
                text += beyond_source(setup.collections[crowd->ground]);
            }
            text += crowd_source(setup, c);
        }
    return text;
}

std::string agent_call_source(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const bool calls = kernel.work == KernelWork::function;
    const std::string call = "tessera_call_of_" + kernel.symbol;
    std::string seen;
    if (calls)
        for (const auto& use : setup.function_of(kernel).crowds)
            for (const auto c : setup.collections.ids()) {
                const auto& other = setup.collections[c];
                if (!use.counts || !other.crowd || other.row != use.row || other.crowd->ground != collection.crowd->ground) continue;
                const auto line = fmt::format("    static tessera::seen_crowd<{}, {}> seen(tessera::agents_type<{}>*);\n",
                                              crowd_type(other), argument_of(kernel, setup.codes_of(c)), row_type(setup.row_of(other)));
                if (seen.find(line) == std::string::npos) seen += line;
            }
    return fmt::format(R"(struct {} {{
    using function = {};
    using crowd = {};
    static constexpr int columns = {};
    static constexpr int own[] = {{{}}}, ground[] = {{{}}}, reach[3] = {{{}}};
    static constexpr bool moves = {};
{}}};
)",
                       call, calls ? function_type(setup, kernel) : "void", crowd_type(collection), kernel.accesses.size(),
                       arguments_table(setup, kernel, kernel.collection), arguments_table(setup, kernel, collection.crowd->ground),
                       reach_of(setup, kernel), kernel.work == KernelWork::slots_after_wishes || kernel.work == KernelWork::wishes, seen) +
           entry_of(kernel, call);
}

LaunchShape agent_launch_shape(const CollectionSetup& agents, const Band& band) {
    const auto& codes = agents.columns[agents.columns.size() - 3].layout;
    const auto capacity = std::int64_t{agents.crowd->capacity};
    const auto cells = band.rows() * (agents.dimensions == 3 ? codes.plane : codes.row);
    LaunchShape shape;
    shape.items = capacity * band.rows() * (agents.dimensions == 3 ? agents.size[1] : 1);
    shape.block = {static_cast<unsigned>(threads_a_block), 1, 1};
    shape.grid = {static_cast<unsigned>(capacity * ((cells + cells_a_block - 1) / cells_a_block)), 1, 1};
    return shape;
}

} // namespace tessera
