// Code that a library brings for any run, without source, against reference programs and against what is compiled for the run.
#include "host/execute/finished_code.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/plugins/build_library.hpp"
#include "host/prepare/any_run.hpp"
#include "jit/files.hpp"
#include "jit/nvrtc.hpp"
#include "tests/conformance/dice.hpp"
#include "tests/conformance/runs_of_plugins.hpp"
#include "tests/reference/life.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tessera::test::any_run_test {
namespace {

// Phases of the model assay: values of a step, and that they are noted.
std::string reduced(const std::string& values) { return "{reduce={" + values + "}}"; }
std::string noting(const std::string& values) { return "phase=[" + reduced(values) + ",{callAll='sample.note'}]"; }

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
        const auto parts = any_run_parts(for_any_run(prepared), target, compiler());
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
        EXPECT_EQ(actual.hash(), expected.hash()) << source << " " << ::testing::PrintToString(overrides);
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
    QuickCompiler quick_{};
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

// Values of a step, and repeats until something holds, by the model's own phases.
TEST_P(AnyRun, ReducesAndAsks) {
    const auto library = library_of(test_model("furnace"));
    for (const std::string places : {"[40,30],boundary='torus'", "[7,130],boundary='open'", "[300,2],boundary='fixed'", "[1,1]"})
        expect_same_state(test_model("furnace"), library, {"places.plate={size=" + places + "}", "run.seed=3"}, 25);
}

// What a run file reduces, which nobody knew when the library was built: every operator, every type, one collection or several, in any
// number of dimensions; and a question that is asked of places other than those that are called.
TEST_P(AnyRun, ReducesWhatRunFilesSay) {
    struct Case {
        std::string sizes;
        std::vector<std::string> phases; // each before places note what it made
    };
    const std::vector<Case> cases{
        {"places.sample.size=[37,22],places.other.size=[200]",
         {reduced("first='sum(sample.y * sample.x[1]) / count(sample.pure or sample.a > 3) - step',second='mean(sample.c)',"
                  "third='sum(sample.g) - max(sample.h % 1000)',fourth='count(sample.d >= 100) % 200'"),
          reduced("first='min(sample.y % 0.75)',second='max(-sample.x[0] + sample.e / 3)',"
                  "third='min(sample.a * sample.b - sample.d) + step % 3',"
                  "fourth='count((not (sample.pure and sample.e != 5)) == false) % 7 + (max(sample.c) <= min(sample.f))'")}},
        {"places.sample.size=[13,7,5],places.other.size=[65,1,3]",
         {reduced("first='mean(sample.x[0] >= 0.5) + mean(sample.f)',second='sum(sample.y / (sample.b % 3))',third='-sum(sample.pure)',"
                  "fourth='max(sample.b) - min(sample.b) % 5'"),
          reduced("first='max(sample.y)',second='2.5',third='max(other.a) + count(other where other.b < 99) * 2',"
                  "fourth='(true and not (step < 2)) or sum(sample.x[1]) < 0'")}},
        {"places.sample.size=[5,130],places.other.size=[64,1]",
         {reduced("first='sum(sample.x[1])',second='max(sample.y / 0 * sample.pure)',third='max(other.e) * count(sample) - sum(other.b)',"
                  "fourth='count(other.x[1] > 0 and other.c % 2 == 0) * 100 / count(other) > 5'"),
          "{repeat={until='max(other.e) < 1000 and step != 1',most=9,phases=[" +
              reduced("first='sum(other.y)',second='min(sample.x[1])',third='sum(other.e)',fourth='count(sample.pure) % 9'") +
              ",{callAll='other.note'}]}}"}},
    };
    const auto source = test_model("assay"), library = library_of(source);
    for (const auto& [sizes, phases] : cases) {
        std::string all;
        for (const auto& phase : phases) all += phase + ",{callAll='sample.note'},{callAll='other.note'},";
        const auto second = sizes.find(",places.other");
        expect_same_state(
            source, library,
            {sizes.substr(0, second), sizes.substr(second + 1), "places.other.type='sample'", "params.weight=0.3", "phase=[" + all + "]"},
            4);
    }
}

// The same by plain loops.
TEST_P(AnyRun, ReducesAsPlainLoopsDo) {
    WorldUnderTest world(library_of(test_model("assay")),
                         {"places.sample.size=[13,7,5]", noting("first='max(sample.y) + 0.5',second='min(sample.x[0])',"
                                                                "third='sum(sample.e * sample.a) + step',fourth='count(sample.pure)%200'")},
                         on_this());
    const auto y = world.values<double>("sample", "y");
    const auto x = world.values<float>("sample", "x");
    const auto e = world.values<std::int32_t>("sample", "e");
    const auto a = world.values<std::int8_t>("sample", "a");
    const auto pure = world.values<bool>("sample", "pure");
    const auto places = y.size();
    ASSERT_EQ(places, 13u * 7 * 5);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < places; ++i) sum += std::int64_t{e[i]} * a[i];
    world.step_to(1);
    const double first = *std::max_element(y.begin(), y.end()) + 0.5;
    const float second = *std::min_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(places));
    std::vector<double> noted(places, first);
    noted.insert(noted.end(), places, static_cast<double>(second));
    EXPECT_EQ(world.values<double>("sample", "noted"), noted);
    EXPECT_EQ(world.values<std::int64_t>("sample", "whole"), std::vector<std::int64_t>(places, sum));
    const auto narrow = static_cast<std::uint8_t>(std::count(pure.begin(), pure.end(), true) % 200);
    EXPECT_EQ(world.values<std::uint8_t>("sample", "narrow"), std::vector<std::uint8_t>(places, narrow));
}

// Rounds, too, of which each halves what the question is about.
TEST_P(AnyRun, RepeatsAsPlainLoopsDo) {
    const std::string values = "first='1',second='1',third='count(sample) % 100',fourth='1'";
    for (const int most : {40, 12}) {
        WorldUnderTest world(library_of(test_model("assay")),
                             {"places.sample.size=[130,3]", "phase=[{repeat={until='max(sample.e) < 2000',most=" + std::to_string(most) +
                                                                ",phases=[" + reduced(values) + ",{callAll='sample.note'}]}}]"},
                             on_this());
        auto e = world.values<std::int32_t>("sample", "e");
        int rounds = 0;
        for (; rounds < most && *std::max_element(e.begin(), e.end()) >= 2000; ++rounds)
            for (auto& one : e) one = one / 2 + 130 * 3 % 100;
        ASSERT_EQ(rounds == most, most == 12) << rounds << " rounds";
        world.step_to(1);
        EXPECT_EQ(world.values<std::int32_t>("sample", "e"), e);
    }
}

// What cannot be made is told in the words that other code has for it.
TEST_P(AnyRun, TellsWhatAReduceCannotMake) {
    const auto library = library_of(test_model("assay"));
    const std::string reduce = " in step 0, reduce third, fourth, first, second";
    const std::string too_large =
                          " does not fit" + reduce + " (integers here have 64 bits, with a sign) multiply by 1.0 to compute in double",
                      by_zero = " takes a remainder of a division by 0" + reduce;
    for (const auto& [values, what] : {
             std::pair{"third='sum(sample.g * sample.g * sample.g)',fourth='1'", "`sum(sample.g * sample.g * sample.g)`" + too_large},
             {"third='max(sample.f) * max(sample.f) * 4',fourth='1'", "`max(sample.f) * max(sample.f) * 4`" + too_large},
             {"third='sum(sample.e % (sample.b - sample.b))',fourth='1'", "`sum(sample.e % (sample.b - sample.b))`" + by_zero},
             {"third='1 % (count(sample) - 63)',fourth='1'", "`1 % (count(sample) - 63)`" + by_zero},
             {"third='1',fourth='count(sample) * 5'",
              "`count(sample) * 5` is 315" + reduce + " (fourth is uint8) declare it with a larger type"},
         }) {
        WorldUnderTest world(library, {noting(values + std::string(",first='1',second='1'"))}, on_this());
        try {
            world.step_to(1);
            ADD_FAILURE() << values << " was made";
        } catch (const Error& error) {
            EXPECT_EQ(error.what(), what);
        }
    }
}

// Rows of others around a partition's own, which it makes too, and cuts anywhere; what each adds up is joined.
TEST_P(AnyRun, GoesOverPartitions) {
    struct Case {
        std::string source;
        std::vector<std::string> overrides;
    };
    const std::vector<Case> cases{
        {test_model("ising"), {"places.spin.size=[70,41]"}},
        {test_model("furnace"), {"places.plate.size=[37,23]"}},
        {test_model("tides"), {"places.shore.size=[37,23]"}},
        {test_model("assay"),
         {"places.sample.size=[9,8,17]",
          noting("first='sum(sample.x[1])',second='mean(sample.c)',third='min(sample.e)',fourth='count(sample.pure)%200'")}},
    };
    Dice dice(7);
    const auto device = open_device(GetParam(), 2);
    ThreadPool pool(2);
    for (const auto& [source, more] : cases) {
        const auto library = library_of(source);
        const auto overrides = more + std::vector<std::string>{"output=[]", "run.steps=1"};
        WorldUnderTest expected(source, overrides, on_this());
        expected.step_to(20);
        for (const bool own_memory : {false, true}) {
            const auto prepared = prepare({library, overrides, {}}, compiler());
            const auto draw = [&] { return dice.below(1000); };
            auto distribution = cut_anywhere(prepared.setup, 3, draw);
            if (own_memory) distribution = in_own_memory(prepared.setup, divided(prepared.setup, 3), 1, 1);
            const auto setup = arranged(prepared.setup, distribution);
            Simulation simulation(setup, std::vector<Device*>(3, device.get()), compiler(), pool);
            ASSERT_TRUE(simulation.code().are_for_any_run);
            simulation.advance(20, [](std::uint64_t) { return true; });
            EXPECT_EQ(simulation.hash(), expected.hash()) << source << (own_memory ? " in own memory" : "");
        }
    }
}

// An expression may take more intermediate values than kernels have. One that is long takes few.
TEST_P(AnyRun, RefusesExpressionsThatBranchTooMuch) {
    const auto source = test_model("assay"), library = library_of(source);
    const auto member = [](int number) { return std::string("sample.") + "abcde"[number % 5]; };
    int leaves = 0;
    const std::function<std::string(int)> tree = [&](int depth) {
        if (depth == 0) return member(leaves++);
        const auto left = tree(depth - 1);
        return "(" + left + "-" + tree(depth - 1) + ")";
    };
    std::string right = member(0), left = right;
    for (int i = 1; i < 90; ++i) {
        right = "(" + member(i) + "-" + right + ")";
        left = "(" + left + "-" + member(i) + ")";
    }
    const auto thirds = [](const std::string& expression) {
        return std::vector<std::string>{noting("first='1',second='1',third='" + expression + "',fourth='1'")};
    };
    expect_same_state(
        source, library,
        thirds("sum(" + tree(7) + ") % 9007 + sum(" + right + ") % 9001 * (max(" + left + ") - min(" + tree(6) + "-" + right + ")) % 9011"),
        2);
    auto around = tree(8);
    for (auto at = around.find("sample."); at != std::string::npos; at = around.find("sample.")) around.replace(at, 8, "step");
    for (const auto& [expression, beginning] : {std::pair{"sum(" + tree(8) + ")", "sum((((((((("}, {around, "(((((((("}}) {
        try {
            const WorldUnderTest world(library, thirds(expression), on_this());
            ADD_FAILURE() << expression << " takes nine values";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(),
                        ::testing::HasSubstr("(it has no source, its code is for any run of places alone, and `" + std::string(beginning)));
            EXPECT_THAT(error.what(), ::testing::EndsWith("` takes 9 intermediate values at a time, and the maximum there is 8) ask for a "
                                                          "library with its source, or for one that is built for this run"));
        }
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
    WorldUnderTest world(library_of(source.string()), {"places.heap.size=[4,4]", "places.other={type=\"heap\",size=[3]}"}, on_this());
    try {
        world.step_to(4);
        FAIL() << "it divides by zero in step 2";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith("heap.share or other.share divided an integer by zero in step 2"));
    }
}

TESSERA_ON_EVERY_DEVICE(AnyRun);

// For GPUs too, where there is none, as long as NVRTC is installed.
TEST(AnyRun, ReducesCompileForGpus) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    for (const std::string architecture : {"sm_75", "sm_90", "compute_75"}) {
        jit::Target target;
        target.kind = jit::Target::Kind::cuda;
        target.architecture = architecture;
        const auto image = compiler().compile(any_reduce_job(target));
        const std::string bytes(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
        for (const std::string symbol : {any_reduce_symbol, any_join_symbol})
            EXPECT_NE(bytes.find(symbol), std::string::npos) << architecture;
    }
}

TEST(AnyRun, IsRefusedWhereAModelCannot) {
    const TemporaryFolder folder;
    const auto refusal = [&](const std::string& source) -> std::string {
        const auto path = folder.write("meadow.cu", source);
        const auto prepared = prepare({path.string(), {"output=[]"}, {}}, compiler(), Functions::all);
        try {
            (void)for_any_run(prepared);
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
              "then) name the runs of the library with --for");
    EXPECT_EQ(refusal(meadow + "TESSERA_CALL(Land, grow, writes<&Land::grass>) { self.grass += 1; }\n" + end + "\");\n"), "none");
    const auto of_layers = [&](int layers) {
        std::string members, list, sum = "sum(0";
        for (int i = 0; i < layers; ++i) {
            const auto name = "layer" + std::to_string(i);
            members += " int " + name + " = 0;";
            list += ", " + name;
            sum += " + land." + name;
        }
        return refusal("#include <tessera/model.hpp>\nstruct Land {" + members + " };\nTESSERA_PLACE(Land" + list +
                       ");\nTESSERA_GLOBAL(std::int64_t, depth);\n" + end + "phase = [{ reduce = { depth = '" + sum + ")' } }]\\n\");\n");
    };
    EXPECT_EQ(of_layers(64), "none");
    EXPECT_EQ(of_layers(65), "meadow cannot be built without its source for any run (reduce depth reads 65 members of land, and the "
                             "maximum there is 64) name the runs of the library with --for");
}

} // namespace
} // namespace tessera::test::any_run_test
