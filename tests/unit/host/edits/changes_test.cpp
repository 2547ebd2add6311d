// Runs that change while they go on: sources are saved over and over, some of them wrong, and the oracle adds up what each of them does.
// sanitizers: address, thread
#include "device_runtime/error.hpp"
#include "host/edits/changes.hpp"
#include "host/edits/keep.hpp"
#include "host/run/run_to_end.hpp"
#include "jit/cache.hpp"
#include "jit/log.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/thorough.hpp"

#include <tessera/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include <malloc.h>
#include <unistd.h>

namespace tessera::changes_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

// What is wrong with an edit: nothing, what no compiler takes, what is not in an access list, or what no run file has.
enum class Wrong { nothing, text, access, key, phase };

// What one edit makes of the model: how much a step adds to each place and how far each walker goes, and what else is there. All places
// have the same total, so that a neighbour's which is not up to date would show.
struct Version {
    int adds = 1, bonus = 0, stride = 1;
    Wrong wrong = Wrong::nothing;
    bool with_member = false, twice = false, in_header = false, looks_around = false, with_function = false, fat = false;

    [[nodiscard]] std::string source() const {
        return std::string("#include <tessera/model.hpp>\n") + (in_header ? "#include \"rate.hpp\"\n" : "") + rows() + walkers() +
               "TESSERA_PARAM(int, bonus, 0, range(0, 999), \"on top\");\n" + tick() + "TESSERA_CALL(Cell, again, writes<&Cell::total" +
               (with_member ? ", &Cell::more" : "") + ">) { self.total += 1000; }\n" +
               (with_function ? "TESSERA_CALL(Cell, extra, writes<&Cell::total>) { self.total += 50000; }\n" : "") +
               "TESSERA_MODEL(adding, \"adds\");\n";
    }
    [[nodiscard]] std::string header() const { return "constexpr int rate = " + std::to_string(adds) + ";\n"; }
    [[nodiscard]] std::string run_file() const {
        return std::string("model = \"adding.cu\"\nrun.steps = 1000000\nplaces.cell = { size = [7, 30] }\n") +
               "agents.walker = { count = 60 }\nparams." + (wrong == Wrong::key ? "bonuss" : "bonus") + " = " + std::to_string(bonus) +
               "\nphase = [{ callAll = \"walker.go\" }, { manageAll = \"walker\" }, { exchangeAll = \"cell\" }, { callAll = \"cell." +
               (wrong == Wrong::phase ? "tock" : "tick") + "\" }" + (twice ? ", { callAll = \"cell.again\" }" : "") +
               (with_function ? ", { callAll = \"cell.extra\" }" : "") + "]\noutput = [{ every = 10, csv = \"sums.csv\", columns = { " +
               "missing = \"60 + births(walker) - deaths(walker) - count(walker)\", born = \"births(walker)\", "
               "nearest = \"min(walker.walked)\", furthest = \"max(walker.walked)\", "
               "least = \"min(cell.total)\", most = \"max(cell.total)\" } }]\n";
    }
    [[nodiscard]] std::int64_t a_step() const { return adds + bonus + (twice ? 1000 : 0) + (with_function ? 50000 : 0); }

private:
    [[nodiscard]] std::string rows() const {
        return std::string("struct Cell { std::int64_t total = 0; ") + (with_member ? "float more[2] = {1, 2}; " : "") +
               "};\nTESSERA_PLACE(Cell, total" + (with_member ? ", more" : "") + ");\nstruct Walker { " +
               (fat ? "std::uint8_t fat = 3; " : "") + "std::int64_t walked = 0; };\nTESSERA_AGENT(Walker, on<Cell>, " +
               (fat ? "fat, " : "") + "walked);\n";
    }
    [[nodiscard]] std::string walkers() const {
        return std::string("TESSERA_CALL(Walker, go, ") + (wrong == Wrong::access ? "reads" : "writes") +
               "<&Walker::walked>, moves<moore>, spawns<Walker>, dies) {\n    self.walked += " + std::to_string(stride) +
               ";\n    const int dx = self.random.below(2) == 0 ? 1 : -1, dy = self.random.below(2) == 0 ? 1 : -1;\n"
               "    self.migrate(dx, dy);\n    Walker child;\n    "
               "child.walked = self.walked;\n"
               "    if (self.random.bernoulli(0.1f)) self.spawn(child);\n    if (self.random.bernoulli(0.01f)) self.kill();\n}\n";
    }
    [[nodiscard]] std::string tick() const {
        const std::string sum = "    std::int64_t more = -4 * self.total;\n"
                                "    self.each(von_neumann, [&](const auto& other) { more += other.total; });\n    self.total += more;\n";
        return std::string("TESSERA_CALL(Cell, tick, ") + (looks_around ? "around<von_neumann, &Cell::total>, " : "") +
               "writes<&Cell::total>) {\n" + (looks_around ? sum : "") + "    self.total += bonus + " +
               (in_header ? "rate" : std::to_string(adds)) + (wrong == Wrong::text ? " oops" : "") + ";\n}\n";
    }
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
    void done(const Edit& edit) override { watched_->done(edit); }
    void failed(const Error& error) override { watched_->failed(error); }
    [[nodiscard]] std::optional<Change> take(Run& now) override {
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

// While it lives, programs make temporary files in a folder of its own.
class TemporaryDirectory {
public:
    explicit TemporaryDirectory(const fs::path& folder) {
        if (const char* const chosen = std::getenv("TMPDIR")) before_ = chosen;
        fs::create_directory(folder);
        ::setenv("TMPDIR", folder.c_str(), 1);
    }
    ~TemporaryDirectory() {
        if (before_)
            ::setenv("TMPDIR", before_->c_str(), 1);
        else
            ::unsetenv("TMPDIR");
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

private:
    std::optional<std::string> before_;
};

// Of its own: pages of programs and libraries come and go. But for what is free: each thread that compiles keeps some for the next. By
// page: what statm says is off by some pages a processor.
std::int64_t bytes_in_use() {
    ::malloc_trim(0);
    std::ifstream in("/proc/self/smaps_rollup");
    std::int64_t kilobytes = 0;
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("Anonymous:")) kilobytes = std::stoll(line.substr(10));
    EXPECT_GT(kilobytes, 0);
    return kilobytes * 1024;
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
    test::WatchedCompiler watched_{};
    TemporaryFolder folder_;
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
};

// Each file that is kept has a place of its own: else the run that is replayed would be another.
TEST(KeptEdits, KeepNoFileInThePlaceOfAnother) {
    const TemporaryFolder folder;
    jit::Cache cache;
    jit::Compiler compiler(cache);
    write_text(folder.path() / "run.toml", "constexpr int rate = 1;\n");
    write_text(folder.path() / "cells.cu", "#include <tessera/model.hpp>\n#include \"run.toml\"\nstruct Cell { int total = 0; };\n"
                                           "TESSERA_PLACE(Cell, total);\nTESSERA_CALL(Cell, go, writes<&Cell::total>) { self.total += "
                                           "rate; }\nTESSERA_MODEL(cells, \"adds\");\n");
    write_text(folder.path() / "cells.toml",
               "model = \"cells.cu\"\nrun.steps = 1\nplaces.cell = { size = [4, 4] }\nphase = [{ callAll = \"cell.go\" }]\n");
    const auto prepared = prepare({(folder.path() / "cells.toml").string(), {}, {}}, compiler);
    const auto out = claim_result_folder(folder.path() / "out", false);
    try {
        std::vector<Edit> edits;
        keep_edit(out, edits, 0, prepared.setup, prepared.run_file);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), (folder.path() / "cells.cu").string() +
                                                 " cannot be kept with the results (its file run.toml has the name of another one that is "
                                                 "kept beside it) rename that file");
    }
    EXPECT_EQ(text_of(folder.path() / "out/edits/000/run.toml").substr(0, 7), "model =");
}

// One edit: half of them change one thing, the others several; a quarter is wrong.
Version edited(Version version, std::mt19937& random) {
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    const auto flip = [&](bool& what) { what ^= one_in(3); };
    version.wrong = one_in(4) ? static_cast<Wrong>(1 + random() % 4) : Wrong::nothing;
    if (one_in(2)) {
        version.adds = static_cast<int>(random() % 900);
        return version;
    }
    version.bonus = static_cast<int>(random() % 900);
    version.stride = static_cast<int>(random() % 90);
    for (bool* what :
         {&version.with_member, &version.twice, &version.in_header, &version.looks_around, &version.with_function, &version.fat})
        flip(*what);
    return version;
}

// How many files this program has open, and how many there are in a folder.
std::ptrdiff_t entries_of(const fs::path& folder) { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }

// 200 edits in a thorough run.
TEST_P(ChangingRuns, DoWhatWasSavedLast) {
    const std::size_t edits = test::thorough() ? 200 : test::memory_is_watched ? 8 : 16, warm = 5;
    const TemporaryDirectory left(here() / "temporary");
    std::mt19937 random(5);
    Version saved;
    saved.in_header = true;
    auto applied = saved; // the last that was a run
    std::int64_t expected = 0, walked = 0, memory = 0;
    std::ptrdiff_t open = 0;
    std::size_t wrong = 0;
    save(saved);
    const auto make_steps = [&] {
        expected += 10 * applied.a_step();
        walked += 10 * applied.stride;
    };
    const auto save_next = [&](std::size_t done) {
        make_steps();
        if (done == warm) {
            memory = bytes_in_use();
            open = entries_of("/proc/self/fd");
        }
        saved = edited(saved, random);
        save(saved);
        if (saved.wrong == Wrong::nothing)
            applied = saved;
        else
            ++wrong;
    };
    auto limited = request();
    limited.overrides.push_back("run.steps=" + std::to_string(10 * edits + 10));
    Saver changes(watch(limited, prepare(limited, compiler()), compiler()), save_next, edits);
    const auto out = here() / "results";
    const auto report = run_with(&changes, limited, out);
    make_steps();
    EXPECT_EQ(report.steps, 10 * edits + 10);
    EXPECT_GT(wrong, 0u);
    EXPECT_EQ(report.edits.size(), edits + 1 - wrong);
    const auto table = text_of(out / "sums.csv");
    long long step = 0, missing = 0, born = 0, nearest = 0, furthest = 0, least = 0, most = 0;
    ASSERT_EQ(std::sscanf(table.c_str() + table.rfind('\n', table.size() - 2), "%lld,%lld,%lld,%lld,%lld,%lld,%lld", &step, &missing, &born,
                          &nearest, &furthest, &least, &most),
              7)
        << table;
    EXPECT_EQ(step, static_cast<long long>(report.steps));
    EXPECT_EQ(missing, 0);
    EXPECT_GT(born, 0);
    EXPECT_EQ(nearest, walked);
    EXPECT_EQ(furthest, walked);
    EXPECT_EQ(least, expected);
    EXPECT_EQ(most, expected);
    if (!test::memory_is_watched) {
        EXPECT_LT((bytes_in_use() - memory) / static_cast<std::int64_t>(edits - warm), 200'000) << "bytes an edit";
    }
    EXPECT_LE(entries_of("/proc/self/fd"), open);
    EXPECT_EQ(entries_of(here() / "temporary"), 0);
    EXPECT_EQ(entries_of(here()), 5); // the three that are edited, the results, and the empty folder
    EXPECT_EQ(entries_of(out / "edits"), static_cast<std::ptrdiff_t>(report.edits.size() + 1)); // and the list of them

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
            const auto list = text_of(here() / "results/edits/edits.jsonl"); // of what was changed until here, all of it
            EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), static_cast<std::ptrdiff_t>(1 + done));
        },
        4, 2);
    const auto report = run_with(&changes, limited, here() / "results");
    ASSERT_EQ(report.edits.size(), 5u);
    EXPECT_EQ(report.edits[1].step, report.edits[2].step);
    EXPECT_EQ(report.edits[4].step, 20u);
    EXPECT_THAT(text_of(here() / "results/sums.csv"), ::testing::EndsWith(",40,40\n")); // 10 steps of 1, 10 of 3
    auto again = replay(here() / "results/manifest.json", {"", {"run.devices=[\"cpu\"]"}, {}}, compiler());
    const auto replayed = run_with(again.changes.get(), again.request, here() / "again");
    EXPECT_EQ(replayed.edits.size(), 5u);
    EXPECT_EQ(replayed.state_hash, report.state_hash);

    // Had it been killed, its manifest would be that of some seconds before.
    auto manifest = nlohmann::json::parse(text_of(here() / "results/manifest.json"));
    manifest["status"] = "running";
    manifest["steps"] = 3;
    manifest["edits"] = nlohmann::json::array();
    write_text(here() / "results/manifest.json", manifest.dump());
    auto killed = replay(here() / "results/manifest.json", {"", {"run.devices=[\"cpu\"]"}, {}}, compiler());
    const auto once_more = run_with(killed.changes.get(), killed.request, here() / "once_more");
    EXPECT_EQ(once_more.edits.size(), 5u);
    EXPECT_EQ(once_more.state_hash, report.state_hash);
}

// What stands in a manifest may have been written by anybody.
TEST(Replays, OfWhatIsNoManifestAreRefusedInWords) {
    const TemporaryFolder folder;
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto epoch = std::to_string(TESSERA_RESULT_EPOCH);
    const std::string fine = R"("edits": [{"step": 0, "folder": "edits/000"}], "steps": 5, "result_epoch": )" + epoch;
    const auto said_of = [&](const std::string& text, const std::string& list = "") {
        write_text(folder.path() / "manifest.json", text);
        fs::remove_all(folder.path() / "edits");
        if (!list.empty()) write_text(folder.path() / "edits/edits.jsonl", list);
        try {
            (void)replay(folder.path() / "manifest.json", {"", {}, {}}, compiler);
            return std::string("fine");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input) << text;
            const std::string begin = (folder.path() / "manifest.json").string() + " cannot be replayed (", what = error.what();
            EXPECT_EQ(what.substr(0, begin.size()), begin);
            return what.substr(begin.size(), what.find(')') - begin.size());
        }
    };
    const auto with = [&](const std::string& key, const std::string& value) {
        auto json = nlohmann::json::parse("{" + fine + "}");
        json[key] = nlohmann::json::parse(value);
        return json.dump();
    };
    EXPECT_EQ(said_of("{" + fine + "}"), "fine");
    EXPECT_EQ(said_of(with("result_epoch", "\"1\"")), "its \"result_epoch\" is \"1\", and no number");
    EXPECT_EQ(said_of(with("result_epoch", "99")), "it has result_epoch 99, and this program has " + epoch);
    EXPECT_EQ(said_of(with("steps", "\"many\"")), "its \"steps\" is \"many\", and no number");
    for (const auto* steps : {"-1", "1.5", "null", "[]", "{}", "true", "1e30"})
        EXPECT_THAT(said_of(with("steps", steps)), ::testing::EndsWith(", and no number"));
    EXPECT_EQ(said_of(with("edits", "{}")), "its \"edits\" are no list");
    EXPECT_EQ(said_of(with("edits", "[]")), "it does not name the sources of the run");
    EXPECT_EQ(said_of(with("edits", "[5]")), "one of its edits is 5");
    EXPECT_EQ(said_of(with("edits", R"([{"step": 0, "folder": 5}])")), "one of its edits names no folder");
    EXPECT_EQ(said_of(with("edits", R"([{"step": "0", "folder": "edits/000"}])")), "its \"step\" is \"0\", and no number");
    EXPECT_EQ(said_of(with("edits", R"([{"step": 0, "folder": "../other"}])")),
              "one of its folders is called \"../other\": it has a part `..`");
    EXPECT_EQ(said_of(with("edits", R"([{"step": 5, "folder": "a"}, {"step": 4, "folder": "b"}])")),
              "its edits are not in the order of their steps");
    for (const auto* text : {"", "[]", "5", "{"}) EXPECT_EQ(said_of(text), "it is none") << text;
    const std::string list = "{\"step\":0,\"folder\":\"edits/000\"}\n";
    EXPECT_EQ(said_of("{" + fine + "}", list + "{\"step\":7,\"folder\":\"edits/001\"}\n"), "fine");
    EXPECT_EQ(said_of("{" + fine + "}", "{\"step\":1,\"folder\":\"edits/000\"}\n"), "edits/edits.jsonl beside it belongs to another run");
    EXPECT_EQ(said_of("{" + fine + "}", list + "{\"step\":7,"), "one of its edits is damaged");
}
// What is compiled while the description is, is what is then asked for.
TEST_P(ChangingRuns, CompileAChangedBodyOnce) {
    set_log_level(LogLevel::info); // which tests before this one may have changed
    const auto log = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(1000);
    auto& sinks = logger()->sinks();
    Version saved;
    saved.adds = 77; // which no other test has
    save(saved);
    auto limited = request();
    limited.overrides.push_back("run.steps=40");
    Saver changes(
        watch(limited, prepare(limited, compiler()), compiler()),
        [&](std::size_t done) {
            saved.adds = 78 + static_cast<int>(done) + 10 * static_cast<int>(GetParam().size());
            save(saved);
        },
        3);
    sinks.push_back(log);
    const auto report = run_with(&changes, limited, here() / "results");
    sinks.pop_back();
    EXPECT_EQ(report.edits.size(), 4u);
    int whole = 0, edited = 0;
    for (const auto& line : log->last_formatted()) {
        whole += line.find("compiling adding for the CPU took") != std::string::npos;
        edited += line.find("compiling Cell.tick of adding for the CPU took") != std::string::npos;
    }
    EXPECT_EQ(whole, 1);
    EXPECT_EQ(edited, 3);
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
} // namespace tessera::changes_test
