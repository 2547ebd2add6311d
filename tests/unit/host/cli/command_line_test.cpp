// The program as its users meet it: situations that go wrong, interrupted runs, result folders, exit statuses.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace tessera::command_line_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using testing::CommandLine;
using ::testing::EndsWith;
using testing::Environment;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using ::testing::StartsWith;
using testing::text_of;
using testing::write_text;

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
    return count;
}

// ---- results

TEST_F(CommandLine, ARunSaysHowItEndedAndWhereItsResultsAre) {
    write_garden("[[output]]\nevery = 2\ncsv = \"water.csv\"\ncolumns = { water = \"sum(bed.water)\" }\n");
    const auto outcome = tessera({"run", "garden.toml", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("finished after 4 steps"));
    EXPECT_THAT(outcome.out, HasSubstr("results in out"));
    const auto made = manifest("out");
    EXPECT_EQ(made["status"], "finished");
    EXPECT_EQ(made["steps"], 4);
    EXPECT_THAT(outcome.out, HasSubstr("state " + made["state_hash"].get<std::string>()));
    EXPECT_EQ(lines_of(text_of(here() / "out/water.csv")).size(), 4u); // the heading, and steps 0, 2 and 4
}

TEST_F(CommandLine, ResultsAreNotOverwrittenUnlessAsked) {
    write_garden("[[output]]\nevery = 1\nnpy = \"{step}.npy\"\nattribute = \"bed.water\"\n");
    ASSERT_EQ(tessera({"run", "garden.toml", "--out", "out"}).status, 0);
    const auto before = text_of(here() / "out/manifest.json");
    const auto again = tessera({"run", "garden.toml", "--out", "out"});
    EXPECT_EQ(again.status, 8);
    EXPECT_THAT(again.err, HasSubstr("the result folder out is not empty"));
    EXPECT_EQ(text_of(here() / "out/manifest.json"), before);
    EXPECT_TRUE(fs::exists(here() / "out/4.npy"));

    write_text(here() / "out/notes.txt", "mine");
    const auto over = tessera({"run", "garden.toml", "--out", "out", "--overwrite", "--steps", "2"});
    EXPECT_EQ(over.status, 0) << over.err;
    EXPECT_EQ(manifest("out")["steps"], 2);
    EXPECT_FALSE(fs::exists(here() / "out/4.npy")) << "a file of the earlier run is left";
    EXPECT_EQ(text_of(here() / "out/notes.txt"), "mine");
}

TEST_F(CommandLine, EachRunGetsAResultFolderOfItsOwn) {
    write_garden();
    for (const char* folder : {"results/garden", "results/garden-2", "results/garden-3"}) {
        const auto outcome = tessera({"run", "garden.toml"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr(std::string("results in ") + folder + "\n"));
        EXPECT_TRUE(fs::exists(here() / folder / "manifest.json")) << folder;
    }
}

TEST_F(CommandLine, AResultFolderThatCannotBeMadeIsAnOutputError) {
    write_garden();
    write_text(here() / "file", "");
    const auto outcome = tessera({"run", "garden.toml", "--out", "file/out"});
    EXPECT_EQ(outcome.status, 8);
    EXPECT_THAT(outcome.err, HasSubstr("error: cannot make the result folder file/out (Not a directory) give another with --out"));
}

// ---- measuring

TEST_F(CommandLine, ABenchmarkIsATableAndAFolder) {
    write_garden();
    const std::vector<std::string> measure{"bench", "garden.toml", "--sizes", "12,9x7", "--views", "chosen", "--samples", "1"};
    const auto outcome = tessera(measure);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("garden on "));
    EXPECT_THAT(outcome.out, HasSubstr("\n* 12 x 12  "));
    EXPECT_THAT(outcome.out, HasSubstr("\n* 9 x 7    "));
    EXPECT_THAT(outcome.out, EndsWith("\nresults in results/bench-garden\n"));
    EXPECT_EQ(lines_of(text_of(here() / "results/bench-garden/bench.csv")).size(), 3u);
    EXPECT_THAT(text_of(here() / "results/bench-garden/bench.svg"), StartsWith("<?xml"));
    const auto made = manifest("results/bench-garden");
    EXPECT_EQ(made["status"], "finished");
    EXPECT_THAT(made["command"].get<std::string>(), EndsWith("bench garden.toml --sizes 12,9x7 --views chosen --samples 1"));
    EXPECT_GT(made["copy_bytes_a_second"].get<double>(), 0);
    EXPECT_EQ(made["files"], (std::vector<std::string>{"bench.csv", "bench.svg"}));

    auto there = measure;
    there.insert(there.end(), {"--out", "results/bench-garden"});
    const auto again = tessera(there);
    EXPECT_EQ(again.status, 8);
    EXPECT_THAT(again.err, HasSubstr("the result folder results/bench-garden is not empty"));
}

// ---- a full disk

TEST_F(CommandLine, AFullDiskLeavesWhatWasWritten) {
    write_garden("[[output]]\nevery = 1\ncsv = \"water.csv\"\ncolumns = { water = \"sum(bed.water)\" }\n"
                 "[[output]]\nevery = 2\nfrom = 2\nnpy = \"{step}.npy\"\nattribute = \"bed.water\"\n");
    ASSERT_EQ(tessera({"run", "garden.toml", "--out", "small"}).status, 0);
    auto large = command({"run", "garden.toml", "--out", "out", "--set", "places.bed.size=[300,300]"}); // 360 kB of water
    ASSERT_EQ(tessera({"run", "garden.toml", "--out", "warm", "--set", "places.bed.size=[300,300]", "--steps", "0"}).status,
              0); // compiled before the disk is full
    large.largest_file = 100'000;
    const auto outcome = testing::run(large);
    EXPECT_EQ(outcome.status, 8) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error: could not write 'out/2.npy' (File too large)"));
    const auto made = manifest("out");
    EXPECT_EQ(made["status"], "failed");
    const auto steps = made["steps"].get<std::size_t>(); // files are written beside them
    EXPECT_TRUE(steps >= 2 && steps <= 4) << steps;
    EXPECT_THAT(outcome.err,
                HasSubstr("warning: the run failed after step " + std::to_string(steps) + "; its results until then are in out\n"));
    EXPECT_THAT(made["error"].get<std::string>(), HasSubstr("could not write 'out/2.npy'"));
    EXPECT_FALSE(made.contains("state_hash"));
    EXPECT_EQ(made["files"], nlohmann::json::array({"water.csv"}));
    const auto rows = lines_of(text_of(here() / "out/water.csv"));
    ASSERT_TRUE(rows.size() >= 4 && rows.size() <= steps + 2) << rows.size(); // names, and a row a state, that of the last perhaps
    EXPECT_THAT(rows[3], StartsWith("2,"));
    for (const auto& entry : fs::directory_iterator(here() / "out")) EXPECT_NE(entry.path().extension(), ".partial");
}

TEST_F(CommandLine, ADiskWithoutRoomForAManifestStillTellsTheFirstError) {
    write_garden("[[output]]\nevery = 1\nnpy = \"{step}.npy\"\nattribute = \"bed.water\"\n");
    const std::string size = "places.bed.size=[40,40]"; // 6.4 kB of water
    ASSERT_EQ(tessera({"run", "garden.toml", "--out", "warm", "--set", size}).status, 0);
    auto full = command({"run", "garden.toml", "--out", "out", "--set", size});
    full.largest_file = 1000;
    const auto outcome = testing::run(full);
    EXPECT_EQ(outcome.status, 8) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error: could not write 'out/0.npy' (File too large)"));
    EXPECT_THAT(outcome.err, HasSubstr("warning: there is no manifest: could not write 'out/manifest.json' (File too large)"));
}

// ---- a model that fails

class Division : public CommandLine, public ::testing::WithParamInterface<int> {};

TEST_P(Division, ByZeroOnTheCpuIsToldWithItsFunctionAndStep) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    write_text(here() / "countdown/countdown.cu", R"(#include <tessera/model.hpp>
struct Clock { int left = 0, share = 0, calls = 0; };
TESSERA_PLACE(Clock, left, share, calls);
TESSERA_CALL(Clock, wait, writes<&Clock::calls>) { self.calls += 1; }
TESSERA_CALL(Clock, divide, reads<&Clock::calls>, writes<&Clock::left, &Clock::share>) {
    self.share = 1000 / self.left;
    self.left -= 1;
}
TESSERA_MODEL(countdown, "divides by zero at last");
)");
    const int steps = GetParam(); // state k has `left` at steps - k
    write_text(here() / "run.toml",
               "model = \"countdown/countdown.cu\"\n[run]\nsteps = 1000000\ndevices = \"cpu\"\nthreads = 3\n[places.clock]\nsize = [70, "
               "9]\ninit.left = " +
                   std::to_string(steps) +
                   "\n[[output]]\nevery = 1\nuntil = 3\ncsv = \"left.csv\"\ncolumns = { left = \"sum(clock.left)\" }\n");
    const auto outcome = tessera({"run", "run.toml", "--out", "out", "--log-level", "error"});
    EXPECT_EQ(outcome.status, 9);
    EXPECT_EQ(outcome.err, "error: clock.divide divided an integer by zero in step " + std::to_string(steps) +
                               " (or the smallest integer by -1; neither has a result) test the divisor before the division\n");
    const auto made = manifest("out");
    EXPECT_EQ(made["status"], "failed");
    EXPECT_LE(made["steps"].get<int>(), steps);
    EXPECT_EQ(lines_of(text_of(here() / "out/left.csv")).size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(Steps, Division, ::testing::Values(5, 3001)); // among single launches, and within a recording

// ---- interrupted

class Interrupted : public CommandLine, public ::testing::WithParamInterface<int> {
protected:
    // Waits until the file has lines beyond its heading; false if the program ends before.
    static bool wait_for_rows(Child& child, const fs::path& file) {
        while (lines_of(text_of(file)).size() < 3) {
            if (child.has_ended()) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
};

TEST_P(Interrupted, ARunEndsAfterTheStepWithWholeFilesAndAManifest) {
    write_garden(
        "[[output]]\nevery = 20\ncsv = \"water.csv\"\ncolumns = { plants = \"sum(bed.plants)\", dry = \"count(bed.water == 0)\" }\n"
        "[[output]]\nevery = 500\nnpy = \"{step}.npy\"\nattribute = \"bed.plants\"\n");
    const std::vector<std::string> size{"--set", "places.bed.size=[61,47]", "--set", "params.rain=0.001"};
    auto arguments = std::vector<std::string>{"run", "garden.toml", "--out", "out", "--steps", "4000000000"};
    arguments.insert(arguments.end(), size.begin(), size.end());
    Child child(command(arguments));
    ASSERT_TRUE(wait_for_rows(child, here() / "out/water.csv")) << child.wait().err;
    child.signal(GetParam());
    const auto outcome = child.wait();

    EXPECT_EQ(outcome.status, 130) << outcome.err;
    const auto made = manifest("out");
    EXPECT_EQ(made["status"], "interrupted");
    const auto steps = made["steps"].get<std::uint64_t>();
    EXPECT_THAT(outcome.err, HasSubstr("interrupted after step " + std::to_string(steps)));
    const auto text = text_of(here() / "out/water.csv");
    EXPECT_THAT(text, EndsWith("\n"));
    const auto rows = lines_of(text);
    EXPECT_THAT(rows.back(), StartsWith(std::to_string(steps) + ","));
    for (const auto& row : rows) EXPECT_EQ(std::count(row.begin(), row.end(), ','), 2) << row;
    EXPECT_EQ(rows.size(), 1 + steps / 20 + 1 + (steps % 20 != 0 ? 1 : 0)); // the heading, each 20th step, the last
    for (const auto& name : made["files"]) EXPECT_TRUE(fs::exists(here() / "out" / name.get<std::string>())) << name;
    EXPECT_EQ(fs::file_size(here() / "out" / (std::to_string(steps) + ".npy")), 128 + 61 * 47 * sizeof(std::int32_t));
    for (const auto& entry : fs::directory_iterator(here() / "out")) EXPECT_NE(entry.path().extension(), ".partial");

    arguments = {"run", "garden.toml", "--out", "whole", "--steps", std::to_string(steps)};
    arguments.insert(arguments.end(), size.begin(), size.end());
    ASSERT_EQ(tessera(arguments).status, 0);
    EXPECT_EQ(manifest("whole")["state_hash"], made["state_hash"]);
    EXPECT_EQ(text_of(here() / "whole/water.csv"), text);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& each) {
    return std::string(each.param == SIGINT ? "SIGINT" : each.param == SIGTERM ? "SIGTERM" : "SIGHUP");
});

// ---- the cache

TEST_F(CommandLine, DamagedFilesInTheCacheAreReplacedWithOneWarning) {
    write_garden();
    const auto cache = here() / "cache";
    const Environment own{{"TESSERA_CACHE", cache.string()}};
    ASSERT_EQ(tessera({"run", "garden.toml", "--out", "first"}, own).status, 0);
    int damaged = 0;
    for (const auto& entry : fs::recursive_directory_iterator(cache))
        if (entry.is_regular_file()) {
            write_text(entry.path(), "this is not what was here");
            ++damaged;
        }
    ASSERT_GT(damaged, 1);
    const auto second = tessera({"run", "garden.toml", "--out", "second"}, own);
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(count_of(second.err, "warning: "), 1u) << second.err;
    EXPECT_EQ(manifest("second")["state_hash"], manifest("first")["state_hash"]);
    const auto third = tessera({"run", "garden.toml", "--out", "third"}, own);
    EXPECT_EQ(third.status, 0);
    EXPECT_THAT(third.err, Not(HasSubstr("warning: ")));
    EXPECT_THAT(third.err, Not(HasSubstr("compiling")));
}

TEST_F(CommandLine, AForeignFileInTheCacheIsLeftAlone) {
    write_garden();
    const auto cache = here() / "cache";
    const Environment own{{"TESSERA_CACHE", cache.string()}};
    ASSERT_EQ(tessera({"check", "garden.toml"}, own).status, 0);
    write_text(cache / "letter.txt", "dear reader");
    const auto outcome = tessera({"check", "garden.toml"}, own);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("warning: ")));
    EXPECT_EQ(text_of(cache / "letter.txt"), "dear reader");
}

TEST_F(CommandLine, ACacheFolderOpenToOthersIsClosed) {
    write_garden();
    const auto cache = here() / "cache";
    fs::create_directory(cache);
    fs::permissions(cache, fs::perms::all);
    const auto outcome = tessera({"run", "garden.toml", "--out", "out"}, {{"TESSERA_CACHE", cache.string()}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("warning: the cache folder " + cache.string() + " is now closed to others (its mode was 0777"));
    EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
}

TEST_F(CommandLine, ACacheFolderThatCannotBeMadeOnlyCostsTime) {
    write_garden();
    write_text(here() / "file", "");
    const auto outcome = tessera({"run", "garden.toml", "--out", "out"}, {{"TESSERA_CACHE", (here() / "file/cache").string()}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(count_of(outcome.err, "warning: "), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("models are compiled again in every run"));
}

// ---- compilers and devices

TEST_F(CommandLine, WithoutAnyCompilerEveryNameThatWasTriedIsTold) {
    write_garden();
    const Environment bare{{"PATH", here().string()}, {"CXX", std::nullopt}, {"TESSERA_NVRTC", "/nowhere/libnvrtc.so"}};
    for (const char* name : {"run", "check"}) {
        const auto outcome = tessera({name, "garden.toml"}, bare);
        EXPECT_EQ(outcome.status, 5) << name;
        EXPECT_EQ(outcome.err,
                  "error: models cannot be compiled here (a model is compiled when it is run) \n"
                  "  for the CPU: there is no C++ compiler (tried: c++ is not on $PATH; g++ is not on $PATH; clang++ is not on $PATH) "
                  "install g++ 11 or clang 14 or later, or name one in $CXX\n"
                  "  for a GPU: there is no NVRTC, which compiles models for a GPU (tried: /nowhere/libnvrtc.so: not there) correct or "
                  "unset $TESSERA_NVRTC\n");
    }
    EXPECT_FALSE(fs::exists(here() / "results"));
}

TEST_F(CommandLine, ACompilerThatIsNoneIsPassedOver) {
    write_garden();
    const auto outcome = tessera({"run", "garden.toml", "--out", "out"}, {{"CXX", "no-such-compiler"}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(CommandLine, DevicesAreListedWithoutAnyCompiler) {
    const auto outcome = tessera({"devices"}, {{"PATH", here().string()}, {"CXX", std::nullopt}, {"TESSERA_NVRTC", "/nowhere"}});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, StartsWith("cpu "));
    EXPECT_THAT(outcome.out, HasSubstr("\ncuda")); // a GPU, or why there is none
    EXPECT_EQ(outcome.err, "");
}

TEST_F(CommandLine, DoctorNeedsNvrtcForAGpuAlone) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    const auto outcome = tessera({"doctor", "--plugins", test_shipped("plugins").string()},
                                 {{"TESSERA_NVRTC", "/nowhere"}, {"TESSERA_PLUGIN_PATH", std::nullopt}});
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("cpu .*: Life, 100 steps: ok"));
    if (cuda_status().available) {
        EXPECT_EQ(outcome.status, 10);
        EXPECT_THAT(outcome.out, HasSubstr("FAILED: there is no NVRTC, which compiles models for a GPU (tried: /nowhere: not there)"));
    } else {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out, StartsWith("no GPU: "));
        EXPECT_THAT(outcome.out, EndsWith("1 device is fine\n"));
    }
}

// What a device comes to is compared with what is known, so that one that is wrong is found where there is no other.
TEST_F(CommandLine, DoctorFindsOutWhereTheOnlyDeviceIsWrong) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    copy_program(here() / "bin/tessera");
    fs::copy(test_shipped("plugins"), here() / "plugins", fs::copy_options::recursive);
    auto life = text_of(here() / "plugins/life/life.cu");
    const std::string survival = "(n == 2) & self.alive";
    ASSERT_NE(life.find(survival), std::string::npos);
    write_text(here() / "plugins/life/life.cu", life.replace(life.find(survival), survival.size(), "(n == 5) & self.alive"));
    auto doctor = command({"doctor", "--plugins", "plugins"}, {{"TESSERA_NVRTC", "/nowhere"}, {"TESSERA_PLUGIN_PATH", std::nullopt}});
    doctor.program = here() / "bin/tessera";
    const auto outcome = testing::run(doctor);
    EXPECT_EQ(outcome.status, 10) << outcome.err;
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("cpu .*: Life, 100 steps: WRONG: state [0-9a-f]+ instead of [0-9a-f]+\n"));
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("cpu .*: heat, 100 steps: ok\n"));
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("cpu .*: leadership, 60 steps: ok\n"));
    EXPECT_THAT(outcome.err, HasSubstr("devices cannot be used"));
}

TEST_F(CommandLine, DoctorWithoutItsModelsSaysSo) {
    const auto outcome = tessera({"doctor", "--plugins", "nope"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("nope"));
}

TEST_F(CommandLine, TheSearchForADriverIsToldWhenAskedFor) {
    if (cuda_status().available) GTEST_SKIP() << "there is a GPU";
    const auto outcome = tessera({"devices"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cuda     not available: "));
    EXPECT_THAT(outcome.out, Not(HasSubstr("libcuda.so")));
    const auto reason = cuda_status().why_not;
    if (reason.find("; tried ") == std::string::npos) return;
    EXPECT_THAT(tessera({"--log-level", "debug", "devices"}).err, HasSubstr(reason));
}

TEST_F(CommandLine, AFirstRunTellsWhatIsCompiled) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    write_garden();
    const auto outcome =
        tessera({"run", "garden.toml", "--out", "out", "--set", "run.threads=2"}, {{"TESSERA_CACHE", (here() / "cache").string()}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(count_of(outcome.err, "compiling the description of garden\n"), 1u) << outcome.err;
    EXPECT_EQ(count_of(outcome.err, "compiling garden for the CPU\n"), 1u) << outcome.err;
    EXPECT_EQ(manifest("out")["threads"], 2);
}

TEST_F(CommandLine, ADeviceThatIsNotThereIsADeviceError) {
    write_garden();
    const auto outcome = tessera({"run", "garden.toml", "--out", "out", "--devices", "cuda:77"});
    EXPECT_EQ(outcome.status, 6);
    EXPECT_THAT(outcome.err, HasSubstr("error: there is no device \"cuda:77\" ("));
    EXPECT_THAT(outcome.err, HasSubstr("this machine has \"cpu\""));
    EXPECT_FALSE(fs::exists(here() / "out"));
}

TEST_F(CommandLine, ThreadsDoNotChangeTheResult) {
    write_garden();
    for (const char* threads : {"1", "3"}) ASSERT_EQ(tessera({"run", "garden.toml", "--out", threads, "--threads", threads}).status, 0);
    EXPECT_EQ(manifest("1")["state_hash"], manifest("3")["state_hash"]);
}

TEST_F(CommandLine, SeveralDevicesSayWhatEachDidAndCutsThatAreMeasuredChangeNoBits) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    write_garden("[[output]]\nevery = 10\nnpy = \"{step}.npy\"\nattribute = \"bed.water\"\n"); // behind one a step is sampled
    const auto run = [&](const std::string& out, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "garden.toml", "--steps", "40", "--out", out});
        return tessera(more);
    };
    const auto one = run("one", {});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.out, Not(HasSubstr("1, cpu:")));
    const auto given = run("given", {"--devices", "cpu,cpu", "--set", "places.bed.cuts=[2]"});
    EXPECT_EQ(given.status, 0) << given.err;
    EXPECT_THAT(given.out, ::testing::ContainsRegex("\n  1, cpu: rows 0 to 1 of bed; of a step [0-9.e+]+ us work, [0-9.e+]+ us waiting for "
                                                    "others\n  2, cpu: rows 2 to 5 of bed; of a step"));
    const auto measured = run("measured", {"--devices", "cpu,cpu", "--set", "places.bed.cuts=\"measured\""});
    EXPECT_EQ(measured.status, 0) << measured.err;
    EXPECT_THAT(measured.err, HasSubstr("info: cuts of bed are measured: "));
    for (const std::string folder : {"given", "measured"})
        EXPECT_EQ(manifest(folder)["state_hash"], manifest("one")["state_hash"]) << folder;
    EXPECT_THAT(manifest("measured")["run_file"].get<std::string>(), HasSubstr("cuts = \"measured\""));
}

// ---- fused steps

TEST_F(CommandLine, CheckExplainsWhichStepsAreFused) {
    write_garden("[[output]]\nevery = 2\nnpy = \"{step}.npy\"\nattribute = \"bed.water\"\n");
    const auto plain = tessera({"check", "garden.toml"}), explained = tessera({"check", "garden.toml", "--explain"});
    EXPECT_EQ(explained.status, 0) << explained.err;
    EXPECT_THAT(explained.out, StartsWith(plain.out));
    EXPECT_THAT(explained.out.substr(plain.out.size()), StartsWith("  several steps at once\n"));
    EXPECT_THAT(explained.out, HasSubstr("\n    outputs every 2 steps: "));
    EXPECT_THAT(explained.out, HasSubstr("\n  bed\n    "));
    EXPECT_FALSE(fs::exists(here() / "results"));
}

// ---- checks

TEST_F(CommandLine, CheckNotesFunctionsThatNoPhaseCalls) {
    write_text(here() / "ising/ising.cu", R"(#include <tessera/model.hpp>
struct Spin { std::int8_t up = 0; };
struct Wall { std::int8_t high = 0; };
TESSERA_PLACE(Spin, up);
TESSERA_PLACE(Wall, high);
TESSERA_INIT(Spin, draw, sets<&Spin::up>) { self.up = 1; }
TESSERA_CALL(Spin, black, writes<&Spin::up>) { self.up = -self.up; }
TESSERA_CALL(Spin, white, writes<&Spin::up>) { self.up = -self.up; }
TESSERA_CALL(Wall, build, writes<&Wall::high>) { self.high = 1; }
TESSERA_MODEL(ising, "spins in two colours");
)");
    const std::string run = "model = \"ising/ising.cu\"\nrun.steps = 1\nplaces.spin.size = [4, 4]\n", phases = "[[phase]]\ncallAll = ";
    write_text(here() / "one.toml", run + phases + "\"spin.black\"\n");
    write_text(here() / "both.toml", run + phases + "\"spin.black\"\n" + phases + "\"spin.white\"\n");
    write_text(here() / "none.toml", run);
    const auto one = tessera({"check", "one.toml"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("  phase callAll spin.black\n"
                                   "  note: no phase calls spin.white (functions run where a phase names them) add callAll = "
                                   "\"spin.white\" if it is meant to run\n"));
    const std::string no_wall = "  note: the run has no Wall, and its functions are not compiled\n";
    EXPECT_THAT(one.out, HasSubstr(no_wall));
    EXPECT_EQ(count_of(one.out, "note: "), 2u) << one.out; // not of what is first drawn
    for (const char* whole : {"both.toml", "none.toml", "ising/ising.cu"}) {
        const auto outcome = tessera({"check", whole});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const bool is_run = std::string(whole) != "ising/ising.cu"; // a model by itself has all
        EXPECT_EQ(count_of(outcome.out, "note: "), is_run ? 1u : 0u) << outcome.out;
        EXPECT_EQ(count_of(outcome.out, no_wall), is_run ? 1u : 0u) << outcome.out;
    }
}

TEST_F(CommandLine, CheckNotesCollectionsThatNoPhaseTouchesAndWhatIsSeenTwiceOnATorus) {
    write_text(here() / "met/met.cu", R"(#include <tessera/model.hpp>
struct Field { int n = 0; };
TESSERA_PLACE(Field, n);
struct Ant { int met = 0; };
TESSERA_AGENT(Ant, on<Field>, met);
TESSERA_CALL(Field, look, around<offsets<offset<2, 0>>, &Field::n>) {}
TESSERA_CALL(Ant, look, meets<moore, agents<Ant>>, writes<&Ant::met>) {
    self.meet(moore, agents<Ant>, [&](const auto&) { self.met += 1; });
}
TESSERA_MODEL(met, "who meets whom");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.field.size = [2, 1]
agents.ant = { capacity = 2, count = 2 }
phase = [{ callAll = "ant.look" }, { callAll = "field.look" }, { exchangeAll = "*" }])toml");
)");
    const auto notes = [this](const std::vector<std::string>& keys) {
        std::vector<std::string> arguments{"check", "met/met.cu"};
        for (const auto& key : keys) arguments.insert(arguments.end(), {"--set", key});
        const auto outcome = tessera(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        std::string lines;
        for (const auto& line : lines_of(outcome.out))
            if (line.find("note: ") != std::string::npos) lines += line.substr(line.find("note: ") + 6) + "\n";
        return lines;
    };
    const auto seen = [](const std::string& function, const std::string& axes) {
        return function + " sees a place more than once (its neighbourhood is longer along " + axes +
               " than the torus) make the grid longer, or take that into account\n";
    };
    EXPECT_EQ(notes({}), seen("ant.look", "x and y") + seen("field.look", "x"));
    EXPECT_EQ(notes({"places.field.size=[3,2]"}), seen("ant.look", "y"));
    EXPECT_EQ(notes({"places.field.size=[3,3]"}), "");
    EXPECT_EQ(notes({"places.field.boundary=[\"torus\",\"open\"]"}), seen("ant.look", "x") + seen("field.look", "x"));
    EXPECT_EQ(notes({"places.field.size=[3,3]", "places.other={type=\"field\",size=[4,4]}", "agents.ant.on=\"field\""}),
              "no phase uses other (it takes memory, and never changes) remove it if that is not meant\n");
}

// ---- files

TEST_F(CommandLine, ARunFileThatMayNotBeReadIsAnInputError) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
    write_garden();
    fs::permissions(here() / "garden.toml", fs::perms::none);
    const auto outcome = tessera({"check", "garden.toml"});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("error: cannot read the run file `garden.toml` (Permission denied)"));
}

TEST_F(CommandLine, PathsInARunFileAreRelativeToIt) {
    write_garden("init.plants = { file = \"plants.csv\" }\n");
    fs::create_directory(here() / "below");
    fs::rename(here() / "garden.toml", here() / "below/garden.toml");
    write_text(here() / "below/plants.csv", "1,2,3\n");
    const auto outcome = tessera({"run", "below/garden.toml", "--out", "out", "--steps", "0"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(here() / "out/manifest.json"));
}

TEST_F(CommandLine, ListSaysOfEveryCandidateWhyItCannotBeUsed) {
    write_text(here() / "a/pond/pool.cu", "");
    write_text(here() / "a/broken/broken.cu", "this is no model\n");
    write_text(here() / "a/stray.cu", "");
    const auto outcome = tessera({"list", "--plugins", "a"}, {{"TESSERA_PLUGIN_PATH", std::nullopt}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("pond             rejected: there is no pond.cu in it, and no pond.so  (a/pond/pond.cu)\n"));
    EXPECT_THAT(outcome.out,
                HasSubstr("stray            rejected: a model's source stands in a folder of its name: stray/stray.cu  (a/stray.cu)\n"));
    EXPECT_THAT(outcome.out, HasSubstr("broken           rejected: a/broken/broken.cu:1:1: "));
}

TEST_F(CommandLine, InfoShowsWhatAModelSaysOfItself) {
    const auto outcome = tessera({"info", "garden"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* part : {"garden: beds and foot paths\n", "places `bed` (struct Bed)\n", "places `foot_path` (struct FootPath)\n",
                             "init sow(sets<&Bed::plants>)\n", "uint8[3]", "water that falls on a place in a step", "0 to 1"})
        EXPECT_THAT(outcome.out, HasSubstr(part));
}

} // namespace
} // namespace tessera::command_line_test
