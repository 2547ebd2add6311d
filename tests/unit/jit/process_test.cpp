// sanitizers: address, thread
#include "jit/process.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <system_error>
#include <thread>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::jit::process_test {
namespace {

using namespace testing;

bool has_ended(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("State:")) return line.find('Z') != std::string::npos; // a zombie, where nobody above collects it
    return true;
}

// Whether the process whose number is in the file has ended, or does: what is killed may need a moment.
bool ends(const std::filesystem::path& file) {
    std::string process;
    std::ifstream(file) >> process;
    EXPECT_FALSE(process.empty());
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!has_ended(process) && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return has_ended(process);
}

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Process, GivesBothStreamsAndTheStatus) {
    const auto outcome = run({shell("echo out; echo err >&2; exit 3"), {}, {}});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_EQ(outcome.text, "out\nerr\n");
    EXPECT_FALSE(outcome.timed_out);
}

TEST(Process, RunsInTheFolderWithTheEnvironment) {
    const TemporaryFolder folder;
    const Variable gone("TESSERA_TEST_GONE", "1");
    const auto outcome = run({shell("pwd -P; echo $TESSERA_TEST_NEW $TESSERA_TEST_GONE"),
                              folder.path(),
                              {{"TESSERA_TEST_NEW", "a b"}, {"TESSERA_TEST_GONE", ""}}});
    EXPECT_EQ(outcome.text, std::filesystem::canonical(folder.path()).string() + "\na b\n");
}

TEST(Process, ArgumentsMeetNoShell) { EXPECT_EQ(run({{"/bin/echo", "$HOME; *", "a  b"}, {}, {}}).text, "$HOME; * a  b\n"); }

TEST(Process, IsKilledWithItsChildrenWhenTheTimeIsOver) {
    const auto outcome = run({shell("sleep 600 & echo started; sleep 600"), {}, {}, std::chrono::milliseconds(200)});
    EXPECT_TRUE(outcome.timed_out);
    EXPECT_EQ(outcome.status, 128 + 9);
    EXPECT_EQ(outcome.text, "started\n");
}

TEST(Process, IsKilledAlsoWhenItHasClosedItsOutput) {
    EXPECT_TRUE(run({shell("exec >&- 2>&-; sleep 600"), {}, {}, std::chrono::milliseconds(200)}).timed_out);
}

TEST(Process, IsKilledWithItsChildrenWhenItIsCancelled) {
    const TemporaryFolder folder;
    std::atomic<bool> cancel = false;
    auto outcome = std::async(std::launch::async, [&] {
        return run(
            {shell("sleep 600 & echo $! > pid.new; mv pid.new pid; sleep 600"), folder.path(), {}, std::chrono::hours(1), 0, &cancel});
    });
    while (!std::filesystem::exists(folder.path() / "pid")) std::this_thread::yield();
    cancel = true;
    const auto found = outcome.get();
    EXPECT_TRUE(found.cancelled);
    EXPECT_FALSE(found.timed_out);
    EXPECT_EQ(found.status, 128 + SIGKILL);
    EXPECT_TRUE(ends(folder.path() / "pid"));
}

TEST(Process, WhatItLeavesRunningGoesWithIt) {
    const TemporaryFolder folder;
    EXPECT_EQ(run({shell("(sleep 600; echo late) >&- 2>&- & echo $! > pid"), folder.path(), {}}).status, 0);
    EXPECT_TRUE(ends(folder.path() / "pid"));
}

TEST(Process, HasNoMoreMemoryThanItMay) {
    const auto zeros = [](std::uint64_t memory) { // dd takes its whole block at once
        return run({shell("dd if=/dev/zero of=/dev/null bs=256M count=1"), {}, {}, std::chrono::minutes(5), memory});
    };
    EXPECT_EQ(zeros(0).status, 0);
    EXPECT_NE(zeros(64u << 20).status, 0);
}

TEST(Process, TheProcessorsTimeIsLimitedForAllOfIt) {
    EXPECT_EQ(run({shell("ulimit -t"), {}, {}, std::chrono::seconds(20)}).text, "30\n");
    EXPECT_EQ(run({shell("ulimit -t"), {}, {}, std::chrono::milliseconds(20'001)}).text, "31\n");
    EXPECT_EQ(run({shell("ulimit -c"), {}, {}}).text, "0\n");
}

// A process that runs a command and dies of a signal: everything that it had started is gone, with its folder, before the pipe closes that
// all of it holds open.
class ProcessThatDies : public ::testing::TestWithParam<int> {};

TEST_P(ProcessThatDies, TakesItsCommandAndItsFolderAlong) {
    const TemporaryFolder folder;
    const auto scratch = folder.path() / "scratch";
    std::filesystem::create_directory(scratch);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(GetParam(), SIG_DFL);
        Command command{shell("(trap '' TERM; touch file; echo . >&" + std::to_string(ends[1]) + "; sleep 600) & sleep 600"), scratch, {}};
        command.scratch = scratch;
        static_cast<void>(run(command));
        ::_exit(0);
    }
    ::close(ends[1]);
    char read_byte[2];
    ASSERT_EQ(::read(ends[0], read_byte, 2), 2); // the command runs
    ::kill(child, GetParam());
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WTERMSIG(status), GetParam());
    pollfd waiting{ends[0], POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 120'000), 1) << "something of it still runs";
    EXPECT_EQ(::read(ends[0], read_byte, 1), 0);
    EXPECT_FALSE(std::filesystem::exists(scratch));
    ::close(ends[0]);
}

INSTANTIATE_TEST_SUITE_P(Signals, ProcessThatDies, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL),
                         [](const auto& each) { return std::string("Signal") + std::to_string(each.param); });

TEST(Process, MuchOutputNeitherBlocksNorFillsTheMemory) {
    const auto outcome = run({shell("head -c 20000000 /dev/zero"), {}, {}});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.text.size(), 4u << 20);
}

TEST(Process, WhatIsNotThereIsAnError) {
    EXPECT_THROW(static_cast<void>(run({{"/no/such/program"}, {}, {}})), std::system_error);
    EXPECT_TRUE(find_program("no-such-program-of-ours").empty());
    EXPECT_TRUE(find_program("/etc/passwd").empty());
    EXPECT_FALSE(find_program("sh").empty());
}

} // namespace
} // namespace tessera::jit::process_test
