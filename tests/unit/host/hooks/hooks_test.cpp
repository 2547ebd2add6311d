// Hooks of libraries: what they read and write, when they are called, and what a user is told of one that goes wrong.
// sanitizers: none
#include "device_runtime/error.hpp"
#include "host/inputs/npy.hpp"
#include "host/model/library.hpp"
#include "host/model/library_code.hpp"
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace tessera::hooks_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandLine;
using testing::Environment;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::text_of;
using testing::write_text;

// Places whose values depend on those of all around them, on which nothing is lost: a wrong ghost shows in the next step.
constexpr const char* pool = R"cu(#include <tessera/model.hpp>
struct Cell {
    int v = 0;
    std::uint16_t pair[2] = {1, 2};
    bool wet = false;
};
TESSERA_PLACE(Cell, v, pair, wet);
TESSERA_PARAM(int, rate, 3, range(0, 9), "how much of its own");
TESSERA_INIT(Cell, fill, sets<&Cell::v>) { self.v = int((self.position.x * 31 + self.position.y * 17) % 101); }
TESSERA_CALL(Cell, mix, around<von_neumann, &Cell::v>, writes<&Cell::v>) {
    self.v = (rate * self.v + self.at(west).v + 2 * self.at(east).v + 5 * self.at(north).v + 7 * self.at(south).v) % 10007;
}
TESSERA_CALL(Cell, swap, writes<&Cell::pair, &Cell::wet>) { self.pair[0] += self.wet ? 1 : 0; }
TESSERA_MODEL(pool, "values that run into each other");
TESSERA_DEFAULTS(R"toml(run.steps = 20
run.devices = "cpu"
places.cell = { size = [20, 18] }
output = [{ every = 20, npy = "v-{step}.npy", attribute = "cell.v" },
          { every = 20, npy = "pair-{step}.npy", attribute = "cell.pair" },
          { every = 4, csv = "sum.csv", columns = { all = "sum(cell.v)" } }]
)toml");
)cu";

constexpr const char* plate = R"cu(#include <tessera/model.hpp>
struct Plate { float heat = 0; };
TESSERA_PLACE(Plate, heat);
TESSERA_CALL(Plate, spread, around<von_neumann, &Plate::heat>, writes<&Plate::heat>) {
    self.heat += 0.25f * (self.sum(von_neumann, &Plate::heat) - 4 * self.heat);
}
TESSERA_MODEL(plate, "heat that spreads");
TESSERA_DEFAULTS(R"toml(run = { steps = 4800, devices = "cpu" }
places.plate.size = [300, 300]
output = [{ every = 8, csv = "step.csv", columns = { first = "max(plate.heat)" } }]
)toml");
)cu";

// Hares that run about, so that those who stand beside each other have distant ids.
constexpr const char* field = R"cu(#include <tessera/model.hpp>
struct Site { int grass = 1; };
TESSERA_PLACE(Site, grass);
struct Hare { int age = 0; float weight[2] = {}; };
TESSERA_AGENT(Hare, on<Site>, age, weight);
TESSERA_CALL(Hare, run, counts<moore, Hare>, moves<moore>, writes<&Hare::age, &Hare::weight>, dies) {
    self.age += 1;
    self.weight[1] = self.random.uniform();
    if (self.random.bernoulli(0.02f)) self.kill();
    const int dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    self.migrate(dx, dy);
}
TESSERA_MODEL(field, "hares");
TESSERA_DEFAULTS(R"toml(run.steps = 12
run.devices = "cpu"
places.site = { size = [30, 20] }
agents.hare = { count = 90, capacity = 2 }
phase = [{ callAll = "hare.run" }, { manageAll = "hare" }]
output = [{ every = 6, agents = "hares-{step}.csv", attribute = "hare" }]
)toml");
)cu";

class HookTests : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    }
    // The library of a model with hooks, in `<folder>/<name>.so`.
    void build(const std::string& name, const std::string& model, const std::string& hooks, const std::string& folder = "built") const {
        write_text(here() / folder / name / (name + ".cu"), model);
        write_text(here() / folder / "hooks.cpp", "#include <tessera/hooks.hpp>\n" + hooks);
        const auto built = tessera(
            {"build", folder + "/" + name + "/" + name + ".cu", "--hooks", folder + "/hooks.cpp", "--out", folder + "/" + name + ".so"});
        ASSERT_EQ(built.status, 0) << built.err;
        ASSERT_THAT(built.out, HasSubstr("with its source, with hooks"));
    }
    Outcome run(const std::string& what, const std::vector<std::string>& more = {}, const Environment& environment = {}) const {
        std::vector<std::string> arguments{"run", what, "--quiet", "--out", "out", "--overwrite"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tessera(arguments, environment);
    }
    std::vector<std::string> lines_with(const Outcome& outcome, const std::string& begin) const {
        std::vector<std::string> found;
        for (const auto& line : testing::lines_of(outcome.err))
            if (const auto at = line.find(begin); at != std::string::npos) found.push_back(line.substr(at + begin.size()));
        return found;
    }
    static std::string state_of(const Outcome& outcome) {
        const auto at = outcome.out.find("state ");
        EXPECT_NE(at, std::string::npos) << outcome.out << outcome.err;
        return at == std::string::npos ? "" : outcome.out.substr(at, 22);
    }
};

TEST_F(HookTests, ReadWhatOutputsRead) {
    build("pool", pool, R"(
#include <numeric>
TESSERA_HOOK(first, at_start) { world.log("first " + std::to_string(world.step())); }
TESSERA_HOOK(report, every<4>) {
    const auto v = world.read<int>("cell", "v");
    world.log(std::to_string(world.step()) + "," + std::to_string(std::accumulate(v.begin(), v.end(), std::int64_t{0})));
}
TESSERA_HOOK(last, at_end) {
    const auto size = world.extents("cell");
    world.log("last " + std::to_string(world.step()) + " " + std::to_string(world.size("cell")) + " " + std::to_string(size[0]) + " " +
              std::to_string(size[1]) + " " + std::to_string(size[2]) + " " + std::to_string(world.elements("cell", "pair")) + " " +
              std::to_string(world.parameter<int>("rate")));
}
)");
    const auto ended = run("built/pool.so", {"--set", "params.rate=4"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    auto table = testing::lines_of(text_of(here() / "out/sum.csv"));
    ASSERT_EQ(table.size(), 7u); // 0, 4, ... 20
    table.erase(table.begin());
    EXPECT_EQ(lines_with(ended, "info: report: "), table);
    EXPECT_THAT(lines_with(ended, "info: first: "), ::testing::ElementsAre("first 0"));
    EXPECT_THAT(lines_with(ended, "info: last: "), ::testing::ElementsAre("last 20 360 20 18 1 2 4"));
    const auto hooks = manifest("out")["hooks"];
    ASSERT_EQ(hooks.size(), 3u);
    EXPECT_EQ(hooks[0]["calls"], 1);
    EXPECT_EQ(hooks[1]["name"], "report");
    EXPECT_EQ(hooks[1]["called"], "every 4 steps");
    EXPECT_EQ(hooks[1]["calls"], 6);
    EXPECT_THAT(ended.err, HasSubstr("hooks of built/pool.so: first (at the start), report (every 4 steps), last (at the end)"));
    EXPECT_THAT(tessera({"info", "built/pool.so"}).out, HasSubstr("has hooks: code of its own that runs call between steps"));
}

// What the model and the hooks below do, one place after the other.
struct Pool {
    static constexpr int nx = 20, ny = 18;
    std::vector<int> v = std::vector<int>(nx * ny);
    std::vector<std::uint16_t> pair = std::vector<std::uint16_t>(2 * nx * ny);
    std::vector<char> wet = std::vector<char>(nx * ny);

    static std::size_t at(int x, int y) { return static_cast<std::size_t>((y + ny) % ny * nx + (x + nx) % nx); }

    void begin() {
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                v[at(x, y)] = (x * 31 + y * 17) % 101;
                pair[at(x, y)] = 1;
                pair[nx * ny + at(x, y)] = 2;
            }
        wet[at(3, 6)] = 1;
    }
    void step() {
        const auto before = v;
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                v[at(x, y)] = (3 * before[at(x, y)] + before[at(x - 1, y)] + 2 * before[at(x + 1, y)] + 5 * before[at(x, y - 1)] +
                               7 * before[at(x, y + 1)]) %
                              10007;
        for (std::size_t i = 0; i < wet.size(); ++i) pair[i] = static_cast<std::uint16_t>(pair[i] + (wet[i] != 0 ? 1 : 0));
    }
    void hooks(int done) {
        if (done % 3 == 0)
            for (int y = 5; y < 13; ++y)
                for (int x = 0; x < nx; ++x) v[at(x, y)] = (v[at(x, y)] * 2 + x + done) % 10007;
        if (done % 5 == 0) {
            for (int y = 0; y < ny; ++y) v[at(19, y)] += y;
            for (int y = 11; y < 13; ++y)
                for (int x = 2; x < 7; ++x) {
                    pair[at(x, y)] = static_cast<std::uint16_t>(pair[at(x, y)] + 10);
                    pair[nx * ny + at(x, y)] = static_cast<std::uint16_t>(x * 100 + y);
                }
        }
        if (done == 7)
            for (auto& each : v) each += 1;
    }
};
constexpr const char* writers = R"(
TESSERA_HOOK(begin, at_start) {
    auto wet = world.read<std::uint8_t>("cell", "wet");
    wet[6 * 20 + 3] = 1;
    world.write("cell", "wet", wet);
}
TESSERA_HOOK(across_seams, every<3>) { // of three stripes, at 6 and 12
    const Box box{{0, 5}, {20, 13}};
    auto v = world.read<int>("cell", "v", box);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = (v[i] * 2 + int(i % 20) + int(world.step())) % 10007;
    world.write("cell", "v", box, v);
}
TESSERA_HOOK(at_the_edges, every<5>) {
    std::array<int, 18> column;
    world.read("cell", "v", {{19, 0}, {20, 18}}, column);
    for (int y = 0; y < 18; ++y) column[std::size_t(y)] += y;
    world.write("cell", "v", {{19, 0}, {20, 18}}, column);
    auto pair = world.read<std::uint16_t>("cell", "pair", {{2, 11}, {7, 13}});
    for (std::size_t i = 0; i < 10; ++i) {
        pair[i] = std::uint16_t(pair[i] + 10);
        pair[10 + i] = std::uint16_t((2 + i % 5) * 100 + 11 + i / 5);
    }
    world.write("cell", "pair", {{2, 11}, {7, 13}}, pair);
}
TESSERA_HOOK(all, every<7>) {
    if (world.step() != 7) return;
    auto v = world.read<int>("cell", "v");
    for (auto& each : v) each += 1;
    world.write("cell", "v", v);
}
)";

TEST_F(HookTests, WriteWhatTheNextStepsAreMadeOf) {
    build("pool", pool, writers);
    Pool oracle;
    oracle.begin();
    for (int done = 0; done <= 20; ++done) {
        oracle.hooks(done);
        if (done < 20) oracle.step();
    }
    std::int64_t sum = 0;
    for (const int v : oracle.v) sum += v;

    std::string state;
    const std::vector<std::vector<std::string>> ways{
        {"--threads", "1"},
        {"--devices", "cpu,cpu,cpu", "--threads", "3"},
        {"--devices", "cpu,cpu,cpu", "--threads", "3", "--set", "run.memory=own", "--set", "schedule.halo=4"},
        {"--devices", "cpu,cpu", "--set", "run.memory=own", "--set", "schedule.halo=5", "--set", "places.cell.cuts=[12]"},
        {"--devices", "cpu,cpu,cpu", "--set", "run.memory=own", "--set", "schedule.halo=4",
         "--set", // ghosts are read before they are filled
         "phase=[{callAll=\"cell.mix\"},{callAll=\"cell.swap\"},{exchangeAll=\"cell\"}]"}};
    for (const auto& way : ways) {
        const auto ended = run("built/pool.so", way);
        ASSERT_EQ(ended.status, 0) << ended.err;
        const auto v = read_npy(here() / "out/v-20.npy"), pair = read_npy(here() / "out/pair-20.npy", 2);
        EXPECT_THAT(v.data<std::int32_t>(), ::testing::ElementsAreArray(oracle.v));
        EXPECT_THAT(pair.data<std::uint16_t>(), ::testing::ElementsAreArray(oracle.pair));
        EXPECT_EQ(testing::lines_of(text_of(here() / "out/sum.csv")).back(), "20," + std::to_string(sum));
        if (state.empty()) state = state_of(ended);
        EXPECT_EQ(state_of(ended), state) << ended.err;
    }
    EXPECT_EQ(manifest("out")["memory"], "own");
}

// Steps that are made several at once end where a hook or an output is due, also while the tuner tries how to make them.
TEST_F(HookTests, AreCalledBetweenStepsThatAreMadeSeveralAtOnce) {
    build("plate", plate, R"(
TESSERA_HOOK(stir, every<8>) {
    if (world.step() % 800 != 0) return;
    auto heat = world.read<float>("plate", "heat", {{290, 30}, {300, 120}});
    for (auto& each : heat) each = 0.5f * each + 1;
    world.write("plate", "heat", {{290, 30}, {300, 120}}, heat);
}
)");
    const auto of = [&](const std::string& tune) {
        const auto ended = run("built/plate.so", {"--set", "schedule.tune=" + tune}, {{"TESSERA_CACHE", (here() / tune).string()}});
        EXPECT_EQ(ended.status, 0) << ended.err;
        EXPECT_EQ(testing::lines_of(text_of(here() / "out/step.csv")).size(), 602u) << "a heading, and the states 0, 8, ... 4800";
        EXPECT_EQ(manifest("out")["hooks"][0]["calls"], 601);
        return state_of(ended);
    };
    const auto state = of("off");
    EXPECT_EQ(of("full"), state); // whatever it finds to be faster
    EXPECT_TRUE(manifest("out")["timing"].contains("tuning")) << "the run was too short to be tuned";
}

TEST_F(HookTests, SeeAgentsInTheOrderOfTheirIds) {
    build("field", field, R"(
TESSERA_HOOK(list, every<6>) {
    const auto id = world.read<std::uint64_t>("hare", "id");
    const auto x = world.read<std::int64_t>("hare", "x"), y = world.read<std::int64_t>("hare", "y");
    const auto age = world.read<int>("hare", "age");
    const auto weight = world.read<float>("hare", "weight");
    if (id.size() != world.size("hare") || weight.size() != 2 * id.size()) throw HookError("sizes differ");
    for (std::size_t i = 0; i < id.size(); ++i) {
        char text[200];
        std::snprintf(text, sizeof(text), "%llu,%lld,%lld,%d,%.9g,%.9g", static_cast<unsigned long long>(id[i]),
                      static_cast<long long>(x[i]), static_cast<long long>(y[i]), age[i], weight[i], weight[id.size() + i]);
        world.log(text);
    }
}
)");
    for (const std::string devices : {"cpu", "cpu,cpu,cpu"}) {
        const auto ended = run("built/field.so", {"--devices", devices});
        ASSERT_EQ(ended.status, 0) << ended.err;
        const auto told = lines_with(ended, "info: list: ");
        std::size_t next = 0;
        for (const std::string step : {"0", "6", "12"}) {
            const auto rows = testing::lines_of(text_of(here() / ("out/hares-" + step + ".csv")));
            ASSERT_EQ(rows.front(), "id,x,y,age,weight[0],weight[1]");
            ASSERT_GE(rows.size(), 50u);
            for (std::size_t i = 1; i < rows.size(); ++i, ++next) {
                ASSERT_LT(next, told.size());
                const auto number = [](const std::string& row, std::size_t column) {
                    std::istringstream stream(row);
                    std::string value;
                    for (std::size_t c = 0; c <= column; ++c) std::getline(stream, value, ',');
                    return std::strtof(value.c_str(), nullptr);
                };
                EXPECT_EQ(told[next].substr(0, told[next].rfind(',')), rows[i].substr(0, rows[i].rfind(',')));
                EXPECT_EQ(number(told[next], 5), number(rows[i], 5));
            }
        }
        EXPECT_EQ(next, told.size());
    }
}

// What runs is a copy that nobody can change.
TEST_F(HookTests, RunOnWhateverBecomesOfTheLibrary) {
    build("pool", pool, R"(
#include <unistd.h>
TESSERA_HOOK(sum, every<4>) {
    if (world.step() == 8 && truncate("built/pool.so", 100) != 0) throw HookError("the library cannot be cut");
    const auto v = world.read<int>("cell", "v");
    std::int64_t all = 0;
    for (const int each : v) all += each;
    world.log(std::to_string(world.step()) + "," + std::to_string(all));
}
)");
    const auto ended = run("built/pool.so");
    ASSERT_EQ(ended.status, 0) << ended.err;
    auto table = testing::lines_of(text_of(here() / "out/sum.csv"));
    table.erase(table.begin());
    EXPECT_EQ(lines_with(ended, "info: sum: "), table);
    EXPECT_EQ(fs::file_size(here() / "built/pool.so"), 100u);
    EXPECT_THAT(run("built/pool.so").err, HasSubstr("built/pool.so cannot be used (it is cut off"));
}

// What a run says at its end that it has written has to be there.
TEST_F(HookTests, WhoseRunLosesItsResultsDoesNotEndWell) {
    build("pool", pool, R"(
#include <cstdio>
#include <cstdlib>
#include <fstream>
TESSERA_HOOK(wrong, every<8>) {
    if (world.step() != 8) return;
    const std::string how = std::getenv("HOW");
    if (how == "remove") std::remove("out/sum.csv");
    if (how == "replace" || how == "grow") {
        if (how == "replace") std::remove("out/sum.csv");
        std::ofstream("out/sum.csv", std::ios::app) << std::string(9999, 'x');
    }
    if (how == "array") std::remove("out/v-0.npy");
    if (how == "rename") std::rename("out", "moved");
}
)");
    const auto told = [&](const std::string& how) {
        fs::remove_all(here() / "out");
        // What step 0 has written is there at step 8.
        const auto ended = run("built/pool.so", {"--set", "run.output_memory=\"0 MiB\""}, {{"HOW", how}});
        EXPECT_EQ(ended.status, 8) << how;
        EXPECT_THAT(ended.out, Not(HasSubstr("results in"))) << how;
        return ended.err;
    };
    const std::string why =
        " (files were removed, renamed or changed while the run went on) leave the folder alone until the run has ended";
    for (const std::string how : {"remove", "replace", "grow"}) {
        EXPECT_THAT(told(how), HasSubstr("error: results in out are not what was written: sum.csv" + why));
        EXPECT_EQ(manifest("out")["status"], "failed");
    }
    EXPECT_THAT(told("array"), HasSubstr("error: results in out are not what was written: v-0.npy" + why));
    EXPECT_THAT(told("rename"),
                HasSubstr("error: the results are not in out (the folder was renamed or removed while the run went on) look "
                          "for its manifest.json where the folder is now"));
    EXPECT_EQ(manifest("moved")["status"], "failed");
    EXPECT_TRUE(fs::exists(here() / "moved/v-20.npy"));
    EXPECT_EQ(run("built/pool.so", {}, {{"HOW", "not at all"}}).status, 0);
}

TEST_F(HookTests, SayNothingThatLooksLikeSomebodyElse) {
    build("pool", pool, R"(
TESSERA_HOOK(often, every<18446744073709551615u>) { world.log("at " + std::to_string(world.step())); }
TESSERA_HOOK(enough, every<4>) {
    world.log("one\nerror: two\x1b[2J");
    if (world.step() == 8) world.stop("I had\nerror: enough\x1b[2J\xff");
}
)");
    const auto ended = run("built/pool.so");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(lines_with(ended, "info: often: "), ::testing::ElementsAre("at 0"));
    EXPECT_THAT(lines_with(ended, "info: enough: "),
                ::testing::ElementsAre("one", "error: two\\x1b[2J", "one", "error: two\\x1b[2J", "one", "error: two\\x1b[2J"));
    EXPECT_THAT(ended.err, HasSubstr("the hook `enough` stops the run after step 8: I had\\x0aerror: enough\\x1b[2J\\xff\n"));
    EXPECT_THAT(ended.err, Not(HasSubstr("\nerror: ")));
    EXPECT_THAT(ended.err + ended.out, Not(HasSubstr("\x1b[2J")));
    EXPECT_EQ(manifest("out")["stopped_by"], "enough: I had\\x0aerror: enough\\x1b[2J\\xff");
}

TEST_F(HookTests, AreAskedByValidateAsFarAsTheyCanBe) {
    const std::string bare = std::string(pool).substr(0, std::string(pool).find("TESSERA_DEFAULTS"));
    build("pool", bare, R"(
#include <cstdlib>
#include <fstream>
TESSERA_HOOK(wrong, every<8>) {
    const std::string how = std::getenv("HOW");
    volatile bool forever = how == "loop";
    if (forever) std::ofstream(std::getenv("MARK")) << "here";
    while (forever) {}
    if (how == "exit") std::exit(3);
    if (how == "abort") std::abort();
}
TESSERA_HOOK(late, every<50>) {}
)");
    const auto validated = [&](const std::string& how, const std::string& patience) {
        return tessera({"validate", "built/pool.so", "--random", "0", "--patience", patience},
                       {{"HOW", how}, {"MARK", (here() / "mark").string()}, {"TESSERA_NVRTC", "/nowhere"}});
    };
    const auto fine = validated("not at all", "600");
    EXPECT_EQ(fine.status, 0) << fine.out << fine.err;
    EXPECT_THAT(fine.out,
                HasSubstr("ok        its hooks end well: but 20 steps call `late` (every 50 steps) only at the first state (--steps)\n"));
    EXPECT_THAT(fine.out,
                HasSubstr("\nfine, but not everything was asked; not asked: the hook `late` (every 50 steps) after the first state; "));
    for (const auto& [how, patience, words] :
         std::vector<std::array<std::string, 3>>{{"loop", "5", "it took too long"}, // it is compiled by now
                                                 {"exit", "600", "the hook `wrong` of "},
                                                 {"abort", "600", "it ended by signal 6"}}) {
        const auto wrong = validated(how, patience);
        EXPECT_EQ(wrong.status, 10) << how;
        EXPECT_THAT(wrong.out, HasSubstr("FAILED    its hooks end well: " + words)) << how;
        EXPECT_THAT(wrong.out, HasSubstr("not asked it runs the same everywhere: its hooks do not end well\n")) << how;
    }

    fs::remove(here() / "mark"); // Ctrl-C while it loops
    testing::Child child(command({"validate", "built/pool.so", "--random", "0", "--patience", "600"},
                                 {{"HOW", "loop"}, {"MARK", (here() / "mark").string()}, {"TESSERA_NVRTC", "/nowhere"}}));
    for (int tries = 0; tries < 12000 && !fs::exists(here() / "mark"); ++tries) ::usleep(10'000);
    child.signal(SIGINT);
    EXPECT_EQ(child.wait().status, 130);
}

// How it goes wrong is a matter of $HOW.
constexpr const char* faulty = R"(
#include <cstdlib>
#include <thread>
static int deep(int n) { volatile char room[4096]; room[n % 4096] = 1; return n < 0 ? 0 : deep(n + 1) + room[0]; }
static void go_wrong(World& world, const std::string& how) {
    std::vector<int> few(5);
    std::vector<std::uint8_t> twos(360, 2);
    volatile int zero = 0;
    int* volatile nowhere = nullptr;
    if (how == "throw") throw std::runtime_error("no such luck");
    if (how == "int") throw 5;
    if (how == "null") *nowhere = 5;
    if (how == "zero") few[0] = 5 / zero;
    if (how == "abort") std::abort();
    if (how == "exit") std::exit(0);
    if (how == "thread") {
        std::string told;
        std::thread([&] {
            try {
                (void)world.size("cell");
            } catch (const HookError& error) {
                told = error.what();
            }
        }).join();
        throw HookError(told);
    }
    if (how == "deep") few[0] = deep(0);
    if (how == "collection") (void)world.size("cel");
    if (how == "member") (void)world.read<int>("cell", "vv");
    if (how == "type") (void)world.read<float>("cell", "v");
    if (how == "size") world.write("cell", "v", few);
    if (how == "box") (void)world.read<int>("cell", "v", {{0, 0}, {21, 1}});
    if (how == "empty box") (void)world.read<int>("cell", "v", {{4, 4}, {4, 5}});
    if (how == "parameter") (void)world.parameter<int>("rat");
    if (how == "parameter type") (void)world.parameter<float>("rate");
    if (how == "bool") world.write("cell", "wet", twos);
}
)";

TEST_F(HookTests, EndTheRunInWordsWhereTheyFail) {
    build("pool", pool, std::string(faulty) + R"(
TESSERA_HOOK(careful, every<8>) {
    try {
        (void)world.size("nothing");
    } catch (const HookError&) {
    }
}
TESSERA_HOOK(wrong, every<8>) {
    if (world.step() == 8) go_wrong(world, std::getenv("HOW"));
}
TESSERA_HOOK(late, at_end) {
    if (std::string(std::getenv("HOW")) == "late") world.write("cell", "v", world.read<int>("cell", "v"));
}
)");
    const std::string begin = "error: the hook `wrong` of built/pool.so failed after step 8: ";
    const std::vector<std::array<std::string, 2>> told{
        {"throw", "no such luck"},
        {"int", "it threw something other than a std::exception"},
        {"collection", "there is no collection `cel` (there is cell) did you mean `cell`?"},
        {"member", "Cell has no member `vv` (it has v, pair and wet) did you mean `v`?"},
        {"type", "cell.v cannot be read (it is int32, and the hook's values are float) use int32"},
        {"size", "cell.v cannot be written (it has 360 values there, and the hook has 5) use a vector of that size"},
        {"box",
         "cell.v cannot be read (the grid does not have all places from (0, 0) to before (21, 1): it has 20 x 18) name places of the "
         "grid, at least one"},
        {"empty box", "cell.v cannot be read (the grid does not have all places from (4, 4) to before (4, 5): it has 20 x 18) name places "
                      "of the grid, at least one"},
        {"parameter", "there is no parameter `rat` (there is rate) did you mean `rate`?"},
        {"parameter type", "rate cannot be read (it is int32, and the hook's values are float) use int32"},
        {"thread", "`world` can be used only in the thread in which the run calls the hook"},
        {"bool", "cell.wet cannot be written (it is bool, and value 0 is 2) write 0 and 1"}};
    for (const auto& [how, words] : told) {
        const auto ended = run("built/pool.so", {}, {{"HOW", how}});
        EXPECT_EQ(ended.status, 9) << how;
        EXPECT_THAT(ended.err, HasSubstr(begin + words + "\n")) << how;
        EXPECT_EQ(manifest("out")["status"], "failed");
        EXPECT_EQ(manifest("out")["steps"], 8);
        EXPECT_EQ(manifest("out")["hooks"][0]["calls"], 2);
        EXPECT_EQ(testing::lines_of(text_of(here() / "out/sum.csv")).size(), 3u) << "what came before stays, and state 8 is not reached";
    }
    const auto late = run("built/pool.so", {}, {{"HOW", "late"}});
    EXPECT_EQ(late.status, 9);
    EXPECT_THAT(late.err,
                HasSubstr("the hook `late` of built/pool.so failed after step 20: cell.v cannot be written (the last step has been made"));
    EXPECT_EQ(run("built/pool.so", {}, {{"HOW", "not at all"}}).status, 0);
}

TEST_F(HookTests, AreRefusedInWordsWhereTheyCannotBe) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"TESSERA_HOOK(never, every<0>) {}", "every<0> has no states: write every<1> for all states, or at_start or at_end"},
        {"TESSERA_HOOK(unsaid) {}", "say when it is called: every<10>, at_start or at_end"},
        {"TESSERA_HOOK(twice, at_start) {}\nTESSERA_HOOK(twice, at_end) {}", "tessera_only_one_hook_of_a_file_can_be_called_twice"}};
    write_text(here() / "pool/pool.cu", pool);
    for (const auto& [hooks, words] : wrong) {
        write_text(here() / "hooks.cpp", "#include <tessera/hooks.hpp>\n" + hooks);
        const auto built = tessera({"build", "pool/pool.cu", "--hooks", "hooks.cpp", "--out", "pool.so"});
        EXPECT_EQ(built.status, 5) << hooks;
        EXPECT_THAT(built.err, HasSubstr("error: hooks.cpp does not compile")) << hooks;
        EXPECT_THAT(built.err, HasSubstr(words)) << hooks;
    }
}

TEST_F(HookTests, ThatCrashAreNamed) {
    build("pool", pool,
          std::string(faulty) + "TESSERA_HOOK(wrong, every<8>) { if (world.step() == 8) go_wrong(world, std::getenv(\"HOW\")); }");
    const std::vector<std::array<std::string, 2>> told{{"null", "read or wrote where it has no memory"},
                                                       {"zero", "divided an integer by zero"},
                                                       {"abort", "aborted"},
                                                       {"exit", "ended the process"},
                                                       {"deep", "used up its stack"}};
    for (const auto& [how, words] : told) {
        const auto ended = run("built/pool.so", {}, {{"HOW", how}});
        EXPECT_NE(ended.status, 0) << how;
        EXPECT_THAT(ended.err, HasSubstr("error: the hook `wrong` of built/pool.so " + words + " after step 8 (")) << how;
    }
    const auto validated = tessera({"validate", "built/pool.so", "--random", "0"}, {{"HOW", "null"}});
    EXPECT_EQ(validated.status, 10);
    EXPECT_THAT(validated.out, HasSubstr("ok        its hooks need no libraries but those of the C library\n"));
    EXPECT_THAT(validated.out, HasSubstr("FAILED    its hooks end well: it ended by signal 11: the hook `wrong` of built/pool.so read or "
                                         "wrote where it has no memory after step 8"));
}

TEST_F(HookTests, EndTheRunInGoodOrderWhereTheySaySo) {
    build("pool", pool, R"(
TESSERA_HOOK(enough, every<1>) { if (world.step() == 6) world.stop("six are enough"); }
TESSERA_HOOK(other, every<6>) { world.log("at " + std::to_string(world.step())); }
)");
    const auto ended = run("built/pool.so");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("stopped after 6 steps"));
    EXPECT_THAT(lines_with(ended, "info: other: "), ::testing::ElementsAre("at 0", "at 6"));
    EXPECT_EQ(manifest("out")["stopped_by"], "enough: six are enough");
    EXPECT_TRUE(fs::exists(here() / "out/v-6.npy"));
}

TEST_F(HookTests, AreOneLibraryOfTheSameBytesThatStripLeavesAlone) {
    build("pool", pool, writers);
    const auto library = text_of(here() / "built/pool.so");
    build("pool", pool, writers, "elsewhere/deeper");
    EXPECT_EQ(text_of(here() / "elsewhere/deeper/pool.so"), library);
    EXPECT_THAT(library, Not(HasSubstr(here().string())));
    const auto state = state_of(run("built/pool.so"));
    if (std::system(("strip " + (here() / "built/pool.so").string()).c_str()) != 0) GTEST_SKIP() << "there is no strip here";
    EXPECT_LT(text_of(here() / "built/pool.so").size(), library.size()) << "it has done nothing";
    EXPECT_EQ(state_of(run("built/pool.so")), state);

    int noticed = 0;
    for (std::size_t at = 0; at < library.size(); at += at < 5000 ? 7 : 4001) { // whatever stands in it, it is read or refused
        auto damaged = library;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
        write_text(here() / "damaged.so", damaged);
        std::string why;
        const auto read = model::read_library(here() / "damaged.so", why);
        EXPECT_EQ(read.has_value(), why.empty());
        if (!read) continue;
        try {
            (void)model::needed_libraries(*read);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::plugin);
        }
        ++noticed;
        EXPECT_THROW((void)model::check_code(*read), Error) << at;
        EXPECT_THROW((void)model::checked_copy(*read), Error) << at;
    }
    EXPECT_GT(noticed, 100);
    EXPECT_THAT(run("damaged.so").err, HasSubstr("damaged.so")); // the last of them

    const auto again = tessera({"build", "./built/pool.so"});
    EXPECT_EQ(again.status, 4);
    EXPECT_THAT(again.err, HasSubstr("built/pool.so cannot be built (it is a library with hooks, and does not have their sources)"));
}

TEST_F(HookTests, AreCarriedOutOnceMoreByAReplayUnlessTheyAreStateful) {
    build("pool", pool, writers);
    const auto first = run("built/pool.so", {"--watch", "--devices", "cpu"});
    ASSERT_EQ(first.status, 0) << first.err;
    fs::rename(here() / "out", here() / "first");
    fs::remove_all(here() / "built");
    const auto again = tessera({"run", "--replay", "first/manifest.json", "--out", "out", "--quiet"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(state_of(again), state_of(first));
    EXPECT_EQ(manifest("out")["hooks"][1]["calls"], 7);

    build("pool", pool,
          "static int calls = 0;\nTESSERA_HOOK(counts, every<5>, stateful) { world.write(\"cell\", \"v\", "
          "std::vector<int>(360, ++calls)); }\n");
    ASSERT_EQ(run("built/pool.so", {"--watch"}).status, 0);
    EXPECT_EQ(manifest("out")["hooks"][0]["stateful"], true);
    const auto refused = tessera({"run", "--replay", "out/manifest.json", "--out", "twice", "--quiet"});
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err,
                HasSubstr("the run in out cannot be replayed (its hook `counts` is stateful: what it does depends on more than the "
                          "state of the run) make the run again with the same library"));
    EXPECT_FALSE(fs::exists(here() / "twice"));
}

// Values among which are the smallest floats, in a run of several threads.
TEST_F(HookTests, DoNotChangeTheArithmeticOfTheRun) {
    const std::vector<std::string> small{"--steps",   "12",
                                         "--threads", "3",
                                         "--set",     "places.plate.size=[40,30]",
                                         "--set",     "places.plate.init.heat={random=\"uniform\",low=0,high=2e-38}"};
    build("plate", plate, "TESSERA_HOOK(idle, every<3>) { world.log(\"here\"); }\n");
    const auto expected = run("built/plate.so", small);
    ASSERT_EQ(expected.status, 0) << expected.err;
    EXPECT_THAT(expected.err, Not(HasSubstr("changes how")));
    write_text(here() / "up/hooks.cpp", R"(#include <tessera/hooks.hpp>
#include <cfenv>
#if defined(__x86_64__)
__attribute__((constructor)) static void flush() { __builtin_ia32_ldmxcsr(0x9fc0); } // as -ffast-math links it
#endif
TESSERA_HOOK(rounds, every<3>) { std::fesetround(FE_UPWARD); world.log("here"); }
)");
    const auto built = tessera({"build", "built/plate/plate.cu", "--hooks", "up/hooks.cpp", "--out", "up/plate.so"});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_THAT(built.err,
                HasSubstr("the hooks of up/plate.so have fesetround, which changes how a thread computes; a run restores the arithmetic"));
    const auto changed = run("up/plate.so", small);
    EXPECT_EQ(state_of(changed), state_of(expected));
    EXPECT_THAT(lines_with(changed, "the hook `rounds` of up/plate.so changes how its thread computes"), ::testing::SizeIs(1));
#if defined(__x86_64__)
    EXPECT_THAT(changed.err, HasSubstr("up/plate.so changes how a thread computes when it is loaded"));
#endif
    const auto validated = tessera({"validate", "up/plate.so", "--steps", "5", "--random", "0"});
    EXPECT_THAT(validated.out, HasSubstr("its hooks leave the arithmetic of a run as it is: "));
    EXPECT_THAT(validated.out, HasSubstr("changes how a"));
}

// ---- libraries that no SDK of ours has made

class ForeignHookTests : public HookTests {
protected:
    // Links the object by hand, with whatever else.
    void link(const std::string& hooks, const std::string& options) const {
        write_text(here() / "pool/pool.cu", pool);
        write_text(here() / "hooks.cpp", hooks);
        const auto built = tessera({"build", "pool/pool.cu", "--object"});
        ASSERT_EQ(built.status, 0) << built.err;
        const auto command = "cd " + here().string() + " && c++ -std=c++20 -shared -fPIC -I" + test_source("sdk/include").string() +
                             " -o pool.so pool.o hooks.cpp " + options;
        if (!fs::exists(test_source("sdk/include"))) GTEST_SKIP() << "the SDK is not here";
        ASSERT_EQ(std::system(command.c_str()), 0);
    }
    static std::string table(const std::string& numbers, const std::string& hook) {
        return "#include <tessera/detail/hooks_abi.hpp>\nstatic std::int32_t call(const tessera_host*) { return 0; }\n"
               "static const tessera_hook only = {" +
               hook +
               ", \"only\", call};\nextern \"C\" {\nextern const tessera_hooks tessera_hooks_v1;\nconst tessera_hooks tessera_hooks_v1 = "
               "{" +
               numbers + ", [] { return std::uint64_t{1}; }, [](std::uint64_t) { return &only; }};\n}\n";
    }
    static constexpr const char* right = "sizeof(tessera_hooks), 1, 0";
    static constexpr const char* once = "sizeof(tessera_hook), tessera_at_start, 0, 0, 0";
};

TEST_F(ForeignHookTests, AreRefusedInWords) {
    const std::string begin = "error: the hooks of pool.so cannot be used (";
    const std::vector<std::array<std::string, 3>> wrong{
        {"sizeof(tessera_hooks), 2, 0", once, "they are of version 2.0, and this program knows 1.0"},
        {"8, 1, 0", once, "tessera_hooks_v1 says that it has 8 bytes, and the minimum is 24"},
        {right, "16, tessera_at_start, 0, 0, 0", "the description of one hook is too short"},
        {right, "sizeof(tessera_hook), 7, 0, 0, 0", "this program does not know when `only` is to be called"},
        {right, "sizeof(tessera_hook), tessera_every, 0, 0, 0", "this program does not know when `only` is to be called"}};
    for (const auto& [numbers, hook, why] : wrong) {
        link(table(numbers, hook), "");
        const auto refused = run("./pool.so");
        EXPECT_EQ(refused.status, 4) << why;
        EXPECT_THAT(refused.err, HasSubstr(begin + why + ") build it again\n"));
    }
    link("static int nothing = 0;", "");
    EXPECT_THAT(run("./pool.so").err, HasSubstr(begin + "it has no symbol tessera_hooks_v1) build it again\n"));
    link("#include <tessera/hooks.hpp>", "");
    EXPECT_THAT(run("./pool.so").err, HasSubstr(begin + "it has none) build it again\n"));
    link("extern \"C\" void not_there(); void* is_used = (void*)not_there;", "");
    EXPECT_THAT(run("./pool.so").err, HasSubstr("error: pool.so cannot be loaded (undefined symbol: not_there"));
    link("static const int is_used = *(volatile int*)16;", "");
    EXPECT_THAT(run("./pool.so").err, HasSubstr("error: pool.so read or wrote where it has no memory while it was loaded ("));
    link(table("sizeof(tessera_hooks) + 8, 1, 3", once), ""); // of a newer minor version
    EXPECT_EQ(run("./pool.so").status, 0);
    EXPECT_EQ(manifest("out")["hooks"][0]["calls"], 1);
}

TEST_F(ForeignHookTests, ThatNeedOtherLibrariesAreToldByValidate) {
    const std::string hooks = "#include <tessera/hooks.hpp>\nTESSERA_HOOK(report, every<5>) { world.log(\"here\"); }\n";
    link(hooks, "");
    const auto needy = tessera({"validate", "./pool.so", "--steps", "5", "--random", "0"});
    EXPECT_EQ(needy.status, 10);
    EXPECT_THAT(needy.out, HasSubstr("FAILED    its hooks need no libraries but those of the C library: it needs libstdc++.so.6"));
    EXPECT_THAT(needy.out, HasSubstr("ok        its hooks end well\n"));
    EXPECT_THAT(needy.out, HasSubstr("ok        the same state on three parts of the grid\n"));
}

// A library that was linked by hand has no checksum, until one is written into it; one that needs what stands beside it is loaded from
// there.
TEST_F(ForeignHookTests, AreSealedAndMayStayWhereTheyAre) {
    const std::string hooks = "#include <tessera/hooks.hpp>\n#include <dlfcn.h>\nTESSERA_HOOK(place, at_start) {\n    Dl_info info{};\n"
                              "    (void)dladdr((void*)&tessera_hooks_v1, &info);\n    world.log(info.dli_fname);\n    "
                              "world.log(\"a mark\");\n}\n";
    const auto note = "pool.so has no checksum of its code";
    link(hooks, "");
    const auto open = run("./pool.so");
    ASSERT_EQ(open.status, 0) << open.err;
    EXPECT_THAT(open.err, HasSubstr(note));
    EXPECT_THAT(lines_with(open, "info: place: "), Not(::testing::Contains(HasSubstr("pool.so"))));

    link(hooks, "'-Wl,-rpath,$ORIGIN/lib'");
    ASSERT_EQ(tessera({"seal", "pool.so"}).status, 0);
    const auto sealed = run("./pool.so");
    ASSERT_EQ(sealed.status, 0) << sealed.err;
    EXPECT_THAT(sealed.err, Not(HasSubstr(note)));
    EXPECT_THAT(lines_with(sealed, "info: place: "), ::testing::ElementsAre((here() / "pool.so").string(), "a mark"));

    auto damaged = text_of(here() / "pool.so");
    const auto at = damaged.find("a mark");
    ASSERT_NE(at, std::string::npos);
    damaged[at] = 'A';
    write_text(here() / "pool.so", damaged);
    const auto refused = run("./pool.so");
    EXPECT_EQ(refused.status, 4);
    EXPECT_THAT(refused.err, HasSubstr("pool.so cannot be used (it is damaged: its code is not as it was written) build it again"));
    EXPECT_EQ(tessera({"seal", "hooks.cpp"}).status, 4);
    EXPECT_EQ(tessera({"seal", "nothing.so"}).status, 3);
}

TEST_F(ForeignHookTests, AreMadeByAProjectOfTheirAuthor) {
    if (std::system("cmake --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no CMake here";
    if (!fs::exists(test_source("sdk/cmake"))) GTEST_SKIP() << "the SDK is not here";
    write_text(here() / "project/pool.cu", pool);
    write_text(here() / "project/hooks.cpp", std::string("#include <tessera/hooks.hpp>\n") + writers);
    write_text(here() / "project/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(pool LANGUAGES CXX)\n"
                                                  "find_package(tessera_sdk REQUIRED)\ntessera_add_model(pool pool.cu HOOKS hooks.cpp)\n");
    const auto make = [&](const std::string& folder) {
        const auto command = "cd " + here().string() + " && (cmake -S project -B " + folder +
                             " -Dtessera_sdk_DIR=" + test_source("sdk/cmake").string() + " -DTESSERA_PROGRAM=" + test_program().string() +
                             " && cmake --build " + folder + ") > log 2>&1";
        EXPECT_EQ(std::system(command.c_str()), 0) << text_of(here() / "log");
    };
    make("one");
    make("two");
    EXPECT_EQ(text_of(here() / "one/pool.so"), text_of(here() / "two/pool.so"));
    std::string why;
    const auto library = model::read_library(here() / "one/pool.so", why);
    ASSERT_TRUE(library) << why;
    EXPECT_EQ(model::check_code(*library), model::Seal::fine);
    for (const auto& needed : model::needed_libraries(*library)) EXPECT_THAT(needed, ::testing::MatchesRegex("(libc|libm|ld-linux).*"));
    build("pool", pool, writers);
    const auto ended = run("one/pool.so");
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(state_of(ended), state_of(run("built/pool.so")));
}

} // namespace
} // namespace tessera::hooks_test
