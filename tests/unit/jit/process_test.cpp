#include "jit/process.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace tessera::jit {
namespace {

using namespace testing;

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
} // namespace tessera::jit
