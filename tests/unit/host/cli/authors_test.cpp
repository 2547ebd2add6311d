// What the author of a model meets who never sees this repository: new models, libraries, and a project of their own.
// sanitizers: none
#include "tests/support/library_note.hpp"
#include "tests/support/program_under_test.hpp"

#include <tessera/detail/records.hpp>
#include <tessera/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace tessera::authors_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandLine;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::text_of;
using testing::write_text;

class Authors : public CommandLine {
protected:
    [[nodiscard]] Outcome call(const std::string& program, const std::vector<std::string>& arguments) const {
        auto command = this->command(arguments, {{"TESSERA", test_program().string()}});
        command.program = program;
        return testing::run(command);
    }
    static std::string state_of(const Outcome& outcome) {
        const auto at = outcome.out.find("state ");
        EXPECT_NE(at, std::string::npos) << outcome.out << outcome.err;
        return outcome.out.substr(at, 22);
    }
};

TEST_F(Authors, MakeModelsThatRunAtOnce) {
    for (const std::string kind : {"--places", "--agents"}) {
        const auto name = kind == "--agents" ? "flock" : "rumour";
        std::vector<std::string> arguments{"new", name};
        if (kind == "--agents") arguments.push_back(kind);
        const auto made = tessera(arguments);
        ASSERT_EQ(made.status, 0) << made.err;
        EXPECT_THAT(made.out, HasSubstr(std::string(name) + "/" + name + ".cu"));
        const auto tested = call((here() / name / "test.sh").string(), {});
        EXPECT_EQ(tested.status, 0) << tested.out << tested.err;
        EXPECT_EQ(tested.out, std::string(name) + ": fine\n");
        EXPECT_THAT(text_of(here() / name / ".clangd"), ::testing::Not(HasSubstr("SDK_FOLDER")));
    }
}

TEST_F(Authors, TestsOfNewModelsFailWhereTheModelIsWrong) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    auto source = text_of(here() / "rumour/rumour.cu");
    const std::string rule = "self.state = immune;";
    source.replace(source.find(rule), rule.size(), "self.state = 3;");
    write_text(here() / "rumour/rumour.cu", source);
    const auto tested = call((here() / "rumour/test.sh").string(), {});
    EXPECT_NE(tested.status, 0);
    EXPECT_THAT(tested.out, HasSubstr("not everybody is there"));
}

TEST_F(Authors, HaveAPageMadeThatMarksWhatTheyAloneKnow) {
    ASSERT_EQ(tessera({"new", "flock", "--agents"}).status, 0);
    const auto page = tessera({"docs", "flock/flock.toml"});
    ASSERT_EQ(page.status, 0) << page.err;
    for (const char* part :
         {"# flock\n", "## 1 Purpose and patterns\n\nsheep that graze.\n", "**Places `meadow`** (struct Meadow):",
          "| `grown` | uint8 | 1 | whether there is grass |", "| `energy` | float | 4 | **Gap:** TESSERA_DOC(Sheep::energy, ...) |",
          "`meadow` is a grid of 100 x 100 places, torus, torus. A run makes 500 steps.",
          "1. `callAll sheep.wander`\n1. `manageAll sheep`\n1. `callAll sheep.graze`\n", "`sheep.graze` counts agents `sheep`",
          "**Stochasticity.** Processes draw random numbers", "At the start there are 300 agents `sheep`, at most 4 on a place.",
          "The run file gives first values to `sheep.energy`", "The model uses no input data.",
          "| `gain` | float | 4 | 0 to 100 | energy that a sheep gains from grass |", "**`meadow.grow`**: `writes<"})
        EXPECT_THAT(page.out, HasSubstr(part));
    for (int element = 1; element <= 7; ++element) EXPECT_THAT(page.out, HasSubstr("\n## " + std::to_string(element) + " "));
    const auto of_model = tessera({"docs", "flock/flock.cu"}); // which says of no run
    EXPECT_EQ(of_model.status, 0) << of_model.err;
    EXPECT_THAT(of_model.out, HasSubstr("**Gap:** the phases of a step"));

    EXPECT_THAT(page.out, HasSubstr("**Gap:** the purpose of the model"));
    write_text(here() / "flock/flock.cu", text_of(here() / "flock/flock.cu") +
                                              "TESSERA_DOC(flock, \"How many sheep a meadow feeds.\");\n"
                                              "TESSERA_DOC(Meadow::grow, \"Grass comes back after some days.\");\n"
                                              "TESSERA_VALUES(Meadow::grown, bare, grown);\n");
    const auto told = tessera({"docs", "flock/flock.toml"});
    EXPECT_THAT(told.out, HasSubstr("sheep that graze.\n\nHow many sheep a meadow feeds.\n\n## 2"));
    EXPECT_THAT(told.out, ::testing::ContainsRegex("\\*\\*`meadow.grow`\\*\\*: `[^`]*`\n\nGrass comes back after some days.\n"));
    EXPECT_THAT(told.out, HasSubstr("| `grown` | uint8 | 1 | whether there is grass; 0 bare, 1 grown |"));
    const auto info = tessera({"info", "flock/flock.cu"}).out;
    EXPECT_THAT(info, HasSubstr("How many sheep a meadow feeds."));
    EXPECT_THAT(info, HasSubstr("whether there is grass   0 bare, 1 grown"));
}

TEST_F(Authors, LookIntoAModelWithADebugger) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    const auto usual = tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet"});
    const auto debugged = tessera({"run", "rumour/rumour.toml", "--debug", "--quiet", "--devices", "cpu,cpu"});
    ASSERT_EQ(debugged.status, 0) << debugged.err;
    EXPECT_EQ(state_of(debugged), state_of(usual));
    EXPECT_THAT(debugged.err, HasSubstr("-ex 'break rumour.cu:LINE' -ex run --args "));
    if (std::system("gdb --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb here";

    const auto source = text_of(here() / "rumour/rumour.cu");
    const auto line = std::count(source.begin(), source.begin() + static_cast<long>(source.find("self.state = immune;")), '\n') + 1;
    const auto stopped = call("/usr/bin/env", {"-u", // what optimises
                                               "CXX",     "gdb",
                                               "-batch",  "-nx",
                                               "-ex",     "set breakpoint pending on",
                                               "-ex",     "set debuginfod enabled off",
                                               "-ex",     "break rumour.cu:" + std::to_string(line),
                                               "-ex",     "run",
                                               "-ex",     "print (int) self.days",
                                               "-ex",     "print duration",
                                               "-ex",     "frame",
                                               "--args",  test_program().string(),
                                               "run",     "rumour/rumour.toml",
                                               "--debug", "--quiet"});
    EXPECT_THAT(stopped.out, HasSubstr((here() / "rumour/rumour.cu").string() + ":" + std::to_string(line))) << stopped.err;
    EXPECT_THAT(stopped.out, HasSubstr("$1 = 1\n")) << stopped.err; // day of who is ill
    EXPECT_THAT(stopped.out, HasSubstr("$2 = 6\n")) << stopped.err;
}

TEST_F(Authors, AreToldWhatTheirModelKeepsAndWhatNot) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    const auto fine = tessera({"validate", "rumour/rumour.toml", "--steps", "5", "--random", "4"});
    EXPECT_EQ(fine.status, 0) << fine.out << fine.err;
    for (const char* line :
         {"ok        nobody else can change it\n", "ok        all of it is documented\n", "ok        all of it compiles for the CPU\n",
          "ok        it runs on the CPU: state ", "ok        a checked run is clean\n",
          "ok        the same state on three parts of the grid\n", "ok        its library comes to the same state\n",
          "ok        1000 random run files are accepted, or refused with a message: 1000 are accepted, 0 refused, ",
          "ok        4 random runs end well, with the same state on three partitions and all their agents: 4 on one device, ", "\nfine"})
        EXPECT_THAT(fine.out, HasSubstr(line));

    auto source = text_of(here() / "rumour/rumour.cu");
    const auto without = [&](const std::string& text, const std::string& instead) {
        const auto at = source.find(text);
        ASSERT_NE(at, std::string::npos);
        source.replace(at, text.size(), instead);
    };
    without("TESSERA_DOC(Person::days, \"since it fell ill\");\n", "");
    without("++self.days;", "self.days = static_cast<std::uint8_t>(self.days / (self.days - self.days));"); // ends the process
    write_text(here() / "rumour/rumour.cu", source);
    ::chmod((here() / "rumour/rumour.cu").c_str(), 0666);
    const auto wrong = tessera({"validate", "rumour/rumour.toml", "--steps", "5", "--random", "0"});
    EXPECT_EQ(wrong.status, 10) << wrong.out;
    EXPECT_THAT(wrong.out, HasSubstr("FAILED    nobody else can change it: everybody may write into "));
    EXPECT_THAT(wrong.out, HasSubstr("gap       all of it is documented: Person::days (they have no text)"));
    EXPECT_THAT(wrong.out, HasSubstr("FAILED    it runs on the CPU: "));
}

TEST_F(Authors, AreToldWhichOfTheRunsThatTheyAllowGoesWrong) {
    write_text(here() / "canal/canal.cu", R"model(#include <tessera/model.hpp>
struct Water { int level = 0; };
TESSERA_PLACE(Water, level);
TESSERA_PARAM(int, gates, 4, range(0, 9), "between which the water is shared");
TESSERA_CALL(Water, flow, writes<&Water::level>) { self.level += 100 / gates; }
TESSERA_MODEL(canal, "water behind gates");
TESSERA_DEFAULTS(R"toml(run.steps = 3
places.water.size = [8, 8])toml");
)model");
    const auto validated =
        tessera({"validate", "canal/canal.cu", "--steps", "2", "--seed", "7"}, {{"TESSERA_NVRTC", "/nowhere/libnvrtc.so"}});
    EXPECT_EQ(validated.status, 10) << validated.out << validated.err;
    EXPECT_THAT(validated.out, HasSubstr("ok        a checked run is clean\n"));
    EXPECT_THAT(validated.out,
                HasSubstr("ok        1000 random run files are accepted, or refused with a message: 1000 are accepted, 0 refused, "));
    EXPECT_THAT(validated.out,
                HasSubstr("FAILED    20 random runs end well, with the same state on three partitions and all their agents: on one "
                          "device: "));
    EXPECT_THAT(validated.out, HasSubstr(" of seed 7:\nmodel = \"" + (here() / "canal/canal.cu").string() + "\"\n"));
    EXPECT_THAT(validated.out, HasSubstr("\ngates = 0\n"));

    // The same file again, by which a model that is mended can be tried.
    const auto text = validated.out.substr(validated.out.find(" of seed 7:\n") + 12);
    write_text(here() / "found.toml", text.substr(0, text.find("\ncanal fails")));
    EXPECT_EQ(tessera({"run", "found.toml", "--quiet", "--devices", "cpu", "--set", "run.weights=[1]"}).status, 9);
}

// The files that are bound: the same for a seed, others for another, and within what the model declares.
TEST_F(Authors, AllowRunsThatAreDrawnBySeed) {
    ASSERT_EQ(tessera({"new", "flock", "--agents"}).status, 0);
    const auto drawn = [&](const std::string& seed) {
        fs::create_directories(here() / "drawn");
        const auto bound = tessera({"validate", "flock/flock.toml", "--bind-into", "drawn", "--seed", seed});
        EXPECT_EQ(bound.status, 0) << bound.err;
        int made = 0, refused = 0;
        EXPECT_EQ(std::sscanf(bound.out.c_str(), "%d are accepted, %d refused", &made, &refused), 2) << bound.out;
        EXPECT_EQ(made + refused, 1000);
        EXPECT_GT(made, 500) << "most are refused";
        return text_of(here() / "drawn/drawn.toml");
    };
    const auto first = drawn("3");
    EXPECT_EQ(drawn("3"), first);
    EXPECT_NE(drawn("4"), first);
}

TEST_F(Authors, AreToldWhatACheckedRunFinds) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    auto source = text_of(here() / "rumour/rumour.cu");
    const std::string rule = "++self.days;";
    source.replace(source.find(rule), rule.size(), "if (static_cast<int>(self.step) * 1000 + 2147483000 > duration) ++self.days;");
    write_text(here() / "rumour/rumour.cu", source);
    const auto line = std::count(source.begin(), source.begin() + static_cast<long>(source.find("2147483000")), '\n') + 1;
    const auto found =
        tessera({"validate", "rumour/rumour.toml", "--steps", "2", "--random", "0"}, {{"TESSERA_NVRTC", "/nowhere/libnvrtc.so"}});
    EXPECT_EQ(found.status, 10) << found.out;
    EXPECT_THAT(found.out, HasSubstr("ok        it runs on the CPU: state "));
    EXPECT_THAT(found.out, HasSubstr("FAILED    a checked run is clean: rumour/rumour.cu:" + std::to_string(line) + ":"));
    EXPECT_THAT(found.out, HasSubstr("person.live computes 1000 + 2147483000 on place ("));
}

TEST_F(Authors, AreToldWhatCannotBeMade) {
    write_text(here() / "pond/notes", "mine");
    const auto there = tessera({"new", "pond"});
    EXPECT_EQ(there.status, 8);
    EXPECT_EQ(there.err, "error: ./pond cannot be made (it is there already) take another name, or go to another folder\n");
    EXPECT_EQ(text_of(here() / "pond/notes"), "mine");
    const auto named = tessera({"new", "red-deer"});
    EXPECT_EQ(named.status, 2);
    EXPECT_EQ(
        named.err,
        "error: `red-deer` cannot be the name of a model (it is a name of C++: letters, digits and _) name it like rumour, or red_deer\n");
    for (const std::string word : {"new", "delete", "throw", "try", "catch", "goto", "typeid", "asm", "clang", "__rumour"}) {
        const auto refused = tessera({"new", word});
        EXPECT_EQ(refused.status, 2) << word;
        EXPECT_EQ(refused.err, "error: `" + word +
                                   "` cannot be the name of a model (a model may not use this word of C++) name it like rumour, or "
                                   "red_deer\n");
        EXPECT_FALSE(fs::exists(here() / word));
    }
}

TEST_F(Authors, GiveALibraryAwayThatRunsAsItsSourceDoes) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    const auto built = tessera({"build", "rumour/rumour.cu", "--depfile", "rumour.d"});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_THAT(built.out, ::testing::MatchesRegex("rumour.so: rumour, [0-9]+ bytes, with its source\n"));
    EXPECT_EQ(text_of(here() / "rumour.d"), (here() / "rumour.so").string() + ": " + (here() / "rumour/rumour.cu").string() + "\n");

    const auto of_source = tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet"});
    fs::remove(here() / "rumour/rumour.cu");
    fs::rename(here() / "rumour.so", here() / "rumour/rumour.so");
    const auto of_library = tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet", "--set", "model=\"rumour/rumour.so\""});
    EXPECT_EQ(of_library.status, 0) << of_library.err;
    EXPECT_EQ(state_of(of_library), state_of(of_source));

    fs::create_directory(here() / "plugins"); // dropped into a plugin folder
    fs::rename(here() / "rumour/rumour.so", here() / "plugins/rumour.so");
    const auto listed = tessera({"list", "--plugins", "plugins"});
    EXPECT_THAT(listed.out, HasSubstr("rumour           an epidemic on a grid  (plugins/rumour.so)"));
    EXPECT_THAT(listed.err, ::testing::Not(HasSubstr("of rumour"))) << "nothing of it is compiled";
    const auto named =
        tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet", "--set", "model=\"rumour\"", "--plugins", "plugins"});
    EXPECT_EQ(state_of(named), state_of(of_source)) << named.err;
}

// A run refuses a library that is not called as its model: it is not built.
TEST_F(Authors, GiveALibraryTheNameOfItsModel) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    for (const std::string out : {"fast.so", "lib/fast.so", "rumour.bin"}) {
        const auto built = tessera({"build", "rumour/rumour.cu", "--out", out});
        EXPECT_EQ(built.status, 2) << out;
        EXPECT_FALSE(fs::exists(here() / out));
        EXPECT_THAT(built.err,
                    HasSubstr("error: " + out +
                              " cannot be a library of the model rumour (a run finds it only under the name rumour.so) write --out " +
                              (out.starts_with("lib/") ? "lib/" : "") + "rumour.so, in any folder\n"));
    }
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu", "--object", "--out", "fast.o"}).status, 0); // to be linked
}

// What only run files say, how wide space is and which reduce makes a value, is not needed to look at a model or to build it; and nothing
// of it is passed over because its defaults do not have it.
TEST_F(Authors, BuildModelsWhoseRunFilesSayWhatTheyNeed) {
    const auto model = [&](const std::string& name, const std::string& text) {
        fs::create_directories(here() / name);
        write_text(here() / name / (name + ".cu"),
                   "#include <tessera/model.hpp>\nstruct Air { float heat = 0; };\nTESSERA_PLACE(Air, heat);\n" + text + "TESSERA_MODEL(" +
                       name + ", \"\");\n");
    };
    model("meet", "struct Bird { int seen = 0; };\nTESSERA_AGENT(Bird, in<Air>, seen);\nTESSERA_GLOBAL(double, warmth);\n"
                  "TESSERA_INIT(Air, settle, spawns<Bird>) {\n    if (self.position.x == 0) self.spawn(Bird{});\n}\n"
                  "TESSERA_CALL(Bird, look, meets<within<3>, agents<Bird>>, writes<&Bird::seen>, reads<warmth>) {\n"
                  "    self.meet(within<3>, agents<Bird>, [&](const auto&) { self.seen += self.get(warmth) > 1; });\n}\n");
    write_text(here() / "meet.toml", "model = \"meet/meet.cu\"\nrun.steps = 3\nplaces.air = { size = [8, 6], extent = [24, 18] }\n"
                                     "agents.bird = { count = 50 }\nphase = [{ reduce = { warmth = \"sum(air.heat) + 2\" } }, "
                                     "{ callAll = \"bird.look\" }]\n");
    const auto checked = tessera({"check", "meet/meet.cu"});
    EXPECT_EQ(checked.status, 0);
    EXPECT_THAT(checked.out, HasSubstr("  bird: 0 agents, and those that `air.settle` makes, on air, any number on a place\n"));
    EXPECT_THAT(tessera({"check", "meet.toml"}).out, HasSubstr("  bird: 50 agents, and those that `air.settle` makes, on air, "));
    const auto of_source = tessera({"run", "meet.toml", "--devices", "cpu", "--quiet"});
    ASSERT_EQ(of_source.status, 0) << of_source.err;
    for (const bool has_source : {true, false}) {
        auto build = std::vector<std::string>{"build", "meet/meet.cu", "--out", "lib/meet.so"};
        if (!has_source) build.insert(build.end(), {"--without-source", "--for", "meet.toml"});
        const auto built = tessera(build);
        EXPECT_EQ(built.status, 0) << built.err;
        const auto of_library = tessera({"run", "meet.toml", "--devices", "cpu", "--quiet", "--set", "model=\"lib/meet.so\""});
        EXPECT_EQ(state_of(of_library), state_of(of_source)) << of_library.err;
    }

    const auto page = tessera({"docs", "meet.toml", "--set", "run.stop=\"sum(bird.seen) > 90\""}).out;
    EXPECT_THAT(page, HasSubstr("A run makes 3 steps, or fewer: it ends when `sum(bird.seen) > 90` is true."));
    EXPECT_THAT(
        page, HasSubstr("**Values of a step**, shared by all entities:\n\n| value | type | meaning |\n| --- | --- | --- |\n| `warmth` | "));
    EXPECT_THAT(page, HasSubstr("1. `reduce warmth`: `warmth` is `sum(air.heat) + 2`\n"));
    EXPECT_THAT(page, HasSubstr("At the start there are 50 agents `bird`, and those that `air.settle` makes. "));

    model("part",
          "struct Sea { float salt = 0; };\nTESSERA_PLACE(Sea, salt);\nTESSERA_CALL(Sea, rise, writes<&Sea::salt>) { self.sald += 1; }\n"
          "TESSERA_CALL(Air, warm, writes<&Air::heat>) { self.heat += 1; }\n"
          "TESSERA_DEFAULTS(R\"toml(run.steps = 1\nplaces.air.size = [4, 4]\n)toml\");\n");
    EXPECT_THAT(tessera({"check", "part/part.cu"}).err, HasSubstr("Sea has no member sald"));
    write_text(here() / "part.toml", "model = \"part/part.cu\"\nphase = [{ callAll = \"air.warm\" }]\n");
    EXPECT_THAT(tessera({"check", "part.toml"}).out, HasSubstr("note: the run has no Sea, and its functions are not compiled"));
}

// What is built without a word more: a model of places for any run, one of agents for the run of its defaults.
TEST_F(Authors, GiveAwayWhatRunsWithoutACompilerByDefault) {
    const testing::Environment bare{
        {"PATH", "/nonexistent"}, {"CXX", std::nullopt}, {"TESSERA_NVRTC", "/nonexistent"}, {"TESSERA_CACHE", (here() / "empty").string()}};
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    write_text(here() / "herd/herd.cu", R"cu(#include <tessera/model.hpp>
struct Site { int grass = 9; };
TESSERA_PLACE(Site, grass);
struct Hare { int age = 0; };
TESSERA_AGENT(Hare, on<Site>, age);
TESSERA_CALL(Hare, run, moves<moore>, writes<&Hare::age>, dies) {
    self.age += 1;
    if (self.random.bernoulli(0.02f)) self.kill();
    self.migrate(1, self.age % 2);
}
TESSERA_MODEL(herd, "hares");
TESSERA_DEFAULTS(R"toml(run.steps = 12
places.site = { size = [30, 20] }
agents.hare = { count = 90, capacity = 2 }
phase = [{ callAll = "hare.run" }, { manageAll = "hare" }]
)toml");
)cu");
    for (const std::string name : {"rumour", "herd"}) {
        const auto built = tessera({"build", name + "/" + name + ".cu"});
        ASSERT_EQ(built.status, 0) << built.err;
        EXPECT_THAT(built.out, HasSubstr("with its source"));
        const auto what = name == "rumour" ? "rumour/rumour.toml" : "./herd.so", source = name == "rumour" ? what : "herd/herd.cu";
        const std::vector<std::string> more{"--devices", "cpu", "--steps", "12", "--quiet"};
        std::vector<std::string> of_library{"run", what}, of_source{"run", source};
        if (name == "rumour") of_library.insert(of_library.end(), {"--set", "model=\"rumour.so\"", "--set", "places.person.size=[33,21]"});
        if (name == "rumour") of_source.insert(of_source.end(), {"--set", "places.person.size=[33,21]"});
        of_library.insert(of_library.end(), more.begin(), more.end());
        of_source.insert(of_source.end(), more.begin(), more.end());
        const auto ran = tessera(of_library, bare);
        ASSERT_EQ(ran.status, 0) << ran.err;
        EXPECT_THAT(ran.err, HasSubstr("finished code for "));
        EXPECT_EQ(state_of(ran), state_of(tessera(of_source)));
    }
}

TEST_F(Authors, GiveFinishedCodeAwayThatNeedsNoCompiler) {
    for (const std::string kind : {"--places", "--agents"}) {
        const std::string name = kind == "--agents" ? "flock" : "rumour", run_file = name + "/" + name + ".toml";
        std::vector<std::string> arguments{"new", name};
        if (kind == "--agents") arguments.push_back(kind);
        ASSERT_EQ(tessera(arguments).status, 0);
        const auto build = [&](const std::string& out) {
            return tessera({"build", name + "/" + name + ".cu", "--for", run_file, "--without-source", "--out", out, "--cpu", "v2,v3"});
        };
        ASSERT_EQ(build(name + ".so").status, 0);
        ASSERT_EQ(build("again/" + name + ".so").status, 0);
        EXPECT_EQ(text_of(here() / (name + ".so")), text_of(here() / "again" / (name + ".so")));
        EXPECT_EQ(text_of(here() / (name + ".so")).find("TESSERA_CALL"), std::string::npos) << "there is source in it";
        const auto of_source = tessera({"run", run_file, "--devices", "cpu", "--quiet"});

        // In another place, with nothing that could compile and nothing that is known from before.
        const testing::Environment bare{
            {"PATH", "/nonexistent"}, {"CXX", std::nullopt}, {"TESSERA_CACHE", (here() / (name + "-cache")).string()}};
        auto text = text_of(here() / run_file);
        text.replace(text.find(name + ".cu"), name.size() + 3, name + ".so");
        write_text(here() / "away.toml", text);
        const auto of_code = tessera({"run", "away.toml", "--devices", "cpu", "--quiet", "--out", name + "-out"}, bare);
        ASSERT_EQ(of_code.status, 0) << of_code.err;
        EXPECT_EQ(state_of(of_code), state_of(of_source));
        EXPECT_THAT(of_code.err, ::testing::Not(HasSubstr("compiling")));
        EXPECT_EQ(tessera({"info", "./" + name + ".so"}, bare).status, 0);

        const std::vector<std::string> on_three{"run", "away.toml", "--set", R"(run.devices=["cpu","cpu","cpu"])", "--quiet"};
        EXPECT_EQ(tessera(on_three, bare).status == 0, kind == "--places") << "code for any run of places goes with any number of devices";
        auto three = text_of(here() / run_file);
        three.insert(three.find("[run]\n") + 6, "devices = [\"cpu\", \"cpu\", \"cpu\"]\n");
        write_text(here() / name / "three.toml", three);
        const auto for_three =
            tessera({"build", name + "/" + name + ".cu", "--for", name + "/three.toml", "--without-source", "--out", name + ".so"});
        EXPECT_EQ(for_three.status, 0) << for_three.err;
        const auto of_three = tessera(on_three, bare);
        EXPECT_EQ(state_of(of_three), state_of(of_source)) << of_three.err;

        const auto seeded = tessera({"run", "away.toml", "--devices", "cpu", "--quiet", "--set", "run.seed=2"}, bare);
        EXPECT_EQ(seeded.status, 0) << seeded.err;
        EXPECT_THAT(text_of(here() / (name + "-out/manifest.json")), HasSubstr("\"image\": \"finished code for x86-64-v"));
        if (kind == "--places") continue;
        const auto other = tessera({"run", "away.toml", "--devices", "cpu", "--quiet", "--set", "params.lambs=0.5"}, bare);
        EXPECT_EQ(other.status, 4);
        EXPECT_THAT(other.err,
                    HasSubstr(name + ".so has no compiled code of this run for the CPU (it has no source, and was not built for: "));
        EXPECT_THAT(other.err, HasSubstr("= 0.5"));
    }
    const auto built_again = tessera({"build", "./rumour.so"});
    EXPECT_EQ(built_again.status, 4);
    EXPECT_THAT(built_again.err, HasSubstr("it is a library without source"));
}

// How far functions see is a part of a model's description, of which such a library has one.
TEST_F(Authors, GiveCodeAwayOfRunsThatSeeFurtherThanByDefault) {
    write_text(here() / "far/far.cu", "#include <tessera/model.hpp>\nstruct Cell { int n = 1; };\nTESSERA_PLACE(Cell, n);\n"
                                      "TESSERA_PARAM(int, radius, 1, range(1, 4), \"how far a cell sees\");\n"
                                      "TESSERA_PARAM(int, weight, 2 * radius, range(0, 100), \"of itself\");\n"
                                      "TESSERA_CALL(Cell, look, around<moore_of<radius>, &Cell::n>, writes<&Cell::n>) {\n"
                                      "    self.n = self.sum(moore_of<radius>, &Cell::n) + weight * self.n;\n}\n"
                                      "TESSERA_MODEL(far, \"sums of what is around\");\n"
                                      "TESSERA_DEFAULTS(R\"toml(run.steps = 1\nplaces.cell = { size = [16, 16], boundary = \"torus\" }\n"
                                      "output = [{ every = 1, csv = \"far.csv\", columns = { n = \"max(cell.n)\" } }])toml\");\n");
    for (const std::string radius : {"1", "2", "3"}) {
        write_text(here() / ("far" + radius + ".toml"), "model = \"far/far.cu\"\nparams.radius = " + radius + "\n");
        write_text(here() / ("bare" + radius + ".toml"), "model = \"bare/far.so\"\nparams.radius = " + radius + "\n");
    }
    const std::vector<std::string> build{"build", "far/far.cu", "--without-source", "--out", "bare/far.so", "--for", "far2.toml"};
    const auto built = tessera(build);
    ASSERT_EQ(built.status, 0) << built.err;
    const testing::Environment bare{{"PATH", "/nonexistent"}, {"CXX", std::nullopt}, {"TESSERA_CACHE", (here() / "bare-cache").string()}};
    const auto ran = tessera({"run", "bare2.toml", "--devices", "cpu", "--out", "out"}, bare);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(text_of(here() / "out/far.csv"), "step,n\n0,1\n1,26\n"); // 24 others, and twice itself
    for (const std::string radius : {"1", "3"}) {
        const auto other = tessera({"run", "bare" + radius + ".toml", "--devices", "cpu"}, bare);
        EXPECT_EQ(other.status, 4);
        EXPECT_THAT(other.err, HasSubstr("(it has no source, and was not built for: radius = " + radius + ") ask for a library"));
    }
    auto of_two = build;
    of_two.insert(of_two.end(), {"--for", "far3.toml"});
    const auto refused = tessera(of_two);
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err,
                HasSubstr("far3.toml cannot be another run of this library (its functions see as far as radius = 3 says, those of "
                          "the run before it as far as radius = 2, and a library without source is for one of these)"));
}

// Of places, code goes with any run file: sizes, boundaries, parameters, phases and devices are not known when it is built.
TEST_F(Authors, GiveFinishedCodeAwayForAnyRun) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu", "--without-source", "--cpu", "v2"}).status, 0);
    EXPECT_EQ(text_of(here() / "rumour.so").find("TESSERA_CALL"), std::string::npos) << "there is source in it";
    const testing::Environment bare{{"PATH", "/nonexistent"},
                                    {"CXX", std::nullopt},
                                    {"TESSERA_NVRTC", "/nonexistent"},
                                    {"TESSERA_CACHE", (here() / "empty-cache").string()}};
    auto text = text_of(here() / "rumour/rumour.toml");
    text.replace(text.find("rumour.cu"), 9, "rumour.so");
    write_text(here() / "away.toml", text);
    for (const std::string boundary : {"torus", "open"}) {
        const auto run = [&](const std::string& file, const std::string& devices, const testing::Environment& environment) {
            return tessera({"run", file, "--quiet", "--devices", devices, "--overwrite", "--set", "params.infection=0.4", "--set",
                            "places.person.size=[47,31]", "--set", "places.person.boundary=\"" + boundary + "\""},
                           environment);
        };
        const auto of_source = run("rumour/rumour.toml", "cpu", {});
        ASSERT_EQ(of_source.status, 0) << of_source.err;
        for (const std::string devices : {"cpu", "cpu,cpu,cpu"}) {
            const auto of_code = run("away.toml", devices, bare);
            EXPECT_EQ(of_code.status, 0) << of_code.err;
            EXPECT_EQ(state_of(of_code), state_of(of_source));
        }
    }
    const auto fast = tessera({"run", "away.toml", "--quiet", "--set", "run.float=\"fast\""}, bare);
    EXPECT_EQ(fast.status, 4);
    EXPECT_THAT(fast.err, HasSubstr("it has no source, its code is for any run of places alone, and run.float is \"fast\""));

    ASSERT_EQ(tessera({"new", "flock", "--agents"}).status, 0);
    const auto of_agents = tessera({"build", "flock/flock.cu", "--without-source"});
    EXPECT_EQ(of_agents.status, 3);
    EXPECT_THAT(
        of_agents.err,
        HasSubstr("error: flock cannot be built without its source for any run (it has agents) name the runs of the library with --for"));
    write_text(here() / "pond/pond.cu", "#include <tessera/model.hpp>\nstruct Water { int level = 0; };\nTESSERA_PLACE(Water, level);\n"
                                        "TESSERA_PARAM(int, most, 4, range(1, 9), \"waves\");\n"
                                        "TESSERA_CALL(Water, wave, writes<&Water::level>) {\n    int waves[most] = {};\n"
                                        "    for (int& wave : waves) self.level += ++wave;\n}\nTESSERA_MODEL(pond, \"waves\");\n"
                                        "TESSERA_DEFAULTS(\"places.water.size = [4, 4]\\nrun.steps = 1\\n\");\n");
    const auto constant = tessera({"build", "pond/pond.cu", "--without-source"});
    EXPECT_EQ(constant.status, 5);
    EXPECT_THAT(constant.err, HasSubstr("error: pond cannot be built without its source for any run (such code does not know the "
                                        "parameters, and the model needs one as a constant: "));
    EXPECT_THAT(constant.err, HasSubstr("pond/pond.cu:6:"));
}

// What other versions of the program would have written, by the promise of docs/sdk.md.
using OtherVersions = std::map<std::string, std::function<void(testing::LibraryNote&)>>;

void be_newer(testing::LibraryNote& note) {
    note.header.abi_minor = 3;
    note.header.sdk[1] = TESSERA_SDK_MINOR + 4;
    note.more = std::string(24, '\x5a');
    auto unknown = note.parts.front();
    unknown.row.kind = 99;
    unknown.row.offset = 1LL << 40; // wherever that is
    auto later = note.parts.front();
    later.row.revision = 2;
    note.parts.insert(note.parts.begin(), {unknown, later});
    note.parts.push_back(unknown);
    for (auto& part : note.parts) part.more = std::string(16, '\x5b');
}
// Records of another format, with what stands in them.
void describe_by(testing::LibraryNote& note, char format) {
    const std::string magic(record_magic, sizeof(record_magic));
    for (auto at = note.records.find(magic); at != std::string::npos; at = note.records.find(magic, at + 1)) note.records[at + 7] = format;
    note.header.record_format = static_cast<std::uint32_t>(format);
}

TEST_F(Authors, GetTheSameOfLibrariesOfOlderAndNewerMinorVersions) {
    const OtherVersions versions{
        {"newer", be_newer},
        {"newer, of other results",
         [](auto& note) {
             be_newer(note);
             ++note.header.result_epoch; // which hold for finished code
         }},
        {"newer, with a record more",
         [](auto& note) {
             be_newer(note);
             std::string record(record_magic, sizeof(record_magic));
             note.add_record("tessera_record_later", record + testing::LibraryNote::as_text(std::uint64_t{77}) + std::string(24, '\0'));
         }},
        {"newer, with other records",
         [](auto& note) {
             be_newer(note);
             describe_by(note, record_magic[7] + 1);
         }},
        {"older, with other records",
         [](auto& note) {
             note.header.sdk[1] = 0;
             describe_by(note, record_magic[7] - 1);
         }},
    };
    for (const std::string kind : {"--places", "--agents"}) {
        const std::string name = kind == "--agents" ? "flock" : "rumour", run_file = name + "/" + name + ".toml";
        std::vector<std::string> arguments{"new", name};
        if (kind == "--agents") arguments.push_back(kind);
        ASSERT_EQ(tessera(arguments).status, 0);
        ASSERT_EQ(tessera({"build", name + "/" + name + ".cu"}).status, 0);
        const auto ours = text_of(here() / (name + ".so"));
        const auto of_source = state_of(tessera({"run", run_file, "--devices", "cpu", "--quiet"}));
        const auto doc = name == "flock" ? "sheep that graze" : "an epidemic on a grid";
        for (const auto& [version, change] : versions) {
            testing::LibraryNote note(ours);
            change(note);
            write_text(here() / ("others/" + name + ".so"), note.library());
            const auto run = tessera({"run", run_file, "--devices", "cpu", "--quiet", "--set", "model=\"others/" + name + ".so\""});
            ASSERT_EQ(run.status, 0) << version << ": " << run.err;
            EXPECT_EQ(state_of(run), of_source) << version;
            EXPECT_THAT(tessera({"list", "--plugins", "others"}).out, HasSubstr(name + std::string(17 - name.size(), ' ') + doc))
                << version;
            EXPECT_EQ(tessera({"info", "others/" + name + ".so"}).status, 0) << version;
        }
    }
}

TEST_F(Authors, GetFinishedCodeOfNewerMinorVersionsOrAreToldWhyNot) {
    ASSERT_EQ(tessera({"new", "rumour"}).status, 0);
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu", "--without-source", "--cpu", "v2"}).status, 0);
    const auto ours = text_of(here() / "rumour.so");
    const auto of_source = state_of(tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet"}));
    const testing::Environment bare{
        {"PATH", "/nonexistent"}, {"CXX", std::nullopt}, {"TESSERA_NVRTC", "/nonexistent"}, {"TESSERA_CACHE", (here() / "empty").string()}};
    const auto run = [&](const std::function<void(testing::LibraryNote&)>& change) {
        testing::LibraryNote note(ours);
        change(note);
        write_text(here() / "others/rumour.so", note.library());
        return tessera({"run", "rumour/rumour.toml", "--devices", "cpu", "--quiet", "--set", "model=\"others/rumour.so\""}, bare);
    };
    const auto newer = run(be_newer);
    ASSERT_EQ(newer.status, 0) << newer.err;
    EXPECT_EQ(state_of(newer), of_source);

    const std::vector<std::pair<std::function<void(testing::LibraryNote&)>, std::string>> refused{
        {[](auto& note) { ++note.header.result_epoch; }, "cannot be run (its code was built for result_epoch " +
                                                             std::to_string(TESSERA_RESULT_EPOCH + 1) + ", and this program has " +
                                                             std::to_string(TESSERA_RESULT_EPOCH) + ") build it again\n"},
        {[](auto& note) { describe_by(note, record_magic[7] + 1); },
         "cannot be used (it was built with the SDK 0.1.0, which describes models in another way) build it again\n"},
        {[](auto& note) {
             for (auto& part : note.parts) part.row.revision = 2; // no code that this program can read
         },
         "has no compiled code of this run for the CPU (it has no source, and its code is for other processors, devices or versions of "
         "Tessera) ask for a library with its source, or for one that is built for this run\n"},
        {[](auto& note) { ++note.header.abi_major; },
         "cannot be used (it is built for plugins 2, and this program knows plugins 1: build it again)\n"}};
    for (const auto& [change, words] : refused) {
        const auto said = run(change);
        EXPECT_EQ(said.status, 4) << words;
        EXPECT_EQ(said.err, "error: " + (here() / "others/rumour.so").string() + " " + words);
    }
}

TEST_F(Authors, ErrorsOfALibraryNameTheFileInIt) {
    write_text(here() / "wrong/wrong.cu", "#include <tessera/model.hpp>\nstruct Bed { int water = 0; };\nTESSERA_PLACE(Bed, water);\n"
                                          "TESSERA_CALL(Bed, rain, writes<&Bed::water>) { if (self.step > 1) self.kill(); }\n"
                                          "TESSERA_MODEL(wrong, \"\");\n");
    const auto built = tessera({"build", "wrong/wrong.cu"});
    EXPECT_EQ(built.status, 5);
    EXPECT_THAT(built.err, HasSubstr("wrong/wrong.cu:4:"));
    EXPECT_FALSE(fs::exists(here() / "wrong.so"));
}

TEST_F(Authors, BuildLibrariesInAProjectOfTheirOwn) {
    if (std::system("cmake --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no CMake here";
    ASSERT_EQ(tessera({"new", "rumour", "--library"}).status, 0);
    const auto configured =
        call("/usr/bin/env", {"cmake", "-S", "rumour", "-B", "build", "-Dtessera_sdk_DIR=" + test_source("sdk/cmake").string(),
                              "-DTESSERA_PROGRAM=" + test_program().string()});
    ASSERT_EQ(configured.status, 0) << configured.out << configured.err;
    const auto build = [&] { return call("/usr/bin/env", {"cmake", "--build", "build"}); };
    ASSERT_EQ(build().status, 0);
    const auto library = text_of(here() / "build/rumour.so");
    ASSERT_EQ(tessera({"build", "rumour/rumour.cu"}).status, 0);
    EXPECT_EQ(library, text_of(here() / "rumour.so"));
    const auto run = tessera({"run", "build/rumour.so", "--devices", "cpu", "--quiet"});
    EXPECT_THAT(run.err, HasSubstr("no `steps` in `run`")); // it has no TESSERA_DEFAULTS
    const auto tested = call("/usr/bin/env", {"ctest", "--test-dir", "build"});
    EXPECT_EQ(tested.status, 0) << tested.out << tested.err;
}

} // namespace
} // namespace tessera::authors_test
