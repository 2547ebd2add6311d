// Programs for a GPU for models with agents, carried out by the processor thread by thread, and the loops by hand, against the engine: the
// same agents on the same places, bit for bit.
// optimise: yes
// sanitizers: none
#include "host/bench/reference_program.hpp"
#include "host/plugins/registry.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/host/bench/emulated_cuda.hpp"

#include <tessera/detail/philox.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace emulated {
namespace sugar {
#include "bench/reference/sugar/slots.cu"
}
namespace walkers {
#include "bench/reference/random_walk/list.cu"
}
} // namespace emulated

namespace tessera::bench::agent_kernels_test {
namespace {

constexpr std::uint64_t steps = 37; // of the CPU's, some are recorded

// The engine's run of a model, and what there is by hand for it.
class Engine {
public:
    Engine(const std::filesystem::path& model, const std::string& name, std::vector<std::string> overrides)
        : prepared(prepare({model.string(), with_no_output(std::move(overrides)), {}}, test::compiler())),
          reference(read_reference(installed_folder("reference") / name / "reference.toml")), device(open_device("cpu", 1)), pool(1),
          simulation(prepared.setup, *device, test::compiler(), pool) {
        EXPECT_EQ(obstacle(reference, prepared.setup), "");
    }
    [[nodiscard]] AgentState state() const { return agent_state(reference, prepared.setup, simulation.reader()); }
    void make_steps() {
        simulation.advance(steps, [](std::uint64_t) { return true; });
    }

    Prepared prepared;
    Reference reference;
    std::unique_ptr<Device> device;
    ThreadPool pool;
    Simulation simulation;

private:
    static std::vector<std::string> with_no_output(std::vector<std::string> overrides) {
        overrides.emplace_back("output=[]");
        return overrides;
    }
};

struct Grid {
    std::int64_t nx, ny;
    [[nodiscard]] std::int64_t places() const { return nx * ny; }
};

// With some whose last tile of 4096 places, or last word of four, is not whole.
const Grid grids[] = {{9, 9}, {61, 47}, {90, 47}, {128, 64}};

std::int64_t room_for_walkers(const Grid& grid) { return 4 * grid.places() + 400; }

Engine sugar(const Grid& grid) {
    return {installed_folder("reference") / "sugar",
            "sugar",
            {fmt::format("places.field.size=[{},{}]", grid.nx, grid.ny), fmt::format("agents.ant.count={}", grid.places() / 2)}};
}

// Many are born and die, and several on a place at once.
Engine walkers(const Grid& grid) {
    return {test::plugin("random_walk"),
            "random_walk",
            {fmt::format("places.land.size=[{},{}]", grid.nx, grid.ny), fmt::format("agents.walker.count={}", 2 * grid.places()),
             fmt::format("agents.walker.reserve={}", room_for_walkers(grid)), "agents.walker.capacity=\"unlimited\"", "params.birth=0.3",
             "params.death=0.3"}};
}

void expect_same(const AgentState& found, const AgentState& expected) {
    EXPECT_EQ(found.ids.size(), expected.ids.size());
    EXPECT_TRUE(found.ids == expected.ids) << "who is alive";
    EXPECT_TRUE(found.places == expected.places) << "where they stand";
    EXPECT_TRUE(found.values == expected.values) << "their members";
    EXPECT_TRUE(found.members == expected.members) << "members of places";
}

// The columns of a program for CUDA, and its launches, as reference.toml has them.
class Emulation {
public:
    Emulation(const Reference& reference, const Grid& grid, std::int64_t room)
        : program_(reference.cuda.at(0).program), grid_(grid), room_(room) {
        for (const auto& column : program_.columns)
            allocate(column.name,
                     static_cast<std::size_t>(column.each == Each::once ? column.count : how_many(column.each, column.covers)) *
                         size_of(column.type));
    }
    void allocate(const std::string& name, std::size_t bytes) { columns_[name].resize((bytes + 128 + 15) / 16); }
    template<class T> T* at(const std::string& name) { return reinterpret_cast<T*>(columns_.at(name).data()); }
    template<class T> void put(const std::string& name, const std::vector<T>& values) {
        allocate(name, values.size() * sizeof(T));
        std::memcpy(at<T>(name), values.data(), values.size() * sizeof(T));
    }

    // `run(name)` is one thread of a kernel.
    template<class Run> void run(bool backwards, const Run& run) {
        launch(program_.begin, backwards, run);
        for (std::uint64_t i = 0; i < steps; ++i) {
            launch(program_.step, backwards, run);
            for (const auto& [a, b] : program_.swaps) columns_.at(a).swap(columns_.at(b));
        }
        launch(program_.end, backwards, run);
    }

private:
    struct alignas(16) Line {
        std::byte bytes[16];
    };
    [[nodiscard]] std::int64_t how_many(Each each, std::int64_t covers) const {
        return each == Each::once ? 1 : ((each == Each::place ? grid_.places() : room_) + covers - 1) / covers;
    }
    template<class Run> void launch(const std::vector<OwnKernel>& kernels, bool backwards, const Run& run) {
        for (const auto& kernel : kernels)
            emulated::launch_blocks(static_cast<unsigned>(how_many(kernel.each, kernel.covers)), kernel.block, backwards,
                                    [&] { run(kernel.name); });
    }
    const ProgramByHand program_;
    Grid grid_;
    std::int64_t room_;
    std::map<std::string, std::vector<Line>> columns_;
};

template<class State> using Kernels = std::map<std::string, void (*)(const State&)>;

// A member's values of all agents, each at its entry.
template<class T> std::vector<T> entered(const std::vector<std::byte>& values, const std::vector<std::size_t>& at, std::size_t room) {
    std::vector<T> result(room);
    for (std::size_t i = 0; i < at.size(); ++i) std::memcpy(&result[at[i]], values.data() + i * sizeof(T), sizeof(T));
    return result;
}
template<class T> std::vector<std::byte> bytes_of_all(const T* values, std::size_t count) {
    const auto* first = reinterpret_cast<const std::byte*>(values);
    return {first, first + count * sizeof(T)};
}

// Who has an id among the entries, by id; the place of each is given by `place`.
template<class Place>
AgentState collected(const std::uint64_t* ids, std::size_t room, const Place& place, std::vector<std::size_t>& order) {
    for (std::size_t i = 0; i < room; ++i)
        if (ids[i] != 0) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
    AgentState state;
    for (const auto i : order) state.ids.push_back(ids[i]), state.places.push_back(static_cast<std::int64_t>(place(i)));
    return state;
}
template<class T> std::vector<std::byte> chosen(const T* values, const std::vector<std::size_t>& order) {
    std::vector<T> result;
    for (const auto i : order) result.push_back(values[i]);
    return bytes_of_all(result.data(), result.size());
}

AgentState sugar_by_hand(const Engine& engine, const Grid& grid, bool backwards) {
    using emulated::sugar::state;
    const auto start = engine.state();
    const auto places = static_cast<std::size_t>(grid.places());
    const std::vector<std::size_t> at(start.places.begin(), start.places.end());
    Emulation emulation(engine.reference, grid, grid.places());
    emulation.put("field_sugar", start.members[0]);
    emulation.put("field_capacity", start.members[1]);
    emulation.put("ant_id", entered<std::uint64_t>(bytes_of_all(start.ids.data(), start.ids.size()), at, places));
    emulation.put("ant_sugar", entered<int>(start.values[0], at, places));
    emulation.put("ant_vision", entered<unsigned char>(start.values[1], at, places));
    emulation.put("ant_metabolism", entered<unsigned char>(start.values[2], at, places));
    const state s{emulation.at<unsigned char>("field_sugar"),
                  emulation.at<unsigned char>("field_capacity"),
                  emulation.at<unsigned long long>("ant_id"),
                  emulation.at<int>("ant_sugar"),
                  emulation.at<unsigned char>("ant_vision"),
                  emulation.at<unsigned char>("ant_metabolism"),
                  emulation.at<unsigned char>("code"),
                  emulation.at<unsigned char>("mark"),
                  static_cast<int>(grid.nx),
                  static_cast<int>(grid.ny),
                  grid.places(),
                  grid.places()};
    using namespace emulated::sugar;
    const Kernels<state> kernels{{"enter", enter}, {"grow", grow}, {"look", look}, {"settle", settle}, {"eat", eat}, {"leave", leave}};
    emulation.run(backwards, [&](const std::string& name) { kernels.at(name)(s); });
    std::vector<std::size_t> order;
    auto end = collected(
        emulation.at<std::uint64_t>("ant_id"), places, [](std::size_t i) { return i; }, order);
    end.members = {bytes_of_all(s.field_sugar, places), bytes_of_all(s.field_capacity, places)};
    end.values = {chosen(s.ant_sugar, order), chosen(s.ant_vision, order), chosen(s.ant_metabolism, order)};
    return end;
}

AgentState walkers_by_hand(const Engine& engine, const Grid& grid, bool backwards) {
    using emulated::walkers::state;
    const auto start = engine.state();
    const auto room = static_cast<std::size_t>(room_for_walkers(grid));
    std::vector<std::size_t> in_order(start.ids.size()), at(start.ids.size());
    for (std::size_t i = 0; i < at.size(); ++i) in_order[i] = i;
    std::stable_sort(in_order.begin(), in_order.end(), [&](std::size_t a, std::size_t b) { return start.places[a] < start.places[b]; });
    for (std::size_t i = 0; i < at.size(); ++i) at[in_order[i]] = i;
    const std::vector<unsigned> stands(start.places.begin(), start.places.end());
    Emulation emulation(engine.reference, grid, static_cast<std::int64_t>(room));
    emulation.put("land_visits", start.members[0]);
    emulation.put("walker_id", entered<std::uint64_t>(bytes_of_all(start.ids.data(), start.ids.size()), at, room));
    emulation.put("walker_place", entered<unsigned>(bytes_of_all(stands.data(), stands.size()), at, room));
    emulation.put("walker_steps", entered<unsigned>(start.values[0], at, room));
    const auto now = [&] { // names are exchanged as it goes on
        return state{emulation.at<unsigned>("land_visits"),
                     emulation.at<unsigned long long>("walker_id"),
                     emulation.at<unsigned>("walker_place"),
                     emulation.at<unsigned>("walker_steps"),
                     emulation.at<unsigned long long>("next_id"),
                     emulation.at<unsigned>("next_place"),
                     emulation.at<unsigned>("next_steps"),
                     emulation.at<unsigned>("target"),
                     emulation.at<unsigned short>("arrival"),
                     emulation.at<unsigned>("start"),
                     emulation.at<unsigned>("next_start"),
                     emulation.at<unsigned>("count"),
                     emulation.at<unsigned>("sums"),
                     emulation.at<unsigned>("cycle"),
                     static_cast<int>(grid.nx),
                     static_cast<int>(grid.ny),
                     grid.places(),
                     static_cast<long long>(room),
                     stream_key(engine.prepared.setup.values.seed, name_hash("walker.walk"), 0),
                     0.3f,
                     0.3f};
    };
    using namespace emulated::walkers;
    const Kernels<state> kernels{{"enter", enter},   {"walk", walk}, {"sum", sum},    {"first_starts", first_starts},
                                 {"starts", starts}, {"go", go},     {"leave", leave}};
    emulation.run(backwards, [&](const std::string& name) { kernels.at(name)(now()); });
    std::vector<std::size_t> order;
    const auto* place = now().walker_place;
    auto end = collected(
        emulation.at<std::uint64_t>("walker_id"), room, [&](std::size_t i) { return place[i]; }, order);
    end.members = {bytes_of_all(now().land_visits, static_cast<std::size_t>(grid.places()))};
    end.values = {chosen(now().walker_steps, order)};
    return end;
}

TEST(AgentKernels, SugarInSlotsIsTheEngines) {
    for (const auto& grid : grids) {
        auto engine = sugar(grid);
        const auto forwards = sugar_by_hand(engine, grid, false), backwards = sugar_by_hand(engine, grid, true);
        engine.make_steps();
        expect_same(forwards, engine.state());
        expect_same(backwards, engine.state());
    }
}

TEST(AgentKernels, WalkersInAListAreTheEngines) {
    for (const auto& grid : {grids[0], grids[1], grids[2]}) {
        auto engine = walkers(grid);
        const auto forwards = walkers_by_hand(engine, grid, false), backwards = walkers_by_hand(engine, grid, true);
        engine.make_steps();
        expect_same(forwards, engine.state());
        expect_same(backwards, engine.state());
    }
}

TEST(AgentLoops, AreTheEngines) {
    for (auto* make : {sugar, walkers}) {
        auto engine = make({61, 47});
        const auto start = engine.state();
        ReferenceProgram by_hand(engine.reference, engine.reference.cpu.at(0), engine.prepared.setup, start, *engine.device,
                                 test::compiler());
        expect_same(by_hand.state(), start);
        EXPECT_EQ(by_hand.advance(steps), steps);
        engine.make_steps();
        const auto end = engine.state();
        expect_same(by_hand.state(), end);
        EXPECT_NE(start.ids, end.ids);
        by_hand.restart();
        expect_same(by_hand.state(), start);
        by_hand.advance(1), by_hand.advance(steps - 1); // others are recorded
        expect_same(by_hand.state(), end);
    }
}

} // namespace
} // namespace tessera::bench::agent_kernels_test
