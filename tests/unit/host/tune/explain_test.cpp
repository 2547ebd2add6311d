// What `tessera check --explain` says of steps that are made several at a time.
#include "device_runtime/devices.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/execute/simulation.hpp"
#include "host/prepare/prepare.hpp"
#include "host/tune/explain.hpp"
#include "host/views/pipeline.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::explain_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            target_ = model::any_target(compiler());
        } catch (const std::exception& error) {
            GTEST_SKIP() << error.what();
        }
    }

    static jit::Compiler& compiler() {
        static jit::Cache cache;
        static jit::Compiler instance(cache);
        return instance;
    }
    [[nodiscard]] bool cuda() const { return target_.kind == jit::Target::Kind::cuda; } // what there is a compiler for
    [[nodiscard]] std::string explained(const std::string& model, std::vector<std::string> overrides = {}) const {
        RunRequest request{model, std::move(overrides), {}};
        request.on_one_cpu = !cuda();
        const auto prepared = prepare(request, compiler(), Functions::all);
        return explain_steps(prepared.setup, target_for(prepared.setup, cuda(), target_.architecture), compiler());
    }
    [[nodiscard]] std::string of_plugin(const std::string& name, std::vector<std::string> overrides = {}) const {
        return explained(test_shipped("plugins/" + name + "/" + name + ".cu").string(), std::move(overrides));
    }
    [[nodiscard]] std::string of_test_model(const std::string& name, std::vector<std::string> overrides = {}) const {
        return explained(test_data("models/" + name + "/" + name + ".cu").string(), std::move(overrides));
    }

    // A model of cells that are alive or not, and what its function does on line 4.
    [[nodiscard]] std::string write_cells(const std::string& body, const std::string& around = "moore",
                                          const std::string& type = "std::uint8_t") const {
        const auto path = scratch_.path() / "cells" / "cells.cu";
        testing::write_text(path,
                            "#include <tessera/model.hpp>\nstruct Cell { " + type + " alive = 0; };\nTESSERA_PLACE(Cell, alive);\n" +
                                "TESSERA_CALL(Cell, tick, around<" + around + ", &Cell::alive>, writes<&Cell::alive>) { " + body + " }\n" +
                                "TESSERA_MODEL(cells, \"\");\nTESSERA_DEFAULTS(\"places.cell.size = [640, 640]\\nrun.steps = 1000\");\n");
        return path.string();
    }

private:
    testing::TemporaryFolder scratch_;
    jit::Target target_;
};

// The text up to where an estimate decides: "first tried: pipeline, 4 steps, ..." ends behind the kind of the view.
std::string without_numbers_of_views(std::string text) {
    for (const std::string kind :
         {"first tried: pipeline", "first tried: patch", "first tried: tile", "values 0 and 1: pipeline", "one step at a time: march"})
        for (auto at = text.find(kind); at != std::string::npos; at = text.find(kind, at + kind.size())) {
            const auto from = at + kind.size();
            text.erase(from, text.find('\n', from) - from);
        }
    return text;
}

TEST_F(Explain, SaysThatAReduceOrAQuestionComesBetween) {
    const std::string reduced = "phase=[{reduce={mean=\"mean(plate.heat)\",hottest=\"max(plate.heat)\",lights=\"count(plate.lit)\"}},"
                                "{callAll=\"plate.heat_up\"}]";
    EXPECT_THAT(of_test_model("furnace", {reduced}), HasSubstr("  plate\n    one step at a time: a reduce comes between the calls\n"));
    EXPECT_THAT(of_test_model("furnace"),
                HasSubstr("  plate\n    one step at a time: the number of rounds of a repeat depends on the state\n"));
}

TEST_F(Explain, LifeIsFusedAndPacked) {
    const auto text = of_plugin("life", {"places.cell.size=[8192,8192]"});
    EXPECT_EQ(without_numbers_of_views(text),
              "  several steps at once\n"
              "    every step runs the same phases\n"
              "    outputs every 100 steps: if fewer steps than are fused are left before an output, they are made singly\n"
              "  cell\n"
              "    cell.tick on a GPU, one step at a time: march\n"
              "    fused: `callAll cell.tick`\n"
              "    on a GPU: at most 16 steps at once (more are not tried); first tried: pipeline\n"
              "    on the CPU: at most 16 steps at once (more are not tried); first tried: blocks, 8 steps, 4096 x 512 places\n"
              "    packed: yes, 32 places to a word on a GPU; first tried for values 0 and 1: pipeline\n");
    EXPECT_THAT(text,
                ::testing::ContainsRegex("first tried: pipeline, [0-9]+ steps, (1 place|[24] places) a lane, strips of [0-9]+ rows?\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex(
                          "0 and 1: pipeline, [0-9]+ steps, 32 places a lane .1 bit each, in memory too., strips of [0-9]+ rows?\n"));
}

TEST_F(Explain, LeadershipIsFusedAndNotPacked) {
    EXPECT_EQ(without_numbers_of_views(of_plugin("leadership")),
              "  several steps at once\n"
              "    every step runs the same phases\n"
              "    outputs every 50 steps: if fewer steps than are fused are left before an output, they are made singly\n"
              "  person\n"
              "    fused: `callAll person.decide`\n"
              "    on a GPU: at most 12 steps at once (16 steps need more registers than a lane has, by the estimate); first "
              "tried: pipeline\n"
              "    on the CPU: at most 16 steps at once (more are not tried); first tried: blocks, 8 steps, 4096 x 256 places\n"
              "    not packed: person.behaviour is neither a bool nor a std::uint8_t\n");
}

TEST_F(Explain, RotationsAreFusedWithTheCalls) {
    EXPECT_THAT(of_plugin("wave2d"), HasSubstr("    fused: `callAll wave.move`, `rotate wave.now, wave.before`\n"));
}

TEST_F(Explain, ThreeDimensionsAreFusedInTiles) {
    const auto text = of_test_model("life3d", {"places.cell.size=[256,256,256]"});
    EXPECT_THAT(text, HasSubstr("first tried: tile, "));
    EXPECT_THAT(text, HasSubstr("    cell.tick on a GPU, one step at a time: march, 16 x 2 x 4 places a thread, 4 bytes at once up to a "
                                "value of 3\n"));
    EXPECT_THAT(text, HasSubstr("    on the CPU: one step at a time: a grid of three dimensions is not streamed by rows\n"
                                "    packed: yes, 32 places to a word on a GPU; first tried for values 0 and 1: march of words, 1 step, "));
    EXPECT_THAT(of_test_model("life3d", {"places.cell.size=[250,256,256]"}),
                HasSubstr("    not packed: a torus of 250 places along x cannot be divided into words of 32 places\n"));
}

TEST_F(Explain, AGridSmallerThanATileIsNotFused) {
    EXPECT_EQ(of_test_model("life3d", {"places.cell.size=[20,20,20]"}),
              "  several steps at once\n"
              "    every step runs the same phases\n"
              "  cell\n"
              "    cell.tick on a GPU, one step at a time: march, 4 x 1 x 1 places a thread, 4 bytes at once up to a value of 3\n"
              "    on a GPU: one step at a time: the grid is smaller than a tile\n"
              "    on the CPU: one step at a time: a grid of three dimensions is not streamed by rows\n");
}

TEST_F(Explain, SaysWhyBytesAreMadeOneByOne) {
    const auto volume = [&](const std::string& body) { return explained(write_cells(body), {"places.cell.size=[64,64,64]"}); };
    EXPECT_THAT(volume("if (self.sum(moore, &Cell::alive) > 5) self.alive = 0;"),
                HasSubstr("    cell.tick on a GPU, one step at a time: march, 4 x 2 x 1 places a thread; not several bytes at once: its "
                          "text has `if`\n"));
}

TEST_F(Explain, AFunctionThatSeesFarIsFusedInTiles) {
    const auto text = explained(write_cells("self.alive = self.sum(moore_of<4>, &Cell::alive) > 40;", "moore_of<4>"));
    EXPECT_THAT(text, HasSubstr("first tried: tile, "));
    EXPECT_THAT(text, HasSubstr("    on the CPU: one step at a time: callAll cell.tick sees further than 3 places\n"));
}

TEST_F(Explain, AStripIsTooNarrowForManyStepsThatSeeFarSideways) {
    // 16 steps of reach 3 see 48 places to either side, and a strip of 32 x 4 may lose no more than half of its width: 32 to either side,
    // 10 steps.
    const auto model =
        write_cells("self.alive = self.at(offset<3, 0>).alive ^ self.at(offset<-3, 0>).alive;", "offsets<offset<3, 0>, offset<-3, 0>>");
    const auto prepared = prepare({model, {}, {}}, compiler(), Functions::all);
    const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
    EXPECT_EQ(obstacle(prepared.setup, sequence, pipeline_view(10, 4, 1)), "");
    EXPECT_EQ(obstacle(prepared.setup, sequence, pipeline_view(12, 4, 1)), "12 steps see 36 places sideways, too many for a strip of 128");
}

TEST_F(Explain, WhatFitsNoViewIsSaid) {
    const auto text = of_test_model("many_types");
    EXPECT_THAT(text, HasSubstr("    on a GPU: one step at a time: 2 steps need more registers than a lane has, by the estimate; the grid "
                                "is smaller than a tile\n"
                                "    on the CPU: one step at a time: callAll exhibit.pass_on uses more than 24 values of a row\n"));
    EXPECT_THAT(text, Not(HasSubstr("fused: ")));
    EXPECT_THAT(text, Not(HasSubstr("packed")));
}

TEST_F(Explain, APhaseThatIsRareIsMadeByItself) {
    EXPECT_EQ(of_plugin("life", {"phase=[{exchangeAll=\"cell\"}, {callAll=\"cell.tick\", every=10}]", "output=[]"}),
              "  several steps at once\n"
              "    steps in which `callAll cell.tick` runs (every 10) are made singly\n"
              "    at most 9 steps in a row run the same phases, so no more are fused together\n"
              "  cell\n"
              "    nothing to fuse: in a usual step no phase calls a function of these places\n");
}

TEST_F(Explain, ARareCallBesidesAUsualOneKeepsBytesFromBeingPacked) {
    const auto text = of_plugin(
        "life",
        {"phase=[{exchangeAll=\"cell\"}, {callAll=\"cell.tick\"}, {exchangeAll=\"cell\"}, {callAll=\"cell.tick\", every=10, from=5}]",
         "output=[]"});
    EXPECT_THAT(text, HasSubstr("steps in which `callAll cell.tick` runs (every 10, from 5) are made singly\n"));
    EXPECT_THAT(text, HasSubstr("    not packed: callAll cell.tick does not run in every step\n"));
}

TEST_F(Explain, APhaseThatEndsOrThatNeverRunsInTheRun) {
    EXPECT_THAT(of_plugin("wave2d",
                          {"run.steps=2000", "output=[]",
                           "phase=[{exchangeAll=\"wave\"}, {callAll=\"wave.move\"}, {rotate=[\"wave.now\",\"wave.before\"], until=1500}]"}),
                HasSubstr("    steps in which `rotate wave.now, wave.before` does not run (until 1500) are made singly\n"));
    EXPECT_THAT(
        of_plugin("life", {"run.steps=50", "phase=[{exchangeAll=\"cell\"}, {callAll=\"cell.tick\"}, {callAll=\"cell.tick\", from=50}]"}),
        HasSubstr("    every step runs the same phases\n"));
}

TEST_F(Explain, StepsThatAlternateAreNotFused) {
    EXPECT_THAT(of_plugin("life", {"phase=[{exchangeAll=\"cell\"}, {callAll=\"cell.tick\", every=2}]"}),
                HasSubstr("    no two steps in a row run the same phases: no steps are fused\n"));
}

TEST_F(Explain, OutputsAndTheStopConditionBoundTheDepth) {
    const auto text = of_plugin(
        "life",
        {"run.stop=\"sum(cell.alive) == 0\"", "run.stop_every=20",
         "output=[{every=30, png=\"a{step}.png\", attribute=\"cell.alive\"}, {every=1, npy=\"b{step}.npy\", attribute=\"cell.alive\"}]"});
    EXPECT_THAT(
        text,
        HasSubstr("    outputs every step: no steps are fused as long as that lasts\n"
                  "    `stop` is checked every 20 steps: if fewer steps than are fused are left before a check, they are made singly\n"));
}

TEST_F(Explain, SaysWhatOneGpuAsksItself) {
    EXPECT_THAT(of_plugin("life", {"run.stop=\"sum(cell.alive) == 0\""}),
                HasSubstr("    `stop` on one GPU: it is given several steps at a time, and leaves out those behind a yes\n"));
    EXPECT_THAT(of_plugin("life", {"run.stop=\"sum(cell.alive) == 0\"", "run.stop_every=20"}),
                HasSubstr("    `stop` on one GPU: each check is waited for, since `stop_every` is more than 1\n"));
    EXPECT_THAT(of_test_model("furnace"),
                HasSubstr("    rounds of `until`: one GPU is given several at a time, and leaves out those behind a yes\n"));
    EXPECT_THAT(of_test_model("furnace", {"places.plate.size=[1000,1000]"}),
                HasSubstr("    rounds of `until`: the answer is waited for before each, since `plate` has 1000000"));
}

TEST_F(Explain, WhatTurnsTuningOffIsSaid) {
    EXPECT_THAT(of_plugin("life", {"schedule.tune=off"}), HasSubstr("    `schedule.tune` is \"off\": no steps are fused\n"));
    EXPECT_THAT(of_plugin("life", {"schedule.view=window"}), HasSubstr("    `schedule.view` names a view: no steps are fused\n"));
    EXPECT_THAT(of_plugin("life"), Not(HasSubstr("`schedule.")));
}

// On one CPU animals stand in lists, whose launches are made one after the other.
TEST_F(Explain, SaysHowManyLaunchesOfAStepWaitForEachOther) {
    EXPECT_THAT(of_plugin("wolf_sheep"),
                HasSubstr(cuda() ? "on one GPU 14 launches are one, in which a thread makes them all of a place: `" : ""));
    EXPECT_THAT(of_plugin("life"), Not(HasSubstr("wait for each other")));
}

// As the tuner does: agents that do not see the sand change nothing about it.
TEST_F(Explain, PlacesBesideAgentsThatDoNotSeeThemAreFusedAndPacked) {
    const auto text = of_test_model("dunes");
    EXPECT_THAT(text, HasSubstr("\n  sand\n    fused: `callAll sand.seep`\n"));
    EXPECT_THAT(text, HasSubstr("    packed: yes, 32 places to a word on a GPU"));
    EXPECT_THAT(text, HasSubstr("\n  beetle\n"));
    EXPECT_THAT(of_test_model("families"),
                HasSubstr("    one step at a time: agents read or change these places between the calls of their functions\n"));
}

TEST_F(Explain, OfSeveralCollectionsNoneIsPacked) {
    const auto path = write_cells("self.alive = self.sum(moore, &Cell::alive) == 3;");
    const std::string second = "struct Tree { bool burns = false; };\nTESSERA_PLACE(Tree, burns);\nTESSERA_CALL(Tree, end, "
                               "writes<&Tree::burns>) { self.burns = !self.burns; }\n";
    testing::write_text(path, testing::text_of(path) + second);
    const auto text = explained(path, {"places.tree.size=[20]"});
    EXPECT_THAT(text, HasSubstr("\n  cell\n    fused: `callAll cell.tick`\n"));
    EXPECT_THAT(text, HasSubstr("\n  tree\n    fused: `callAll tree.end`\n"));
    EXPECT_THAT(text, HasSubstr("    not packed: steps of more than one collection are fused\n"));
    EXPECT_THAT(text, Not(HasSubstr("    packed")));
}

// ---- bodies

TEST_F(Explain, AJumpKeepsABodyFromBeingPacked) {
    const auto model = write_cells("if (self.sum(moore, &Cell::alive) == 3) self.alive = true;");
    EXPECT_THAT(explained(model), HasSubstr("    not packed: " + model + ":4:"));
}

TEST_F(Explain, SelectAndTruthValuesArePacked) {
    const std::string body = "const auto n = self.sum(moore, &Cell::alive); self.alive = select(n == 3, true, (n == 2) & self.alive);";
    for (const char* type : {"bool", "std::uint8_t"})
        EXPECT_THAT(explained(write_cells(body, "moore", type)), HasSubstr("    packed: yes, 32 places to a word on a GPU")) << type;
}

TEST_F(Explain, EachOperatorIsPackedOrNotAsTheSdkReferenceSays) {
    const std::string n = "const auto n = self.sum(moore, &Cell::alive); self.alive = ";
    for (const char* packed : {"(n >= 2) & (n <= 4) & (n != 3);", "!(n < 2) && (n > 1 || n == 7);",
                               "(self.at(west).alive ^ self.alive) | (n + self.alive == 2);", "n - 3 == 2;"})
        EXPECT_THAT(explained(write_cells(n + packed)), HasSubstr("    packed: yes")) << packed;
    for (const char* not_packed : {"n % 2 == 1;", "(n >> 1) == 1;", "n == 3 ? 1 : 0;", "self.random.bernoulli(0.5f) & (n == 3);",
                                   "(self.position.x == 3) & (n == 3);", "int(n) == 3;"})
        EXPECT_THAT(explained(write_cells(n + not_packed)), HasSubstr("    not packed: ")) << not_packed;
}

// `select` in 32 places at once gives what it gives place by place.
TEST_F(Explain, SelectGivesTheSameBitsEitherWay) {
    if (cuda()) GTEST_SKIP() << "there is no C++ compiler";
    const auto model =
        write_cells("const auto n = self.sum(moore, &Cell::alive); self.alive = select(n < 3, n == 2, select(self.alive, n < 6, true));");
    const auto hash_after = [&](bool packed) {
        const auto prepared = prepare({model, {"places.cell.size=[131,67]", "places.cell.init.alive={random=0.3}"}, {}}, compiler());
        const auto device = open_device("cpu", 1);
        ThreadPool pool(1);
        Simulation simulation(prepared.setup, *device, compiler(), pool);
        const auto view = pipeline_view(3, 1, 16, 1);
        if (packed) simulation.fuse({{call_sequences(prepared.setup, usual_phases(prepared.setup)).front(), view, "packed"}}, compiler());
        simulation.advance(12, [](std::uint64_t) { return true; });
        EXPECT_EQ(simulation.fused_steps(), packed ? 12u : 0u);
        return simulation.hash();
    };
    EXPECT_EQ(hash_after(true), hash_after(false));
}

TEST_F(Explain, AByteThatMayGrowIsPackedAsAWholeAlone) {
    const auto model = write_cells("self.alive = self.sum(moore, &Cell::alive) + self.alive;");
    EXPECT_THAT(explained(model), HasSubstr("    packed: only if values need all 8 bits: " + model + ":4:"));
}

// Whatever the compiler says of fewer bits.
TEST_F(Explain, WhatCompilesForWholeBytesAloneIsPackedSo) {
    const auto model =
        write_cells("if constexpr (requires { decltype(self.alive)::width; }) static_assert(decltype(self.alive)::width == 8, "
                    "\"as wide as can be\"); self.alive = self.sum(moore, &Cell::alive) == 3;");
    EXPECT_THAT(explained(model), HasSubstr("    packed: only if values need all 8 bits: " + model + ":4:"));
}

TEST_F(Explain, BytesBeyondAnOpenBoundaryHaveToBeZero) {
    const auto path = write_cells("self.alive = self.sum(moore, &Cell::alive) == 3;");
    auto text = testing::text_of(path);
    text.replace(text.find("alive = 0"), 9, "alive = 1");
    testing::write_text(path, text);
    EXPECT_THAT(explained(path, {"places.cell.boundary=open"}),
                HasSubstr("    not packed: cell.alive is not 0 beyond the open boundary\n"));
    EXPECT_THAT(explained(path), HasSubstr("    packed: yes"));
}

TEST_F(Explain, TellsWhatIsMadeOnceAStepAndWhen) {
    const auto text = of_test_model("tides");
    EXPECT_THAT(text, HasSubstr("made once a step, for all steps that are queued together: `height`, `chance`, `shades`"));
    EXPECT_THAT(text, HasSubstr("made in front of `callAll shore.note`, by values of the step: `pull`, `mark`"));
    EXPECT_THAT(text, HasSubstr("made in front of `callAll shore.relax`, by values of the step: `pull`\n"));
    EXPECT_THAT(of_plugin("life"), Not(HasSubstr("made once a step")));
}

} // namespace
} // namespace tessera::explain_test
