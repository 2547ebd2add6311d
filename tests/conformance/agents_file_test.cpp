// Agents that start from a file: one written by hand, and those that another run has written.
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_rows.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace tessera::test::agents_file_test {
namespace {

using Line = std::vector<std::string>;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
        lines.emplace_back();
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) lines.back().push_back(field);
    }
    return lines;
}

class AgentsFromAFile : public OnDevice {
protected:
    // The file that a run would write of its agents in this state.
    std::filesystem::path written(const WorldUnderTest& world, const std::string& collection) {
        const auto name = fmt::format("{}-{}", collection, files_++);
        const auto results = claim_result_folder(folder_.path() / name, false);
        const StateView state(world.simulation().state(), pool_);
        write_rows_csv(results.place("agents.csv"), agent_rows(world.setup(), require_collection(world.setup(), collection, {}), state));
        return folder_.path() / name / "agents.csv";
    }
    static std::string place(const std::filesystem::path& file) { return fmt::format("place={{file=\"{}\"}}", file.string()); }

    // The agents of `from` and of the world that started from their file have the same rows, but for the ids: those of the new world are
    // numbered anew on each place, in the order of the lines.
    void expect_same_rows(const std::string& from, const WorldUnderTest& world, const std::string& collection) {
        const auto before = lines_of(from), after = lines_of(text_of(written(world, collection)));
        ASSERT_EQ(before.size(), after.size()) << collection;
        ASSERT_EQ(before[0], after[0]);
        const auto table = world.agents(collection);
        std::vector<std::size_t> lines(before.size() - 1); // of those of the new world, in the order of its ids
        std::vector<std::tuple<Line, std::size_t>> of_old, of_new;
        for (std::size_t i = 1; i < before.size(); ++i) {
            of_old.emplace_back(Line(before[i].begin() + 1, before[i].end()), i);
            of_new.emplace_back(Line(after[i].begin() + 1, after[i].end()), i);
        }
        std::sort(of_old.begin(), of_old.end());
        std::sort(of_new.begin(), of_new.end());
        for (std::size_t i = 0; i < of_old.size(); ++i) {
            ASSERT_EQ(std::get<0>(of_old[i]), std::get<0>(of_new[i])) << collection;
            lines[std::get<1>(of_new[i]) - 1] = std::get<1>(of_old[i]);
        }
        for (std::size_t i = 1; i < lines.size(); ++i)
            EXPECT_TRUE(table.places[i] != table.places[i - 1] || lines[i - 1] < lines[i]) << collection << ", line " << i;
    }

    TemporaryFolder folder_;
    ThreadPool pool_{1};
    int files_ = 0;
};

// 24 bits of the cycle, 10 of the place (600 of them), 30 of the rank: sdk.md.
TEST_P(AgentsFromAFile, HaveItsPlacesAndValuesAndIdsInTheOrderOfItsLines) {
    const auto file =
        folder_.write("hares.csv", "# from a map\r\ny; x; energy; id; way[1]; way[0]\r\n"
                                   "19;29;7;5;0.1;-2\r\n0;0;-8;3;1e-3;inf\r\n0;0;9;3;0;0\r\n19;29;6;1;2;3 # beside the first\r\n");
    for (const char* capacity : {"2", "\"unlimited\""}) {
        WorldUnderTest world(test_model("hares_and_foxes"),
                             {"places.land.size=[30,20]",
                              fmt::format("agents.hare={{capacity={},init={{went=4}},{}}}", capacity, place(file)), "agents.fox.count=0"},
                             on_this());
        const auto table = world.agents("hare");
        EXPECT_EQ(table.places, (std::vector<std::int64_t>{0, 0, 599, 599}));
        EXPECT_EQ(table.ids, (std::vector<std::uint64_t>{1, 2, 599ull << 30 | 1, 599ull << 30 | 2}));
        EXPECT_EQ(world.agent_values<std::int32_t>("hare", "energy"), (std::vector<std::int32_t>{-8, 9, 7, 6}));
        EXPECT_EQ(world.agent_values<float>("hare", "way", 0), (std::vector<float>{std::numeric_limits<float>::infinity(), 0, -2, 3}));
        EXPECT_EQ(world.agent_values<float>("hare", "way", 1), (std::vector<float>{1e-3f, 0, 0.1f, 2}));
        EXPECT_EQ(world.agent_values<std::uint16_t>("hare", "went"), (std::vector<std::uint16_t>{4, 4, 4, 4}));   // as `init` says
        EXPECT_EQ(world.agent_values<std::uint16_t>("hare", "stayed"), (std::vector<std::uint16_t>{0, 0, 0, 0})); // the default
    }
}

TEST_P(AgentsFromAFile, MayBeNobody) {
    const auto file = folder_.write("hares.csv", "id,x,y,energy\n");
    for (const char* capacity : {"1", "\"unlimited\""}) {
        WorldUnderTest world(test_model("hares_and_foxes"),
                             {fmt::format("agents.hare={{capacity={},{}}}", capacity, place(file)), "agents.fox.count=0"}, on_this());
        world.step_to(2);
        EXPECT_EQ(world.agents("hare").size(), 0u);
    }
}

TEST_P(AgentsFromAFile, AreThoseThatAnotherRunHasWritten) {
    for (const char* capacity : {"1", "5", "\"unlimited\""}) {
        const auto size = std::string("places.land.size=[31,17]");
        WorldUnderTest one(test_model("hares_and_foxes"),
                           {size, fmt::format("agents.hare={{count=400,capacity={}}}", capacity), "agents.fox={count=40,capacity=2}"},
                           on_this());
        one.step_to(12);
        const auto hares = written(one, "hare"), foxes = written(one, "fox");
        ASSERT_GT(one.agents("hare").size(), 20u);
        ASSERT_GT(one.agents("fox").size(), 20u);
        WorldUnderTest other(
            test_model("hares_and_foxes"),
            {size, fmt::format("agents.hare={{capacity={},{}}}", capacity, place(hares)), "agents.fox={capacity=2," + place(foxes) + "}"},
            on_this());
        expect_same_rows(text_of(hares), other, "hare");
        expect_same_rows(text_of(foxes), other, "fox");
        other.step_to(20); // and they live on
        EXPECT_GT(other.counters("hare").moved, 0u);
    }
}

// Many on a place, with children of theirs that have ids of later cycles; what they have learned stays, whatever init functions do.
TEST_P(AgentsFromAFile, KeepWhatItGivesThem) {
    for (const char* capacity : {"3", "\"unlimited\""}) {
        const auto hare = fmt::format("agents.hare={{count=700,capacity={}}}", capacity);
        WorldUnderTest one(test_model("families"), {hare}, on_this());
        one.step_to(9);
        const auto hares = written(one, "hare");
        WorldUnderTest other(test_model("families"), {fmt::format("agents.hare={{capacity={},{}}}", capacity, place(hares))}, on_this());
        expect_same_rows(text_of(hares), other, "hare");
        std::vector<std::int32_t> visits(50 * 40); // Hare::tread adds, and no file says to what
        for (const auto at : other.agents("hare").places) visits[static_cast<std::size_t>(at)] += 2;
        EXPECT_EQ(other.values<std::int32_t>("land", "visits"), visits);
    }
    // Hare::wake writes `energy`, which the file has, and `seen`, which it has not.
    const auto file = folder_.write("hares.csv", "energy,x,y\n70,3,1\n71,3,1\n72,0,0\n");
    WorldUnderTest world(test_model("families"), {"agents.hare={capacity=3," + place(file) + "}"}, on_this());
    EXPECT_EQ(world.agent_values<std::int32_t>("hare", "energy"), (std::vector<std::int32_t>{72, 70, 71}));
    for (const auto seen : world.agent_values<std::uint64_t>("hare", "seen")) EXPECT_TRUE(seen == 2 || seen == 3) << seen;
}

// A position is the same float, or double, when it is read again.
TEST_P(AgentsFromAFile, AreWhereTheyWereInSpace) {
    for (const char* box : {"places.box={size=[12,12],extent=[31,32.7],boundary=\"torus\"}",
                            "places.box={size=[5,3,4],extent=[12.5,8.1,10.125],boundary=\"reflect\"}"}) {
        WorldUnderTest one(test_model("particles"), {box}, on_this());
        one.step_to(15);
        std::vector<std::string> keys{box};
        std::vector<std::pair<std::string, std::filesystem::path>> files;
        for (const char* collection : {"dust", "seed", "grain"}) {
            files.emplace_back(collection, written(one, collection));
            keys.push_back(fmt::format("agents.{}={{{}}}", collection, place(files.back().second)));
            ASSERT_GT(one.agents(collection).size(), 20u);
        }
        WorldUnderTest other(test_model("particles"), keys, on_this());
        for (const auto& [collection, file] : files) expect_same_rows(text_of(file), other, collection);
        other.step_to(3);
    }
}

// As with `count`: eight times as many as there are at the start.
TEST_P(AgentsFromAFile, HaveRoomForTheirChildren) {
    std::string text = "x,y\n";
    for (int i = 0; i < 3000; ++i) text += "7,7\n";
    const auto keys = "agents.hare={capacity=\"unlimited\"," + place(folder_.write("hares.csv", text)) + "}";
    WorldUnderTest world(test_model("families"), {keys}, on_this());
    const auto hares = world.agents("hare");
    EXPECT_EQ(hares.places, std::vector<std::int64_t>(3000, 7 * 50 + 7));
    EXPECT_EQ(std::set(hares.ids.begin(), hares.ids.end()).size(), 3000u);
    EXPECT_GE(world.setup().collections[require_collection(world.setup(), "hare", {})].agents->capacity, 8 * 3000);
}

TESSERA_ON_EVERY_DEVICE(AgentsFromAFile);

// ---- which layer says it

class AgentsOfLayers : public ::testing::Test {
protected:
    // What is refused of a run file of hares_and_foxes, whose defaults have `count` and `init` of hares.
    std::string refusal(const std::string& agents, std::vector<std::string> overrides = {}) {
        const auto run =
            folder_.write("run.toml", "model = \"" + test_model("hares_and_foxes") + "\"\n[run]\nsteps = 1\n[agents.hare]\n" + agents);
        try {
            prepared_ = prepare({run.string(), std::move(overrides), {}}, compiler());
            return {};
        } catch (const Error& error) {
            auto text = std::string(error.what());
            const auto here = folder_.path().string() + "/";
            for (auto at = text.find(here); at != std::string::npos; at = text.find(here)) text.erase(at, here.size());
            return text;
        }
    }
    [[nodiscard]] const run_file::Agents& hares() const { return *prepared_.run_file.agents.at(0); }

    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.write("hares.csv", "x,y,energy\n1,1,5\n2,1,5\n");
    Prepared prepared_;
};

TEST_F(AgentsOfLayers, GiveWayToTheFileOfALaterOne) {
    EXPECT_EQ(refusal("place = { file = \"hares.csv\" }\n"), "");
    EXPECT_EQ(first_count(prepared_.setup, require_collection(prepared_.setup, "hare", {})), 2u);
    EXPECT_TRUE(hares().init.empty()); // the default of `energy`
    EXPECT_EQ(refusal("place = \"each\"\ninit.energy = 3\n", {fmt::format("agents.hare.place={{file=\"{}\"}}", file_.string())}), "");
    EXPECT_TRUE(hares().init.empty());
    EXPECT_EQ(refusal("place = { file = \"none.csv\" }\n", {"agents.hare.place={box=[[0,0],[49,39]]}"}), ""); // as a whole
}

TEST_F(AgentsOfLayers, AreNotPassedOverForTheFileOfAnEarlierOne) {
    EXPECT_EQ(refusal("place = { file = \"hares.csv\" }\ninit.energy = 3\n"),
              "run.toml:6:6: hare.energy is given twice (hares.csv has it for each agent) remove one of them");
    EXPECT_EQ(refusal("place = { file = \"hares.csv\" }\n", {"agents.hare.init.energy=3"}),
              "--set agents.hare.init.energy=3: hare.energy is given twice (hares.csv has it for each agent) remove one of them");
    EXPECT_EQ(refusal("place = { file = \"hares.csv\" }\n", {"agents.hare.count=3"}),
              "--set agents.hare.count=3: `agents.hare.count` together with place = { file = ... } (there is one agent in each line of the "
              "file) leave one of them out");
    EXPECT_EQ(refusal("place = { file = \"hares.csv\" }\ninit.went = 3\n"), "");
}

// The manifest's run file makes the same agents.
TEST_F(AgentsOfLayers, AreWrittenOutAsOneFileThatReadsBack) {
    ASSERT_EQ(refusal("place = { file = \"hares.csv\" }\n"), "");
    const auto text = resolved_toml(run_file::with_absolute_paths(prepared_.run_file));
    const auto again = folder_.write("again.toml", text);
    const auto second = prepare({again.string(), {}, {}}, compiler());
    EXPECT_EQ(**second.run_file.agents.at(0)->file, file_.string());
    EXPECT_EQ(first_count(second.setup, require_collection(second.setup, "hare", {})), 2u);
}

} // namespace
} // namespace tessera::test::agents_file_test
