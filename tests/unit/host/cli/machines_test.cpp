// Machines that refuse what others have: no /proc, no /dev, no processes, few open files, disks that run nothing, other control groups.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

namespace tessera::machines_test {
namespace {

using ::testing::AllOf;
using testing::CommandLine;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;

class Machines : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    }
    // A shell's words, in which $T is the program.
    Outcome shell(const std::string& words, testing::Environment more = {}) const {
        auto command = CommandLine::command({"-c", words}, std::move(more));
        command.program = "/bin/sh";
        command.environment["T"] = test_program().string();
        return testing::run(command);
    }
    // The same among mounts of its own. Skips the test where that is refused.
    Outcome among_own_mounts(const std::string& words) const { return shell("exec unshare -m /bin/sh -c '" + words + "'"); }
    static std::string why_no_mounts() { return std::system("unshare -m true > /dev/null 2>&1") == 0 ? "" : "unshare -m is refused here"; }
    static constexpr const char* short_run =
        "$T run life --steps 2 --set places.cell.size=[40,30] --devices cpu --out out --overwrite --quiet";
};

#define NEEDS_MOUNTS \
    if (const auto why = why_no_mounts(); !why.empty()) GTEST_SKIP() << why

TEST_F(Machines, WithoutProcModelsAreFoundAndRun) {
    NEEDS_MOUNTS;
    const auto expected = shell(short_run);
    ASSERT_EQ(expected.status, 0) << expected.err;
    // LD_ORIGIN_PATH: without /proc the loader does not find by itself what an archive brings beside its program.
    const auto outcome = among_own_mounts(std::string("umount -l /proc; LD_ORIGIN_PATH=$(dirname $T) ") + short_run);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto state_of = [](const Outcome& of) { return of.out.substr(of.out.find("state "), 22); };
    EXPECT_EQ(state_of(outcome), state_of(expected));
}

TEST_F(Machines, WithoutDevModelsAreCompiled) {
    NEEDS_MOUNTS;
    const auto outcome = among_own_mounts(std::string("mount -t tmpfs tmpfs /dev; TESSERA_CACHE=$PWD/cache ") + short_run);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(Machines, ACacheOnADiskThatRunsNothingIsUsedAllTheSame) {
    NEEDS_MOUNTS;
    const std::string cached = std::string("TESSERA_CACHE=$PWD/disk/cache ") + short_run;
    const auto outcome = among_own_mounts("mkdir disk; mount -t tmpfs -o noexec tmpfs disk; " + cached + " && " + cached);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto warning = outcome.err.find("/disk/cache is mounted noexec; compiled models are loaded from copies in ");
    ASSERT_NE(warning, std::string::npos) << outcome.err;
    const auto second = outcome.err.find("is mounted noexec", warning + 20);
    ASSERT_NE(second, std::string::npos) << outcome.err;
    EXPECT_THAT(outcome.err.substr(second), Not(HasSubstr("compiling")));
    const auto everywhere = among_own_mounts("mkdir none; mount -t tmpfs -o noexec tmpfs none; mkdir none/tmp; TMPDIR=$PWD/none/tmp "
                                             "TESSERA_CACHE=$PWD/none/cache " +
                                             std::string(short_run));
    EXPECT_EQ(everywhere.status, 5);
    EXPECT_THAT(everywhere.err, AllOf(HasSubstr("are mounted noexec"), HasSubstr("$TESSERA_CACHE")));
}

TEST_F(Machines, LimitsOfControlGroupsOfVersion1Count) {
    NEEDS_MOUNTS;
    const auto outcome = among_own_mounts("mkdir -p groups/memory; echo 67108864 > groups/memory/memory.limit_in_bytes; "
                                          "echo 1000000 > groups/memory/memory.usage_in_bytes; mount --bind groups /sys/fs/cgroup; "
                                          "$T check life --set run.devices=\\\"cpu\\\" --set places.cell.size=[20000,20000]");
    EXPECT_EQ(outcome.status, 7) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cpu has 0.06 GiB free"));
    const auto unlimited =
        among_own_mounts("mkdir -p all/memory; echo 9223372036854771712 > all/memory/memory.limit_in_bytes; mount --bind "
                         "all /sys/fs/cgroup; $T check life --set run.devices=\\\"cpu\\\" --set places.cell.size=[40,30]");
    EXPECT_EQ(unlimited.status, 0) << unlimited.err;
}

TEST_F(Machines, WithoutProcessesTheCompilerIsNamedSoon) {
    const std::string nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    if (shell(nobody + "$T --version").status != 0) GTEST_SKIP() << "setpriv is refused here, or another user cannot read the program";
    const auto outcome =
        shell("HOME=/nonexistent exec " + nobody + "bash -c 'ulimit -u 1; exec " + short_run + "'", {{"TESSERA_CACHE", std::nullopt}});
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("could not be started (Resource temporarily unavailable) end other programs, or raise the limit of "
                                       "processes (`ulimit -u`)"));
}

TEST_F(Machines, WithFewOpenFilesTheLimitIsNamed) {
    for (const int most : {5, 7, 8}) {
        const auto outcome =
            shell("exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n " + std::to_string(most) + "; TESSERA_CACHE=$PWD/cache exec " + short_run);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("(Too many open files) raise the limit of open files (`ulimit -n`)")) << most;
    }
    const auto later = shell(std::string("TESSERA_CACHE=$PWD/cache ") + short_run); // nothing wrong was remembered
    EXPECT_EQ(later.status, 0) << later.err;
}

TEST_F(Machines, APoliteLimitEndsARunWithItsManifest) {
    for (const int signal : {SIGXCPU, SIGUSR1, SIGUSR2}) {
        testing::Child child(command({"run", "life", "--steps", "1000000000", "--set", "places.cell.size=[40,30]", "--devices", "cpu",
                                      "--out", "out", "--overwrite", "--quiet"}));
        while (!child.has_ended() && child.err_so_far().find("results in") == std::string::npos)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        child.signal(signal);
        const auto outcome = child.wait();
        EXPECT_EQ(outcome.status, 130) << signal << outcome.err;
        EXPECT_EQ(manifest("out")["status"], "interrupted") << signal;
    }
}

} // namespace
} // namespace tessera::machines_test
