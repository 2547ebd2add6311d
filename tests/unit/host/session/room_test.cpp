// Lists of agents that outgrow the memory that they have at first: the run goes on, and nothing tells its results from those of a run that
// has had enough from the beginning.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/stat.h>

namespace tessera::room_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::text_of;
using testing::write_text;

// Mites that become a tenth more in a step, and in one of them twice as many. After `feast` none have children, and most die.
constexpr const char* mites = R"cu(#include <tessera/model.hpp>
struct Log { int moss = 0; };
TESSERA_PLACE(Log, moss);
struct Mite { int age = 0; float weight[2] = {1, 2}; };
TESSERA_AGENT(Mite, on<Log>, age, weight);
TESSERA_PARAM(int, feast, 1000);
TESSERA_PARAM(int, burst, 1000);
TESSERA_CALL(Mite, live, writes<&Mite::age, &Mite::weight>, adds<&Log::moss>, moves<moore>, spawns<Mite>, dies) {
    self.age += 1;
    self.weight[1] = self.random.uniform();
    self.place.moss += 1;
    const int dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    self.migrate(dx, dy);
    if (self.random.bernoulli(self.step < feast ? 0.02f : 0.6f)) self.kill();
    if (self.step < feast && (self.step == burst || self.random.bernoulli(0.12f))) self.spawn(Mite{.weight = {self.weight[1], 3}});
}
TESSERA_MODEL(mites, "mites that multiply");
TESSERA_DEFAULTS(R"toml(run = { steps = 60, devices = "cpu" }
places.log = { size = [40, 30] }
agents.mite = { count = 20, capacity = "unlimited", reserve = 30 }
phase = [{ callAll = "mite.live" }, { manageAll = "mite" }]
output = [{ every = 2, csv = "mites.csv", columns = { all = "count(mite)", born = "births(mite)", dead = "deaths(mite)", moss = "sum(log.moss)" } },
          { every = 20, agents = "mites-{step}.csv", attribute = "mite" }]
)toml");
)cu";

class GrowingList : public testing::CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
        write_text(here() / "mites/mites.cu", mites);
    }
    testing::Outcome run(const std::string& out, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run", "./mites", "--out", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tessera(std::move(arguments));
    }
    void expect_same(const std::string& out, const std::string& other, const std::vector<std::string>& files) const {
        EXPECT_EQ(manifest(out)["state_hash"], manifest(other)["state_hash"]);
        EXPECT_EQ(manifest(out)["agents"], manifest(other)["agents"]);
        for (const auto& file : files) EXPECT_EQ(text_of(here() / out / file), text_of(here() / other / file)) << file;
    }
    const std::vector<std::string> tables = {"mites.csv", "mites-0.csv", "mites-20.csv", "mites-40.csv", "mites-60.csv"};
    const std::vector<std::string> ample = {"--set", "agents.mite.reserve=1000000"};
};

TEST_F(GrowingList, GoesOnWithMoreOnAnyDevices) {
    const auto enough = run("enough", ample), grown = run("grown");
    ASSERT_EQ(enough.status, 0) << enough.err;
    EXPECT_THAT(enough.err, Not(HasSubstr("room")));
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_THAT(grown.err, HasSubstr(": there is room for "));
    EXPECT_THAT(grown.err, Not(HasSubstr("made again")));
    expect_same("grown", "enough", tables);
    for (const std::string memory : {"shared", "own"}) {
        const auto divided = run("divided", {"--devices", "cpu,cpu,cpu", "--set", "run.memory=" + memory, "--overwrite"});
        ASSERT_EQ(divided.status, 0) << divided.err;
        expect_same("divided", "enough", tables);
    }
}

// They may have become too many before anybody has looked.
TEST_F(GrowingList, IsMadeAgainWhereItWasTooLate) {
    const std::vector<std::string> burst = {"--set", "params.burst=45"};
    const auto enough = run("enough", {burst[0], burst[1], ample[0], ample[1]});
    ASSERT_EQ(enough.status, 0) << enough.err;
    for (const std::string devices : {"cpu", "cpu,cpu,cpu"}) {
        const auto grown = run("grown", {burst[0], burst[1], "--devices", devices, "--overwrite", "--set", "agents.mite.reserve=2000"});
        ASSERT_EQ(grown.status, 0) << grown.err;
        EXPECT_THAT(grown.err, HasSubstr("in step 45, manageAll mite; the run is made again up to step 44, with room for"));
        expect_same("grown", "enough", tables);
    }
}

// A checked run looks at each step, and keeps the one before for a mistake: there is none.
TEST_F(GrowingList, IsNoMistake) {
    const auto checked = run("checked", {"--check", "--set", "run.steps=24"}),
               enough = run("enough", {"--set", "run.steps=24", ample[0], ample[1]});
    ASSERT_EQ(checked.status, 0) << checked.err;
    expect_same("checked", "enough", {"mites.csv", "mites-20.csv"});
    EXPECT_FALSE(std::filesystem::exists(here() / "checked/before"));
}

// They may have been many before, and few when their room was too little again.
TEST_F(GrowingList, HasHadRoomForAllEarlierPeaks) {
    const std::vector<std::string> feast = {"--set", "params.feast=30", "--set", "params.burst=36", "--set", "run.steps=63"};
    auto with_room = feast;
    with_room.insert(with_room.end(), ample.begin(), ample.end());
    const auto grown = run("grown", feast), enough = run("enough", with_room);
    ASSERT_EQ(grown.status, 0) << grown.err;
    expect_same("grown", "enough", tables);
}

// Ctrl-C while it is being made again: what was written stays, and nothing is told of the state amid a step.
TEST_F(GrowingList, TellsNothingOfAStateAmidAStep) {
    std::string slow = mites;
    slow.insert(slow.find("    self.age += 1;"), "    for (int i = 0; i < work; ++i) self.weight[0] = self.weight[0] * 0.99f + 0.01f;\n");
    slow.insert(slow.find("TESSERA_CALL"), "TESSERA_PARAM(int, work, 20000);\n");
    write_text(here() / "mites/mites.cu", slow);
    auto child =
        testing::Child(command({"run", "./mites", "--out", "ended", "--set", "params.burst=45", "--set", "agents.mite.reserve=2000"}));
    while (!child.has_ended() && child.err_so_far().find("the run is made again up to step 44") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    child.signal(SIGINT);
    const auto ended = child.wait();
    EXPECT_THAT(ended.err, HasSubstr("the steps up to 44 were being made again"));
    const auto told = manifest("ended");
    EXPECT_EQ(told["status"], "interrupted");
    EXPECT_EQ(told["steps"], 44);
    EXPECT_FALSE(told.contains("state_hash"));
    EXPECT_FALSE(told.contains("agents"));
    EXPECT_EQ(testing::lines_of(text_of(here() / "ended/mites.csv")).size(), 1u + 23); // of steps 0, 2, ... 44
}

// What a model's functions put there before the first step.
TEST_F(GrowingList, HasRoomForChildrenOfTheFirstState) {
    std::string more = mites;
    more.insert(more.find("TESSERA_MODEL"), "TESSERA_INIT(Log, lay, spawns<Mite>) { self.spawn(Mite{.age = 2}); }\n");
    write_text(here() / "mites/mites.cu", more);
    const auto grown = run("grown", {"--set", "run.steps=20"}), enough = run("enough", {"--set", "run.steps=20", ample[0], ample[1]});
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_THAT(grown.err, HasSubstr("there is no room for 1220 agents of mite before the first step; there is room for 9760 of mite now"));
    expect_same("grown", "enough", {"mites.csv", "mites-20.csv"});
}

// Also where no function of a step has children.
TEST_F(GrowingList, HasRoomForChildrenOfTheFirstStateAlone) {
    write_text(here() / "mites/mites.cu", R"cu(#include <tessera/model.hpp>
struct Log { int moss = 0; };
TESSERA_PLACE(Log, moss);
struct Mite { int age = 0; };
TESSERA_AGENT(Mite, on<Log>, age);
TESSERA_INIT(Log, lay, spawns<Mite>) { self.spawn(Mite{.age = 2}); }
TESSERA_CALL(Mite, live, writes<&Mite::age>) { self.age += 1; }
TESSERA_MODEL(mites, "mites that are laid");
TESSERA_DEFAULTS(R"toml(run = { steps = 3, devices = "cpu" }
places.log = { size = [40, 30] }
agents.mite = { count = 20, capacity = "unlimited", reserve = 30 }
phase = [{ callAll = "mite.live" }]
output = [{ every = 3, agents = "mites-{step}.csv", attribute = "mite" }])toml");
)cu");
    const auto grown = run("grown"), enough = run("enough", ample);
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_THAT(grown.err, HasSubstr("there is no room for 1220 agents of mite before the first step; there is room for 9760 of mite now"));
    expect_same("grown", "enough", {"mites-0.csv", "mites-3.csv"});
    EXPECT_EQ(testing::lines_of(text_of(here() / "grown/mites-3.csv")).size(), 1u + 1220);
}

// Hooks may have done what cannot be done again: such a run looks at each step, and ends where that comes too late.
TEST_F(GrowingList, WithHooksNeverBeginsAgain) {
    write_text(here() / "hooks.cpp",
               "#include <tessera/hooks.hpp>\nTESSERA_HOOK(look, every<8>) { world.log(std::to_string(world.step())); }\n");
    const auto build = tessera({"build", "./mites", "--hooks", "hooks.cpp", "--out", "mites.so"});
    ASSERT_EQ(build.status, 0) << build.err;
    const std::vector<std::string> hooked = {"run", "./mites.so", "--out", "hooked", "--set", "agents.mite.reserve=100"};
    const auto grown = tessera(hooked), enough = run("enough", ample);
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_THAT(grown.err, Not(HasSubstr("made again")));
    expect_same("hooked", "enough", tables);
    auto too_late = hooked;
    too_late.insert(too_late.end(), {"--overwrite", "--set", "params.burst=9", "--set", "agents.mite.reserve=70"});
    const auto outgrown = tessera(too_late);
    EXPECT_EQ(outgrown.status, 9);
    EXPECT_THAT(outgrown.err, HasSubstr("there is no room for "));
    EXPECT_THAT(
        outgrown.err,
        HasSubstr("(there is memory for 70 of mite) set agents.mite.reserve to the largest number that may exist at once, at most 2^30"));
}

// Agents from a table that is gone once the list has to grow: the error is of the file, and not of memory. The run waits in a pipe until
// the table is gone.
TEST_F(GrowingList, WithoutItsTableNamesTheTable) {
    write_text(here() / "mites/mites.cu", R"cu(#include <tessera/model.hpp>
struct Log { int moss = 0; };
TESSERA_PLACE(Log, moss);
struct Mite { int age = 0; };
TESSERA_AGENT(Mite, on<Log>, age);
TESSERA_CALL(Mite, split, reads<&Mite::age>, spawns<Mite>) { self.spawn(Mite{.age = self.age}); }
TESSERA_MODEL(mites, "mites of a table");
)cu");
    write_text(here() / "mites.csv", "x,y\n1,2\n3,4\n");
    write_text(here() / "run.toml",
               "model = \"mites/mites.cu\"\n[run]\nsteps = 20\nthreads = 1\ndevices = \"cpu\"\n[places.log]\nsize = [8, 8]\n"
               "[agents.mite]\ncapacity = \"unlimited\"\nplace = { file = \"mites.csv\" }\n"
               "[[phase]]\ncallAll = \"mite.split\"\n[[phase]]\nmanageAll = \"mite\"\n"
               "[[output]]\nevery = 30\ncsv = \"all.csv\"\ncolumns = { all = \"count(mite)\" }\n");
    ASSERT_EQ(tessera({"run", "run.toml", "--steps", "0", "--out", "out"}).status, 0); // such that the pipe may stand there
    std::filesystem::remove(here() / "out/all.csv");
    ASSERT_EQ(::mkfifo((here() / "out/all.csv").c_str(), 0600), 0);
    testing::Child child(command({"run", "run.toml", "--out", "out", "--overwrite"}));
    while (!child.has_ended() && manifest("out").value("status", "") != "running")
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_FALSE(child.has_ended()) << child.wait().err;
    std::filesystem::remove(here() / "mites.csv");
    const auto rows = text_of(here() / "out/all.csv");
    const auto outcome = child.wait();
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(", and the run cannot be made again with more ("));
    EXPECT_THAT(outcome.err, HasSubstr("mites.csv"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("error: there is memory")));
}

// Code that a library has for one run is of its room: it ends with the figure, and what was written stays.
TEST_F(GrowingList, EndsWithTheFigureWhereThereIsNoMore) {
    const auto build = tessera({"build", "./mites", "--without-source", "--for", "./mites", "--out", "mites.so"});
    ASSERT_EQ(build.status, 0) << build.err;
    const auto outgrown = tessera({"run", "./mites.so", "--out", "outgrown"});
    EXPECT_EQ(outgrown.status, 9);
    EXPECT_THAT(outgrown.err, HasSubstr("there is no room for more: "));
    EXPECT_THAT(
        outgrown.err,
        HasSubstr("(there is memory for 30 of mite) set agents.mite.reserve to the largest number that may exist at once, at most 2^30"));
    EXPECT_EQ(manifest("outgrown")["status"], "failed");
}

} // namespace
} // namespace tessera::room_test
