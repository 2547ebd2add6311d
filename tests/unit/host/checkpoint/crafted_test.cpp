// Checkpoints whose hashes are right, and whose contents nobody may have written: refused in words, before anything is made of them.
// sanitizers: none
#include "host/checkpoint/hashed_file.hpp"
#include "host/checkpoint/record.hpp"
#include "host/world/state_hash.hpp"
#include "tests/support/resumed_runs.hpp"

#include <tessera/version.hpp>

#include <cstring>
#include <functional>

namespace tessera::crafted_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using testing::text_of;
using testing::write_text;

class CraftedCheckpoint : public testing::ResumedRuns {
protected:
    using Ends = std::vector<std::int32_t>;

    // Friends who part and find others, neither with themselves nor twice with the same.
    void run_friends() const {
        write_text(here() / "run.toml", "model = \"opinion\"\n[run]\ndevices = \"cpu\"\nthreads = 1\nsteps = 6\n"
                                        "checkpoint = { every = 6 }\n[places.person]\ncount = 60\n");
        ASSERT_EQ(run("run.toml", "out", {"--set", "output=[]"}).status, 0);
    }
    [[nodiscard]] fs::path kept() const { return *fs::directory_iterator(here() / "crafted/checkpoints"); }

    // The checkpoint as it is, in a copy of the results.
    void begin(const fs::path& results = "out") const {
        fs::remove_all(here() / "crafted");
        fs::copy(here() / results, here() / "crafted", fs::copy_options::recursive);
    }
    // Its record as `edit` leaves it.
    void craft(const std::function<void(Json&)>& edit) const {
        auto record = Json::parse(text_of(kept() / "checkpoint.json"));
        record.erase("xxh3_of_all_before");
        edit(record);
        write_text(kept() / "checkpoint.json", checkpoint::sealed(record.dump(1)));
    }
    // A column's values as `edit` leaves them.
    template<class T> void craft_values(const std::string& column, const std::function<void(std::vector<T>&)>& edit) const {
        const auto name = column + ".npy";
        auto text = text_of(kept() / name);
        const auto heading = static_cast<std::size_t>(static_cast<unsigned char>(text[8])) + 256 * static_cast<unsigned char>(text[9]) + 10;
        std::vector<T> values((text.size() - heading) / sizeof(T));
        std::memcpy(values.data(), text.data() + heading, values.size() * sizeof(T));
        edit(values);
        ASSERT_EQ(values.size(), (text.size() - heading) / sizeof(T));
        std::memcpy(text.data() + heading, values.data(), values.size() * sizeof(T));
        write_text(kept() / name, text);
        craft([&](Json& record) {
            for (auto& each : record["columns"])
                if (each["file"]["name"] == name) each["file"]["xxh3_of_16_MiB"] = {hash_text(checkpoint::hash_of(text))};
        });
    }
    // By `--check`, and so by all that read it.
    void expect_damaged(const std::string& why) const {
        const auto checked = resume("crafted", {"--check"});
        EXPECT_EQ(checked.status, 3) << why;
        EXPECT_THAT(checked.err, HasSubstr("cannot be used (")) << why;
        EXPECT_THAT(checked.err, HasSubstr(why));
    }
    // As the state of this run.
    void expect_unfit(const std::string& why) const {
        const auto resumed = resume("crafted", {"--steps", "8", "--quiet"});
        EXPECT_EQ(resumed.status, 3) << why << "\n" << resumed.err;
        EXPECT_THAT(resumed.err, HasSubstr(why));
    }
};

TEST_F(CraftedCheckpoint, WithNumbersThatAreNoneIsRefused) {
    run_friends();
    const auto set = [](const char* pointer, const Json& value) {
        return [=](Json& record) { record[Json::json_pointer(pointer)] = value; };
    };
    const std::vector<std::tuple<const char*, Json, const char*>> cases = {
        {"/step", -1, "its \"step\" is -1"},
        {"/step", 4294967296, "its \"step\" is 4294967296"},
        {"/step", 6.5, "its \"step\" is 6.5"},
        {"/agents/0/room", 1e300, "its \"room\" is 1e+300"},
        {"/agents/0/room", 2147483648, "its \"room\" is 2147483648"},
        {"/agents/0/died", 1000000000000, "its \"died\" is 1000000000000"},
        {"/agents/0/born", 18446744073709551615U, "its \"born\" is 18446744073709551615"},
        {"/columns/0/size/0", -1, "the size of its "},
        {"/columns/0/size/0", 61, "is not of the shape that its record says"},
        {"/columns/0/elements", 0, "does not hold what its shape says"},
        {"/columns/0/type", "double", "does not hold what its shape says"},
        {"/columns/0/file/bytes", -1, "its \"bytes\" is -1"},
        {"/columns/1/file/name", "person.opinion.npy", "its file person.opinion.npy is damaged"},
        {"/sums/fused_steps", -1, "its \"fused_steps\" is -1"},
        {"/sums/edits", Json::parse(R"([{"step": 5, "folder": "edits/001", "files": ["source/run.toml"]}])"), "is no file of edits"},
        {"/files", Json::parse(R"([{"name": "source/run.toml", "bytes": 1}])"), "`source/run.toml` cannot be the name of a result file"}};
    for (const auto& [pointer, value, why] : cases) {
        begin();
        craft(set(pointer, value));
        expect_damaged(why);
    }
    begin();
    craft([](Json& record) { record["columns"].push_back(record["columns"][0]); });
    expect_damaged("it has person.opinion twice");
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000000}, std::int64_t{-1}, std::int64_t{1} << 31, INT64_MAX}) {
        begin();
        craft_values<std::int64_t>("friend.(count)", [&](auto& values) { values[0] = count; });
        expect_damaged("its friend.(count) says that there are " + std::to_string(count) + " links, and its arrays have ");
    }
}

TEST_F(CraftedCheckpoint, WithLinksThatNoRunHasIsRefused) {
    run_friends();
    const auto craft_ends = [&](const std::function<void(Ends & from, Ends & to)>& edit) {
        begin();
        Ends from, to;
        craft_values<std::int32_t>("friend.(from)", [&](Ends& values) { from = values; });
        craft_values<std::int32_t>("friend.(to)", [&](Ends& values) { to = values; });
        edit(from, to);
        craft_values<std::int32_t>("friend.(from)", [&](Ends& values) { values = from; });
        craft_values<std::int32_t>("friend.(to)", [&](Ends& values) { values = to; });
    };
    for (const std::int32_t end : {60, -1, INT32_MAX, INT32_MIN}) {
        craft_ends([&](Ends& from, Ends&) { from[0] = end; });
        expect_unfit("a link of it leads from place " + std::to_string(end) + ", and person has 60");
    }
    craft_ends([](Ends& from, Ends& to) { from[0] = to[0]; });
    expect_unfit("leads to where it comes from, and `loops` is false");
    craft_ends([](Ends& from, Ends& to) { from[1] = from[0], to[1] = to[0]; });
    expect_unfit("has the ends of the one before, and `parallel` is false");
    craft_ends([](Ends& from, Ends& to) { std::swap(from[0], from[1]), std::swap(to[0], to[1]); });
    expect_unfit("is not in the order of links");
    begin();
    craft([](Json& record) {
        auto& columns = record["columns"];
        columns.erase(std::find_if(columns.begin(), columns.end(), [](const Json& each) { return each["member"] == "opinion"; }));
    });
    expect_unfit("the saved state does not fit into person (it has no person.opinion)");
    begin();
    craft([](Json& record) { record["agents"] = Json::array(); });
    expect_unfit("does not fit into friend (it does not say how many were born and died)");
    begin();
    craft([](Json& record) { record["agents"][0]["born"] = record["agents"][0]["born"].get<int>() + 1; });
    expect_unfit(" of those that were there or were born are alive");
    begin();
    EXPECT_EQ(resume("crafted", {"--steps", "8", "--quiet"}).status, 0) << "nothing is changed";
}

// Agents in lists, of which kernels find one by the numbers of another.
TEST_F(CraftedCheckpoint, WithAgentsThatNoRunHasIsRefused) {
    const auto begin_agents = [&] {
        begin(test_data("data/checkpoints/format_1/wolf_sheep"));
        craft([](Json& record) { record["result_epoch"] = TESSERA_RESULT_EPOCH; });
    };
    for (const std::int32_t place : {192, -1, INT32_MAX}) {
        begin_agents();
        craft_values<std::int32_t>("sheep.(place)", [&](auto& values) { values[3] = place; });
        expect_unfit("does not fit into sheep (agent 3 stands on place " + std::to_string(place) + ", and there are 192)");
    }
    begin_agents();
    craft_values<std::uint64_t>("sheep.(id)", [](auto& values) { values[5] = values[4]; });
    expect_unfit("two agents have the id ");
    begin_agents();
    craft_values<std::uint8_t>("wolf.(code)", [](auto& values) { values[0] = 0; });
    expect_unfit("does not fit into wolf (agent 0 is not alive)");
    begin_agents();
    craft([](Json& record) { record["agents"][0]["died"] = 163; });
    expect_unfit("it has 47 agents, and 48 of those that were there or were born are alive");
    for (const std::int32_t count : {46, -1, INT32_MAX}) {
        begin_agents();
        craft_values<std::int32_t>("sheep.(start)", [&](auto& values) { values.back() = count; });
        expect_damaged("rows, and there are " + std::to_string(count) + " agents");
    }
    begin_agents();
    craft([](Json& record) { record["agents"][1]["room"] = 31; });
    expect_damaged("it has 32 agents of wolf in a memory for 31");
}

} // namespace
} // namespace tessera::crafted_test
