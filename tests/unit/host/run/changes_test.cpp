// Runs that change while they go on: sources are saved over and over, some of them wrong, and the oracle adds up what each of them does.
#include "device_runtime/error.hpp"
#include "host/run/changes.hpp"
#include "host/run/run.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/thorough.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

// What one edit makes of the model: how much a step adds, and what else is there.
struct Version {
    int adds = 1;
    bool broken = false, with_member = false, twice = false, in_header = false;

    [[nodiscard]] std::string source() const {
        return std::string("#include <tessera/model.hpp>\n") + (in_header ? "#include \"rate.hpp\"\n" : "") +
               "struct Cell { std::int64_t total = 0; " + (with_member ? "float more[2] = {1, 2}; " : "") +
               "};\nTESSERA_PLACE(Cell, total" + (with_member ? ", more" : "") + ");\n" +
               "TESSERA_CALL(Cell, tick, writes<&Cell::total>) { self.total += " + (in_header ? "rate" : std::to_string(adds)) +
               (broken ? " oops" : "") + "; }\n" + "TESSERA_CALL(Cell, again, writes<&Cell::total" + (with_member ? ", &Cell::more" : "") +
               ">) { self.total += 1000; }\n" + "TESSERA_MODEL(adding, \"adds\");\n";
    }
    [[nodiscard]] std::string header() const { return "constexpr int rate = " + std::to_string(adds) + ";\n"; }
    [[nodiscard]] std::string run_file() const {
        return std::string("model = \"adding.cu\"\nrun.steps = 1000000\nplaces.cell = { size = [7, 30] }\n") +
               "phase = [{ callAll = \"cell.tick\" }" + (twice ? ", { callAll = \"cell.again\" }" : "") + "]\n" +
               "output = [{ every = 10, csv = \"sums.csv\", columns = { least = \"min(cell.total)\", most = \"max(cell.total)\" } }]\n";
    }
    [[nodiscard]] std::int64_t a_step() const { return adds + (twice ? 1000 : 0); }
};

// Saves a version every few steps, and waits until the run has seen it.
class Saver : public Changes {
public:
    Saver(std::unique_ptr<Changes> watched, std::function<void(std::size_t)> save, std::size_t edits, std::size_t at_once = 1)
        : watched_(std::move(watched)), save_(std::move(save)), edits_(edits), at_once_(at_once) {}

    [[nodiscard]] std::uint64_t next(std::uint64_t) const override { return 10 * (done_ / at_once_ + 1); }
    [[nodiscard]] bool pending(std::uint64_t step) override {
        if (ready_ || done_ == edits_ || step < next(step)) return ready_;
        save_(done_);
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (!watched_->pending(step))
            if (std::chrono::steady_clock::now() > patience) throw std::runtime_error("what was saved is not seen");
        ++done_;
        return ready_ = true;
    }
    [[nodiscard]] std::optional<Prepared> take(const Setup& now) override {
        ready_ = false;
        return watched_->take(now);
    }
    [[nodiscard]] bool waits_at_end() const noexcept override { return watched_->waits_at_end(); }
    [[nodiscard]] bool is_restless() const noexcept override { return true; }

private:
    std::unique_ptr<Changes> watched_;
    std::function<void(std::size_t)> save_;
    std::size_t edits_, at_once_, done_ = 0;
    bool ready_ = false;
};

std::int64_t resident_bytes() {
    std::int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

class ChangingRuns : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] const fs::path& here() const { return folder_.path(); }
    [[nodiscard]] RunRequest request(const std::string& devices = GetParam()) const {
        return {(here() / "adding.toml").string(), {"run.devices=" + devices}, {}};
    }
    void save(const Version& version) const {
        write_text(here() / "rate.hpp", version.header());
        write_text(here() / "adding.cu", version.source());
        write_text(here() / "adding.toml", version.run_file());
    }
    RunReport run_with(Changes* changes, const RunRequest& request, const fs::path& out) {
        RunOptions options;
        options.out = out;
        options.quiet = true;
        options.changes = changes;
        return run(prepare(request, compiler_), compiler_, options).report;
    }
    jit::Compiler& compiler() { return compiler_; }

private:
    TemporaryFolder folder_;
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
};

TEST_P(ChangingRuns, DoWhatWasSavedLast) {
    const std::size_t edits = test::thorough() ? 200 : 12, warm = 5;
    std::mt19937 random(5);
    Version saved, applied; // the last, and the last that is a model
    std::int64_t expected = 0, memory = 0;
    std::size_t wrong = 0;
    save(saved);
    const auto save_next = [&](std::size_t done) {
        expected += 10 * applied.a_step();
        if (done == warm) memory = resident_bytes();
        saved.adds = static_cast<int>(random() % 900);
        saved.broken = random() % 4 == 0;
        if (random() % 3 == 0) saved.with_member = !saved.with_member;
        if (random() % 3 == 0) saved.twice = !saved.twice;
        if (random() % 3 == 0) saved.in_header = !saved.in_header;
        save(saved);
        if (!saved.broken) applied = saved;
        wrong += saved.broken ? 1 : 0;
    };
    auto limited = request();
    limited.overrides.push_back("run.steps=" + std::to_string(10 * edits + 10));
    Saver changes(watch(limited, prepare(limited, compiler()), compiler()), save_next, edits);
    const auto out = here() / "results";
    const auto report = run_with(&changes, limited, out);
    expected += 10 * applied.a_step();
    EXPECT_EQ(report.steps, 10 * edits + 10);
    EXPECT_GT(wrong, 0u);
    EXPECT_EQ(report.edits.size(), edits + 1 - wrong);
    const auto row = "\n" + std::to_string(report.steps) + "," + std::to_string(expected) + "," + std::to_string(expected) + "\n";
    EXPECT_THAT(text_of(out / "sums.csv"), ::testing::EndsWith(row));
    if (!test::memory_is_watched) {
        EXPECT_LT((resident_bytes() - memory) / static_cast<std::int64_t>(edits - warm), 400 << 10) << "bytes an edit";
    }

    // The same on one device, by what the run has kept.
    auto again = replay(out / "manifest.json", {"", {"run.devices=[\"cpu\"]"}, {}}, compiler());
    EXPECT_EQ(run_with(again.changes.get(), again.request, here() / "again").state_hash, report.state_hash);
}
TEST_P(ChangingRuns, TakeSeveralAtOneStepAndAtTheLast) {
    Version saved;
    save(saved);
    auto limited = request();
    limited.overrides.push_back("run.steps=20");
    Saver changes(
        watch(limited, prepare(limited, compiler()), compiler()),
        [&](std::size_t done) {
            saved.adds = 2 + static_cast<int>(done);
            saved.with_member = done == 0 || done == 3; // the second is undone at the same step, the last stands at the end
            save(saved);
        },
        4, 2);
    const auto report = run_with(&changes, limited, here() / "results");
    ASSERT_EQ(report.edits.size(), 5u);
    EXPECT_EQ(report.edits[1].step, report.edits[2].step);
    EXPECT_EQ(report.edits[4].step, 20u);
    EXPECT_THAT(text_of(here() / "results/sums.csv"), ::testing::EndsWith("\n20,40,40\n")); // 10 steps of 1, 10 of 3
    auto again = replay(here() / "results/manifest.json", {"", {"run.devices=[\"cpu\"]"}, {}}, compiler());
    const auto replayed = run_with(again.changes.get(), again.request, here() / "again");
    EXPECT_EQ(replayed.edits.size(), 5u);
    EXPECT_EQ(replayed.state_hash, report.state_hash);
}
INSTANTIATE_TEST_SUITE_P(Devices, ChangingRuns, ::testing::Values("[\"cpu\"]", "[\"cpu\",\"cpu\",\"cpu\"]"),
                         [](const auto& of) { return of.param.size() < 8 ? "one" : "three"; });

// What a run that goes on cannot take over, of agents.
class ChangingAgents : public ChangingRuns {
protected:
    static std::string flock(const std::string& more = {}) {
        return "#include <tessera/model.hpp>\nstruct Land { int grass = 1; };\nTESSERA_PLACE(Land, grass);\n"
               "struct Sheep { int steps = 0; " +
               more + " };\nTESSERA_AGENT(Sheep, on<Land>, steps" + (more.empty() ? "" : ", more") +
               ");\n"
               "TESSERA_CALL(Sheep, go, writes<&Sheep::steps>, moves<moore>, spawns<Sheep>, dies) {\n"
               "    ++self.steps;\n    self.migrate(self.random.below(2) == 0 ? 1 : -1, 0);\n"
               "    if (self.random.bernoulli(0.05f)) self.spawn(Sheep{});\n    if (self.random.bernoulli(0.05f)) self.kill();\n}\n"
               "TESSERA_MODEL(flock, \"sheep\");\n";
    }
    static std::string settings(const std::string& capacity = "3", const std::string& more_phases = {}) {
        return "model = \"flock.cu\"\nrun.steps = 60\nplaces.land = { size = [20, 20], boundary = \"torus\" }\n"
               "agents.sheep = { count = 200, capacity = " +
               capacity +
               " }\n"
               "phase = [{ callAll = \"sheep.go\" }, { manageAll = \"sheep\" }" +
               more_phases +
               "]\n"
               "output = [{ every = 1, csv = \"sheep.csv\", columns = { alive = \"count(sheep)\", born = \"births(sheep)\", died = "
               "\"deaths(sheep)\" } }]\n";
    }
};

TEST_P(ChangingAgents, AreAllThereAfterAnEdit) {
    for (const std::string capacity : {"3", "\"unlimited\""}) {
        if (capacity != "3" && GetParam().size() > 8) continue; // a list is on one device
        write_text(here() / "flock.cu", flock());
        write_text(here() / "flock.toml", settings(capacity));
        RunRequest request{(here() / "flock.toml").string(), {"run.devices=" + GetParam()}, {}};
        Saver changes(
            watch(request, prepare(request, compiler()), compiler()),
            [&](std::size_t done) {
                // A member more and one less; other capacities, and other phases in which they are born, are refused.
                write_text(here() / "flock.cu", flock(done % 2 == 0 ? "std::uint8_t more = 7;" : ""));
                write_text(here() / "flock.toml",
                           settings(capacity, done == 2 ? ", { callAll = \"sheep.go\" }, { manageAll = \"sheep\" }" : ""));
            },
            4);
        const auto out = here() / ("results-" + std::to_string(capacity.size()));
        const auto report = run_with(&changes, request, out);
        EXPECT_EQ(report.edits.size(), 4u);
        std::istringstream table(text_of(out / "sheep.csv"));
        std::string line;
        std::getline(table, line);
        int lines = 0;
        for (long step = 0, alive = 0, born = 0, died = 0; std::getline(table, line); ++lines) {
            ASSERT_EQ(std::sscanf(line.c_str(), "%ld,%ld,%ld,%ld", &step, &alive, &born, &died), 4) << line;
            EXPECT_EQ(200 + born - died, alive) << line;
        }
        EXPECT_EQ(lines, 61);
        auto again = replay(out / "manifest.json", {"", {"run.devices=[\"cpu\"]"}, {}}, compiler());
        EXPECT_EQ(run_with(again.changes.get(), again.request, out.string() + "-again").state_hash, report.state_hash);
    }
}
INSTANTIATE_TEST_SUITE_P(Devices, ChangingAgents, ::testing::Values("[\"cpu\"]", "[\"cpu\",\"cpu\",\"cpu\"]"),
                         [](const auto& of) { return of.param.size() < 8 ? "one" : "three"; });

} // namespace
} // namespace tessera
