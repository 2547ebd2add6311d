// What functions send along links, at once and later: against plain loops whose sums are integers of 128 bits, for any number of threads
// and room for delays, from snapshots, and against what pulls instead of sending. optimise: yes
#include "tests/conformance/dice.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

namespace tessera::test::sending_test {
namespace {

__extension__ typedef __int128 Wide;

// In units of 2^-90, in which all numbers of these tests are whole.
Wide exact(double value) { return static_cast<Wide>(std::ldexp(value, 90)); }
float as_float(Wide sum) { return std::ldexp(static_cast<float>(sum), -90); }
double as_double(Wide sum) { return std::ldexp(static_cast<double>(sum), -90); }

class Sending : public OnDevice {
protected:
    // What a column of links has, and where they come from and lead to.
    static std::vector<std::int32_t> ends(const WorldUnderTest& world, const std::string& links, std::size_t end) {
        const auto& setup = world.setup();
        const auto first = setup.column_of(require_collection(setup, links, {}), Role::link_end);
        const auto read = world.simulation().read(ColumnId(first.index() + end));
        const auto values = read.data<std::int32_t>();
        return {values.begin(), values.end()};
    }
    TemporaryFolder folder_;
};

// tests/models/couriers, written as loops.
class Couriers {
public:
    static constexpr std::size_t nx = 12, ny = 9, houses = nx * ny, days = 6;

    Couriers(std::vector<std::int32_t> from, std::vector<std::int32_t> to, std::vector<float> share, std::vector<std::uint8_t> after,
             std::vector<std::int32_t> fence_from, std::vector<std::int32_t> fence_to, std::size_t depots)
        : from_(std::move(from)), to_(std::move(to)), fence_from_(std::move(fence_from)), fence_to_(std::move(fence_to)),
          share_(std::move(share)), after_(std::move(after)), load(depots), parcel(depots), returned(depots), returned_due_(2, returned) {
        for (auto& due : weight_due_) due.assign(houses, 0);
        for (auto& due : letters_due_) due.assign(houses, 0);
    }

    void step(std::int64_t k) {
        fill(k);
        dispatch(k);
        gossip();
        returned = returned_due_[0]; // whether `reply` is called or not
        returned_due_ = {returned_due_[1], std::vector<std::uint64_t>(returned.size(), 0)};
        if (k % 3 == 0) reply();
        look();
    }

private:
    void fill(std::int64_t k) {
        for (std::size_t i = 0; i < load.size(); ++i) {
            const auto id = static_cast<std::int64_t>(i);
            const std::int64_t turn = id * 5 + k, bits = (id * 40503 + k * 9973) % 65536;
            load[i] = static_cast<std::int32_t>((id * 7 + k * 13) % 200);
            parcel[i] = 1 + static_cast<float>(bits) / 65536;
            for (std::int64_t j = 0; j < turn % 5; ++j) parcel[i] *= 1 << 12;
            parcel[i] /= 1 << 30;
            if (turn % 3 == 0) parcel[i] = -parcel[i];
        }
    }
    void dispatch(std::int64_t k) {
        std::vector<Wide> worths(houses, 0);
        for (std::size_t i = 0; i < from_.size(); ++i) {
            const auto depot = static_cast<std::size_t>(from_[i]), house = static_cast<std::size_t>(to_[i]);
            if ((from_[i] + k) % 3 == 0) continue;
            letters_due_[0][house] += load[depot] + seen[house] % 7;
            letters_due_[2][house] -= 1;
            weight_due_[after_[i]][house] += exact(parcel[depot] * share_[i]);
            worths[house] += exact(load[depot] * 0.1);
            nearest[house] = std::min(nearest[house], static_cast<std::int16_t>(to_[i] - from_[i] - k));
            best[house] = std::max(best[house], parcel[depot]);
            if (load[depot] == 150) rung[house] = true;
        }
        for (std::size_t house = 0; house < houses; ++house) {
            worth[house] = as_double(worths[house]);
            letters[house] = static_cast<std::int32_t>(letters_due_[0][house]);
        }
        std::rotate(letters_due_.begin(), letters_due_.begin() + 1, letters_due_.end());
        letters_due_.back().assign(houses, 0);
    }
    void gossip() {
        for (std::size_t i = 0; i < fence_from_.size(); ++i) {
            const auto a = static_cast<std::size_t>(fence_from_[i]), b = static_cast<std::size_t>(fence_to_[i]);
            weight_due_[0][a] += exact(0.1f * static_cast<float>(letters[b]));
            if (a != b) weight_due_[0][b] += exact(0.1f * static_cast<float>(letters[a]));
        }
        for (std::size_t house = 0; house < houses; ++house) weight[house] = as_float(weight_due_[0][house]);
        std::rotate(weight_due_.begin(), weight_due_.begin() + 1, weight_due_.end());
        weight_due_.back().assign(houses, 0);
    }
    void reply() {
        for (std::size_t i = 0; i < from_.size(); ++i) {
            const auto of_house = letters[static_cast<std::size_t>(to_[i])];
            returned_due_[0][static_cast<std::size_t>(from_[i])] += static_cast<std::uint64_t>(of_house * of_house);
        }
    }
    void look() {
        for (std::size_t i = 0; i < houses; ++i) {
            const auto x = i % nx, y = i / nx;
            seen[i] += letters[i];
            beside[i] = weight[(y + ny - 1) % ny * nx + x] + weight[y * nx + (x + nx - 1) % nx] + weight[y * nx + (x + 1) % nx] +
                        weight[(y + 1) % ny * nx + x];
        }
    }

    std::vector<std::int32_t> from_, to_, fence_from_, fence_to_;
    std::vector<float> share_;
    std::vector<std::uint8_t> after_;
    std::array<std::vector<Wide>, days> weight_due_;
    std::array<std::vector<std::int64_t>, 3> letters_due_;

public:
    std::vector<std::int32_t> load;
    std::vector<float> parcel;
    std::vector<std::uint64_t> returned;
    std::vector<std::int32_t> letters = std::vector<std::int32_t>(houses);
    std::vector<float> weight = std::vector<float>(houses), best = std::vector<float>(houses, -0.0f), beside = weight;
    std::vector<double> worth = std::vector<double>(houses);
    std::vector<std::int16_t> nearest = std::vector<std::int16_t>(houses, 30000);
    std::vector<std::uint8_t> rung = std::vector<std::uint8_t>(houses);
    std::vector<std::int64_t> seen = std::vector<std::int64_t>(houses);

private:
    std::vector<std::vector<std::uint64_t>> returned_due_;
};

TEST_P(Sending, IsAsByALoop) {
    constexpr std::size_t depots = 1100;
    WorldUnderTest world(test_model("couriers"),
                         {fmt::format("places.depot.count={}", depots),
                          "links.route={parallel=true, delays=6, generate={rule=\"random\",links=9000},"
                          "init.share={random=\"uniform\",low=0,high=1}}"},
                         on_this());
    Couriers expected(ends(world, "route", 0), ends(world, "route", 1), world.values<float>("route", "share"),
                      world.values<std::uint8_t>("route", "days"), ends(world, "fence", 0), ends(world, "fence", 1), depots);
    for (std::int64_t k = 0; k < 9; ++k) {
        world.step_to(static_cast<std::uint64_t>(k) + 1);
        expected.step(k);
        ASSERT_EQ(world.values<std::int32_t>("depot", "load"), expected.load) << k;
        ASSERT_EQ(world.values<float>("depot", "parcel"), expected.parcel) << k;
        ASSERT_EQ(world.values<std::int32_t>("house", "letters"), expected.letters) << k;
        ASSERT_EQ(world.values<double>("house", "worth"), expected.worth) << k;
        ASSERT_EQ(world.values<float>("house", "weight"), expected.weight) << k;
        ASSERT_EQ(world.values<std::int16_t>("house", "nearest"), expected.nearest) << k;
        ASSERT_EQ(world.values<float>("house", "best"), expected.best) << k;
        ASSERT_EQ(world.values<std::uint64_t>("depot", "returned"), expected.returned) << k;
        ASSERT_EQ(world.values<std::int64_t>("house", "seen"), expected.seen) << k;
        ASSERT_EQ(world.values<float>("house", "beside"), expected.beside) << k;
        const auto rung = world.read("house", "rung");
        for (std::size_t i = 0; i < expected.rung.size(); ++i) ASSERT_EQ(rung.data<bool>()[i], expected.rung[i] != 0) << k;
    }
}

// The state after `steps` steps.
std::uint64_t hash_after(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps, const Options& options) {
    WorldUnderTest world(model, keys, options);
    world.step_to(steps);
    return world.hash();
}

// What is under way is part of the state, and for how many steps there is room is not.
TEST_P(Sending, HasOneStateForAnyThreadsAndRoom) {
    const auto model = test_model("couriers");
    for (const std::uint64_t steps : {5u, 8u}) {
        const auto hash = hash_after(model, {}, steps, on_this());
        EXPECT_EQ(hash_after(model, {"links.route.delays=50"}, steps, on_this()), hash);
        EXPECT_EQ(hash_after(model, {}, steps, {"cpu", 3, {}}), hash);
    }
    // A last step in which everything is sent one step later: only what is under way differs.
    const std::string once = "phase=[{callAll=\"depot.fill\"},{callAll=\"depot.dispatch\"}]";
    EXPECT_NE(hash_after(model, {once, "links.route.init.days=1"}, 1, on_this()),
              hash_after(model, {once, "links.route.init.days=2"}, 1, on_this()));
}

TEST_P(Sending, GoesOnFromASnapshot) {
    WorldUnderTest whole(test_model("couriers"), {}, on_this());
    whole.step_to(4);
    const auto snapshot = whole.simulation().snapshot();
    const auto hash = whole.hash();
    whole.step_to(9);
    for (const auto* room : {"links.route.delays=6", "links.route.delays=17"}) {
        WorldUnderTest other(test_model("couriers"), {room}, on_this());
        const auto device = open_device(GetParam(), 1);
        ThreadPool pool(1);
        Simulation simulation(other.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
        EXPECT_EQ(simulation.hash(), hash) << room;
        simulation.advance(9, [](std::uint64_t) { return true; });
        EXPECT_EQ(simulation.hash(), whole.hash()) << room;
    }
    WorldUnderTest narrow(test_model("couriers"), {"links.route.delays=3", "links.fence.delays=1"}, on_this());
    const auto device = open_device(GetParam(), 1);
    ThreadPool pool(1);
    try {
        const Simulation simulation(narrow.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
        FAIL() << "what is under way was lost";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("does not fit into house"), ::testing::HasSubstr("arrives"),
                                                   ::testing::HasSubstr("give the links the `delays` that they had")));
    }
}

// The first place and step at which there is no room.
TEST_P(Sending, IsRefusedWhereThereIsNoRoomForTheDelay) {
    for (const int threads : {1, 3}) {
        auto options = on_this();
        options.threads = threads;
        WorldUnderTest world(test_model("couriers"),
                             {"links.fence.delays=1",
                              "links.route={delays=4, file=\"" +
                                  folder_.write("routes.csv", "from,to,days\n7,3,1\n12,3,4\n13,1,6\n10,2,5\n9,1,4\n").string() + "\"}"},
                             options);
        try {
            world.step_to(5);
            FAIL() << "it was not refused";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("depot 10 sends along route what is to be there 5 steps later"),
                                                       ::testing::HasSubstr("in step 0, callAll depot.dispatch"),
                                                       ::testing::HasSubstr("`delays` of the links is 4"),
                                                       ::testing::HasSubstr("set links.route.delays = 6")));
        }
    }
}

// ---- between ranges of places

// How many links lead from the ranges that end at these places to those that do.
std::vector<std::vector<int>> blocks_of(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to, std::int32_t of_from,
                                        std::int32_t of_to) {
    std::vector<std::vector<int>> blocks(2, std::vector<int>(2));
    for (std::size_t i = 0; i < from.size(); ++i) ++blocks[from[i] < of_from ? 0 : 1][to[i] < of_to ? 0 : 1];
    return blocks;
}

TEST_P(Sending, GoesAlongBlocksOfPlaces) {
    const auto made = [&](const std::string& rule) {
        return WorldUnderTest(test_model("couriers"),
                              {"places.depot.count=100", "places.house.size=[10,5]", "links.route={parallel=true, generate=" + rule + "}",
                               "links.fence.generate={rule=\"blocks\",sizes=[20,30],chances=[[1,0.5],[0.5,0]]}"},
                              on_this());
    };
    const auto drawn = made("{rule=\"blocks\",sizes=[60,40],to_sizes=[20,30],chances=[[0,1],[0.5,0.1]]}");
    const auto chances = blocks_of(ends(drawn, "route", 0), ends(drawn, "route", 1), 60, 20);
    EXPECT_EQ(chances[0][0], 0);
    EXPECT_EQ(chances[0][1], 60 * 30);
    EXPECT_NEAR(chances[1][0], 400, 5 * 14.2);
    EXPECT_NEAR(chances[1][1], 120, 5 * 10.4);
    const auto fences = blocks_of(ends(drawn, "fence", 0), ends(drawn, "fence", 1), 20, 20);
    EXPECT_EQ(fences[0][0], 20 * 19 / 2); // each two once
    EXPECT_NEAR(fences[0][1] + fences[1][0], 300, 5 * 12.3);
    EXPECT_EQ(fences[1][1], 0);
    const auto counted = made("{rule=\"blocks\",sizes=[60,40],to_sizes=[20,30],counts=[[7,5000],[0,33]]}");
    EXPECT_EQ(blocks_of(ends(counted, "route", 0), ends(counted, "route", 1), 60, 20), (std::vector<std::vector<int>>{{7, 5000}, {0, 33}}));
}

// ---- a model

// plugins/izhikevich with a function in place of `send` that looks at all synapses that lead to a neuron.
std::string pulling(const TemporaryFolder& folder) {
    std::ifstream file(plugin("izhikevich"));
    const std::string model{std::istreambuf_iterator<char>(file), {}};
    const auto first = model.find("TESSERA_CALL(Neuron, send"), end = model.find("TESSERA_MODEL");
    const std::string gather = R"(
TESSERA_CALL(Neuron, send, around<in_links<Synapse>, &Neuron::fired, &Synapse::weight>, sets<&Neuron::input>) {
    self.input = static_cast<float>(self.sum(in_links<Synapse>, [](const auto& other) {
        return other.fired ? static_cast<double>(current(other.link.weight, other.id)) : 0.0;
    }));
}
)";
    return folder.write("izhikevich.cu", model.substr(0, first) + gather + model.substr(end)).string();
}

// Izhikevich 2003. Three seeds of another generator fired 7457, 7284 and 7497 times in a second.
TEST_P(Sending, ByNeuronsIsAsGatheringByThem) {
    const std::string phases = "phase=[{callAll=\"neuron.move\"},{exchangeAll=\"*\"},{callAll=\"neuron.send\"}]";
    for (const char* seed : {"run.seed=1", "run.seed=2"}) {
        WorldUnderTest pushed(plugin("izhikevich"), {seed, phases}, on_this()), pulled(pulling(folder_), {seed, phases}, on_this());
        std::int64_t spikes = 0;
        for (std::uint64_t k = 1; k <= 1000; ++k) {
            pushed.step_to(k);
            const auto fired = pushed.values<std::uint8_t>("neuron", "fired");
            spikes += std::count(fired.begin(), fired.end(), 1);
            if (k != 300) continue;
            pulled.step_to(k);
            for (const char* member : {"v", "u", "input"})
                EXPECT_EQ(pushed.values<float>("neuron", member), pulled.values<float>("neuron", member)) << member;
        }
        EXPECT_GT(spikes, 6500);
        EXPECT_LT(spikes, 8500);
    }
}

TESSERA_ON_EVERY_DEVICE(Sending);

} // namespace
} // namespace tessera::test::sending_test
