// The same bits however models are compiled: for this machine's processor as always, and for others where $CXX is tests/as_c++
// (tests/processors lists what a machine can run). So models are compiled here as users' are, and not by QuickCompiler.
// optimise: yes
#include "host/world/state_hash.hpp"
#include "tests/conformance/random_agent_models.hpp"
#include "tests/conformance/random_links_runs.hpp"
#include "tests/conformance/random_models.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace tessera::test::processors_test {
namespace {

// A state that all processors, compilers and devices came to. What is right is tested elsewhere, beside plain programs.
struct Shipped {
    std::string model;
    std::vector<std::string> keys;
    std::uint64_t steps, hash;
};
const std::vector<Shipped>& shipped() {
    static const std::vector<Shipped> all{
        {"ants", {}, 100, 0x6c3e133bae10e37b},
        {"boids", {"places.air={size=[16,16],extent=[80,80],boundary=\"torus\"}", "agents.bird.count=2000"}, 30, 0x7e58f4a497a174d0},
        {"braingrid", {}, 100, 0x06ae54219ccab115},
        {"circles",
         {"places.space={size=[6,6,6],extent=[12,12,12],boundary=\"torus\"}", "agents.circle.count=1728"},
         20,
         0x6cf8a092b9994b86},
        {"heat2d", {"places.plate.size=[253,67]"}, 50, 0x9abfdcbf5fae89e6},
        {"izhikevich", {"places.neuron.count=200"}, 100, 0xe024c8baffb90c1c},
        {"kuramoto", {"places.oscillator.count=101"}, 50, 0x49d164b5f4248d99},
        {"leadership", {"places.person.size=[101,67]"}, 30, 0xdc08c6bd4374f9d4},
        {"life", {"places.cell={size=[253,67],boundary=\"torus\",init={alive={random=0.3}}}"}, 50, 0xea3570c714a66690},
        {"microcircuit", {}, 20, 0x91b8ee699153afd8},
        {"opinion", {"places.person.count=700"}, 30, 0xb621f9783bae62c3},
        {"random_walk", {"places.land.size=[101,67]", "agents.walker.count=3000"}, 50, 0x4556c159d847fc9e},
        {"schelling", {}, 20, 0x56c602e49098ca4a},
        {"sir_network", {}, 50, 0x95e52cd80001db1b},
        {"social_net", {}, 2, 0x69a0adfc7c514f0e},
        {"sugarscape", {}, 50, 0x9032be82ee1dc427},
        {"sugarscape_mass", {}, 50, 0x671db94fc379cfb6},
        {"town", {"places.house.size=[101,67]"}, 30, 0x34ebb06d4e947ef8},
        {"traffic", {}, 50, 0xb5d325db5700ae28},
        {"tuberculosis", {}, 150, 0x26ab1aa3280f63bf},
        {"wave2d", {"places.wave.size=[253,67]"}, 50, 0x12b8b6612ed95b30},
        {"wolf_sheep", {}, 50, 0x77962f80ab121d33},
    };
    return all;
}

// A $CXX that is refused would be replaced by another compiler, and the tests show nothing.
void expect_chosen_compiler() {
    const char* const chosen = std::getenv("CXX");
    if (chosen == nullptr || *chosen == '\0') return;
    const std::string words = chosen, last = words.substr(words.find(' ') + 1); // behind the name of the script
    ASSERT_TRUE(compiler().host_compiler().command().ends_with(last)) << compiler().host_compiler().command();
}

void comes_to_its_state(const Shipped& run) {
    ASSERT_NO_FATAL_FAILURE(expect_chosen_compiler());
    WorldUnderTest world(plugin(run.model), run.keys, {"cpu", usable_threads(), {}});
    world.step_to(run.steps);
    EXPECT_EQ(hash_text(world.hash()), hash_text(run.hash)) << run.model;
}

// How many random models of each kind a thorough run takes.
unsigned asked_for() {
    const char* const said = std::getenv("TESSERA_TEST_MODELS");
    return said != nullptr ? static_cast<unsigned>(std::atoi(said)) : 20;
}

void agents_do_what_a_plain_program_does(unsigned number, unsigned count) {
    ASSERT_NO_FATAL_FAILURE(expect_chosen_compiler());
    (void)random_agent_model::Batch(number, {"cpu", usable_threads(), {}}, count).run();
}
void places_do_what_straight_loops_do(unsigned number, unsigned count) {
    ASSERT_NO_FATAL_FAILURE(expect_chosen_compiler());
    (void)random_model::Batch(number, {1}, {"cpu", usable_threads(), {}}, false, count).run();
}

class Processors : public ::testing::TestWithParam<std::string> {};
TEST_P(Processors, ComeToTheStatesOf) {
    const auto& all = shipped();
    comes_to_its_state(*std::find_if(all.begin(), all.end(), [](const Shipped& run) { return run.model == GetParam(); }));
}
INSTANTIATE_TEST_SUITE_P(Models, Processors, ::testing::Values("ants", "braingrid", "schelling"), [](const auto& of) { return of.param; });

// Bodies with arrays, of which each place and each agent has its own however many are taken at once; by formulas.
TEST(ProcessorsAndArrays, AreTheirOwn) {
    ASSERT_NO_FATAL_FAILURE(expect_chosen_compiler());
    const TemporaryFolder folder;
    const auto model = folder
                           .write("middles.cu", R"(#include <tessera/model.hpp>
struct Spot {
    std::int32_t value = 0, middle = 0, turned = 0;
    float wide = 0;
};
TESSERA_PLACE(Spot, value, middle, turned, wide);
struct Bug { std::int32_t value = 0, turned = 0; };
TESSERA_AGENT(Bug, on<Spot>, value, turned);
template<class T> T middle_of(T p, T q, T r) {
    T a[3];
    a[(p > q) + (p > r)] = p, a[(q >= p) + (q > r)] = q, a[(r >= p) + (r >= q)] = r;
    return a[1];
}
int turn(int p, int q) {
    int a[2];
    a[p & 1] = q, a[1 - (p & 1)] = p;
    return a[0] - 3 * a[1];
}
TESSERA_CALL(Spot, number, sets<&Spot::value>) { self.value = static_cast<std::int32_t>(self.position.x * 7919 % 1009); }
TESSERA_CALL(Spot, look, around<offsets<west, east>, &Spot::value>, sets<&Spot::middle, &Spot::turned, &Spot::wide>) {
    const int p = self.at(west).value, q = self.value, r = self.at(east).value;
    self.middle = middle_of(p, q, r);
    self.wide = middle_of(float(p), float(q), float(r));
    self.turned = turn(p, q);
}
TESSERA_CALL(Bug, number, reads<&Spot::value>, sets<&Bug::value>) { self.value = self.place.value; }
TESSERA_CALL(Bug, twist, reads<&Bug::value>, sets<&Bug::turned>) { self.turned = turn(self.value, self.value + 5); }
TESSERA_MODEL(middles, "arrays of bodies");
)")
                           .string();
    constexpr std::int64_t width = 331;
    WorldUnderTest world(model,
                         {"places.spot={size=[331,5],boundary=\"torus\"}", "agents.bug={count=1500,capacity=1}",
                          "phase=[{callAll=\"spot.number\"},{exchangeAll=\"spot\"},{callAll=\"spot.look\"},{callAll=\"bug.number\"},"
                          "{callAll=\"bug.twist\"}]"},
                         {"cpu", usable_threads(), {}});
    world.step_to(1);
    const auto value = [](std::int64_t x) { return static_cast<std::int32_t>((x + width) % width * 7919 % 1009); };
    const auto turned = [](std::int32_t p, std::int32_t q) { return p % 2 == 0 ? q - 3 * p : p - 3 * q; };
    const auto middles = world.values<std::int32_t>("spot", "middle"), turns = world.values<std::int32_t>("spot", "turned");
    const auto wide = world.values<float>("spot", "wide");
    for (std::size_t i = 0; i < middles.size(); ++i) {
        const auto x = static_cast<std::int64_t>(i) % width;
        const std::int32_t p = value(x - 1), q = value(x), r = value(x + 1);
        ASSERT_EQ(middles[i], std::max(std::min(p, q), std::min(std::max(p, q), r))) << i;
        ASSERT_EQ(wide[i], static_cast<float>(middles[i])) << i;
        ASSERT_EQ(turns[i], turned(p, q)) << i;
    }
    const auto bugs = world.agent_values<std::int32_t>("bug", "value"), twisted = world.agent_values<std::int32_t>("bug", "turned");
    ASSERT_EQ(bugs.size(), 1500u);
    for (std::size_t i = 0; i < bugs.size(); ++i) ASSERT_EQ(twisted[i], turned(bugs[i], bugs[i] + 5)) << i;
}

TEST(ProcessorsAndRandomModels, OfPlaces) { places_do_what_straight_loops_do(7, 1); }
TEST(ProcessorsAndRandomModels, OfAgents) { agents_do_what_a_plain_program_does(0, 1); }
TEST(ProcessorsAndRandomModels, OfLinks) { random_links::is_as_by_loops("cpu", 7); }

class ThoroughProcessors : public ::testing::TestWithParam<std::string> {};
TEST_P(ThoroughProcessors, ComeToTheStatesOf) {
    const auto& all = shipped();
    comes_to_its_state(*std::find_if(all.begin(), all.end(), [](const Shipped& run) { return run.model == GetParam(); }));
}
std::vector<std::string> names_of_shipped() {
    std::vector<std::string> names;
    for (const auto& run : shipped()) names.push_back(run.model);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Models, ThoroughProcessors, ::testing::ValuesIn(names_of_shipped()), [](const auto& of) { return of.param; });

// By tens, each a process of its own.
class ThoroughProcessorsAndRandomModels : public ::testing::TestWithParam<unsigned> {};
TEST_P(ThoroughProcessorsAndRandomModels, OfPlaces) { places_do_what_straight_loops_do(GetParam(), random_model::Batch::size); }
TEST_P(ThoroughProcessorsAndRandomModels, OfAgents) { agents_do_what_a_plain_program_does(GetParam(), random_agent_model::Batch::size); }
TEST_P(ThoroughProcessorsAndRandomModels, OfLinks) {
    for (unsigned i = 0; i < 10; ++i) ASSERT_NO_FATAL_FAILURE(random_links::is_as_by_loops("cpu", 10 * GetParam() + i));
}
INSTANTIATE_TEST_SUITE_P(Tens, ThoroughProcessorsAndRandomModels, ::testing::Range(0U, std::max(1U, asked_for() / 10)));

} // namespace
} // namespace tessera::test::processors_test
