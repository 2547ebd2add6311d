// [agents.NAME] of the run file as a collection of the model's rows, on places.
#include "host/bind/parts.hpp"
#include "host/bind/read_agents_file.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"
#include "host/storage/storage.hpp"
#include "kernels/agents/agent_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace tessera {
namespace {

std::size_t find_agents(const model::Description& description, const run_file::Agents& agents) {
    std::vector<std::string> known;
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        if (!description.rows[r].ground) continue;
        if (description.rows[r].collection == *agents.type) return r;
        known.push_back(description.rows[r].collection);
    }
    const bool are_places = std::any_of(description.rows.begin(), description.rows.end(),
                                        [&](const model::Row& row) { return !row.ground && row.collection == *agents.type; });
    run_file::fail_at(agents.type.where, fmt::format("{} has no agents of type `{}`", description.name, *agents.type),
                      known.empty() ? "it has none" : "it has " + listed(known),
                      are_places ? fmt::format("they are places: write [places.{}]", *agents.name) : did_you_mean(*agents.type, known));
}

// The collection of places that `on` names, or the only one of the row that they stand on.
CollectionId find_ground(const Setup& setup, const run_file::Agents& agents, std::size_t row) {
    const auto& ground = setup.description().rows[row];
    std::vector<CollectionId> found;
    std::vector<std::string> known;
    for (const auto c : setup.collections.ids())
        if (setup.collections[c].row == row) found.push_back(c), known.push_back(setup.collections[c].name);
    if (agents.on) {
        for (const auto c : found)
            if (setup.collections[c].name == **agents.on) return c;
        run_file::fail_at(agents.on->where, fmt::format("{} cannot stand on `{}`", *agents.name, **agents.on),
                          known.empty() ? fmt::format("there are no places of type {}", ground.collection)
                                        : fmt::format("places of type {} are {}", ground.collection, listed(known)),
                          did_you_mean(**agents.on, known));
    }
    if (found.size() == 1) return found.front();
    run_file::fail_at(agents.name.where, fmt::format("it is not clear on which places {} stand", *agents.name),
                      found.empty() ? fmt::format("there are no places of type {}", ground.collection)
                                    : fmt::format("places of type {} are {}", ground.collection, listed(known)),
                      found.empty() ? fmt::format("add [places.{}] with a size", ground.collection) : "set `on`");
}

void check_start(const run_file::Agents& agents, const CollectionSetup& collection, const CollectionSetup& ground, std::uint64_t count) {
    const int rank_bits = id_bits_of_birth - bits_of_places(collection.places());
    if (rank_bits < 4) // of 8 slots
        run_file::fail_at(agents.name.where, fmt::format("{} cannot live on {} places", collection.name, collection.places()),
                          "an id has 40 bits for the place where its agent starts, and for its rank there", "make the grid smaller");
    std::uint64_t places = static_cast<std::uint64_t>(ground.places());
    if (agents.box) {
        const auto& box = **agents.box;
        places = 1;
        if (box.low.size() != static_cast<std::size_t>(collection.dimensions))
            run_file::fail_at(agents.box->where, fmt::format("the box of agents.{} has {} dimensions", collection.name, box.low.size()),
                              fmt::format("its places have {}", collection.dimensions));
        for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
            if (box.low[axis] < 0 || box.high[axis] <= box.low[axis] || box.high[axis] > collection.size[axis])
                run_file::fail_at(
                    agents.box->where,
                    fmt::format("the box of agents.{} spans {} to {} in {}", collection.name, box.low[axis], box.high[axis], "xyz"[axis]),
                    fmt::format("expected a first and an end from 0 to {}, the end excluded and above the first", collection.size[axis]));
            places *= static_cast<std::uint64_t>(box.high[axis] - box.low[axis]);
        }
    }
    if (*agents.capacity == run_file::unlimited) {
        if (count > static_cast<std::uint64_t>(collection.agents->capacity))
            run_file::fail_at(
                agents.count ? agents.count->where : agents.place.where,
                fmt::format("{} agents of `{}` do not fit", count, collection.name),
                fmt::format("there is room for {}", collection.agents->capacity),
                fmt::format("set agents.{}.reserve to the largest number that may exist at once, at most 2^30", collection.name));
        return;
    }
    if (const auto room = places * *agents.capacity; agents.count && **agents.count > room)
        run_file::fail_at(agents.count->where, fmt::format("{} agents of `{}` do not fit", **agents.count, collection.name),
                          fmt::format("{} places have room for {}", places, room), "use fewer agents, or a larger `capacity`");
}

void check_init(const run_file::Agents& agents, const model::Row& row) {
    for (const auto& [name, steps] : agents.init) {
        const auto& member = row.members[require_member(row, *name, name.where)];
        const std::string what = fmt::format("{}.{}", *agents.name, *name);
        for (const auto& step : steps) {
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source))
                (void)constant_bytes(*constant, member.type, member.elements, step.where, what);
            check_random(*step, member.type, step.where, what);
        }
    }
}

// Which layer a value is from: the model's defaults, the run file, or the command line.
int layer_of(const run_file::RunFile& run, const run_file::Where& where) {
    if (where.line == 0) return 2;
    return where.file == run.path ? 1 : 0;
}

// What a file of agents has takes the place of what an earlier layer says of a member.
void give_way_to_file(const run_file::RunFile& run, run_file::Agents& agents, const model::Row& row, const AgentsFile& file) {
    const auto is_in_file = [&](const auto& named) {
        const auto member = row.find(*named.name);
        return member && file.find(*member) != nullptr;
    };
    for (const auto& named : agents.init)
        if (is_in_file(named) && layer_of(run, named.name.where) >= layer_of(run, agents.file->where))
            run_file::fail_at(named.name.where, fmt::format("{}.{} is given twice", *agents.name, *named.name),
                              fmt::format("{} has it for each agent", run.resolve(**agents.file).string()), "remove one of them");
    agents.init.erase(std::remove_if(agents.init.begin(), agents.init.end(), is_in_file), agents.init.end());
}

// For how many a list has memory at first: for those of the start, and where the model's functions have children, for eight times as many.
std::uint64_t first_room(const Setup& setup, const run_file::Agents& agents, std::size_t row, std::uint64_t count) {
    constexpr std::uint64_t fewest_of_families = 1 << 16, most = std::uint64_t{1} << 30;
    if (agents.reserve) return **agents.reserve;
    const auto& functions = setup.description().functions;
    const bool spawns = std::any_of(functions.begin(), functions.end(), [&](const model::Function& function) {
        return std::any_of(function.agent_uses.begin(), function.agent_uses.end(),
                           [&](const auto& use) { return use.spawns && use.row == row; });
    });
    if (!spawns) return std::max<std::uint64_t>(std::min(count, most), 1);
    return std::clamp(8 * count, fewest_of_families, most);
}
std::uint64_t room_for(const Setup& setup, const run_file::Agents& agents, std::size_t row, std::uint64_t count) {
    return std::max(first_room(setup, agents, row, count), agents.grown_room);
}

SpaceSetup space_of(const Setup& setup, const run_file::RunFile& run, CollectionId ground, Scalar number) {
    const auto& given = run.places[ground.index()]->extent;
    SpaceSetup space;
    space.number = number;
    for (int axis = 0; axis < setup.collections[ground].dimensions; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double extent = given ? (**given)[a] : static_cast<double>(setup.collections[ground].size[a]);
        space.extent[a] = number == Scalar::f32 ? static_cast<double>(static_cast<float>(extent)) : extent;
        if (!(space.extent[a] > 0) || !std::isfinite(space.extent[a]))
            run_file::fail_at(given->where, fmt::format("a position cannot be {} along {}", extent, "xyz"[axis]),
                              "positions of agents in space are float, from 1.4e-45 to 3.4e+38", "use another unit, or in_double<PLACE>");
    }
    return space;
}

void refuse_capacity(const run_file::Agents& agents) {
    if (agents.capacity.where.file.empty() || *agents.capacity == run_file::unlimited) return;
    run_file::fail_at(agents.capacity.where, fmt::format("{} cannot have a `capacity`", *agents.name),
                      "they are in space, where a place has room for any number", "remove it");
}

// What only places of a grid have.
void refuse_shape(const run_file::Agents& agents, const AgentsSetup& setup, const CollectionSetup& ground) {
    const auto why = fmt::format("places.{} has a `count` and no `size`", ground.name);
    if (setup.space)
        run_file::fail_at(agents.name.where, fmt::format("agents of {} cannot be in space on {}", *agents.name, ground.name),
                          why + ": there is no space", fmt::format("give places.{} a `size`, or declare them on<PLACE>", ground.name));
    if (agents.box)
        run_file::fail_at(agents.box->where, fmt::format("{} cannot start in a box", *agents.name), why,
                          "use \"random\", \"each\", or { file = ... } with a column `place`");
}

// What a file has of them, if one does.
std::shared_ptr<const AgentsFile> file_of(const run_file::RunFile& run, run_file::Agents& agents, const model::Row& row,
                                          const CollectionSetup& ground, const std::optional<SpaceSetup>& space) {
    if (!agents.file || agents.read_count) return nullptr;
    const auto path = run.resolve(**agents.file).string();
    auto file = std::make_shared<const AgentsFile>(read_agents_file(agents, path, row, ground, space ? &*space : nullptr));
    give_way_to_file(run, agents, row, *file);
    return file;
}

} // namespace

BoundAgents bind_agents(const Setup& setup, const run_file::RunFile& run, run_file::Agents& agents) {
    if (const auto twin = setup.find_collection(*agents.name))
        run_file::fail_at(agents.name.where, fmt::format("two collections are called {}", *agents.name), "phases and outputs name them",
                          "rename one");
    CollectionSetup collection;
    collection.name = *agents.name;
    collection.where = collection.size_where = agents.name.where;
    collection.row = find_agents(setup.description(), agents);
    const auto& row = setup.description().rows[collection.row];
    AgentsSetup agents_setup;
    agents_setup.ground = find_ground(setup, agents, *row.ground);
    if (row.position) {
        agents_setup.space = space_of(setup, run, agents_setup.ground, *row.position);
        refuse_capacity(agents);
        agents.capacity.value = run_file::unlimited;
    }
    const auto& ground = setup.collections[agents_setup.ground];
    if (!ground.has_shape()) refuse_shape(agents, agents_setup, ground);
    agents_setup.storage = &storage_for({setup.modes().on_one_cpu, agents_setup.space.has_value(), *agents.capacity, ground.places()});
    agents_setup.most_on_place = static_cast<int>(*agents.capacity);
    const auto file = file_of(run, agents, row, ground, agents_setup.space);
    auto start = start_of(agents);
    start.file = file;
    if (agents.file && agents.read_count) start.count = run_file::Located<std::uint64_t>{*agents.read_count, agents.file->where};
    const auto count = start.agents_on(ground.places());
    agents_setup.capacity = static_cast<int>(!agents_setup.is_limited() ? room_for(setup, agents, collection.row, count)
                                             : agents_setup.in_list()   ? *agents.capacity * static_cast<std::uint64_t>(ground.places())
                                                                        : *agents.capacity);
    if (agents_setup.is_limited() && agents.reserve)
        run_file::fail_at(agents.reserve->where, fmt::format("{} do not use `reserve`", *agents.name),
                          "each place has as many slots as `capacity` says", "remove one of them, or set capacity = \"unlimited\"");
    agents_setup.priority = *agents.priority;
    agents_setup.on_edge = *agents.on_edge;
    for (const auto& other : setup.collections)
        if (other.agents && other.row == collection.row && other.agents->ground == agents_setup.ground)
            run_file::fail_at(agents.name.where,
                              fmt::format("{} and {} are of one type and stand on one collection of places", other.name, collection.name),
                              "functions name agents by their types", "make them one collection, or declare two types in the model");
    if (!agents_setup.is_limited() && ground.places() >= std::int64_t{1} << 31)
        run_file::fail_at(agents.capacity.where, fmt::format("{} cannot be of unlimited capacity", *agents.name),
                          fmt::format("{} has {} places", ground.name, ground.places()), "use fewer than 2^31, or give a `capacity`");
    collection.dimensions = ground.dimensions;
    collection.size = ground.size;
    collection.boundary = ground.boundary;
    if (*std::max_element(ground.size.begin(), ground.size.end()) >= std::int64_t{1} << 31)
        run_file::fail_at(agents.name.where, fmt::format("{} cannot live on {}", collection.name, ground.name),
                          fmt::format("it is {} places long", *std::max_element(ground.size.begin(), ground.size.end())),
                          "places with agents are fewer than 2^31 along each axis");
    collection.agents = agents_setup;
    agents_setup.storage->add_columns(collection, row);
    check_start(agents, collection, ground, count);
    check_init(agents, row);
    return {std::move(collection), std::move(start)};
}

void check_extents(const Setup& setup, const run_file::RunFile& run) {
    for (const auto id : setup.collections.ids()) {
        const bool is_used = std::any_of(setup.collections.begin(), setup.collections.end(), [&](const CollectionSetup& agents) {
            return agents.agents && agents.agents->space && agents.agents->ground == id;
        });
        if (!setup.collections[id].are_places() || is_used) continue;
        if (const auto& extent = run.places[id.index()]->extent)
            run_file::fail_at(extent->where, fmt::format("{} does not use `extent`", setup.collections[id].name),
                              "it has no agents in space; TESSERA_AGENT(ROW, in<PLACE>, ...) declares such agents", "remove it");
    }
}

void choose_codes(Setup& setup, CollectionId agents) {
    auto& collection = setup.collections[agents];
    const auto& agents_setup = *collection.agents;
    for (int axis = 0; axis < collection.dimensions; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (collection.boundary[a] == run_file::Boundary::torus &&
            std::max(agents_setup.low[a], agents_setup.high[a]) >= collection.size[a])
            run_file::fail_at(
                collection.where,
                fmt::format("{} go {} places along {}", collection.name, std::max(agents_setup.low[a], agents_setup.high[a]), "xyz"[axis]),
                fmt::format("the torus has {}: agents would come back to their own place", collection.size[a]),
                "use a larger grid, or `moves` over a shorter distance");
    }
    const int codes = 1 + (agents_setup.keeps_results ? 3 : 1) * (2 + agents_setup.offsets());
    if (codes > 0x10000)
        run_file::fail_at(collection.where, fmt::format("{} can move to one of {} places", collection.name, agents_setup.offsets()),
                          "a slot's code has 16 bits for the move", "declare `moves` over a shorter distance");
    auto& stored = collection.stored[setup.columns[setup.codes_of(agents)].member];
    stored = unnamed_member("(code)", codes <= 0x100 ? Scalar::u8 : Scalar::u16, stored.elements);
    auto& column = setup[setup.codes_of(agents)];
    column.layout.type = stored.type;
    column.outside = column.missing = stored.initial;
}

} // namespace tessera
