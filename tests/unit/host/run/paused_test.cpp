// Runs with checkpoints that a queue, a limit of time or somebody ends, and that go on.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

namespace tessera::paused_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class RunThatPauses : public testing::ResumedRuns {
protected:
    // Of Life, for some seconds; it has its first manifest when this returns.
    [[nodiscard]] std::unique_ptr<Child> long_run(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"run", "life.toml", "--out", "out", "--steps", "4000000", "--set", "output=[]"});
        auto child = std::make_unique<Child>(command(more, {{"TESSERA_PLUGIN_PATH", std::nullopt}}));
        wait_until(*child, [&] { return fs::exists(here() / "out/manifest.json") && manifest("out").value("steps", 0) > 0; });
        return child;
    }
    template<class Condition> static void wait_until(Child& child, const Condition& condition) {
        for (int pause = 0; pause < 12'000 && !child.has_ended() && !condition(); ++pause)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
};

TEST_F(RunThatPauses, ByAQueueKeepsItsStateAndSaysSo) {
    write_life("checkpoint = { every = \"1 h\" }");
    const auto child = long_run();
    child->signal(SIGTERM);
    child->signal(SIGTERM); // as queues do
    const auto ended = child->wait();
    EXPECT_EQ(ended.status, 11) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("(its state is kept) `tessera resume out` goes on\n"));
    EXPECT_EQ(manifest("out")["status"], "paused");
    const auto steps = manifest("out")["steps"].get<std::uint64_t>();
    ASSERT_EQ(checkpoints_of("out").size(), 1u);
    EXPECT_EQ(std::stoull(checkpoints_of("out").front()), steps);
    const auto rest = resume("out", {"--steps", std::to_string(steps + 5)});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(manifest("out")["steps"], steps + 5);
    ASSERT_EQ(run("life.toml", "whole", {"--steps", std::to_string(steps + 5), "--set", "output=[]"}).status, 0);
    expect_same("out", "whole");
}

TEST_F(RunThatPauses, ByCtrlCKeepsItsStateToo) {
    write_life("checkpoint = { every = \"1 h\" }");
    const auto child = long_run();
    child->signal(SIGINT);
    const auto ended = child->wait();
    EXPECT_EQ(ended.status, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("(outputs and manifest are complete until then) `tessera resume out` goes on\n"));
    EXPECT_EQ(manifest("out")["status"], "interrupted");
    EXPECT_EQ(checkpoints_of("out").size(), 1u);
}

TEST_F(RunThatPauses, KeepsItsStateWhenItIsAskedAndGoesOn) {
    write_life("checkpoint = { every = \"1 h\", keep = 3 }");
    const auto child = long_run();
    child->signal(SIGUSR1);
    wait_until(*child, [&] { return fs::exists(here() / "out/checkpoints") && checkpoints_of("out").size() == 1; });
    EXPECT_FALSE(child->has_ended());
    const auto kept = std::stoull(checkpoints_of("out").front());
    wait_until(*child, [&] { return manifest("out")["steps"].get<std::uint64_t>() > kept; });
    child->signal(SIGTERM);
    EXPECT_EQ(child->wait().status, 11);
    EXPECT_EQ(checkpoints_of("out").size(), 2u);
}

TEST_F(RunThatPauses, ByItsLimitOfTimeEndsBefore) {
    write_life("checkpoint = { every = 1000000000 }");
    const auto begun = std::chrono::steady_clock::now();
    const auto ended = run("life.toml", "out", {"--steps", "4000000", "--set", "output=[]", "--time-limit", "3 s"});
    EXPECT_EQ(ended.status, 11) << ended.err;
    EXPECT_GT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(2500));
    EXPECT_EQ(manifest("out")["status"], "paused");
    const auto steps = manifest("out")["steps"].get<std::uint64_t>();
    const auto none = resume("out", {"--time-limit", "0.001 s"});
    EXPECT_EQ(none.status, 8);
    EXPECT_THAT(none.err, HasSubstr("error: the time was over before a step was made (the run is at step " + std::to_string(steps) +
                                    " as before) give it more time\n"));
    EXPECT_EQ(resume("out", {"--steps", std::to_string(steps + 1), "--time-limit", "1 h"}).status, 0);
}

// By a signal or a limit of time, at any moment, or by having fewer steps: what a run writes because it ends, a row that is not due, say,
// is not there once it has gone on.
TEST_F(RunThatPauses, EndedEarlyInAnyWayHasNoRowTooMany) {
    constexpr int steps = 1500;
    write_life("checkpoint = { every = 200 }", steps);
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_EQ(run("life.toml", "whole").status, 0);
    const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const auto begin = [&]() -> std::vector<std::string> {
        if (fs::exists(here() / "out/source/run.json")) return {"resume", "out", "--quiet"};
        return {"run", "life.toml", "--out", "out", "--overwrite", "--quiet"};
    };
    for (int ended = 0; ended < (test::thorough() ? 100 : 6) && !HasFailure();) {
        for (int i = 0; i < 3; ++i, ++ended) {
            auto next = begin();
            const auto way = generator_() % 3;
            const double share = static_cast<double>(generator_() % 1000) / 1000;
            if (way == 0) {
                next.insert(next.end(), {"--steps", std::to_string(1 + generator_() % steps)});
            } else if (way == 1) {
                next.insert(next.end(), {"--time-limit", std::to_string(0.02 + share * took) + " s"});
            }
            Child child(command(next, {{"TESSERA_PLUGIN_PATH", std::nullopt}}));
            if (way == 2) {
                for (int waited = 0; waited < 1000 * share * took && !child.has_ended(); ++waited)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (!child.has_ended()) child.signal(SIGTERM);
            }
            const auto outcome = child.wait();
            EXPECT_THAT(outcome.status, ::testing::AnyOf(0, 8, 11, 128 + SIGTERM)) << outcome.err;
            EXPECT_THAT(outcome.err, HasSubstr(outcome.status == 8 ? "the time was over before a step was made" : ""));
        }
        auto rest = begin();
        rest.insert(rest.end(), {"--steps", std::to_string(steps)});
        const auto last = tessera_of_ours(rest);
        ASSERT_EQ(last.status, 0) << last.err;
        expect_same("out", "whole");
        fs::remove_all(here() / "out");
    }
}

TEST_F(RunThatPauses, WithoutCheckpointsHasNoLimitOfTime) {
    write_life("");
    const auto refused = run("life.toml", "out", {"--time-limit", "3 s"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err,
                EndsWith("error: `--time-limit` is for runs that keep their state (this one has no `run.checkpoint`) add --set "
                         "'run.checkpoint={ every = \"10 min\" }'\n"));
    EXPECT_EQ(run("life.toml", "out", {"--time-limit", "soon"}).err,
              "error: `--time-limit` cannot be `soon` (expected a time, as in \"30 s\", \"10 min\" or \"2 h\")\n");
}

} // namespace
} // namespace tessera::paused_test
