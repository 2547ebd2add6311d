// `tessera run --check`: each kind of mistake is told with its line, its numbers, the function, the place and the step, and a model without
// mistakes is what it is in any other run.
// sanitizers: none
#include "device_runtime/devices.hpp"
#include "host/execute/compile_kernels.hpp"
#include "host/prepare/prepare.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace tessera::checked_runs_test {
namespace {

using ::testing::AllOf;
using testing::CommandLine;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::text_of;
using testing::write_text;

// What goes wrong is the parameter's to say: one image does for all.
constexpr const char* places = R"cpp(#include <tessera/model.hpp>

#include "shares.hpp"

TESSERA_PARAM(int, kind, 0)

constexpr int least = -2147483647 - 1;

struct Cell {
    int a = 1, b = 2;
    float f = 0.5f, unknown = 0;
    int v[4] = {1, 2, 3, 4};
};
TESSERA_PLACE(Cell, a, b, f, unknown, v);

TESSERA_INIT(Cell, begin, writes<&Cell::b>) {
    if (kind == 1) self.b = 6 / (2 - static_cast<int>(self.position.x)); // init
}
TESSERA_CALL(Cell, tick, writes<&Cell::a, &Cell::b, &Cell::f, &Cell::v>) {
    const bool here = self.position.x == 3 && self.position.y == 2 && self.step == 5;
    if (kind == 2) self.b = self.a + (here ? 2147483647 : 2); // add
    if (kind == 3) self.b = least + (here ? 0 : 1) - self.a; // subtract
    if (kind == 4) self.b = -(here ? least : self.a); // negate
    if (kind == 5) self.b = (here ? least : self.a) / -self.a; // divide
    if (kind == 6) self.b = share_of(self, here ? 0 : 3);
    if (kind == 7) self.b = static_cast<int>(here ? 3e10f : self.f); // convert
    if (kind == 8) self.b = self.a << (here ? 40 : 1); // shift
    if (kind == 9) self.b = self.v[here ? 4 : 3]; // member
    if (kind == 10) { int own[3] = {1, 2, 3}; self.b = own[here ? -1 : self.a]; } // own
    if (kind == 11) self.f = 0.0f / (here ? 0.0f : 1.0f);
    if (kind == 12) TESSERA_ASSERT(self.a + 4 < (here ? 3 : 100), "a is small"); // assert
    if (kind == 13) TESSERA_ASSERT(!here || self.f > 1, "f is large"); // truth
    if (kind == 14) { const int* const none = here ? nullptr : &self.a; self.b = *none; }
    if (kind == 15) { const std::uint8_t narrow = here ? self.a + 300 : self.a; self.b = narrow; } // narrow
    if (kind == 16 && here) self.b = self.a * 2147483647 * 2; // multiply
    if (kind == 18) self.b = self.random.below(here ? self.a - 1 : self.a); // nobody
    if (kind == 19) self.b = static_cast<int>(self.random.below(here ? 4294967296 : 4294967295)); // many
}
TESSERA_CALL(Cell, late, reads<&Cell::unknown>, writes<&Cell::b, &Cell::f>) {
    if (kind == 16 && self.step == 5) self.b = self.b / 0 * self.b;
    if (kind == 17) self.f = self.unknown;
}
TESSERA_MODEL(places, "what goes wrong on places");
TESSERA_DEFAULTS(R"toml(run.steps = 8
places.cell = { size = [8, 6], init.unknown = { value = nan } }
phase = [{ callAll = "cell.tick" }, { callAll = "cell.late" }])toml");
)cpp";
constexpr const char* shares = R"cpp(#pragma once
template<class Self> TESSERA_FN int share_of(const Self& self, int parts) { return (self.a + 6) / parts; } // share
)cpp";

constexpr const char* agents = R"cpp(#include <tessera/model.hpp>

TESSERA_PARAM(int, kind, 0)
TESSERA_PARAM(int, south_of_all, 0)

struct Meadow { float grass = 1; };
TESSERA_PLACE(Meadow, grass);
struct Sheep { int energy = 5; float weight = 1; int days[2] = {0, 0}; };
TESSERA_AGENT(Sheep, on<Meadow>, energy, weight, days);

TESSERA_INIT(Sheep, begin, writes<&Sheep::energy>) {
    if (kind == 1) TESSERA_ASSERT(self.energy > 5, "sheep begin well"); // init
}
TESSERA_CALL(Sheep, graze, writes<&Sheep::energy, &Sheep::weight, &Sheep::days>, adds<&Meadow::grass>, // graze
             counts<moore, Sheep>, meets<with_here<moore>, &Sheep::weight>, moves<moore>) {
    if (kind == 2 && self.step == 1) self.energy = self.energy * 500000000; // multiply
    if (kind == 3 && self.step == 1) self.days[self.energy] = 1; // index
    if (kind == 4 && self.step == 1) self.weight = (self.weight - self.weight) / (self.weight - self.weight);
    if (kind == 5 && self.step == 1) self.place.grass += 1e38f * 10 - 1e38f * 10;
    if (kind == 6) self.meet(here, agents<Sheep>, [&](const auto& other) { self.energy /= static_cast<int>(other.weight) - 1; }); // met
    if (kind == 8 && self.step == 1) {
        auto far = self.place.here(moore);
        far.offset.y = south_of_all;
        self.energy = far.count(agents<Sheep>); // beyond
    }
    self.migrate(1, 0);
}
TESSERA_CALL(Meadow, grow, writes<&Meadow::grass>, counts<here, Sheep>) {
    if (kind == 7) self.grass = 1.0f / static_cast<float>(6 / self.count(here, agents<Sheep>)); // places
}
TESSERA_MODEL(agents, "what goes wrong with agents");
TESSERA_DEFAULTS(R"toml(run.steps = 4
places.meadow.size = [8, 6]
agents.sheep = { count = 2, capacity = 2, place = { box = [[4, 3], [5, 4]] } }
phase = [{ callAll = "sheep.graze" }, { manageAll = "sheep" }, { callAll = "meadow.grow" }])toml");
)cpp";

constexpr const char* space = R"cpp(#include <tessera/model.hpp>

TESSERA_PARAM(int, kind, 0)

struct Air {};
TESSERA_PLACE(Air);
struct Bird { float age = 0; };
TESSERA_AGENT(Bird, in<Air>, age);

TESSERA_CALL(Bird, fly, moves<within<1>>, spawns<Bird, within<1>>) {
    const float way = self.step == 1 ? sqrt(-1.0f) : 0.5f;
    if (kind == 1) self.move_to(self.position.x + way, self.position.y); // numbers
    if (kind == 2) self.move_to({self.position.x, self.position.y + way, 0}); // position
    if (kind == 3) self.spawn(Bird{}, {self.position.x + way, self.position.y, 0}); // child
}
TESSERA_MODEL(space, "birds that go nowhere");
TESSERA_DEFAULTS(R"toml(run.steps = 4
places.air = { size = [4, 4], extent = [8, 8], boundary = "torus" }
agents.bird = { count = 1, place = { box = [[2, 2], [3, 3]] } }
phase = [{ callAll = "bird.fly" }, { manageAll = "bird" }])toml");
)cpp";

// Draws of places in rows of more than one piece, beyond whose ends there is nothing.
constexpr const char* wide_rows = R"cpp(#include <tessera/model.hpp>

TESSERA_PARAM(int, kind, 0)

struct Cell {
    int a = 0;
};
TESSERA_PLACE(Cell, a);

TESSERA_CALL(Cell, tick, around<moore, &Cell::a>, writes<&Cell::a>) {
    self.a = kind + self.random.below(100) + (self.exists(west) ? self.at(west).a : 0) / 2;
}
TESSERA_MODEL(wide, "places that draw");
TESSERA_DEFAULTS(R"toml(run.steps = 3
places.cell = { size = [700, 5], boundary = "open" }
phase = [{ exchangeAll = "cell" }, { callAll = "cell.tick" }])toml");
)cpp";

std::string line_with(const std::string& text, const std::string& marker) {
    const auto at = text.find("// " + marker);
    EXPECT_NE(at, std::string::npos) << marker;
    return std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1);
}

struct Mistake {
    int kind;
    std::string file, marker; // empty: the function's first line
    std::string told;         // behind "file:line:column: "
};

class CheckedRuns : public CommandLine, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (std::system((std::string(GetParam()) + " --version > /dev/null 2>&1").c_str()) != 0) GTEST_SKIP() << "needs " << GetParam();
        write_text(here() / "places.cu", places);
        write_text(here() / "shares.hpp", shares);
        write_text(here() / "agents.cu", agents);
        write_text(here() / "space.cu", space);
        write_text(here() / "wide.cu", wide_rows);
    }
    [[nodiscard]] Outcome run(const std::string& model, int kind, const std::vector<std::string>& more = {"--check"}) const {
        std::vector<std::string> arguments{"run",     "./" + model,
                                           "--quiet", "--overwrite",
                                           "--out",   "out",
                                           "--set",   "run.bake=false",
                                           "--set",   "params.kind=" + std::to_string(kind),
                                           "--set",   "run.devices=[\"cpu\"]"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tessera(arguments, {{"CXX", GetParam()}});
    }
    [[nodiscard]] static bool is_clang() { return std::string(GetParam()) == "clang++"; }

    void expect_told(const std::string& model, const Mistake& mistake) const {
        SCOPED_TRACE(model + " " + std::to_string(mistake.kind));
        const auto outcome = run(model, mistake.kind);
        EXPECT_EQ(outcome.status, 9) << outcome.err;
        const auto where = "error: " + mistake.file + ":" + line_with(text_of(here() / mistake.file), mistake.marker) + ":";
        EXPECT_THAT(outcome.err, HasSubstr(where));
        EXPECT_THAT(outcome.err, EndsWith(" " + mistake.told + "\n"));
    }
};

TEST_P(CheckedRuns, TellMistakesOnPlaces) {
    const std::string wide = " compute in std::int64_t, or keep the numbers smaller", none = "(the result does not fit into int)" + wide;
    const std::string divisor = "(that has no result) test the divisor before the division", index = " test the index before it is used";
    const std::string number = "(below(n) gives 0 to n - 1, for an n from 1 to 4294967295) test n before the draw";
    const std::string at = " on place (3, 2) in step 5 of places ";
    for (const auto& mistake : std::vector<Mistake>{
             {1, "places.cu", "init", "cell.begin divides 6 by 0 on place (2, 0) before the first step of places " + divisor},
             {2, "places.cu", "add", "cell.tick computes 1 + 2147483647" + at + none},
             {3, "places.cu", "subtract", "cell.tick computes -2147483648 - 1" + at + none},
             {4, "places.cu", "negate", "cell.tick computes -(-2147483648)" + at + none},
             {5, "places.cu", "divide", "cell.tick divides -2147483648 by -1" + at + none},
             {6, "shares.hpp", "share", "cell.tick divides 7 by 0" + at + divisor},
             {7, "places.cu", "convert",
              "cell.tick converts 30000000000 to int" + at + "(it does not fit) use to_int, which takes the nearest value that fits"},
             {8, "places.cu", "shift",
              "cell.tick shifts 1 by 40" + at + "(int is shifted by 0 to 31 bits) test the distance before the shift"},
             {9, "places.cu", "member", "cell.tick takes element 4 of an array of 4" + at + "(it has elements 0 to 3)" + index},
             {10, "places.cu", "own", "cell.tick takes element -1 of an array of 3" + at + "(it has elements 0 to 2)" + index},
             {12, "places.cu", "assert",
              "\"a is small\" does not hold in cell.tick" + at + "(self.a + 4 < (here ? 3 : 100), with 5 and 3)"},
             {13, "places.cu", "truth", "\"f is large\" does not hold in cell.tick" + at + "(!here || self.f > 1)"},
             {18, "places.cu", "nobody", "cell.tick draws below(0)" + at + number},
             {19, "places.cu", "many", "cell.tick draws below(4294967296)" + at + number},
             {16, "places.cu", "multiply", "cell.tick computes 2147483647 * 2" + at + none}}) // and not the later phase's, on (0, 0)
        expect_told("places.cu", mistake);
}

TEST_P(CheckedRuns, TellWhatHasNoLineOfItsOwnByTheFunction) {
    const auto function = "places.cu:" + std::to_string(std::stoi(line_with(places, "add")) - 2) + ": cell.tick ";
    const auto nan = run("places.cu", 11);
    EXPECT_EQ(nan.status, 9);
    EXPECT_THAT(nan.err, HasSubstr(function + "stores NaN in cell.f on place (3, 2) in step 5 of places (nothing that it "
                                              "read was NaN) look for 0 / 0, "));
    const auto pointer = run("places.cu", 14);
    EXPECT_EQ(pointer.status, 9);
    EXPECT_THAT(pointer.err, HasSubstr(function + "read or wrote where it has no memory on place (3, 2) in step 5 of places ("));
}

TEST_P(CheckedRuns, TellLostBitsWhereTheCompilerDoes) {
    if (is_clang())
        expect_told("places.cu", {15, "places.cu", "narrow",
                                  "cell.tick stores 301 as 45 on place (3, 2) in step 5 of places (std::uint8_t has no 301) use a wider "
                                  "type, or a static_cast if that is meant"});
    else
        EXPECT_EQ(run("places.cu", 15).status, 0);
}

TEST_P(CheckedRuns, TellMistakesOfAgents) {
    const std::string moved = "on place (5, 3) in step 1 of agents (", stood = "on place (4, 3) ";
    struct Told {
        int kind;
        std::string marker, before, behind; // the id
    };
    for (const auto& [kind, marker, before, behind] :
         std::vector<Told>{{1, "init", "\"sheep begin well\" does not hold in sheep.begin for sheep ",
                            stood + "before the first step of agents (self.energy > 5, with 5 and 5)\n"},
                           {2, "multiply", "sheep.graze computes 5 * 500000000 for sheep ", moved + "the result does not fit into int) "},
                           {3, "index", "sheep.graze takes element 5 of an array of 2 for sheep ", moved + "it has elements 0 to 1) "},
                           {4, "graze", "sheep.graze stores NaN in sheep.weight for sheep ", moved + "nothing that it read was NaN) "},
                           {5, "graze", "sheep.graze stores NaN in meadow.grass for sheep ", moved + "nothing that it read was NaN) "},
                           {6, "met", "sheep.graze divides 5 by 0 for sheep ", stood + "in step 0 of agents ("}}) {
        SCOPED_TRACE(kind);
        const auto outcome = run("agents.cu", kind);
        EXPECT_EQ(outcome.status, 9) << outcome.err;
        const auto line = "error: agents.cu:" + line_with(agents, marker) + ":";
        ASSERT_THAT(outcome.err, AllOf(HasSubstr(line), HasSubstr(before), HasSubstr(" " + behind)));
        const auto at = outcome.err.find(before) + before.size();
        const auto id = outcome.err.substr(at, outcome.err.find(' ', at) - at);
        if (kind == 1) continue; // before there is a state
        EXPECT_THAT(text_of(here() / "out/before/sheep.csv"), HasSubstr("\n" + id + (kind == 6 ? ",4,3," : ",5,3,")));
    }
    const auto of_places = run("agents.cu", 7);
    EXPECT_THAT(of_places.err, HasSubstr("agents.cu:" + line_with(agents, "places") + ":"));
    EXPECT_THAT(of_places.err, HasSubstr(": meadow.grow divides 6 by 0 on place (0, 0) in step 0 of agents ("));
}

// Any run ends there; a checked one says the line.
TEST_P(CheckedRuns, TellOfPositionsThatAreNoNumber) {
    struct Told {
        int kind;
        std::string marker, what;
    };
    for (const auto& [kind, marker, what] :
         std::vector<Told>{{1, "numbers", "goes to"}, {2, "position", "goes to"}, {3, "child", "has a child at"}}) {
        SCOPED_TRACE(kind);
        const auto checked = run("space.cu", kind), other = run("space.cu", kind, {});
        EXPECT_EQ(checked.status, 9) << checked.err;
        EXPECT_THAT(checked.err, AllOf(HasSubstr("error: space.cu:" + line_with(space, marker) + ":"),
                                       HasSubstr(" bird.fly " + what + " a position that is not a number for bird "),
                                       HasSubstr(" in step 1 of space (such a position is nowhere in space) look for 0 / 0, ")));
        EXPECT_EQ(other.status, 9) << other.err;
        EXPECT_THAT(other.err, AllOf(HasSubstr("error: bird "),
                                     HasSubstr(" " + what + " a position that is not a number in step 1, callAll bird.fly ")));
    }
}

// Of a column that ends less than two pages behind its first place (2 slots on 8 x 6 places), and of one before it.
TEST_P(CheckedRuns, TellWhatIsReadBeyondAColumn) {
    const auto line = "error: agents.cu:" + line_with(agents, "graze") + ": sheep.graze ";
    for (const std::string rows : {"24", "1000", "-40", "-1000"}) {
        const auto outcome = run("agents.cu", 8, {"--check", "--set", "params.south_of_all=" + rows});
        EXPECT_EQ(outcome.status, 9) << rows;
        EXPECT_THAT(outcome.err,
                    AllOf(HasSubstr(line + "read or wrote where it has no memory for sheep "),
                          HasSubstr(" on place (5, 3) in step 1 of agents (a null pointer, or an index far beyond an array)")));
    }
    EXPECT_EQ(run("agents.cu", 8, {"--check", "--set", "params.south_of_all=1"}).status, 0);
}

TEST_P(CheckedRuns, KeepTheStateBeforeTheStep) {
    ASSERT_EQ(run("places.cu", 16).status, 9);
    const auto kept = text_of(here() / "out/before/cell.b.npy");
    const auto failed = manifest("out");
    EXPECT_EQ(failed["status"], "failed");
    EXPECT_EQ(failed["steps"], 5);
    EXPECT_THAT(failed["files"].dump(), HasSubstr("\"before/cell.v.npy\""));
    ASSERT_EQ(run("places.cu", 16, {"--steps", "5", "--set", R"(output=[{npy="b-{step}.npy",attribute="cell.b",every=5}])"}).status, 0);
    EXPECT_EQ(kept, text_of(here() / "out/b-5.npy"));
    EXPECT_FALSE(std::filesystem::exists(here() / "out/before/cell.b.npy")); // --overwrite
}

TEST_P(CheckedRuns, AreWhatOtherRunsAre) {
    const auto state_of = [](const Outcome& outcome) {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out.substr(outcome.out.find("state "), 22);
    };
    for (const std::string model : {"places.cu", "agents.cu", "wide.cu"})
        EXPECT_EQ(state_of(run(model, 0)), state_of(run(model, 0, {"--threads", "2"}))) << model;
    EXPECT_EQ(state_of(run("places.cu", 17)), state_of(run("places.cu", 17, {}))); // NaN that was read may be stored
}

INSTANTIATE_TEST_SUITE_P(Compilers, CheckedRuns, ::testing::Values("g++", "clang++"));

class CheckedRun : public CommandLine {};

TEST_F(CheckedRun, IsMadeOnTheCpuUnlessTheCommandLineBeginsWithAGpu) {
    write_garden();
    const auto usual = tessera({"run", "garden.toml", "--quiet", "--out", "usual"});
    ASSERT_EQ(usual.status, 0) << usual.err;
    const auto text = text_of(here() / "garden.toml");
    const auto at = text.find("devices = ");
    write_text(here() / "gpu.toml", text.substr(0, at) + "devices = [\"cuda:0\", \"cpu\"]" + text.substr(text.find('\n', at)));
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"run", "gpu.toml"}, {"run", "garden.toml", "--devices", "cpu,cuda:0"}}) {
        auto arguments = command;
        for (const char* more : {"--quiet", "--overwrite", "--out", "checked", "--check"}) arguments.emplace_back(more);
        const auto checked = tessera(arguments);
        ASSERT_EQ(checked.status, 0) << checked.err;
        EXPECT_THAT(checked.err, HasSubstr("info: a checked run is made on the CPU instead of cuda:0, unless --devices begins with that "
                                           "GPU; the bits are the same\n"));
        EXPECT_EQ(manifest("checked")["state_hash"], manifest("usual")["state_hash"]);
        EXPECT_EQ(manifest("checked")["devices"].size(), 1u);
    }
}

TEST_F(CheckedRun, IsMadeOnTheGpuThatTheCommandLineNames) {
    write_garden();
    const auto checked = tessera({"run", "garden.toml", "--quiet", "--out", "checked", "--check", "--devices", "cuda:0,cpu"});
    EXPECT_THAT(checked.err, HasSubstr("info: a checked run is made on cuda:0 alone; the bits are the same\n"));
    if (!cuda_status().available) {
        EXPECT_EQ(checked.status, 6);
        EXPECT_THAT(checked.err, HasSubstr("error: there is no device \"cuda:0\" ("));
        return;
    }
    ASSERT_EQ(checked.status, 0) << checked.err;
    const auto usual = tessera({"run", "garden.toml", "--quiet", "--out", "usual"});
    EXPECT_EQ(manifest("checked")["state_hash"], manifest("usual")["state_hash"]);
    EXPECT_EQ(manifest("checked")["devices"].size(), 1u);
}

// Agents in space, in lists and in slots, and children.
TEST_F(CheckedRun, OfShippedModelsIsWhatOtherRunsAre) {
    for (const std::string model : {"boids", "sugarscape_mass", "wolf_sheep"}) {
        const auto hash = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments{"run",       test_shipped("examples/" + model + "/" + model + ".toml").string(),
                                               "--quiet",   "--overwrite",
                                               "--steps",   "6",
                                               "--set",     "output=[]",
                                               "--out",     "out",
                                               "--devices", "cpu"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const auto outcome = tessera(arguments, {{"TESSERA_PLUGIN_PATH", test_shipped("plugins").string()}});
            EXPECT_EQ(outcome.status, 0) << outcome.err;
            return manifest("out")["state_hash"];
        };
        EXPECT_EQ(hash({"--check"}), hash({"--threads", "2"})) << model;
    }
}

TEST_F(CheckedRun, DoesNotGoWithWhatMakesNoSense) {
    write_garden();
    for (const std::string other : {"--debug", "--watch"}) {
        const auto outcome = tessera({"run", "garden.toml", "--check", other});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr("error: `--check` cannot be combined with `" + other + "` ("));
    }
    const auto replayed = tessera({"run", "--replay", "manifest.json", "--check"});
    EXPECT_EQ(replayed.status, 2);
    EXPECT_THAT(replayed.err, HasSubstr("error: `--check` cannot be combined with `--replay` ("));

    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    for (const std::string folder : {"bare", "whole"}) std::filesystem::create_directory(here() / folder);
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu", "--for", "rumour/rumour.toml", "--without-source", "--out", "bare/rumour.so"}).status,
              0);
    const auto bare = tessera({"run", "rumour/rumour.toml", "--set", "model=./bare/rumour.so", "--check", "--devices", "cpu"});
    EXPECT_EQ(bare.status, 4) << bare.err;
    EXPECT_THAT(bare.err,
                HasSubstr("bare/rumour.so cannot be checked (it is a library without source) name its source, or leave --check out\n"));
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu", "--out", "whole/rumour.so"}).status, 0);
    const auto whole = tessera({"run", "rumour/rumour.toml", "--set", "model=./whole/rumour.so", "--check", "--devices", "cpu"});
    EXPECT_EQ(whole.status, 0) << whole.err;
}

// The code of a model's kernels, as it is loaded.
std::string code_of(const std::filesystem::path& model, bool checked, jit::Compiler& compiler) {
    RunRequest request;
    request.what = model.string();
    request.check = checked;
    const auto prepared = prepare(request, compiler);
    std::vector<ViewChoice> views;
    for (const auto& kernel : prepared.setup.kernels) views.push_back(choose_view(prepared.setup, kernel, false));
    return text_of(compile_kernels(prepared.setup, views, target_for(prepared.setup, false, ""), compiler).images.front().file);
}

TEST_F(CheckedRun, AloneLooksAtWhatIsAsserted) {
    const std::string head = R"cpp(#include <tessera/model.hpp>
struct Cell { std::uint8_t alive = 1; float heat = 2; };
TESSERA_PLACE(Cell, alive, heat);
TESSERA_CALL(Cell, tick, writes<&Cell::alive, &Cell::heat>) {
    self.alive = self.random.bernoulli(0.5f);
)cpp";
    const std::string assertion =
        "    TESSERA_ASSERT((self.alive = 0) == 1 && self.random.uniform() > self.heat, \"what does not hold\");\n";
    const std::string end = R"cpp(    self.heat += self.random.uniform();
}
TESSERA_MODEL(costs, "what an assertion costs");
TESSERA_DEFAULTS(R"toml(run = { steps = 3, devices = ["cpu"] }
places.cell.size = [64, 64])toml");
)cpp";
    const auto model = here() / "costs.cu";
    jit::Cache cache(here() / "cache");
    jit::Compiler compiler(cache);
    write_text(model, head + assertion + end);
    const auto with = code_of(model, false, compiler), checked = code_of(model, true, compiler);
    write_text(model, head + "\n" + end);
    EXPECT_EQ(with, code_of(model, false, compiler));
    EXPECT_NE(checked, code_of(model, true, compiler));

    for (const std::string condition : {"self.nothing > 0", "self"}) { // no such member; no condition
        write_text(model, head + "    TESSERA_ASSERT(" + condition + ", \"it is compiled all the same\");\n" + end);
        EXPECT_EQ(tessera({"run", "./costs.cu"}).status, 5) << condition;
    }
}

} // namespace
} // namespace tessera::checked_runs_test
