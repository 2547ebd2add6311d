// The program while it compiles: interrupted, killed, and out of room.
// sanitizers: none
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tessera::compiling_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

class Compiling : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("g++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "g++ is not on $PATH";
    }

    // A compiler that does what the script says, and then what g++ does.
    [[nodiscard]] fs::path compiler(const std::string& script) const {
        const auto path = here() / "compiler";
        write_text(path, "#!/bin/sh\n" + script + "\nexec g++ \"$@\"\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    [[nodiscard]] testing::Command run_with(const fs::path& compiler) const {
        const auto plugins = fs::weakly_canonical(test_data("golden/plugins")).string();
        return {
            test_program(),
            {"run", "garden", "--out", "out", "--set", "run.devices=[\"cpu\"]", "--set", "run.steps=4", "--set", "places.bed.size=[8,6]"},
            here(),
            {{"TESSERA_CACHE", cache().string()}, {"TESSERA_PLUGIN_PATH", plugins}, {"CXX", compiler.string()}},
            std::nullopt};
    }
    [[nodiscard]] const fs::path& here() const { return scratch_.path(); }
    [[nodiscard]] fs::path cache() const { return here() / "cache"; }

    static bool wait_for(Child& child, const fs::path& file) {
        while (!fs::exists(file)) {
            if (child.has_ended()) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
    [[nodiscard]] std::size_t work_folders() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(cache())) count += entry.is_directory() ? 1 : 0;
        return count;
    }

private:
    TemporaryFolder scratch_;
};

// The compiler never ends by itself: the run does, for it is killed.
class CompilingInterrupted : public Compiling, public ::testing::WithParamInterface<int> {};

TEST_P(CompilingInterrupted, TheCompilerIsEnded) {
    const auto begun = (here() / "begun").string();
    const auto slow = compiler("grep -q tessera_exactness main.cpp || case \"$*\" in *image.so*) touch '" + begun +
                               "'; while :; do sleep 600; done;; esac");
    Child child(run_with(slow));
    ASSERT_TRUE(wait_for(child, begun)) << child.wait().err;
    EXPECT_EQ(work_folders(), 1u);
    child.signal(GetParam());
    const auto outcome = child.wait();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error: interrupted (a model was being compiled)"));
    EXPECT_EQ(work_folders(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Signals, CompilingInterrupted, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& each) { return std::string(each.param == SIGINT ? "SIGINT" : "SIGTERM"); });

// A run with checkpoints that a queue ends before its first step: while its kernels are compiled, and before it is known what it is.
class CompilingAtTheEndOfItsTime : public Compiling, public ::testing::WithParamInterface<int> {};

TEST_P(CompilingAtTheEndOfItsTime, IsPaused) {
    const auto begun = here() / "begun", go = here() / "go";
    const auto slow = compiler("grep -q tessera_exactness main.cpp || { touch '" + begun.string() + "'; while ! [ -e '" + go.string() +
                               "' ]; do sleep 0.02; done; }");
    auto command = run_with(slow);
    command.arguments.insert(command.arguments.end(), {"--set", "run.checkpoint={ every = 1 }"});
    Child child(command);
    ASSERT_TRUE(wait_for(child, begun)) << child.wait().err;
    child.signal(GetParam()); // the description is being compiled
    child.signal(GetParam());
    write_text(go, "");
    const auto outcome = child.wait();
    if (GetParam() == SIGUSR1) { // which wants a checkpoint, and nothing has happened yet
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return;
    }
    EXPECT_EQ(outcome.status, 11) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error: paused before the first step (its time was over) "));
}

INSTANTIATE_TEST_SUITE_P(Signals, CompilingAtTheEndOfItsTime, ::testing::Values(SIGTERM, SIGUSR1, SIGUSR2), [](const auto& each) {
    return std::string(each.param == SIGTERM ? "SIGTERM" : each.param == SIGUSR1 ? "SIGUSR1" : "SIGUSR2");
});

TEST_F(Compiling, AFullDiskOfTheCacheIsNoReasonNotToRun) {
    const auto full = compiler("case \"$PWD\" in '" + cache().string() +
                               "'*) echo \"main.cpp:1: fatal error: error writing to main.s: No space left on device\" >&2; exit 1;; esac");
    const auto outcome = testing::run(run_with(full));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("finished after 4 steps"));
    EXPECT_THAT(outcome.err, HasSubstr("warning: a model cannot be compiled in " + cache().string() + " (no space is left on its disk)"));
}

} // namespace
} // namespace tessera::compiling_test
