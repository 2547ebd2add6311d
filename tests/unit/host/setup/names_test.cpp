// Names of a run file that are found, and what is said of those that are not.
#include "host/setup/names.hpp"
#include "tests/support/hand_made.hpp"

#include <gtest/gtest.h>

namespace tessera::test::names_test {
namespace {

class Names : public ::testing::Test {
protected:
    Names() {
        const auto cell = toy_.places("Cell", {hand_made_member("heat"), hand_made_member("wall", Scalar::boolean)});
        const auto lake = toy_.places("Lake", {hand_made_member("depth")});
        toy_.places("Void", {});
        toy_.function(cell, "tick", {{"heat", changing()}});
        toy_.function(lake, "fill", {{"depth", changing()}});
        setup_ = toy_.bind({"places.cell.size = [4, 4]", "places.lake.size = [2]"});
    }

    HandMade toy_;
    tessera::Setup setup_;
    run_file::Where where_{"run.toml", 12, 3};
};

TEST_F(Names, OfColumnsAreFoundAmongThoseOfTheirCollection) {
    const auto column = [&](const std::string& collection, const std::string& member) {
        return require_column(setup_, {{collection, member}, where_}).index();
    };
    EXPECT_EQ(column("cell", "heat"), 0u);
    EXPECT_EQ(column("cell", "wall"), 1u);
    EXPECT_EQ(column("lake", "depth"), 2u);
    EXPECT_EQ(setup_.name_of(ColumnId(2)), "lake.depth");
}

TEST_F(Names, ThatAreNotThereAreSaidWithWhatIs) {
    EXPECT_EQ(what_fails([&] { (void)require_collection(setup_, "lace", where_); }),
              "run.toml:12:3: there is no collection `lace` (there is cell and lake) did you mean `lake`?");
    EXPECT_EQ(what_fails([&] { (void)require_member(toy_.description.rows[0], "heap", where_); }),
              "run.toml:12:3: Cell has no member `heap` (it has heat and wall) did you mean `heat`?");
    EXPECT_EQ(what_fails([&] { (void)require_member(toy_.description.rows[2], "heat", where_); }),
              "run.toml:12:3: Void has no member `heat` (it has none)");
    EXPECT_EQ(what_fails([&] { (void)require_collection({}, "cell", where_); }),
              "run.toml:12:3: there is no collection `cell` (there is none)");
}

// Or two functions would be one kernel.
TEST(EntrySymbols, TellNamesWithUnderscoresApart) {
    EXPECT_EQ(entry_symbol("cell", "tick"), "tessera_4_cell_tick");
    EXPECT_NE(entry_symbol("a_b", "c"), entry_symbol("a", "b_c"));
}

} // namespace
} // namespace tessera::test::names_test
