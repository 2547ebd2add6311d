// The scripts of bench, on a CPU and small grids, and the picture that one of them drew.
// optimise: yes
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::testing::scripts_slow_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SlowScripts : public CommandLine {
protected:
    // As installed, or else as in the source tree.
    [[nodiscard]] static fs::path script(const std::string& name) {
        const auto installed = test_shipped("bench/" + name);
        return fs::exists(installed) ? installed : test_source("bench/" + name);
    }
    [[nodiscard]] Outcome run_script(const std::string& name, std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {script(name).string()});
        auto made = command({}, {{"TESSERA_PLUGIN_PATH", std::nullopt}});
        made.program = "/bin/bash";
        made.arguments = std::move(arguments);
        return run(made);
    }
};

TEST_F(SlowScripts, SeveralDevicesInOneCall) {
    const auto outcome =
        run_script("scaling.sh", {"--devices", "cpu,cpu", "--sizes", "120", "--words", "32", "--samples", "1", "--threads", "2",
                                  "--minutes", "60", "--only", "2d-120.shared|sugarscape|heat2d-120.own$|by_hand|pairs", "--out", "out",
                                  "--tessera", test_program().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto summary = text_of(here() / "out" / "summary.md");
    EXPECT_THAT(summary, HasSubstr("| model, size | memory | steps | 1 | 2 | view on most | state |"));
    for (const char* line : {"heat2d-120 [|] shared [|] single", "heat2d-120 [|] shared [|] fused", "heat2d-120 [|] own [|] single",
                             "sugarscape-120 [|] shared [|] single"})
        EXPECT_THAT(summary, ContainsRegex(std::string("[|] ") + line + " [|] [0-9.]+ [|] [0-9.]+ .[0-9.]+. [|] .* [|] same [|]"))
            << summary;
    EXPECT_THAT(summary, HasSubstr("the same state as the sequential program: yes"));
    EXPECT_THAT(summary, ContainsRegex("[|] 120 [|] [0-9.]+ [|] - [|] - [|] [0-9.]+ [|] [0-9.]+ [|]")) << summary; // no GPU; Tessera
    EXPECT_THAT(summary, ContainsRegex("[|] life [|] [0-9.]+ [|] [0-9.]+ [|] [0-9.]+ [|]")) << summary;            // pairs
    for (const char* part : {"heat2d-120.shared", "wave2d-120.shared", "by_hand", "cpu_pairs"})
        EXPECT_THAT(summary, HasSubstr("- " + std::string(part) + ": finished, ")) << summary;
    EXPECT_THAT(summary, Not(HasSubstr("life-32")));
    EXPECT_TRUE(fs::exists(here() / "out/heat2d-120.shared/scaling.svg"));
}

// Grids spread over devices, and each on one of its own, in every memory.
TEST_F(SlowScripts, EveryExecutionComesToOneState) {
    const auto outcome = run_script(
        "execution.sh", {"--devices", "cpu,cpu", "--size", "48", "--steps", "9", "--out", "out", "--tessera", test_program().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 9u) << outcome.out;
    const auto state = lines.front().substr(lines.front().find(", state "));
    for (const auto& line : lines) EXPECT_THAT(line, ContainsRegex("^[a-z0-9-]+ +[0-9.]+ us a step" + state + "$"));
}

TEST_F(SlowScripts, AnimalsAreMeasuredBesideASequentialProgram) {
    const auto outcome =
        run_script("sequential.sh", {"--sides", "20", "--rounds", "1", "--out", "out", "--tessera", test_program().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex("20 +[0-9.]+ ns +[0-9.]+ ns +[0-9.]+"));
}

TEST_F(SlowScripts, AMistakeIsSaidInWords) {
    for (const char* name : {"scaling.sh", "by_hand.sh", "cpu_pairs.sh", "cpu_steps.sh", "late_rows.sh", "execution.sh", "sequential.sh",
                             "comparison.sh", "lists.sh"}) {
        const auto outcome = run_script(name, {"--size", "5", "--nonsense", "5"});
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_THAT(outcome.err, HasSubstr(std::string(name) + ": unknown option --")) << name;
    }
    EXPECT_THAT(run_script("scaling.sh", {"--sizes", "32"}).err, HasSubstr("--devices cuda:0,cuda:1,... is missing"));
}

TEST_F(SlowScripts, RowsThatArriveLateAreMeasuredAndDrawn) {
    const auto outcome = run_script("late_rows.sh", {"--partitions", "2", "--size", "32x40", "--latencies", "1ms,20us", "--steps", "1,4",
                                                     "--samples", "1", "--out", "out", "--tessera", test_program().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto lines = lines_of(text_of(here() / "out/late_rows.csv"));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0], "latency,steps,microseconds_a_step,closed_form");
    EXPECT_THAT(lines[1], StartsWith("1ms,1,"));
    EXPECT_THAT(lines[4], StartsWith("20us,4,"));
    EXPECT_GE(std::stoi(lines[1].substr(lines[1].find(',', 4) + 1)), 1000); // no step can be shorter than what comes late
    EXPECT_THAT(text_of(here() / "out/late_rows.svg"), HasSubstr("</svg>"));
}

TEST_F(SlowScripts, ThePictureOfRowsThatArriveLateIsThatOfItsFigures) {
    const auto folder = test_source("docs/pictures");
    if (!fs::exists(folder)) GTEST_SKIP() << "there are no sources here";
    const auto outcome = run_script("late_rows.sh", {"--plot", (folder / "late_rows.csv").string()});
    EXPECT_EQ(outcome.out, text_of(folder / "late_rows.svg"));
    EXPECT_THAT(outcome.out, HasSubstr(">1ms, closed form<"));
}

} // namespace
} // namespace tessera::testing::scripts_slow_test
