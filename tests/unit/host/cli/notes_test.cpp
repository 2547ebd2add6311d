// What a run and a check say of what is there for nothing; and of several processes that a launcher starts.
// sanitizers: none
#include "host/run/launcher.hpp"
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera::notes_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Notes : public testing::CommandLine {};

TEST_F(Notes, NameWhatNeverHappensAndWhatNobodyReads) {
    if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    testing::write_text(here() / "idle.cu", R"cu(#include <tessera/model.hpp>
struct Cell { int age = 0; };
TESSERA_PLACE(Cell, age);
TESSERA_PARAM(int, speed, 1);
TESSERA_PARAM(int, colour, 2); // colour
TESSERA_CALL(Cell, grow, writes<&Cell::age>) { self.age += speed; }
TESSERA_CALL(Cell, shrink, writes<&Cell::age>) { self.age -= speed; }
TESSERA_MODEL(idle, "cells that grow");
)cu");
    const std::string begin = "model = \"idle.cu\"\n[run]\nsteps = 3\ndevices = \"cpu\"\nthreads = 1\n[places.cell]\nsize = [4, 4]\n"
                              "[[phase]]\ncallAll = \"cell.grow\"\n";
    testing::write_text(here() / "some.toml",
                        begin + "[[phase]]\ncallAll = \"cell.grow\"\nfrom = 3\n[params]\nspeed = 2\ncolour = 3\n"
                                "[[output]]\nevery = 1\nfrom = 4\ncsv = \"a.csv\"\ncolumns = { a = \"sum(cell.age)\" }\n");
    testing::write_text(here() / "none.toml",
                        begin + "[[phase]]\ncallAll = \"cell.shrink\"\nfrom = 2\n[params]\nspeed = 2\n"
                                "[[output]]\nevery = 1\nfrom = 3\ncsv = \"a.csv\"\ncolumns = { a = \"sum(cell.age)\" }\n");
    const auto run = tessera({"run", "some.toml", "--out", "some"}), check = tessera({"check", "some.toml"});
    ASSERT_EQ(run.status, 0) << run.err;
    ASSERT_EQ(check.status, 0) << check.err;
    for (const auto* note :
         {"note: no phase calls cell.shrink (functions run where a phase names them) add callAll = \"cell.shrink\" if it is meant to run\n",
          "note: callAll cell.grow never happens (it begins in step 3, and the steps are 0 to 2) give it an earlier `from`, or make more "
          "steps\n",
          "note: a.csv is never written (it begins at step 4, and the last state is that after step 3) give it an earlier `from`, or make "
          "more "
          "steps\n",
          "note: nothing reads the parameter colour (the model declares it and does not use it) its value makes no difference\n"}) {
        EXPECT_THAT(run.err, HasSubstr(std::string("info: ") + note));
        EXPECT_THAT(check.out, HasSubstr(note));
    }
    EXPECT_THAT(run.err, Not(HasSubstr("parameter speed")));
    const auto clean = tessera({"run", "none.toml", "--out", "none"});
    ASSERT_EQ(clean.status, 0) << clean.err;
    EXPECT_THAT(clean.err, Not(HasSubstr("note: ")));
}

class Launchers : public ::testing::Test {
protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }
    static void clear() {
        for (const auto* variable : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "SLURM_STEP_NUM_TASKS",
                                     "SLURM_PROCID", "SLURM_NTASKS"})
            ::unsetenv(variable);
    }
    static std::string warning(const std::vector<std::pair<const char*, const char*>>& variables) {
        clear();
        for (const auto& [name, value] : variables) ::setenv(name, value, 1);
        return warning_of_launcher();
    }
};

TEST_F(Launchers, OfSeveralProcessesAreSpokenOfByTheFirst) {
    EXPECT_EQ(warning({}), "");
    EXPECT_EQ(warning({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}}),
              "2 runs of the same begin, each by itself and with results of its own (OMPI_COMM_WORLD_SIZE is 2, and one run over several "
              "processes is not possible yet) start one process, or add --messages none if that is meant");
    EXPECT_THAT(warning({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}), HasSubstr("PMI_SIZE is 3"));
    EXPECT_THAT(warning({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}}), HasSubstr("SLURM_STEP_NUM_TASKS is 4"));
    EXPECT_EQ(warning({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}}), "");
    EXPECT_EQ(warning({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), "") << "a batch script";
    EXPECT_EQ(warning({{"PMI_SIZE", "many"}}), "");
}

TEST_F(Notes, OfALauncherAreLeftOutWhereThatIsMeant) {
    const testing::Environment two{{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}};
    EXPECT_THAT(tessera({"resume", "nowhere"}, two).err, HasSubstr("warning: 2 runs of the same begin"));
    EXPECT_THAT(tessera({"resume", "nowhere", "--messages", "none"}, two).err, Not(HasSubstr("warning")));
    EXPECT_EQ(tessera({"resume", "nowhere", "--messages", "mpi"}, two).status, 2);
}

} // namespace
} // namespace tessera::notes_test
