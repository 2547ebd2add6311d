// Runs that end otherwise than by their last step: what their folders say, and what becomes of these.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::ended_runs_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::text_of;
using testing::write_text;

class EndedRun : public testing::CommandLine {
protected:
    // A run of steps without end into `out`, which compiles nothing meanwhile.
    [[nodiscard]] testing::Command endless(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run",        "garden.toml", "--out", "out",   "--steps",
                                           "4000000000", "--threads",   "1",     "--set", "schedule.tune=off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return command(std::move(arguments));
    }
    // False if the program ends before, or does not come to it in a minute.
    template<class Condition> static bool wait_until(Child& child, const Condition& condition) {
        for (int pause = 0; pause < 12'000 && !child.has_ended(); ++pause) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }
    static bool wait_for_end(Child& child) {
        return !wait_until(child, [] { return false; }) && child.has_ended();
    }
    static std::string told_until_killed(Child& child) {
        child.signal(SIGKILL);
        return child.wait().err;
    }
    [[nodiscard]] bool is_running(const std::string& folder = "out") const {
        return fs::exists(here() / folder / "manifest.json") && manifest(folder)["status"] == "running";
    }
    const std::string table = "[[output]]\nevery = 20\ncsv = \"water.csv\"\ncolumns = { water = \"sum(bed.water)\" }\n";
};

// ---- killed

TEST_F(EndedRun, ByForceSaysHowFarItWasAndCanBeOverwritten) {
    write_garden(table + "[[output]]\nevery = 500\nnpy = \"all/{step}.npy\"\nattribute = \"bed.plants\"\n");
    {
        Child child(endless());
        ASSERT_TRUE(wait_until(child, [&] { return is_running() && manifest("out")["steps"] > 0; })) << told_until_killed(child);
        child.signal(SIGKILL);
        EXPECT_EQ(child.wait().status, 128 + SIGKILL);
    }
    const auto left = manifest("out");
    EXPECT_EQ(left["status"], "running");
    EXPECT_FALSE(left.contains("state_hash"));
    EXPECT_FALSE(left.contains("error"));
    EXPECT_THAT(left["files"].get<std::vector<std::string>>(), ::testing::IsSupersetOf({"water.csv", "all/0.npy"}));
    const auto rows = lines_of(text_of(here() / "out/water.csv"));
    EXPECT_LE(left["steps"].get<std::uint64_t>(), 20 * (rows.size() - 1)) << "it was not as far";
    EXPECT_THAT(left["run_file"].get<std::string>(), HasSubstr("model = \"garden\""));

    EXPECT_EQ(tessera({"run", "garden.toml", "--out", "out"}).status, 8);
    const auto over = tessera({"run", "garden.toml", "--out", "out", "--overwrite"});
    EXPECT_EQ(over.status, 0) << over.err;
    EXPECT_EQ(manifest("out")["status"], "finished");
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(here() / "out"))
        if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), here() / "out").string());
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("manifest.json", "water.csv", "all/0.npy", "all/4.npy"));
}

TEST_F(EndedRun, OfABenchmarkByForceCanBeOverwritten) {
    write_garden();
    const std::vector<std::string> measure{"bench", "garden.toml", "--sizes", "12", "--views", "chosen", "--out", "out"};
    auto longer = measure;
    longer.insert(longer.end(), {"--samples", "1000"});
    {
        Child child(command(longer));
        ASSERT_TRUE(wait_until(child, [&] { return is_running(); })) << told_until_killed(child);
        child.signal(SIGKILL);
        EXPECT_EQ(child.wait().status, 128 + SIGKILL);
    }
    auto over = measure;
    over.insert(over.end(), {"--samples", "1", "--overwrite"});
    const auto outcome = tessera(over);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(manifest("out")["status"], "finished");
}

// ---- two at one moment

TEST_F(EndedRun, AnotherIntoItsFolderIsRefusedWhileItGoesOn) {
    write_garden(table);
    Child child(endless());
    ASSERT_TRUE(wait_until(child, [&] { return is_running(); })) << told_until_killed(child);
    for (const char* overwrite : {"--quiet", "--overwrite"}) {
        const auto other = tessera({"run", "garden.toml", "--out", "out", overwrite});
        EXPECT_EQ(other.status, 8);
        EXPECT_THAT(other.err, HasSubstr("error: the result folder out is in use (another run writes into it)"));
    }
    child.signal(SIGINT);
    EXPECT_EQ(child.wait().status, 130);
    const auto steps = manifest("out")["steps"].get<std::uint64_t>();
    EXPECT_EQ(lines_of(text_of(here() / "out/water.csv")).size(), 1 + steps / 20 + 1 + (steps % 20 != 0 ? 1 : 0));
}

// ---- nobody listens

TEST_F(EndedRun, ByAReaderThatIsGoneIsAnInterruptedOne) { // tessera run long.toml 2>&1 | head -2
    write_garden(table);
    auto unread = endless();
    unread.nobody_reads_err = true;
    Child child(unread);
    ASSERT_TRUE(wait_for_end(child));
    EXPECT_EQ(child.wait().status, 130);
    EXPECT_EQ(manifest("out")["status"], "interrupted");
    EXPECT_TRUE(manifest("out").contains("state_hash"));
}

TEST_F(EndedRun, WithoutRoomForWhatItSaysIsAFailure) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    write_garden();
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "garden.toml", "--out", "out"},
                                                      {"check", "garden.toml"},
                                                      {"info", "garden"},
                                                      {"devices"},
                                                      {"--version"},
                                                      {"--help"},
                                                      {"run", "--help"}}) {
        auto full = command(arguments);
        full.out = "/dev/full";
        const auto outcome = testing::run(full);
        EXPECT_EQ(outcome.status, 8) << arguments[0];
        EXPECT_THAT(outcome.err, EndsWith("error: could not write to stdout (No space left on device) what was to be said there is lost\n"))
            << arguments[0];
    }
    EXPECT_EQ(manifest("out")["status"], "finished");
}

// ---- a pipe as an output

class PipeOutput : public EndedRun {
protected:
    void SetUp() override {
        EndedRun::SetUp();
        if (IsSkipped()) return;
        write_garden();
        ASSERT_EQ(tessera({"run", "garden.toml", "--out", "out"}).status, 0);
        write_garden("[[output]]\nevery = 1\ncsv = \"water.csv\"\ncolumns = { water = \"sum(bed.water)\" }\n");
        ASSERT_EQ(::mkfifo((here() / "out/water.csv").c_str(), 0600), 0);
    }
    void expect_an_end_by_one_signal(Child& child) {
        child.signal(SIGTERM);
        ASSERT_TRUE(wait_for_end(child)) << "one SIGTERM is not enough";
        const auto outcome = child.wait();
        EXPECT_EQ(outcome.status, 130) << outcome.err;
        EXPECT_EQ(manifest("out")["status"], "interrupted");
        EXPECT_TRUE(manifest("out").contains("state_hash"));
    }
};

TEST_F(PipeOutput, ThatNobodyOpensEndsByOneSignal) {
    Child child(endless({"--overwrite"}));
    ASSERT_TRUE(wait_until(child, [&] { return is_running(); })) << told_until_killed(child);
    expect_an_end_by_one_signal(child);
    EXPECT_TRUE(fs::is_fifo(here() / "out/water.csv"));
}

TEST_F(PipeOutput, ThatIsFullEndsByOneSignal) {
    const int reader = ::open((here() / "out/water.csv").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    Child child(endless({"--overwrite"}));
    const auto is_full = [reader] {
        int waiting = 0;
        return ::ioctl(reader, FIONREAD, &waiting) == 0 &&
               waiting > ::fcntl(reader, F_GETPIPE_SZ) - 2000; // a page of it ends with the last row that fits
    };
    ASSERT_TRUE(wait_until(child, is_full)) << told_until_killed(child);
    expect_an_end_by_one_signal(child);
    std::string begin(16, ' ');
    EXPECT_EQ(::read(reader, begin.data(), begin.size()), 16);
    EXPECT_EQ(begin.substr(0, 11), "step,water\n");
    ::close(reader);
}

// ---- memory

TEST_F(EndedRun, WithoutMemoryForAnOutputHasAManifest) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    if (cuda_status().available) GTEST_SKIP() << "a GPU's driver takes memory of its own, and nobody knows how much";
    write_text(here() / "wide/wide.cu", R"(#include <tessera/model.hpp>
struct Cell { double v = 0; };
TESSERA_PLACE(Cell, v);
TESSERA_CALL(Cell, tick, writes<&Cell::v>) { self.v += 1; }
TESSERA_MODEL(wide, "takes 8 bytes a place");
)");
    write_text(here() / "run.toml", "model = \"wide/wide.cu\"\n[run]\nsteps = 2\ndevices = \"cpu\"\nthreads = 1\n"
                                    "[places.cell]\nsize = [4096, 4096]\n" // 128 MiB
                                    "[[output]]\nevery = 1\nfrom = 2\npng = \"v{step}.png\"\nattribute = \"cell.v\"\n");
    ASSERT_EQ(tessera({"run", "run.toml", "--out", "compiled", "--set", "output=[]"}).status, 0);
    auto poor = command({"run", "run.toml", "--out", "out"});
    poor.most_memory = std::uint64_t{320} << 20; // for the column and an array of it; a picture takes its plane out of that
    const auto outcome = testing::run(poor);
    EXPECT_EQ(outcome.status, 7) << outcome.err;
    const std::string told = "the machine's memory is used up (a column or an output needs more than is free) make the grid smaller";
    EXPECT_THAT(outcome.err, EndsWith("error: " + told + "\n"));
    const auto made = manifest("out");
    EXPECT_EQ(made["status"], "failed");
    EXPECT_EQ(made["error"], told);
    EXPECT_EQ(made["steps"], 2);
    EXPECT_FALSE(made.contains("state_hash"));
}

} // namespace
} // namespace tessera::ended_runs_test
