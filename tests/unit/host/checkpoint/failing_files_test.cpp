// A file call of a run with checkpoints fails, or the process or the machine ends at it: resumed, the run comes to what an undisturbed one
// comes to. The calls are those of support/failing_files.cpp.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

namespace tessera::failing_files_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::text_of;
using testing::write_text;

class RunWithFailingFiles : public testing::ResumedRuns {
protected:
    // What fails of one command, or nothing.
    struct Fault {
        std::string how{};
        std::size_t at = 0;
        unsigned seed = 0;
    };
    static constexpr const char* out = "disk/out";

    void write_run() const {
        write_text(here() / "wolves.toml",
                   "model = \"wolf_sheep\"\n[run]\nthreads = 1\ndevices = \"cpu\"\nsteps = 12\ncheckpoint = { every = 3 }\n"
                   "[schedule]\ntune = \"off\"\nexchange = \"auto\"\n[places.grass]\nsize = [16, 12]\n"
                   "[agents.sheep]\ncount = 40\ncapacity = 8\n[agents.wolf]\ncount = 9\ncapacity = 8\n"
                   "[[output]]\nevery = 4\nagents = \"sheep/{step:03}.csv\"\nattribute = \"sheep\"\n"
                   "[[output]]\nevery = 2\ncsv = \"counts.csv\"\ncolumns = { sheep = \"count(sheep)\", energy = \"sum(wolf.energy)\" }\n");
    }
    [[nodiscard]] Outcome with_fault(const std::vector<std::string>& arguments, const Fault& fault) const {
        fs::remove(here() / "log");
        return tessera(arguments, {{"TESSERA_PLUGIN_PATH", std::nullopt},
                                   {"LD_PRELOAD", test_library("failing_files").string()},
                                   {"FAILING_FILES_BELOW", (here() / "disk").string()},
                                   {"FAILING_FILES_AT", std::to_string(fault.at)},
                                   {"FAILING_FILES_HOW", fault.how},
                                   {"FAILING_FILES_SEED", std::to_string(fault.seed)},
                                   {"FAILING_FILES_LOG", (here() / "log").string()}});
    }
    // What goes on with the run, or begins it where nothing can be resumed yet.
    [[nodiscard]] std::vector<std::string> next(const std::string& devices) const {
        if (fs::exists(here() / out / "source/run.json")) return {"resume", out, "--quiet", "--devices", devices};
        return {"run", "wolves.toml", "--out", out, "--overwrite", "--quiet", "--devices", devices};
    }
    // Function and path, as in "rename /.../out/checkpoints/000000000003".
    [[nodiscard]] std::vector<std::string> calls() const { return testing::lines_of(text_of(here() / "log")); }

    void begin() {
        fs::remove_all(here() / "disk");
        fs::create_directory(here() / "disk");
    }
    // Of a command at whose call something failed.
    void expect_in_words(const Outcome& ended, const Fault& fault) const {
        const auto made = calls();
        const auto call = fault.at <= made.size() ? made[fault.at - 1] : "";
        if (fault.how == "kill" || fault.how == "power" || fault.how == "some_power") {
            EXPECT_EQ(ended.status, call.empty() ? 0 : 128 + SIGKILL) << ended.err;
            return;
        }
        const bool is_of_commit = call.find("/checkpoints") != std::string::npos;
        const bool is_for_others = !is_of_commit || fault.how == "full"; // whose failure ends the run
        EXPECT_TRUE(ended.status == 0 || (ended.status == 8 && is_for_others)) << call << "\n" << ended.err;
        const bool has_to_warn = ended.status == 0 && is_of_commit && call.rfind("unlink", 0) != 0;
        const auto* const word = ended.status == 8 ? "error: " : has_to_warn ? "warning: " : "";
        EXPECT_THAT(ended.err, HasSubstr(word)) << call;
    }
    // One fault, perhaps a second one in what goes on, and then none.
    void expect_same_after(const std::vector<Fault>& faults) {
        begin();
        for (const auto& fault : faults) {
            const auto on = generator_() % 2 == 0 ? "cpu" : "cpu,cpu";
            const auto before = next(on);
            SCOPED_TRACE(fault.how + " at call " + std::to_string(fault.at) + ", seed " + std::to_string(fault.seed) + " of " +
                         before.front() + " on " + on);
            expect_in_words(with_fault(before, fault), fault);
        }
        const auto last = tessera_of_ours(next("cpu"));
        const auto trace = faults.front().how + " at call " + std::to_string(faults.front().at) + ", seed " +
                           std::to_string(faults.front().seed) + ", " + std::to_string(faults.size()) + " faults";
        EXPECT_EQ(last.status, 0) << trace << "\n" << last.err;
        if (last.status == 0) expect_same(out, "whole");
        if (HasFailure()) ADD_FAILURE() << trace;
    }
};

TEST_F(RunWithFailingFiles, ComesToTheSameWhereverOneFails) {
    write_run();
    ASSERT_EQ(run("wolves.toml", "whole").status, 0);
    begin();
    ASSERT_EQ(with_fault(next("cpu"), {}).status, 0);
    const auto count = calls().size();
    ASSERT_GT(count, 100u);
    expect_same(out, "whole");
    for (const auto* how : {"kill", "power", "some_power", "ENOSPC", "EIO", "full"}) {
        if (test::thorough())
            for (std::size_t at = 1; at <= count && !HasFailure(); ++at)
                expect_same_after({{how, at, static_cast<unsigned>(generator_())}});
        for (int i = 0; i < (test::thorough() ? 100 : 1) && !HasFailure(); ++i) { // and again while it goes on
            const auto drawn = [&](std::size_t most) { return Fault{how, 1 + generator_() % most, static_cast<unsigned>(generator_())}; };
            expect_same_after({drawn(count), drawn(count / 2)});
        }
    }
}

} // namespace
} // namespace tessera::failing_files_test
