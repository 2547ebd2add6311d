// Runs that use more than places and plain steps, resumed: hooks, agents in space, rounds of a repeat, steps made several at a time, memory
// of each device's own, tables in pipes.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::resume_features_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

class ResumedFeatures : public testing::ResumedRuns {
protected:
    void write_run(const std::string& model, const std::string& run, const std::string& rest) const {
        write_text(here() / "run.toml", "model = \"" + model + "\"\n[run]\nthreads = 1\n" + run + "\n" + rest);
    }
    // The run ends early at a step for which there is no checkpoint, and goes on twice, on others of the devices each time.
    void expect_same_after_ends(std::uint64_t first, std::uint64_t second, std::uint64_t all,
                                const std::vector<std::string>& devices) const {
        const auto whole = run("run.toml", "whole", {"--steps", std::to_string(all)});
        ASSERT_EQ(whole.status, 0) << whole.err;
        const auto begun = run("run.toml", "out", {"--steps", std::to_string(first)});
        ASSERT_EQ(begun.status, 0) << begun.err;
        const auto more = resume("out", {"--steps", std::to_string(second), "--devices", devices[0]});
        ASSERT_EQ(more.status, 0) << more.err;
        EXPECT_THAT(more.err, HasSubstr("the run goes on after step "));
        const auto rest = resume("out", {"--steps", std::to_string(all), "--devices", devices[1]});
        ASSERT_EQ(rest.status, 0) << rest.err;
        expect_same("out", "whole");
    }
};

TEST_F(ResumedFeatures, AgentsInSpace) {
    write_run("boids", "devices = \"cpu\"\nsteps = 1\ncheckpoint = { every = 5 }",
              "[places.air]\nsize = [10, 10]\nextent = [50, 50]\n[agents.bird]\ncount = 150\n[schedule]\ntune = \"off\"\n"
              "[[output]]\nevery = 4\nagents = \"birds-{step}.csv\"\nattribute = \"bird\"\n"
              "[[output]]\nevery = 3\ncsv = \"flight.csv\"\ncolumns.vx = \"mean(bird.vx)\"\n");
    expect_same_after_ends(8, 14, 20, {"cpu,cpu", "cpu"});
}

// They outgrow the room that they have at first, and what has become of them is counted on.
TEST_F(ResumedFeatures, LinksThatEndAndBegin) {
    write_run("opinion", "devices = \"cpu\"\nsteps = 1\ncheckpoint = { every = 5 }",
              "[places.person]\ncount = 300\n[links.friend]\ngenerate = { rule = \"random\", links = 3 }\n[params]\nenough = 20\n"
              "[[output]]\nevery = 3\ncsv = \"friends.csv\"\n"
              "columns = { there = \"count(friend)\", begun = \"births(friend)\", ended = \"deaths(friend)\" }\n");
    expect_same_after_ends(8, 23, 30, {"cpu", "cpu"});
}

// Kept while some of it is under way: after a number of steps that is no multiple of how many steps it may take.
TEST_F(ResumedFeatures, WhatIsSentAlongLinksAndNotThereYet) {
    write_run(test_data("models/couriers/couriers.cu").string(), "devices = \"cpu\"\nsteps = 1\ncheckpoint = { every = 5 }", "");
    expect_same_after_ends(7, 12, 19, {"cpu", "cpu"});
}

TEST_F(ResumedFeatures, RoundsOfARepeat) {
    write_run("schelling", "devices = \"cpu\"\nsteps = 1\ncheckpoint = { every = 3 }",
              "[places.home]\nsize = [24, 20]\n[agents.person]\ncount = 380\n[schedule]\ntune = \"off\"\n"
              "[[output]]\nevery = 2\ncsv = \"alike.csv\"\ncolumns = { alike = \"mean(person.alike)\", moves = \"moves(person)\" }\n");
    expect_same_after_ends(5, 8, 11, {"cpu,cpu", "cpu"});
}

TEST_F(ResumedFeatures, StepsMadeSeveralAtATime) {
    write_run("life", "devices = \"cpu\"\nsteps = 1\ncheckpoint = { every = 10 }",
              "[places.cell]\nsize = [64, 48]\ninit.alive = { random = 0.3 }\n[schedule]\ntune = \"blocks:4x4096x16\"\n"
              "[[output]]\nevery = 6\ncsv = \"alive.csv\"\ncolumns = { alive = \"sum(cell.alive)\" }\n");
    expect_same_after_ends(15, 34, 45, {"cpu", "cpu"});
    EXPECT_GT(manifest("out")["timing"]["fused_steps"].get<int>(), 0);
}

TEST_F(ResumedFeatures, MemoryOfEachDevicesOwn) {
    write_run("heat2d", "devices = [\"cpu\", \"cpu\"]\nmemory = \"own\"\nsteps = 1\ncheckpoint = { every = 7 }",
              "[places.plate]\nsize = [40, 36]\nboundary = \"reflect\"\ninit.heat = 0\n[schedule]\ntune = \"off\"\n"
              "[[phase]]\nexchangeAll = \"plate\"\n[[phase]]\ncallAll = \"plate.diffuse\"\n"
              "[[output]]\nevery = 5\ncsv = \"heat.csv\"\ncolumns = { mean = \"mean(plate.heat)\" }\n"
              "[[output]]\nevery = 10\nnpy = \"heat-{step}.npy\"\nattribute = \"plate.heat\"\n");
    expect_same_after_ends(12, 20, 30, {"cpu,cpu,cpu", "cpu,cpu"});
}

// They change the state, at states that are kept and at others; and one has ended the run at one that is kept.
TEST_F(ResumedFeatures, Hooks) {
    write_text(
        here() / "tally/tally.cu",
        "#include <tessera/model.hpp>\nstruct Cell { int v = 1; };\nTESSERA_PLACE(Cell, v);\n"
        "TESSERA_CALL(Cell, grow, writes<&Cell::v>) { self.v = (3 * self.v + int(self.step)) % 1009; }\n"
        "TESSERA_MODEL(tally, \"numbers\");\n"
        "TESSERA_DEFAULTS(R\"toml(run = { steps = 30, devices = \"cpu\", threads = 1, checkpoint = { every = 4 } }\n"
        "places.cell = { size = [6, 5] }\noutput = [{ every = 3, csv = \"v.csv\", columns = { v = \"sum(cell.v)\" } }]\n)toml\");\n");
    write_text(here() / "hooks.cpp",
               "#include <tessera/hooks.hpp>\nTESSERA_HOOK(first, at_start) { world.log(\"it begins\"); }\n"
               "TESSERA_HOOK(add, every<2>) {\n    auto v = world.read<int>(\"cell\", \"v\");\n    v[3] += 5;\n"
               "    world.write(\"cell\", \"v\", v);\n    if (world.step() == 24) world.stop(\"it is enough\");\n}\n");
    const auto built = tessera_of_ours({"build", "tally/tally.cu", "--hooks", "hooks.cpp", "--out", "tally.so"});
    ASSERT_EQ(built.status, 0) << built.err;
    ASSERT_EQ(run("./tally.so", "whole").status, 0);
    ASSERT_EQ(run("./tally.so", "out", {"--steps", "9"}).status, 0);
    fs::remove(here() / "tally.so"); // it is kept
    const auto more = resume("out", {"--steps", "30"});
    ASSERT_EQ(more.status, 0) << more.err;
    EXPECT_THAT(more.err, HasSubstr("the run goes on after step 8"));
    EXPECT_THAT(more.err, ::testing::Not(HasSubstr("it begins")));
    expect_same("out", "whole");
    EXPECT_EQ(manifest("out")["status"], "stopped");
    EXPECT_EQ(manifest("out")["hooks"], manifest("whole")["hooks"]);
    EXPECT_EQ(manifest("out")["stopped_by"], manifest("whole")["stopped_by"]);
    auto text = text_of(here() / "out/manifest.json"); // as if it had been killed after the checkpoint of its last state
    const std::string stopped = "\"stopped\"";
    text.replace(text.find(stopped), stopped.size(), "\"running\"");
    write_text(here() / "out/manifest.json", text);
    ASSERT_EQ(checkpoints_of("out").back(), "000000000024");
    ASSERT_EQ(resume("out").status, 0);
    expect_same("out", "whole");
}

// A reader of a pipe gets the rows from the state on at which the run goes on, and no second heading.
TEST_F(ResumedFeatures, TablesInPipes) {
    write_life("checkpoint = { every = 7 }");
    const std::string without = "output=[]";
    ASSERT_EQ(run("life.toml", "whole").status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--set", without}).status, 0);
    fs::remove_all(here() / "out/checkpoints");
    fs::remove_all(here() / "out/source");
    ASSERT_EQ(::mkfifo((here() / "out/alive.csv").c_str(), 0600), 0);
    const int reader = ::open((here() / "out/alive.csv").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    const auto rows = [&] {
        std::string text(1 << 16, '\0');
        const auto got = ::read(reader, text.data(), text.size());
        return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
    };
    ASSERT_EQ(run("life.toml", "out", {"--overwrite", "--steps", "26"}).status, 0);
    const auto table = text_of(here() / "whole/alive.csv");
    const auto first = rows();
    EXPECT_EQ(first.substr(0, first.find("\n26,")), table.substr(0, table.find("\n27,"))); // and the last state, which was not due
    const auto more = resume("out", {"--steps", "40"});
    ASSERT_EQ(more.status, 0) << more.err;
    EXPECT_EQ("\n" + rows(), table.substr(table.find("\n24,")));
    ::close(reader);
}

} // namespace
} // namespace tessera::resume_features_test
