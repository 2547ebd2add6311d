// Runs that begin with a state that another one kept.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

namespace tessera::start_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

class RunWithAStart : public testing::ResumedRuns {
protected:
    [[nodiscard]] static std::string from(const std::string& folder) { return "run.start={ checkpoint = \"" + folder + "\" }"; }
    [[nodiscard]] std::string hash_of(const std::string& folder) const { return manifest(folder)["state_hash"]; }
    void write_wolves(const std::string& more = {}) const {
        write_text(here() / "wolves.toml",
                   "model = \"wolf_sheep\"\n[run]\nthreads = 1\ndevices = \"cpu\"\nsteps = 12\n[schedule]\ntune = \"off\"\n"
                   "exchange = \"auto\"\n[places.grass]\nsize = [40, 32]\n[agents.sheep]\ncount = 200\ncapacity = 8\n"
                   "[agents.wolf]\ncount = 60\ncapacity = 8\n" +
                       more);
    }
    [[nodiscard]] testing::Outcome started(const std::string& file, const std::string& out, std::vector<std::string> sets) const {
        std::vector<std::string> arguments;
        for (auto& each : sets) arguments.insert(arguments.end(), {"--set", std::move(each)});
        return run(file, out, arguments);
    }
};

TEST_F(RunWithAStart, GoesOnFromThere) {
    write_life("checkpoint = { every = 20 }");
    ASSERT_EQ(run("life.toml", "kept").status, 0);
    const std::string folder = "kept/checkpoints/000000000020";
    const auto rest = started("life.toml", "rest", {from(folder), "run.steps='+20'", "places.cell.init.alive=0"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("the run starts with the state after step 20 of "));
    EXPECT_EQ(hash_of("rest"), hash_of("kept"));
    EXPECT_EQ(manifest("rest")["steps"], 40);
    EXPECT_EQ(manifest("rest")["start"]["step"], 20);
    EXPECT_EQ(manifest("rest")["start"]["checkpoint"], (here() / folder).string());
    const auto table = text_of(here() / "kept/alive.csv"), rows = text_of(here() / "rest/alive.csv");
    EXPECT_EQ(rows, table.substr(0, table.find('\n')) + table.substr(table.find("\n21,")));
    EXPECT_EQ(text_of(here() / "rest/states/030.npy"), text_of(here() / "kept/states/030.npy"));

    const auto last = started("life.toml", "last", {from("kept"), "run.steps='+0'"}); // of the results the last
    ASSERT_EQ(last.status, 0) << last.err;
    EXPECT_EQ(hash_of("last"), hash_of("kept"));
}

TEST_F(RunWithAStart, OnOtherDevicesOrWithMoreCapacityHasTheSameAgents) {
    write_wolves();
    const std::string four = "agents.sheep.capacity=4";
    ASSERT_EQ(started("wolves.toml", "kept", {"run.checkpoint={ every = 6 }", four}).status, 0);
    const auto two = started("wolves.toml", "two", {from("kept/checkpoints/000000000006"), four, "run.devices=[\"cpu\", \"cpu\"]"});
    ASSERT_EQ(two.status, 0) << two.err;
    EXPECT_EQ(hash_of("two"), hash_of("kept"));
    const auto wide = started("wolves.toml", "wide", {from("kept"), "run.steps='+0'", "agents.sheep.capacity=8"});
    ASSERT_EQ(wide.status, 0) << wide.err;
    EXPECT_EQ(hash_of("wide"), hash_of("kept"));
    EXPECT_EQ(manifest("wide")["agents"], manifest("kept")["agents"]);
    const auto narrow = started("wolves.toml", "narrow", {from("kept"), "run.steps='+0'", "agents.sheep.capacity=1"});
    EXPECT_EQ(narrow.status, 2); // as it stands on the command line
    EXPECT_THAT(narrow.err, HasSubstr("the agents of sheep do not find room (more than 1 stand on place "));
}

TEST_F(RunWithAStart, IsResumedWithoutIt) {
    write_life("checkpoint = { every = 7 }");
    ASSERT_EQ(run("life.toml", "kept", {"--set", "output=[]", "--steps", "10"}).status, 0);
    ASSERT_EQ(started("life.toml", "whole", {from("kept"), "run.steps=40"}).status, 0);
    ASSERT_EQ(started("life.toml", "early", {from("kept"), "run.steps=10"}).status, 0); // before a checkpoint
    ASSERT_EQ(started("life.toml", "out", {from("kept"), "run.steps=26"}).status, 0);
    const auto begun_again = resume("early", {"--steps", "40"});
    ASSERT_EQ(begun_again.status, 0) << begun_again.err;
    expect_same("early", "whole");
    fs::remove_all(here() / "kept");
    const auto rest = resume("out", {"--steps", "40"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same("out", "whole");
    EXPECT_EQ(manifest("out")["start"], manifest("whole")["start"]);
}

TEST_F(RunWithAStart, MakesAgainFromThereWhatOutgrowsItsRoom) {
    write_text(here() / "many.toml",
               "model = \"wolf_sheep\"\n[run]\nthreads = 1\ndevices = \"cpu\"\nsteps = 9\n[schedule]\ntune = \"off\"\nexchange = \"auto\"\n"
               "[places.grass]\nsize = [40, 32]\n[agents.sheep]\ncount = 50\nreserve = 400\ncapacity = \"unlimited\"\n"
               "[agents.wolf]\ncount = 0\ncapacity = 8\n[params]\nsheep_births = 1.0\ngrass_energy = 1000\n");
    ASSERT_EQ(started("many.toml", "whole", {"run.checkpoint={ every = 2, keep = 9 }"}).status, 0);
    const auto rest = started("many.toml", "rest", {from("whole/checkpoints/000000000002")});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(hash_of("rest"), hash_of("whole"));
    EXPECT_EQ(manifest("rest")["agents"], manifest("whole")["agents"]);
}

TEST_F(RunWithAStart, ThatItCannotHaveIsRefusedInWords) {
    write_life("checkpoint = { every = 20 }");
    write_wolves("[run.checkpoint]\nevery = 6\n");
    ASSERT_EQ(run("life.toml", "kept").status, 0);
    ASSERT_EQ(run("wolves.toml", "wolves").status, 0);
    const auto refused = [&](const std::string& file, std::vector<std::string> sets) {
        const auto outcome = started(file, "none", std::move(sets));
        EXPECT_NE(outcome.status, 0);
        return outcome.err;
    };
    EXPECT_THAT(refused("life.toml", {from("nowhere")}), HasSubstr("error: the folder nowhere cannot be read (No such file or directory)"));
    EXPECT_THAT(refused("life.toml", {from("kept/states")}),
                HasSubstr("error: there is no checkpoint in kept/states (it is neither one nor the results of a run that keeps them)"));
    EXPECT_THAT(
        refused("life.toml", {from("kept"), "run.steps=39"}),
        HasSubstr("the run has 39 steps (it starts with the state after step 40, and steps keep their numbers) steps = \"+39\" makes"));
    EXPECT_THAT(
        refused("life.toml", {"run.steps='+39'"}),
        HasSubstr("`steps` counts from the state that the run starts with: \"+39\" (the run has no `start`) give the number of steps"));
    EXPECT_THAT(refused("life.toml", {from("kept"), "places.cell.size=[64,47]"}), HasSubstr("the saved state does not fit into cell"));
    EXPECT_THAT(refused("life.toml", {from("wolves")}), HasSubstr("the state has "));
    auto text = text_of(here() / "kept/checkpoints/000000000040/cell.alive.npy");
    text[200] = static_cast<char>(text[200] ^ 1);
    write_text(here() / "kept/checkpoints/000000000040/cell.alive.npy", text);
    EXPECT_THAT(refused("life.toml", {from("kept/checkpoints/000000000040")}),
                HasSubstr("error: the checkpoint kept/checkpoints/000000000040 cannot be used (its file cell.alive.npy is damaged"));
    EXPECT_THAT(started("life.toml", "before", {from("kept")}).err, HasSubstr("the run starts with the state after step 20 of "));
}

} // namespace
} // namespace tessera::start_test
