// Features beside each other: of each two, each way of the one with each way of the other, in few runs. All come to the state of a plain
// run and write the same table. A new feature is a line of `features()`, and what of it is refused beside what one of `refusals()`.
#include "tests/support/program_under_test.hpp"
#include "tests/support/random_draw.hpp"
#include "tests/support/thorough.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::crossings_test {
namespace {

using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

struct Way {
    const char* name;
    std::vector<std::string> arguments{};
    const char* compiler = nullptr; // $CXX
};
struct Feature {
    const char* name;
    std::vector<Way> ways; // the first is the plain one
};

const std::vector<Feature>& features() {
    static const std::vector<Feature> all{
        {"model", {{"source"}, {"library"}, {"library for this run"}, {"library with hooks"}}},
        {"devices",
         {{"one"},
          {"three", {"--set", R"(run.devices=["cpu","cpu","cpu"])"}},
          {"three with memory of their own", {"--set", R"(run.devices=["cpu","cpu","cpu"])", "--set", R"(run.memory="own")"}},
          {"three by way of the host", {"--set", R"(run.devices=["cpu","cpu","cpu"])", "--set", R"(run.transport="host")"}}}},
        {"steps",
         {{"one at a time"},
          {"four by blocks", {"--set", R"(schedule.tune="blocks:4x4096x16")"}},
          {"four by pipelines", {"--set", R"(schedule.tune="pipeline:4x2x16")"}}}},
        {"mode", {{"usual"}, {"checked", {"--check"}}, {"for a debugger", {"--debug"}}, {"watched", {"--watch"}}}},
        {"parameters", {{"constants"}, {"handed over", {"--set", "run.bake=false"}}}},
        {"exchange", {{"by phases"}, {"by itself", {"--set", R"(schedule.exchange="auto")"}}}},
        {"threads", {{"one", {"--threads", "1"}}, {"two", {"--threads", "2"}}}},
        {"end", {{"by steps"}, {"by a condition", {"--set", R"(run.stop="births(beetle) > 100000000")", "--set", "run.stop_every=10"}}}},
        {"outputs",
         {{"a table"},
          {"and arrays", {"--set", R"toml(output=[{every=10,csv="life.csv",columns={beetles="count(beetle)",warmth="max(air.warmth)"}},
{every=10,npy="wet_{step}.npy",attribute="sand.wet"},{every=10,agents="ants_{step}.csv",attribute="ant"}])toml"}}}},
        {"compiler", {{"g++", {}, "g++"}, {"clang++", {}, "clang++"}}},
    };
    return all;
}

// Two ways that do not go together, and what is said of them.
struct Refusal {
    const char *a, *b, *message;
};
const std::vector<Refusal>& refusals() {
    static const std::vector<Refusal> all{
        {"four by blocks", "three with memory of their own", "sand: devices have each other's rows for 1 step"},
        {"four by blocks", "three by way of the host", "sand: devices have each other's rows for 1 step"},
        {"four by pipelines", "three with memory of their own", "sand: devices have each other's rows for 1 step"},
        {"four by pipelines", "three by way of the host", "sand: devices have each other's rows for 1 step"},
    };
    return all;
}

using Row = std::vector<std::size_t>; // which way of each feature
struct Pair {
    std::size_t a, way_of_a, b, way_of_b;
    friend bool operator<(const Pair& x, const Pair& y) {
        return std::tie(x.a, x.way_of_a, x.b, x.way_of_b) < std::tie(y.a, y.way_of_a, y.b, y.way_of_b);
    }
};
const Refusal* refusal_of(const Pair& pair) {
    const std::string a = features()[pair.a].ways[pair.way_of_a].name, b = features()[pair.b].ways[pair.way_of_b].name;
    for (const auto& each : refusals())
        if ((a == each.a && b == each.b) || (a == each.b && b == each.a)) return &each;
    return nullptr;
}
// Of a row as far as it is decided: features from `ways.size()` on are not.
std::vector<Pair> pairs_with(const Row& ways, std::size_t feature, std::size_t way) {
    std::vector<Pair> pairs;
    for (std::size_t f = 0; f < ways.size(); ++f) pairs.push_back({f, ways[f], feature, way});
    return pairs;
}

// Rows that have all pairs but the refused ones, each row made feature by feature of the ways that add most.
std::vector<Row> rows_of_all_pairs() {
    std::set<Pair> missing;
    for (std::size_t a = 0; a < features().size(); ++a)
        for (std::size_t b = a + 1; b < features().size(); ++b)
            for (std::size_t i = 0; i < features()[a].ways.size(); ++i)
                for (std::size_t j = 0; j < features()[b].ways.size(); ++j)
                    if (refusal_of({a, i, b, j}) == nullptr) missing.insert({a, i, b, j});
    std::vector<Row> rows;
    while (!missing.empty()) {
        const auto first = *missing.begin();
        Row row;
        for (std::size_t f = 0; f < features().size(); ++f) {
            std::optional<std::size_t> best;
            std::ptrdiff_t most = -1;
            for (std::size_t way = 0; way < features()[f].ways.size(); ++way) {
                if ((f == first.a && way != first.way_of_a) || (f == first.b && way != first.way_of_b)) continue;
                auto pairs = pairs_with(row, f, way);
                if (f < first.a) pairs.push_back({f, way, first.a, first.way_of_a});
                if (f < first.b && f != first.a) pairs.push_back({f, way, first.b, first.way_of_b});
                if (std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return refusal_of(pair) != nullptr; })) continue;
                const auto added = std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return missing.count(pair) > 0; });
                if (added > most) best = way, most = added;
            }
            row.push_back(best.value());
        }
        for (std::size_t f = 0; f < row.size(); ++f)
            for (const auto& pair : pairs_with(Row(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(f)), f, row[f]))
                missing.erase(pair);
        rows.push_back(std::move(row));
    }
    return rows;
}

// Half of them that the seed draws, or all in a thorough run; and one whose steps surely are made several at once.
std::vector<Row> drawn_rows() {
    auto rows = rows_of_all_pairs();
    if (test::thorough()) return rows;
    std::shuffle(rows.begin(), rows.end(), std::mt19937(test::seed_of_this_run()));
    rows.resize((rows.size() + 1) / 2);
    Row by_blocks(features().size(), 0);
    by_blocks[2] = 1;
    rows.push_back(by_blocks);
    return rows;
}

class Crossings : public testing::CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
        write_text(here() / "oasis/oasis.cu", text_of(test_data("models/oasis/oasis.cu")));
        write_text(here() / "hooks.cpp", R"cpp(#include <tessera/hooks.hpp>
TESSERA_HOOK(look, every<7>) { world.log(std::to_string(world.read<float>("air", "warmth").size())); }
)cpp");
        write_text(here() / "run.toml", R"toml(model = "oasis/oasis.cu"
run = { steps = 20, devices = "cpu" }
output = [{ every = 10, csv = "life.csv", columns = { beetles = "count(beetle)", warmth = "max(air.warmth)" } }]
)toml");
        const std::vector<std::vector<std::string>> built{
            {"library"}, {"library for this run", "--for", "run.toml"}, {"library with hooks", "--hooks", "hooks.cpp"}};
        for (const auto& library : built) {
            std::vector<std::string> arguments{"build", "oasis/oasis.cu", "--out", library.front() + "/oasis.so"};
            std::filesystem::create_directories(here() / library.front());
            arguments.insert(arguments.end(), library.begin() + 1, library.end());
            const auto made = tessera(arguments);
            ASSERT_EQ(made.status, 0) << library.front() << ": " << made.err;
        }
    }

    [[nodiscard]] testing::Outcome run(const Row& row) const {
        std::vector<std::string> arguments{"run", "run.toml", "--quiet", "--out", "out", "--overwrite"};
        testing::Environment environment;
        for (std::size_t f = 0; f < row.size(); ++f) {
            const auto& way = features()[f].ways[row[f]];
            arguments.insert(arguments.end(), way.arguments.begin(), way.arguments.end());
            if (way.compiler != nullptr && is_there(way.compiler))
                environment["CXX"] = test_data("quick_c++").string() + " " + way.compiler;
        }
        const std::string model = features().front().ways[row.front()].name;
        arguments.insert(arguments.end(), {"--set", model == "source" ? "model=\"oasis/oasis.cu\"" : "model=\"./" + model + "/oasis.so\""});
        return tessera(arguments, environment);
    }
    static bool is_there(const std::string& compiler) { return std::system((compiler + " --version > /dev/null 2>&1").c_str()) == 0; }
    static std::string told(const Row& row) {
        std::string text;
        for (std::size_t f = 0; f < row.size(); ++f)
            text += (text.empty() ? "" : "; ") + std::string(features()[f].name) + ": " + features()[f].ways[row[f]].name;
        return text;
    }
};

TEST_F(Crossings, OfEachTwoFeaturesComeToOneState) {
    const auto plain = run(Row(features().size(), 0));
    ASSERT_EQ(plain.status, 0) << plain.err;
    const std::string state = manifest("out")["state_hash"], table = text_of(here() / "out/life.csv");
    EXPECT_GT(manifest("out")["agents"]["beetle"]["refused_births"], 0);
    std::uint64_t fused = 0;
    for (const auto& row : drawn_rows()) {
        const auto ended = run(row);
        ASSERT_EQ(ended.status, 0) << told(row) << "\n" << ended.err;
        const auto result = manifest("out");
        EXPECT_EQ(result["state_hash"], state) << told(row);
        EXPECT_EQ(text_of(here() / "out/life.csv"), table) << told(row);
        fused += result["timing"]["fused_steps"].get<std::uint64_t>();
    }
    EXPECT_GT(fused, 0U);
}

TEST_F(Crossings, OfWhatDoesNotGoTogetherAreRefused) {
    for (std::size_t a = 0; a < features().size(); ++a)
        for (std::size_t b = a + 1; b < features().size(); ++b)
            for (std::size_t i = 0; i < features()[a].ways.size(); ++i)
                for (std::size_t j = 0; j < features()[b].ways.size(); ++j) {
                    const auto* const refusal = refusal_of({a, i, b, j});
                    if (refusal == nullptr) continue;
                    Row row(features().size(), 0);
                    row[a] = i, row[b] = j;
                    const auto ended = run(row);
                    EXPECT_EQ(ended.status, 2) << told(row);
                    EXPECT_THAT(ended.err, HasSubstr(refusal->message)) << told(row);
                }
}

} // namespace
} // namespace tessera::crossings_test
