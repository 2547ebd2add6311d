// The whole of it, on the CPU and small grids.
#include "device_runtime/error.hpp"
#include "host/bench/bench.hpp"
#include "host/plugins/registry.hpp"
#include "host/setup/traffic.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <fcntl.h>

namespace tessera::bench::bench_test {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Benchmark : public ::testing::Test {
protected:
    [[nodiscard]] BenchOptions options(const std::string& model, const std::string& sizes, const std::string& views) const {
        BenchOptions result;
        result.request = {test::plugin(model), {"run.devices=[\"cpu\"]", "run.threads=1"}, {}};
        result.sizes = sizes;
        result.views = views;
        result.samples = 1;
        result.out = folder_.path() / "out";
        return result;
    }
    [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

private:
    TemporaryFolder folder_;
};

TEST_F(Benchmark, ViewsAndKernelsByHandComeToTheSameState) {
    const auto [folder, report] = bench(options("wave2d", "40,33x21", "chosen,direct,blocks:4x64x16,pipeline:3x2x8"), test::compiler());
    ASSERT_EQ(report.rows.size(), 10u);
    EXPECT_EQ(report.status, "finished");
    EXPECT_GT(report.copy_bandwidth, 0);
    EXPECT_DOUBLE_EQ(report.bytes_a_place, 12);
    const std::vector<std::string> kinds{"by hand", "rows", "direct", "pipeline", "blocks"};
    std::vector<std::string> found;
    int fastest = 0;
    for (const auto& row : report.rows) {
        EXPECT_EQ(row.state, "same") << row.view;
        EXPECT_TRUE(row.step_seconds.has_value()) << row.why_not;
        EXPECT_TRUE(row.ratio.has_value());
        fastest += row.fastest;
        found.push_back(row.kind);
    }
    EXPECT_EQ(fastest, 2);
    EXPECT_THAT(std::vector<std::string>(found.begin(), found.begin() + 5), ::testing::UnorderedElementsAreArray(kinds));
    EXPECT_EQ(report.rows[0].places, 1600);
    EXPECT_EQ(report.rows[9].places, 33 * 21);
    for (const char* file : {"bench.csv", "bench.svg", "manifest.json"}) EXPECT_TRUE(fs::exists(folder / file)) << file;
}

TEST_F(Benchmark, SeveralDevicesAreMeasuredBesideOne) {
    auto two = options("wave2d", "40x30", "chosen,blocks:4x64x16");
    two.request.overrides[0] = "run.devices=[\"cpu\", \"cpu\"]";
    const auto [folder, report] = bench(two, test::compiler());
    EXPECT_EQ(report.status, "finished");
    std::vector<std::pair<int, Size>> found;
    for (const auto& row : report.rows) {
        EXPECT_EQ(row.state, "same") << row.view << row.why_not;
        EXPECT_TRUE(!row.by_hand() || row.devices == 1) << row.view;
        if (row.kind == "blocks") found.emplace_back(row.devices, row.size);
    }
    EXPECT_THAT(found, ::testing::ElementsAre(std::pair(1, Size{40, 30}), std::pair(2, Size{40, 30}), std::pair(2, Size{40, 60})));
    EXPECT_TRUE(fs::exists(folder / "scaling.svg"));

    two.scaling = "weak";
    two.overwrite = true;
    for (const auto& row : bench(two, test::compiler()).report.rows) EXPECT_EQ(row.size.back(), row.devices * 30);
    two.scaling = "string";
    EXPECT_THROW((void)bench(two, test::compiler()), Error);
}

TEST_F(Benchmark, SomeNumbersOfDevicesAreLeftOut) {
    auto three = options("heat2d", "40x30", "chosen");
    three.request.overrides[0] = "run.devices=[\"cpu\", \"cpu\", \"cpu\"]";
    three.counts = "3,1";
    std::vector<std::pair<int, Size>> found;
    for (const auto& row : bench(three, test::compiler()).report.rows) {
        EXPECT_EQ(row.state, "same");
        if (!row.by_hand()) found.emplace_back(row.devices, row.size);
    }
    EXPECT_THAT(found, ::testing::ElementsAre(std::pair(1, Size{40, 30}), std::pair(3, Size{40, 30}), std::pair(3, Size{40, 90})));
}

TEST_F(Benchmark, DevicesWithMemoryOfTheirOwnAreMeasuredTheSame) {
    auto two = options("heat2d", "40x30", "chosen,blocks:4x64x16");
    two.request.overrides = {"run.devices=[\"cpu\", \"cpu\"]", "run.threads=2", "run.memory=\"own\"", "run.inject_latency=\"10us\""};
    two.scaling = "strong";
    std::vector<std::string> found; // on both
    for (const auto& row : bench(two, test::compiler()).report.rows) {
        EXPECT_EQ(row.state, "same") << row.devices << " " << row.view << ": " << row.why_not;
        EXPECT_TRUE(row.step_seconds.has_value());
        if (row.devices == 2) found.push_back(row.kind);
    }
    EXPECT_THAT(found, ::testing::ElementsAre("rows", "blocks"));
}

TEST_F(Benchmark, AViewThatCannotBeHadIsARow) {
    const auto report = bench(options("heat2d", "16", "chosen,pipeline:2x1x4x1,blocks:300x3x3"), test::compiler()).report;
    ASSERT_EQ(report.rows.size(), 4u);
    EXPECT_EQ(report.status, "finished");
    EXPECT_TRUE(report.rows[1].step_seconds.has_value());
    EXPECT_THAT(report.rows[2].why_not, HasSubstr("plate.heat is neither a bool nor a std::uint8_t"));
    EXPECT_THAT(report.rows[3].why_not, HasSubstr("too many for a cache"));
    EXPECT_FALSE(report.rows[3].step_seconds.has_value());
}

TEST_F(Benchmark, ASizeThatCannotBeHadIsARow) {
    const auto report = bench(options("leadership", "1000000,24", "chosen"), test::compiler()).report; // 16 TB
    ASSERT_EQ(report.rows.size(), 2u);
    EXPECT_FALSE(report.rows[0].step_seconds.has_value());
    EXPECT_NE(report.rows[0].why_not, "");
    EXPECT_TRUE(report.rows[1].step_seconds.has_value());
    EXPECT_EQ(report.rows[1].ratio, std::nullopt);
    EXPECT_EQ(report.reference, "there are none for this model");
}

// Life as it is not: two neighbours are enough.
TEST_F(Benchmark, AKernelByHandThatMakesOtherStepsIsFound) {
    const auto reference = folder().path() / "reference";
    fs::create_directories(reference);
    fs::copy(installed_folder("reference") / "life", reference / "life", fs::copy_options::recursive);
    std::ifstream in(reference / "life" / "loop.cpp");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto at = text.find("n == 3");
    ASSERT_NE(at, std::string::npos);
    folder().write("reference/life/loop.cpp", text.replace(at, 6, "n == 2"));
    auto wrong = options("life", "64", "chosen");
    wrong.reference = reference;
    const auto report = bench(wrong, test::compiler()).report;
    ASSERT_EQ(report.rows.size(), 2u);
    EXPECT_EQ(report.status, "failed");
    EXPECT_EQ(report.rows[0].state, "differs");
    EXPECT_FALSE(report.rows[0].step_seconds.has_value());
    EXPECT_EQ(report.rows[1].state, "same");
    EXPECT_FALSE(report.rows[1].ratio.has_value()) << "a wrong kernel is no measure";
}

// The wave three steps on, place by place.
constexpr const char* three_steps_of_waves = R"(
struct waves {
    const float *now, *before;
    long long nx, ny, pitch;
    float k;
    float after(int steps, long long x, long long y) const {
        if (steps <= 0) return (steps == 0 ? now : before)[y * pitch + x];
        if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1) return 0;
        const float own = after(steps - 1, x, y), west = after(steps - 1, x - 1, y), east = after(steps - 1, x + 1, y);
        const float pull = west + east + after(steps - 1, x, y - 1) + after(steps - 1, x, y + 1) - 4 * own;
        return 2 * own - after(steps - 2, x, y) + k * pull;
    }
};
static void step(const float* now, const float* before, float* next_now, float* next_before, long long nx, long long ny, long long pitch,
                 float k, long long first, long long last) {
    const waves all{now, before, nx, ny, pitch, k};
    for (long long y = first; y < last; ++y)
        for (long long x = 0; x < nx; ++x) {
            next_now[y * pitch + x] = all.after(3, x, y);
            next_before[y * pitch + x] = all.after(2, x, y);
        }
}
)";

TEST_F(Benchmark, ProgramsByHandAreMeasuredBesideModelsWithAgents) {
    auto ants = options("life", "9x11,60x40", "chosen,direct");
    ants.request.what = (installed_folder("reference") / "sugar").string();
    ants.request.overrides.emplace_back("agents.ant.count=1200"); // which the first size has no room for, nor that of the model's defaults
    ants.request.overrides.emplace_back("places.field.size=[5,5]");
    const auto report = bench(ants, test::compiler()).report;
    EXPECT_EQ(report.status, "finished");
    ASSERT_EQ(report.rows.size(), 4u);
    EXPECT_THAT(report.rows[0].why_not, HasSubstr("1200 agents of `ant` do not fit"));
    EXPECT_EQ(report.rows[1].view, "by hand, loop.cpp");
    EXPECT_EQ(report.rows[1].ratio, 1);
    for (const auto i : {1u, 2u, 3u}) {
        EXPECT_EQ(report.rows[i].state, "same") << report.rows[i].why_not;
        EXPECT_TRUE(report.rows[i].step_seconds.has_value());
        EXPECT_TRUE(report.rows[i].ratio.has_value());
    }
}

// It tells how often it began: for itself, and anew for each row that is measured beside it.
TEST_F(Benchmark, AProgramByHandStartsAnewForEachView) {
    fs::copy(installed_folder("reference") / "sugar", folder().path() / "sugar", fs::copy_options::recursive);
    std::ifstream in(folder().path() / "sugar" / "loop.cpp"), list(folder().path() / "sugar" / "reference.toml");
    const std::string text{std::istreambuf_iterator<char>(in), {}}, entries{std::istreambuf_iterator<char>(list), {}};
    const auto log = folder().path() / "log";
    std::string begin = R"(
extern "C" int open(const char*, int, ...);
extern "C" long write(int, const void*, unsigned long);
extern "C" int close(int);
static void begin(const state&, long long, long long) {
    const int file = open("LOG", FLAGS, 0600);
    (void)write(file, ".", 1);
    close(file);
}
)";
    begin.replace(begin.find("LOG"), 3, log.string());
    begin.replace(begin.find("FLAGS"), 5, std::to_string(O_WRONLY | O_CREAT | O_APPEND));
    folder().write("sugar/loop.cpp", text + begin);
    folder().write("sugar/reference.toml", entries + "begin = [{ name = \"begin\" }]\n");
    auto ants = options("life", "50", "chosen,direct");
    ants.request.what = (folder().path() / "sugar").string();
    const auto rows = bench(ants, test::compiler()).report.rows;
    ASSERT_EQ(rows.size(), 3u);
    for (const auto& row : rows) ASSERT_EQ(row.state, "same") << row.why_not;
    EXPECT_EQ(fs::file_size(log), 3u);
}

TEST_F(Benchmark, ANumberOfAgentsThatFitsNoSizeIsRefused) {
    auto ants = options("life", "9x11,10", "chosen");
    ants.request.what = (installed_folder("reference") / "sugar").string();
    ants.request.overrides.emplace_back("agents.ant.count=1200");
    EXPECT_THROW((void)bench(ants, test::compiler()), Error);
}

// Ants that see worse than they do.
TEST_F(Benchmark, AProgramByHandThatMakesOtherStepsIsFound) {
    fs::copy(installed_folder("reference") / "sugar", folder().path() / "sugar", fs::copy_options::recursive);
    std::ifstream in(folder().path() / "sugar" / "loop.cpp");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto at = text.find("distance <= s.ant_vision[p]");
    ASSERT_NE(at, std::string::npos);
    folder().write("sugar/loop.cpp", text.replace(at, 11, "distance < "));
    auto wrong = options("life", "50", "chosen");
    wrong.request.what = (folder().path() / "sugar").string();
    const auto report = bench(wrong, test::compiler()).report;
    ASSERT_EQ(report.rows.size(), 2u);
    EXPECT_EQ(report.status, "failed");
    EXPECT_EQ(report.rows[0].state, "differs");
    EXPECT_FALSE(report.rows[0].step_seconds.has_value());
    EXPECT_FALSE(report.rows[1].ratio.has_value());
}

TEST_F(Benchmark, KernelsByHandOfSeveralStepsAreComparedWithFusedSteps) {
    const std::string list = "collection = \"wave\"\nmembers = [\"now\", \"before\"]\nparameters = [\"k\"]\n";
    const std::string single = "[[cpu]]\nfile = \"loop.cpp\"\n", several = "[[cpu]]\nfile = \"several.cpp\"\nsteps = 3\n";
    fs::create_directories(folder().path() / "wave2d");
    fs::copy_file(installed_folder("reference") / "wave2d" / "loop.cpp", folder().path() / "wave2d" / "loop.cpp");
    folder().write("wave2d/several.cpp", three_steps_of_waves);
    auto both = options("wave2d", "12x7", "chosen,blocks:4x64x16");
    both.reference = folder().path();

    folder().write("wave2d/reference.toml", list + several + single);
    auto rows = bench(both, test::compiler()).report.rows;
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].view, "by hand, several.cpp, 3 steps");
    EXPECT_EQ(rows[0].kind, "by hand, fused");
    EXPECT_EQ(rows[1].view, "by hand, loop.cpp");
    for (const auto& row : rows) EXPECT_EQ(row.state, "same") << row.view << row.why_not;
    for (const auto& row : rows) EXPECT_TRUE(row.ratio.has_value()) << row.view;
    EXPECT_EQ(rows[0].ratio, 1) << "the first of its kind";
    EXPECT_EQ(rows[1].ratio, 1) << "the first of its kind";

    folder().write("wave2d/reference.toml", list + several);
    both.overwrite = true;
    rows = bench(both, test::compiler()).report.rows;
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_FALSE(rows[1].ratio.has_value()) << "nothing by hand makes one step at a time";
    EXPECT_TRUE(rows[2].ratio.has_value());
}

TEST_F(Benchmark, AKernelByHandThatDoesNotCompileIsARow) {
    fs::create_directories(folder().path() / "life");
    folder().write("life/reference.toml", "collection = \"cell\"\nmembers = [\"alive\"]\n[[cpu]]\nfile = \"loop.cpp\"\n");
    folder().write("life/loop.cpp", "static void step(int) {}\n");
    auto broken = options("life", "16", "chosen");
    broken.reference = folder().path();
    const auto report = bench(broken, test::compiler()).report;
    ASSERT_EQ(report.rows.size(), 2u);
    EXPECT_NE(report.rows[0].why_not, "");
    EXPECT_TRUE(report.rows[1].step_seconds.has_value());
}

TEST_F(Benchmark, ReferencesThatAreForOtherRunsAreNotUsed) {
    auto other = options("heat2d", "16", "chosen");
    other.request.overrides.emplace_back("params.heat_time=2");
    const auto report = bench(other, test::compiler()).report;
    EXPECT_THAT(report.reference, StartsWith("not used; "));
    EXPECT_THAT(report.reference, HasSubstr("reference.toml: it is for heat_time = 0"));
    ASSERT_EQ(report.rows.size(), 1u);
}

TEST_F(Benchmark, ResultsAreNotOverwritten) {
    fs::create_directories(folder().path() / "out");
    folder().write("out/mine.txt", "mine");
    try {
        (void)bench(options("life", "16", "chosen"), test::compiler());
        FAIL() << "it was written over";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::output);
    }
}

TEST(Traffic, CountsEachMemberOnceForReadingAndOnceForWriting) {
    const auto bytes = [](const std::string& model, std::vector<std::string> overrides = {}) {
        overrides.emplace_back("output=[]");
        const auto run = prepare({test::plugin(model), overrides, {}}, test::compiler());
        return static_cast<double>(bytes_a_step(run.setup)) / static_cast<double>(places_of(run.setup));
    };
    EXPECT_DOUBLE_EQ(bytes("life"), 2);
    EXPECT_DOUBLE_EQ(bytes("heat2d"), 8);
    EXPECT_DOUBLE_EQ(bytes("wave2d"), 12);
    EXPECT_DOUBLE_EQ(bytes("leadership"), 1 + 2 * (1 + 4 + 4));
    EXPECT_DOUBLE_EQ(bytes("heat2d", {"phase=[{callAll=\"plate.diffuse\"},{exchangeAll=\"plate\"},{callAll=\"plate.diffuse\"}]"}), 8);
    EXPECT_DOUBLE_EQ(bytes("heat2d", {"phase=[{callAll=\"plate.diffuse\",every=10}]"}), 0) << "most steps do nothing";
}

} // namespace
} // namespace tessera::bench::bench_test
