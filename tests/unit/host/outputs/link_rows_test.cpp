// Files of links, against the links that a run was given, and runs that begin with such a file.
#include "host/outputs/outbox.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_rows.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::test::link_rows_test {
namespace {

std::string whole_text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class LinksInFiles : public ::testing::Test {
protected:
    // Knots whose ties, and pegs whose lines are those of a file.
    [[nodiscard]] static std::vector<std::string> keys_of(const std::filesystem::path& ties, const std::filesystem::path& lines) {
        return {fmt::format("links.tie={{file=\"{}\",loops=true}}", ties.string()),
                fmt::format("links.line={{file=\"{}\",parallel=true}}", lines.string())};
    }
    // What is written of a state; read from the state, and from what was captured of it.
    std::string written(const WorldUnderTest& world, const std::string& links, const std::string& ending) {
        const auto id = require_collection(world.setup(), links, {});
        const StateView state(world.simulation().state(), pool_);
        CaptureMemory memory(std::size_t{1} << 20);
        Needs needs;
        needs.links.insert(id);
        const auto captured = state.capture(needs, memory);
        const auto text = written(world.setup(), id, state, ending);
        EXPECT_EQ(written(world.setup(), id, *captured, ending), text) << "of what was captured";
        EXPECT_LE(state.bytes_of(needs), std::size_t{1} << 20);
        return text;
    }
    TemporaryFolder folder_;

private:
    std::string written(const tessera::Setup& setup, CollectionId id, const StateView& state, const std::string& ending) {
        const auto results = claim_result_folder(folder_.path() / fmt::format("out{}", ++files_), false);
        const auto rows = link_rows(setup, id, state);
        ending == "csv" ? write_rows_csv(results.place("a.csv"), rows) : write_rows_npy(results.place("a.npy"), rows);
        return whole_text_of(results.path() / ("a." + ending));
    }
    ThreadPool pool_{2};
    int files_ = 0;
};

// Without a direction each stands once, from the lower place to the higher; in the order of where they lead to, and then come from.
TEST_F(LinksInFiles, AreLinesOfATable) {
    const auto ties = folder_.write("ties.csv", "load,to,from,tension,marks[1],marks[0]\n"
                                                "-7,3,9,0.1,-1,5\n"
                                                "9000000000000,2,2,1e-30,4,3\n"
                                                "12,1,3,2.5,2,1\n"
                                                "4,29,0,inf,0,0\n");
    const auto lines = folder_.write("lines.csv", "from,to,load\n6,2,1\n0,2,2\n6,2,3\n5,1,4\n");
    WorldUnderTest world(test_model("knots"), keys_of(ties, lines));
    EXPECT_EQ(written(world, "tie", "csv"), "from,to,load,tension,marks[0],marks[1]\n"
                                            "2,2,9000000000000,1e-30,3,4\n"
                                            "1,3,12,2.5,1,2\n"
                                            "3,9,-7,0.1,5,-1\n"
                                            "0,29,4,inf,0,0\n");
    EXPECT_EQ(written(world, "line", "csv"), "from,to,load\n5,1,4\n0,2,2\n6,2,1\n6,2,3\n") << "the older of two with the same ends first";
}

// NumPy's format 1.0: a magic, the header's length, and a dictionary with the fields of a record.
TEST_F(LinksInFiles, AreRecordsForNumPy) {
    const auto ties = folder_.write("ties.csv", "from,to,load,tension,marks[0],marks[1]\n4,1,5,0.5,-2,300\n0,1,-6,7,1,0\n");
    WorldUnderTest world(test_model("knots"), keys_of(ties, folder_.write("lines.txt", "")));
    const auto bytes = written(world, "tie", "npy");
    const auto start = 10 + static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(8))) +
                       256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(9)));
    const auto header = bytes.substr(10, start - 10);
    EXPECT_THAT(header, ::testing::HasSubstr("'descr': [('from', '<i4'), ('to', '<i4'), ('load', '<i8'), ('tension', '<f4'), "
                                             "('marks[0]', '<i2'), ('marks[1]', '<i2')]"));
    EXPECT_THAT(header, ::testing::HasSubstr("'shape': (2,)"));
    struct Row {
        std::int32_t from = 0, to = 0;
        std::int64_t load = 0;
        float tension = 0;
        std::int16_t marks[2] = {};
    };
    static_assert(sizeof(Row) == 24, "as it stands in the file");
    ASSERT_EQ(bytes.size(), start + 2 * sizeof(Row));
    Row rows[2];
    std::memcpy(rows, bytes.data() + start, sizeof rows);
    const auto text = [](const Row& row) {
        return fmt::format("{} {} {} {} {} {}", row.from, row.to, row.load, row.tension, row.marks[0], row.marks[1]);
    };
    EXPECT_EQ(text(rows[0]), "0 1 -6 7 1 0");
    EXPECT_EQ(text(rows[1]), "1 4 5 0.5 -2 300");
}

TEST_F(LinksInFiles, MayBeNone) {
    const auto none = folder_.write("none.txt", "");
    WorldUnderTest world(test_model("knots"), keys_of(none, none));
    EXPECT_EQ(written(world, "line", "csv"), "from,to,load\n");
    EXPECT_THAT(written(world, "tie", "npy"), ::testing::HasSubstr("'shape': (0,)"));
    WorldUnderTest lasting(plugin("sir_network"), {"places.person.count=5", fmt::format("links.contact.file=\"{}\"", none.string())});
    EXPECT_EQ(written(lasting, "contact", "csv"), "from,to,chance\n");
}

// Links that no function changes, in pieces of few rows; and a run that begins with the file has the same links.
TEST_F(LinksInFiles, AreWhatARunCanBeginWith) {
    const std::vector<std::string> keys{
        "places.person={count=9000,init.state=0}",
        "links.contact={generate={rule=\"random\",links=70000},init.chance={random=\"uniform\",low=0,high=1}}"};
    WorldUnderTest one(plugin("sir_network"), keys);
    const auto text = written(one, "contact", "csv");
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 65536);
    const auto file = folder_.write("contacts.csv", text);
    WorldUnderTest other(plugin("sir_network"), {keys[0], fmt::format("links.contact={{file=\"{}\"}}", file.string())});
    EXPECT_EQ(other.hash(), one.hash());
    EXPECT_EQ(written(other, "contact", "csv"), text);
}

} // namespace
} // namespace tessera::test::link_rows_test
