// Which sequences may be made for 32 places at once, and with how many bits.
#include "host/views/packing.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::packing_test {
namespace {

HandMade toy() {
    HandMade toy;
    auto set = hand_made_member("set", Scalar::boolean);
    set.initial = bytes_in<std::uint8_t>({1});
    const auto cell = toy.places("Cell", {hand_made_member("alive", Scalar::u8), hand_made_member("old", Scalar::u8), set,
                                          hand_made_member("heat"), hand_made_member("flows", Scalar::u8, 2)});
    toy.function(cell, "tick", {{"alive", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "raise", {{"set", changing()}});
    toy.function(cell, "warm", {{"alive", changing()}, {"heat", reading()}});
    toy.function(cell, "flow", {{"flows", writing()}});
    return toy;
}
Setup setup_of(const std::string& phases, const std::vector<std::string>& more = {}) {
    std::vector<std::string> keys{"places.cell.size = [40, 30]", "phase = [" + phases + "]"};
    keys.insert(keys.end(), more.begin(), more.end());
    return toy().bind(keys);
}
CallSequence sequence_of(const Setup& setup) { return call_sequences(setup, usual_phases(setup)).front(); }
std::string reason(const std::string& phases, const std::vector<std::string>& more = {}) {
    const auto setup = setup_of(phases, more);
    const auto packing = declared_packing(setup, sequence_of(setup));
    EXPECT_EQ(packing.bits, packing.reason.empty() ? 1 : 0);
    return packing.reason;
}

TEST(DeclaredPacking, IsOfBytesAndTruthsThatAreUsed) {
    EXPECT_EQ(reason(R"({callAll="cell.tick"})"), "");
    EXPECT_EQ(reason(R"({callAll="cell.tick"}, {callAll="cell.raise"})"), "");
    EXPECT_EQ(reason(R"({callAll="cell.warm"})"), "cell.heat is neither a bool nor a std::uint8_t");
    EXPECT_EQ(reason(R"({callAll="cell.tick"}, {callAll="cell.flow"})"), "cell.flows is neither a bool nor a std::uint8_t");
    EXPECT_EQ(reason(R"({callAll="cell.tick"}, {callAll="cell.warm", every=9})"), "callAll cell.warm does not run in every step")
        << "it might leave larger values";
}

TEST(DeclaredPacking, IsOfWhatIsZeroBeyondAnOpenBoundary) {
    const std::string open = "places.cell.boundary = [\"torus\", \"open\"]", calls = R"({callAll="cell.raise"})";
    EXPECT_EQ(reason(calls, {open}), "cell.set is not 0 beyond the open boundary");
    EXPECT_EQ(reason(R"({callAll="cell.tick"})", {open}), "");
    EXPECT_EQ(reason(calls, {"places.cell.boundary = \"fixed\""}), "");
    EXPECT_EQ(reason(R"({callAll="cell.tick"}, {rotate=["cell.alive", "cell.old"]})", {open}), "");
}

// With a column whose largest value is `most`, at one place.
int bits(const Setup& setup, std::size_t member, unsigned most) {
    const auto packing =
        packing_of(setup, sequence_of(setup), [&](ColumnId column, int element, const PlaceRange& places, std::byte* into) {
            EXPECT_EQ(element, 0);
            EXPECT_LE(places.count(), static_cast<std::int64_t>(setup.bytes_at_a_time)) << "no more than may be held";
            for (auto place = places.first; place < places.first + places.count(); ++place)
                into[place - places.first] = static_cast<std::byte>(column.index() == member && place == 1111 ? most : 0);
        });
    return packing.bits;
}

TEST(Packing, HasTheFewestBitsThatHoldEachPlacesValue) {
    auto setup = setup_of(R"({callAll="cell.tick"})");
    for (const std::size_t at_a_time : {std::size_t{1} << 20, std::size_t{100}, std::size_t{1112}}) {
        setup.bytes_at_a_time = at_a_time;
        EXPECT_EQ(bits(setup, 0, 0), 1);
        EXPECT_EQ(bits(setup, 0, 1), 1);
        EXPECT_EQ(bits(setup, 0, 2), 2);
        EXPECT_EQ(bits(setup, 0, 3), 2);
        EXPECT_EQ(bits(setup, 0, 4), 4);
        EXPECT_EQ(bits(setup, 0, 15), 4);
        EXPECT_EQ(bits(setup, 0, 16), 8);
        EXPECT_EQ(bits(setup, 0, 255), 8);
        EXPECT_EQ(bits(setup, 1, 255), 1) << "nobody uses it";
    }
}

TEST(Packing, HoldsWhatComesByARotationAndFromOutside) {
    EXPECT_EQ(bits(setup_of(R"({callAll="cell.tick"}, {rotate=["cell.alive", "cell.old"]})"), 1, 20), 8);
    EXPECT_EQ(bits(setup_of(R"({callAll="cell.tick"})", {"places.cell.boundary = \"fixed\"", "places.cell.outside.alive = 6"}), 0, 1), 4);
    EXPECT_EQ(bits(setup_of(R"({callAll="cell.warm"})"), 0, 1), 0) << "it is not packed at all";
}

} // namespace
} // namespace tessera::test::packing_test
