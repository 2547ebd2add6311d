// Tables of agents: what is read of them, and what is refused with its line.
#include "host/bind/read_agents_file.hpp"
#include "host/setup/setup.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera::test::agents_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::Member member(const char* name, Scalar type, int elements = 1) {
    model::Member made;
    made.name = name;
    made.type = type;
    made.elements = elements;
    return made;
}

// Hares on a meadow of 6 x 4 places, or in a space that is 3 x 2 there.
class AgentsFiles : public ::testing::Test {
protected:
    AgentsFiles() {
        row_.name = "Hare";
        row_.members = {member("age", Scalar::u8), member("way", Scalar::f32, 2), member("seen", Scalar::u64)};
        ground_.name = "plot";
        ground_.size = {6, 4, 1};
        ground_.boundary = {run_file::Boundary::torus, run_file::Boundary::open, run_file::Boundary::torus};
        space_.extent = {3, 2, 0};
        agents_.name.value = "hare";
    }

    AgentsFile read(const std::string& text, const SpaceSetup* space = nullptr) {
        put(folder_ / "hares.csv", text);
        agents_.file = {"hares.csv", {"run.toml", 7, 9}};
        return read_agents_file(agents_, (folder_ / "hares.csv").string(), row_, ground_, space);
    }
    // Without where the folder is, and what stands in front of every message.
    std::string refused(const std::string& text, const SpaceSetup* space = nullptr) {
        auto said = error_of([&] { (void)read(text, space); });
        const auto folder = (folder_ / "").string();
        for (auto at = said.find(folder); at != std::string::npos; at = said.find(folder)) said.erase(at, folder.size());
        const std::string always = "3: run.toml:7:9: cannot place hare (";
        EXPECT_EQ(said.substr(0, always.size()), always);
        return said.substr(std::min(always.size(), said.size()), said.size() - always.size() - 1);
    }
    template<class T> std::vector<T> values(const AgentsFile& file, std::size_t member) {
        const auto* column = file.find(member);
        if (column == nullptr) return {};
        std::vector<T> values(column->values.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), column->values.data(), column->values.size());
        return values;
    }

    TemporaryFolder folder_;
    run_file::Agents agents_;
    model::Row row_;
    CollectionSetup ground_;
    SpaceSetup space_;
};

TEST_F(AgentsFiles, HaveColumnsInAnyOrder) {
    const auto file = read("seen,way[1],y,id,way[0],x\n18446744073709551615,0.25,3,99,-1,5\n7,inf,0,98,0.1,0\n");
    EXPECT_THAT(file.places, ElementsAre(23, 0));
    EXPECT_THAT(values<float>(file, 1), ElementsAre(-1, 0.25f, 0.1f, std::numeric_limits<float>::infinity()));
    EXPECT_THAT(values<std::uint64_t>(file, 2), ElementsAre(~std::uint64_t{0}, 7));
    EXPECT_EQ(file.find(0), nullptr);
    EXPECT_TRUE(file.positions.empty());
}

TEST_F(AgentsFiles, AHashWithinAFieldBeginsNoComment) {
    EXPECT_THAT(refused("x,y,way[0],way[1]\n1,2,0.5,1.#INF\n"), HasSubstr("hares.csv:2:9: '1.#INF' is no number"));
    EXPECT_THAT(refused("x,y,age\n1,2,#N/A\n"), HasSubstr("hares.csv:2:5: '#N/A' is no number"));
    EXPECT_THAT(values<std::uint8_t>(read("x,y,age # of hares\n1,2,3 # old\n"), 0), ElementsAre(3));
}

TEST_F(AgentsFiles, OfNobodyAreFiles) {
    EXPECT_EQ(read("id,x,y,age\n").size(), 0u);
    ground_.dimensions = 1;
    ground_.size = {24, 1, 1};
    EXPECT_THAT(read("x\n23\n0\n").places, ElementsAre(23, 0));
}

TEST_F(AgentsFiles, HavePositionsInSpace) {
    agents_.capacity.value = run_file::unlimited;
    const auto file = read("x,y\n0,0\n2.99,0.5\n3,2\n3.0000000001,1.5\n", &space_); // x is round, and a float
    EXPECT_THAT(file.places, ElementsAre(0, 6 + 5, 18, 18));
    EXPECT_EQ(file.positions[1], (std::array<double, 3>{static_cast<double>(2.99f), 0.5, 0}));
    EXPECT_EQ(file.positions[2], (std::array<double, 3>{0, 2, 0}));
    EXPECT_EQ(refused("x,y\n0,2.001\n", &space_), "hares.csv:2:3: y is 2.001 (plot goes from 0 to 2 along y)");
    EXPECT_EQ(refused("x,y\n-1e-9,1\n", &space_), "hares.csv:2:1: x is -1e-9 (plot goes from 0 to 3 along x)");
    EXPECT_EQ(refused("x,y\nnan,1\n", &space_), "hares.csv:2:1: x is nan (plot goes from 0 to 3 along x)");
    EXPECT_EQ(refused("x,y\n1e39,1\n", &space_), "hares.csv:2:1: x is 1e39 (plot goes from 0 to 3 along x)");
    space_.number = Scalar::f64;
    EXPECT_THAT(refused("x,y\n3.0000000001,1.5\n", &space_), HasSubstr("x is 3.0000000001"));
}

TEST_F(AgentsFiles, OfUnknownColumnsAreRefused) {
    EXPECT_EQ(refused("x,y,aeg\n"), "hares.csv:1:5: Hare has no member 'aeg' (it has age, way[0], way[1] and seen) did you mean `age`?");
    EXPECT_EQ(refused("x,y,way[0],way[1],way[2]\n"),
              "hares.csv:1:19: Hare has no member 'way[2]' (it has age, way[0], way[1] and seen) did you mean `way[0]`?");
    EXPECT_EQ(refused("x,y,way\n"), "hares.csv:1:5: 'way' needs a column for each element (it has 2) call these columns way[0] and so on");
    EXPECT_EQ(refused("x,way[1],y\n"), "hares.csv:1:1: no column way[0] (way has 2 elements, and there are columns for others) add it");
    EXPECT_EQ(refused("x,y,z\n"), "hares.csv:1:5: there is no z on plot (its `size` has 2 extents) remove the column");
    EXPECT_EQ(refused("x,age\n"), "hares.csv:1:1: no column y (x and y say where each agent stands)");
    EXPECT_EQ(refused("x,y,x\n"), "hares.csv:1:5: two columns are called 'x' (the first is number 1) remove one of them");
    EXPECT_EQ(refused(",x,y\n0,1,1\n"),
              "hares.csv:1:1: a column has no name (the first line names all columns) give the column a name, or remove it");
    EXPECT_EQ(refused("1,2\n"), "hares.csv:1:1: '1' is not the name of a column (the first line has the names) begin with a line such as "
                                "x,y,age,way[0],way[1],seen");
    EXPECT_THAT(refused(std::string("x,y,a\0ge\n", 9)), HasSubstr("Hare has no member 'a\\x00ge'"));
    EXPECT_THAT(refused("\xff\xfex\0,\0y\0\n"), HasSubstr("Hare has no member")); // UTF-16
    row_.members.clear();
    EXPECT_EQ(refused("x,y,age\n"), "hares.csv:1:5: Hare has no member 'age' (it has none)");
}

TEST_F(AgentsFiles, OfValuesThatATypeDoesNotHoldAreRefused) {
    EXPECT_EQ(refused("x,y,age\n1,1,1\n1,2,300\n"),
              "hares.csv:3:5: hare.age cannot be 300 (its type is uint8) write a number that the type holds");
    EXPECT_THAT(refused("x,y,age\n1,1,-3\n"), HasSubstr("hare.age cannot be -3"));
    EXPECT_THAT(refused("x,y,age\n1,1,1.5\n"), HasSubstr("hare.age cannot be 1.5"));
    EXPECT_THAT(refused("x,y,way[0],way[1]\n1,1,0,1e39\n"), HasSubstr("hare.way[1] cannot be 1e39 (its type is float)"));
    EXPECT_EQ(refused("x,y,age\n1,1,old\n"), "hares.csv:2:5: 'old' is no number (it is for hare.age)");
    EXPECT_EQ(refused("x,y,age\n1,1,\n"), "hares.csv:2:5: a value is missing (it is for hare.age)");
    EXPECT_EQ(refused("x;y;way[0];way[1]\n1;1;0,5;1\n"),
              "hares.csv:2:5: '0,5' is no number (it is for hare.way[0]) write decimals with a point");
    EXPECT_THAT(refused(std::string("x,y\n1,1\0\n", 9)), HasSubstr("'1\\x00' is no number (it is for y)"));
    EXPECT_EQ(refused("x,y\n1\n"), "hares.csv:2: 1 field in this line (line 1 names 2)");
}

TEST_F(AgentsFiles, OfPlacesThatAreNotThereAreRefused) {
    EXPECT_EQ(refused("x,y\n6,0\n"), "hares.csv:2:1: x is 6 (plot has places 0 to 5 along x)");
    for (const char* y : {"4", "-1", "0.5", "1e30", "nan"})
        EXPECT_EQ(refused(fmt::format("x,y\n0,{}\n", y)), fmt::format("hares.csv:2:3: y is {} (plot has places 0 to 3 along y)", y));
}

TEST_F(AgentsFiles, OfMoreThanAPlaceHasRoomForAreRefused) {
    EXPECT_EQ(refused("x,y\n5,3\n1,2\n# again\n1,2\n5,3\n"), "hares.csv:5: place (1, 2) has no room for another agent of hare (`capacity` "
                                                             "is 1, and the agent of line 3 stands there) remove one of "
                                                             "them, or give a larger `capacity`");
    agents_.capacity.value = 2;
    EXPECT_EQ(read("x,y\n1,2\n1,2\n").size(), 2u);
    EXPECT_THAT(refused("x,y\n1,2\n0,0\n1,2\n1,2\n1,2\n"), HasSubstr("hares.csv:5: place (1, 2) has no room for another agent of hare "
                                                                     "(`capacity` is 2, and the agents of lines 2 and 4 stand there)"));
    agents_.capacity.value = run_file::unlimited;
    EXPECT_EQ(read("x,y\n1,2\n1,2\n1,2\n").size(), 3u);
}

TEST_F(AgentsFiles, AreKnownByTheirEndings) {
    agents_.file = {"hares.npy", {"run.toml", 7, 9}};
    EXPECT_EQ(error_of([&] { (void)read_agents_file(agents_, "hares.npy", row_, ground_, nullptr); }),
              "3: run.toml:7:9: cannot place hare ('hares.npy' is no table of agents (such tables are text, and their names end in .csv or "
              ".txt) write agents = "
              "\"NAME-{step}.csv\")");
}

// 24 slots cannot have so many bytes of values.
TEST_F(AgentsFiles, ThatAreMuchTooLargeAreNotRead) {
    EXPECT_EQ(read(std::string(std::size_t{15} << 20, '\n') + "x,y\n1,1\n").size(), 1u);
    EXPECT_THAT(refused(std::string(std::size_t{17} << 20, '\n')), HasSubstr("the maximum for its grid is"));
}

TEST_F(AgentsFiles, ThatAreDamagedAreRefusedOrRead) {
    agents_.capacity.value = 8;
    never_breaks("id,x,y,age,way[0],way[1],seen\n1099511627777,1,2,200,0.5,-1e-7,18446744073709551615\n7,5,3,0,nan,inf,0\n",
                 [this](const std::string& bytes) {
                     const auto file = read(bytes);
                     for (const auto place : file.places) RC_ASSERT(place >= 0 && place < 24);
                     for (const auto& column : file.columns) RC_ASSERT(column.values.size() == file.size() * (column.member == 0 ? 1 : 8));
                 });
}

} // namespace
} // namespace tessera::test::agents_file_test
