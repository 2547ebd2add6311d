// Code that a library brings for any run, without source, against reference programs and against what is compiled for the run.
#include "host/execute/finished_code.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/plugins/build_library.hpp"
#include "host/setup/stripes.hpp"
#include "jit/files.hpp"
#include "tests/conformance/dice.hpp"
#include "tests/conformance/runs_of_plugins.hpp"
#include "tests/reference/life.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test {
namespace {

class AnyRun : public OnDevice {
protected:
    // The model in a library without its source, for this device.
    [[nodiscard]] std::string library_of(const std::string& source) const {
        const auto prepared = prepare({source, {"output=[]"}, {}}, compiler(), Functions::all);
        jit::Target target;
        target.architecture = "x86-64-v2";
        if (!on_cpu()) {
            target.kind = jit::Target::Kind::cuda;
            target.architecture = open_device(GetParam(), 1)->info().architecture;
        }
        const auto parts = any_run_parts(for_any_run(prepared.setup), target, compiler());
        const auto path = folder_.path() / (prepared.model->description.name + ".so");
        jit::replace_file(path, build_library(*prepared.model, false, parts));
        return path.string();
    }

    // Both after so many steps, on as many partitions.
    static void expect_same_state(const std::string& source, const std::string& library, const std::vector<std::string>& overrides,
                                  std::uint64_t steps) {
        WorldUnderTest expected(source, overrides, on_this()), actual(library, overrides, on_this());
        ASSERT_FALSE(expected.simulation().code().are_for_any_run);
        ASSERT_TRUE(actual.simulation().code().are_for_any_run);
        expected.step_to(steps);
        actual.step_to(steps);
        EXPECT_EQ(actual.hash(), expected.hash()) << source << " " << testing::PrintToString(overrides);
    }

    // A model with more rows than a loop has in hand.
    [[nodiscard]] std::string rope() const {
        return folder_
            .write("rope.cu", "#include <tessera/model.hpp>\nstruct Rope { int strands[26] = {}; };\nTESSERA_PLACE(Rope, strands);\n"
                              "TESSERA_INIT(Rope, lay, sets<&Rope::strands>) {\n"
                              "    for (int s = 0; s < 26; ++s) self.strands[s] = self.random.below(9);\n}\n"
                              "TESSERA_CALL(Rope, twist, around<moore, &Rope::strands>, writes<&Rope::strands>) {\n"
                              "    const auto other = self.at(west).strands;\n"
                              "    for (int s = 0; s < 26; ++s) self.strands[s] += other[(s + 1) % 26];\n}\n"
                              "TESSERA_MODEL(rope, \"twisted\");\nTESSERA_DEFAULTS(\"places.rope.size = [8, 8]\\nrun.steps = 1\\n"
                              "phase = [{ exchangeAll = 'rope' }, { callAll = 'rope.twist' }]\\n\");\n")
            .string();
    }

private:
    TemporaryFolder folder_;
};

TEST_P(AnyRun, HasTheRulesOfLifeInEachCollection) { expect_life_in_each_collection(library_of(plugin("life")), on_this()); }

TEST_P(AnyRun, TakesParametersAsTheyAreSet) { expect_heat_by_its_parameters(library_of(plugin("heat2d")), on_this()); }

// Simulations that are there at once have their own geometry and parameters, though they are of one library.
TEST_P(AnyRun, IsEachSimulationsOwn) {
    const auto library = library_of(plugin("life"));
    const auto small = reference::plane(5, 3, Boundary::torus), large = reference::plane(130, 70, Boundary::open);
    GivenValues given;
    const auto few = random_cells(small, 1), many = random_cells(large, 2);
    WorldUnderTest one(library, geometry("cell", small) + std::vector<std::string>{given.key("cell", "alive", few, small)}, on_this());
    WorldUnderTest other(library, geometry("cell", large) + std::vector<std::string>{given.key("cell", "alive", many, large)}, on_this());
    for (std::uint64_t step = 1; step <= 9; ++step) {
        one.step_to(step);
        other.step_to(step);
    }
    expect_same(one.values<std::uint8_t>("cell", "alive"), reference::life(few, small, 9), small, "the small one");
    expect_same(other.values<std::uint8_t>("cell", "alive"), reference::life(many, large, 9), large, "the large one");
}

// Arrays, all types, more rows than a loop has in hand; random numbers; reach in three dimensions; every boundary, grids narrower than the
// reach.
TEST_P(AnyRun, HasTheStateOfCodeForTheRun) {
    struct Case {
        const char* model;
        const char* places;
        std::vector<std::vector<std::string>> runs; // sizes and boundaries
    };
    const std::vector<Case> cases{
        {"boundaries", "site", {{"[23,17]", "open"}, {"[70,2]", "fixed"}, {"[5,90]", "reflect"}, {"[1,1]", "torus"}}},
        {"ising", "spin", {{"[37,22]", "torus"}, {"[300,8]", "reflect"}}},
        {"life3d", "cell", {{"[13,7,5]", "torus"}, {"[4,9,11]", "open"}, {"[65,2,3]", "reflect"}}},
        {"crystal", "atom", {{"[9,8,7]", "torus"}, {"[2,3,30]", "fixed"}}},
        {"offsets", "spot", {{"[45,31]", "torus"}, {"[7,130]", "open"}}},
        {"rope", "rope", {{"[37,22]", "torus"}, {"[65,3]", "open"}}},
        {"rule110", "cell", {{"[200]", "torus"}, {"[9001]", "fixed"}}},
    };
    for (const auto& [model, places, runs] : cases) {
        const auto source = std::string(model) == "rope" ? rope() : test_model(model);
        const auto library = library_of(source);
        for (const auto& run : runs) {
            std::vector<std::string> overrides{"places." + std::string(places) + ".size=" + run[0],
                                               "places." + std::string(places) + ".boundary=\"" + run[1] + "\""};
            if (model == std::string("rule110")) overrides.emplace_back("places.cell.init.on={random=0.4}");
            expect_same_state(source, library, overrides, 7);
        }
    }
}

// Rows of others around a partition's own, which it makes too, and cuts anywhere.
TEST_P(AnyRun, GoesOverPartitions) {
    const auto library = library_of(test_model("ising"));
    Dice dice(7);
    const std::vector<std::string> overrides{"places.spin.size=[70,41]", "output=[]", "run.steps=1"};
    WorldUnderTest expected(test_model("ising"), overrides, on_this());
    expected.step_to(20);
    const auto device = open_device(GetParam(), 2);
    ThreadPool pool(2);
    for (const bool own_memory : {false, true}) {
        auto prepared = prepare({library, overrides, {}}, compiler());
        const auto draw = [&] { return dice.below(1000); };
        cut_anywhere(prepared.setup, 3, draw);
        if (own_memory) {
            divide(prepared.setup, 3);
            give_own_memory(prepared.setup, 1, 1);
        }
        Simulation simulation(prepared.setup, std::vector<Device*>(3, device.get()), compiler(), pool);
        simulation.advance(20, [](std::uint64_t) { return true; });
        EXPECT_EQ(simulation.hash(), expected.hash()) << (own_memory ? "in own memory" : "");
    }
}

// What the processor stops at is told of the function, whatever its entry point is called.
TEST_P(AnyRun, TellsFaultsOfItsFunctions) {
    if (!on_cpu()) GTEST_SKIP() << "a GPU does not stop at a division by zero";
    const TemporaryFolder folder;
    const auto source =
        folder.write("shares.cu", "#include <tessera/model.hpp>\nstruct Heap { int coins = 7; };\nTESSERA_PLACE(Heap, coins);\n"
                                  "TESSERA_CALL(Heap, share, writes<&Heap::coins>) { self.coins = 12 / int(2 - self.step) + self.coins; }\n"
                                  "TESSERA_MODEL(shares, \"coins\");\nTESSERA_DEFAULTS(\"places.heap.size = [4, 4]\\n\");\n");
    WorldUnderTest world(library_of(source.string()), {"places.other={type=\"heap\",size=[3]}"}, on_this());
    try {
        world.step_to(4);
        FAIL() << "it divides by zero in step 2";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith("heap.share or other.share divided an integer by zero in step 2"));
    }
}

TESSERA_ON_EVERY_DEVICE(AnyRun);

TEST(AnyRun, IsRefusedWhereAModelCannot) {
    const TemporaryFolder folder;
    const auto refusal = [&](const std::string& source) -> std::string {
        const auto path = folder.write("meadow.cu", source);
        const auto prepared = prepare({path.string(), {"output=[]"}, {}}, compiler(), Functions::all);
        try {
            (void)for_any_run(prepared.setup);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    const std::string meadow = "#include <tessera/model.hpp>\nstruct Land { int grass = 0; };\nTESSERA_PLACE(Land, grass);\n";
    const std::string end = "TESSERA_MODEL(meadow, \"m\");\nTESSERA_DEFAULTS(\"places.land.size = [4, 4]\\nrun.steps = 1\\n";
    EXPECT_EQ(refusal(meadow +
                      "TESSERA_PARAM(int, sight, 2, range(1, 5), \"s\");\n"
                      "TESSERA_CALL(Land, grow, around<moore_of<sight>, &Land::grass>, writes<&Land::grass>) {\n"
                      "    self.grass = self.sum(moore_of<sight>, &Land::grass);\n}\n" +
                      end + "\");\n"),
              "meadow cannot be built without its source for any run (the parameter sight stands in an access list, which has to be known "
              "then) name the runs that it is for behind --for");
    EXPECT_EQ(refusal(meadow + "TESSERA_CALL(Land, grow, writes<&Land::grass>) { self.grass += 1; }\n" + end + "\");\n"), "none");
}

} // namespace
} // namespace tessera::test
