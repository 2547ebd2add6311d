// Runs with agents that are resumed, on the devices that they had and on others.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

namespace tessera::resume_agents_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::write_text;

class ResumedAgents : public testing::ResumedRuns {
protected:
    void write_run(const std::string& name, const std::string& model, const std::string& run, const std::string& rest) const {
        write_text(here() / name, "model = \"" + model + "\"\n[run]\nthreads = 1\n" + run + "\n[schedule]\ntune = \"off\"\n" + rest);
    }
    // One CPU keeps them in the order of their ids, two in slots of the places.
    void write_wolves() const {
        write_run(
            "wolves.toml", "wolf_sheep", "devices = \"cpu\"\nsteps = 60\ncheckpoint = { every = 11 }",
            "exchange = \"auto\"\n[places.grass]\nsize = [40, 32]\n[agents.sheep]\ncount = 200\ncapacity = 8\n"
            "[agents.wolf]\ncount = 60\ncapacity = 8\n"
            "[[output]]\nevery = 7\nagents = \"sheep-{step:03}.csv\"\nattribute = \"sheep\"\n"
            "[[output]]\nevery = 1\ncsv = \"counts.csv\"\n"
            "columns = { sheep = \"count(sheep)\", wolves = \"count(wolf)\", born = \"births(sheep)\", energy = \"sum(wolf.energy)\" }\n");
    }
};

TEST_F(ResumedAgents, AreTheSameOnOtherDevicesAndBack) {
    write_wolves();
    const auto whole = run("wolves.toml", "whole");
    ASSERT_EQ(whole.status, 0) << whole.err;
    ASSERT_EQ(run("wolves.toml", "out", {"--steps", "15"}).status, 0);
    const auto on_two = resume("out", {"--steps", "40", "--devices", "cpu,cpu"});
    ASSERT_EQ(on_two.status, 0) << on_two.err;
    EXPECT_THAT(on_two.err, HasSubstr("the run goes on after step 11"));
    const auto again_on_two = resume("out", {"--steps", "50", "--devices", "cpu,cpu"});
    ASSERT_EQ(again_on_two.status, 0) << again_on_two.err;
    EXPECT_THAT(again_on_two.err, HasSubstr("the run goes on after step 33"));
    const auto back = resume("out", {"--steps", "60", "--devices", "cpu"});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_THAT(back.err, HasSubstr("the run goes on after step 44"));
    expect_same("out", "whole");
    EXPECT_EQ(manifest("out")["resumed"].size(), 3u);
}

// Places that have numbers alone stand in rows, of which the last is not full. One CPU keeps the cars in the order of their ids, or where
// there is room for any in a list by places; two keep them in slots.
TEST_F(ResumedAgents, OnPlacesWithACountAreTheSameOnOtherDevices) {
    for (const std::string room : {"capacity = 4", "capacity = \"unlimited\""}) {
        write_run("cars.toml", "traffic", "steps = 25\ncheckpoint = { every = 5 }",
                  "exchange = \"auto\"\n[places.crossing]\ncount = 1500\n[links.road]\ngenerate = { rule = \"regular\", degree = 4 }\n"
                  "init.length = { random = \"below\", n = 8, plus = 1 }\n[agents.car]\ncount = 3000\n" +
                      room +
                      "\n[[output]]\nevery = 1\ncsv = \"cars.csv\"\n"
                      "columns = { driving = \"count(car.left > 0)\", trips = \"sum(car.trips)\", waits = \"sum(crossing.waits)\" }\n");
        for (const auto* folder : {"whole", "out"}) fs::remove_all(here() / folder);
        ASSERT_EQ(run("cars.toml", "whole", {"--devices", "cpu"}).status, 0);
        ASSERT_EQ(run("cars.toml", "out", {"--steps", "7", "--devices", "cpu"}).status, 0);
        for (const auto& [steps, devices] : {std::pair("12", "cpu"), std::pair("18", "cpu,cpu"), std::pair("25", "cpu")}) {
            const auto more = resume("out", {"--steps", steps, "--devices", devices});
            ASSERT_EQ(more.status, 0) << room << ", " << devices << ": " << more.err;
        }
        expect_same("out", "whole");
        const auto other =
            run("cars.toml", "other",
                {"--devices", "cpu", "--set", "run.start={ checkpoint = \"out\" }", "--set", "places.crossing.count=3000", "--overwrite"});
        EXPECT_EQ(other.status, 3);
        EXPECT_THAT(other.err, HasSubstr("give it the `count` that it had"));
    }
}

// Files of first agents are not read again.
TEST_F(ResumedAgents, OfATableDoNotNeedItAgain) {
    write_text(here() / "sheep.csv", "x,y,energy\n1,1,5\n2,3,9\n7,7,4\n");
    write_run("few.toml", "wolf_sheep", "devices = \"cpu\"\nsteps = 12\ncheckpoint = { every = 4 }",
              "exchange = \"auto\"\n[places.grass]\nsize = [40, 32]\n[agents.sheep]\nplace = { file = \"sheep.csv\" }\ncapacity = 8\n"
              "[agents.wolf]\ncount = 0\ncapacity = 8\n");
    ASSERT_EQ(run("few.toml", "whole").status, 0);
    ASSERT_EQ(run("few.toml", "out", {"--steps", "10"}).status, 0);
    fs::remove(here() / "sheep.csv");
    const auto rest = resume("out", {"--steps", "12"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same("out", "whole");
}

// Lists begin again from the last checkpoint, with what was counted up to it, and a resumed run has the room that they had.
TEST_F(ResumedAgents, ThatOutgrowTheirRoomAreMadeAgainFromTheLastState) {
    const std::string rest = "exchange = \"auto\"\n[places.grass]\nsize = [40, 32]\n[agents.sheep]\ncount = 50\nreserve = 400\n"
                             "capacity = \"unlimited\"\n[agents.wolf]\ncount = 0\ncapacity = 8\n[params]\nsheep_births = 1.0\n"
                             "grass_energy = 1000\n"
                             "[[output]]\nevery = 5\ncsv = \"counts.csv\"\ncolumns = { sheep = \"count(sheep)\" }\n"; // they double
    write_run("whole.toml", "wolf_sheep", "devices = \"cpu\"\nsteps = 9", rest);
    write_run("kept.toml", "wolf_sheep", "devices = \"cpu\"\nsteps = 9\ncheckpoint = { every = 5 }", rest);
    const auto whole = run("whole.toml", "whole");
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_THAT(whole.err, HasSubstr("; the run is made again up to step "));
    const auto kept = run("kept.toml", "out", {"--steps", "8"});
    ASSERT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("; the run is made again from step 5 up to step "));
    const auto more = resume("out", {"--steps", "9"});
    ASSERT_EQ(more.status, 0) << more.err;
    expect_same("out", "whole");
}

class ThoroughResumedAgents : public ResumedAgents {};

TEST_F(ThoroughResumedAgents, KilledAtAnyMomentComeToTheSameOnAnyDevices) {
    write_wolves();
    expect_same_after_kills("wolves.toml", 200, {"cpu", "cpu,cpu"});
}

} // namespace
} // namespace tessera::resume_agents_test
