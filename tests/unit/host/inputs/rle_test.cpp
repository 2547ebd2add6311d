#include "host/inputs/rle.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <numeric>

namespace tessera::test::rle_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

// The cells as text, rows divided by '/'; states from 2 on as numbers in brackets.
std::string drawn(const Array& cells) {
    std::string text;
    const auto values = cells.data<std::uint8_t>();
    for (std::int64_t i = 0; i < cells.count(); ++i) {
        if (i > 0 && i % cells.size[0] == 0) text += '/';
        text += values[i] == 0   ? std::string(".")
                : values[i] == 1 ? std::string("O")
                                 : std::string("[").append(std::to_string(values[i])).append("]");
    }
    return text;
}

// The check of a grid of a million places.
void at_most_a_million(const std::array<std::int64_t, 3>& size) {
    if (size[0] > 1000000 / size[1]) throw Error(Failure::input, std::to_string(size[0]) + " x " + std::to_string(size[1]) + " do not fit");
}

std::string drawn(const std::string& rle) { return drawn(parse_rle(rle, "a.rle").cells); }
std::string refused(const std::string& rle, const std::string& rule = {}) {
    return error_of([&] { (void)parse_rle(rle, "a.rle", rule, at_most_a_million); });
}

// Straight Life on an open plane, to check a pattern against what it is known to do.
std::vector<int> life_step(const std::vector<int>& cells, int nx, int ny) {
    std::vector<int> next(cells.size());
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            int around = 0;
            for (int v = std::max(y - 1, 0); v <= std::min(y + 1, ny - 1); ++v)
                for (int u = std::max(x - 1, 0); u <= std::min(x + 1, nx - 1); ++u) around += (u != x || v != y) && cells[v * nx + u];
            next[y * nx + x] = around == 3 || (around == 2 && cells[y * nx + x]);
        }
    return next;
}

} // namespace

TEST(Rle, GosperGunGrowsByAGliderEvery30Steps) {
    const RlePattern gun = read_rle(data_file("gosper_gun.rle"), "B3/S23");
    EXPECT_EQ(gun.rule, "B3/S23");
    EXPECT_THAT(gun.cells.size, ElementsAre(36, 9, 1));
    EXPECT_EQ(gun.cells.dimensions, 2);
    constexpr int nx = 120, ny = 100;
    std::vector<int> cells(nx * ny);
    for (int i = 0; i < 36 * 9; ++i) cells[(i / 36 + 15) * nx + i % 36 + 10] = gun.cells.data<std::uint8_t>()[i];
    EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), 36);
    for (int gliders = 1; gliders <= 4; ++gliders) {
        for (int step = 0; step < 30; ++step) cells = life_step(cells, nx, ny);
        EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), 36 + 5 * gliders);
    }
}

TEST(Rle, ReadsWhatGollyWrites) {
    EXPECT_EQ(drawn("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n"), ".O./..O/OOO");
    EXPECT_EQ(drawn("#CXRLE Pos=0,-1377 Gen=3480106827776\r\n# comment\r\nx=3,y=2\r\n3o$\r\nb2o!ignored 5z"), "OOO/.OO");
    EXPECT_EQ(drawn("X = 2 , Y = 4 , RULE = b3/s23\no3$bo!"), "O./../../.O"); // several ends of row at once
    EXPECT_EQ(drawn("\n x = 2, y = 1\n#C comment in the body: 9o!\n o\n\tb\n !"), "O.");
    EXPECT_EQ(drawn("x = 12, y = 1\n1\n2o!"), "OOOOOOOOOOOO"); // a count divided by a line break
    EXPECT_EQ(drawn("x = 2, y = 1\no5b20$9b!"), "O.");         // dead cells beyond the edge
    EXPECT_EQ(drawn("\xef\xbb\xbfx = 1, y = 1\no!"), "O");
}

TEST(Rle, ReadsStatesFrom2) {
    EXPECT_EQ(drawn("x = 5, y = 1, rule = WireWorld\n.AB2C!"), ".O[2][3][3]");
    EXPECT_EQ(drawn("x = 5, y = 1, rule = JvN29\nXpAqXrC!"), "[24][25][72][75].");
    EXPECT_EQ(drawn("x = 2, y = 1, rule = Big\nyOyN!"), "[255][254]");
    EXPECT_THAT(refused("x = 1, y = 1, rule = Big\nyP!"), HasSubstr("a.rle:2:1: 'y' is no cell"));
}

TEST(Rle, CellsHaveTheStatesOfTheirRule) {
    const auto pattern = [](const std::string& rule) { return "x = 3, y = 2, rule = " + rule + "\n.A$3B!"; };
    for (const char* rule : {"B3/S23", "23/3", "B2-a/S12", "B2/S34H", "B3/S23:T8,8", "MAPARYXfhZofugWaH7o", "R5,C0,M1,S34..58,B34..45,NM"})
        EXPECT_THAT(refused(pattern(rule)), HasSubstr("a.rle:2:5: a cell is in state 2 (")) << rule;
    EXPECT_EQ(refused(pattern("B3/S23")), "3: a.rle:2:5: a cell is in state 2 (B3/S23 has 2 states, from 0 to 1)");
    for (const char* rule : {"345/2/4", "B2/S/C3", "B2/S/3", "/2/3", "WireWorld", "R5,C4,M1,S34..58,B34..45,NM"})
        EXPECT_EQ(refused(pattern(rule)), "no error") << rule;
    EXPECT_THAT(refused("x = 3, y = 1, rule = 345/2/4\n.CD!"),
                HasSubstr("a.rle:2:3: a cell is in state 4 (345/2/4 has 4 states, from 0 to 3)"));
    EXPECT_THAT(refused("x = 1, y = 1\nB!", "Life"), HasSubstr("a cell is in state 2")); // the run file says which rule it is
    EXPECT_THAT(refused("x = 1, y = 1\n#r 23/3\nB!"), HasSubstr("a cell is in state 2"));
    EXPECT_EQ(drawn("x = 2, y = 1, rule = B3/S23\n.A!"), ".O");
    EXPECT_EQ(drawn("x = 2, y = 1\n.B!"), ".[2]"); // of whatever rule
}

TEST(Rle, BoundedGridsAreKnown) {
    const auto text = [](const std::string& bounds) {
        const auto universe = universe_of(bounds);
        if (!universe) return std::string("none");
        return std::string(1, universe->shape) + " " + std::to_string(universe->width) + " x " + std::to_string(universe->height) +
               (universe->is_shifted ? " shifted" : "");
    };
    EXPECT_EQ(text("T100,200"), "T 100 x 200");
    EXPECT_EQ(text("p30"), "P 30 x 30");
    EXPECT_EQ(text("P30,0"), "P 30 x 0");
    EXPECT_EQ(text("T30+5,20"), "T 30 x 20 shifted");
    EXPECT_EQ(text("T30,20-2"), "T 30 x 20 shifted");
    EXPECT_EQ(text("K30*,20"), "K 30 x 20 shifted");
    EXPECT_EQ(text("K30,20*+3"), "K 30 x 20 shifted");
    EXPECT_EQ(text("S30"), "S 30 x 30");
    for (const char* bounds : {"", "X3", "T", "T3,", "T,3", "T3,4,5", "T-3", "Tx"}) EXPECT_EQ(text(bounds), "none") << bounds;
}

TEST(Rle, RulesInEverySpelling) {
    for (const char* spelling : {"B3/S23", "b3/s23", "S23/B3", "s32/b3", "23/3", "Life", "LIFE", "B3S23", "b33s2233", " B3/S23 "})
        EXPECT_EQ(normalised_rule(spelling), "B3/S23") << spelling;
    EXPECT_EQ(normalised_rule("36/23"), "B23/S36");
    EXPECT_EQ(normalised_rule("B36/S23"), "B36/S23");
    EXPECT_EQ(normalised_rule("B2/S"), "B2/S");
    EXPECT_EQ(normalised_rule("/2"), "B2/S");
    for (const char* other : {"WireWorld", "345/2/4", "B3/S23/C3", "B2-a/S12", "B9/S23", "W110", "", "b"})
        EXPECT_EQ(normalised_rule(other), other);
}

TEST(Rle, FindsTheRule) {
    const auto rule = [](const std::string& text) { return parse_rle(text, "a.rle").rule; };
    EXPECT_EQ(rule("x = 1, y = 1\no!"), "B3/S23");
    EXPECT_EQ(rule("#r 23/36\nx = 1, y = 1\no!"), "B36/S23");
    EXPECT_EQ(rule("x = 1, y = 1, rule = 23/3,\no!"), "B3/S23");
    const RlePattern torus = parse_rle("x = 1, y = 1, rule = B3/S23:T100,200\no!", "a.rle", "Life");
    EXPECT_EQ(torus.rule, "B3/S23");
    EXPECT_EQ(torus.bounds, "T100,200");
    EXPECT_EQ(refused("x = 1, y = 1, rule = B36/S23\no!", "B3/S23"),
              "3: a.rle: an RLE file of another rule, 'B36/S23' (B3/S23 was expected)");
    EXPECT_EQ(refused("x = 1, y = 1, rule = 23/3\no!", "B3/S23"), "no error");
}

TEST(Rle, RefusesMalformedFiles) {
    EXPECT_THAT(refused(""), HasSubstr("a.rle:1:1: expected 'x = <cells>', found ''"));
    EXPECT_THAT(refused("bob$2bo$3o!"), HasSubstr("a.rle:1:1: expected 'x = <cells>', found 'bob$2bo$3o!'"));
    EXPECT_THAT(refused("x = 3, z = 3\n"), HasSubstr("a.rle:1:8: expected 'y = <cells>', found 'z = 3'"));
    EXPECT_THAT(refused("x = -3, y = 3\n"), HasSubstr("expected 'x = <cells>'"));
    EXPECT_THAT(refused("x = 3, y = 3, rul = 1\n"), HasSubstr("expected 'rule = <rule>'"));
    EXPECT_EQ(refused("x = 0, y = 0\n!"), "3: a.rle:1:1: the pattern is empty: it is 0 x 0 cells");
    EXPECT_THAT(refused("x = 3, y = 1\n3o"), HasSubstr("a.rle:2:3: the pattern does not end with '!' (the file may be cut off)"));
    EXPECT_EQ(refused("x = 3, y = 2\n3o$\nb3o!"),
              "3: a.rle:3:2: living cells at x 1 to 3, y 1 lie outside the pattern (its header says 3 x 2)");
    EXPECT_THAT(refused("x = 3, y = 1\n$o!"), HasSubstr("a.rle:2:2: living cells"));
    EXPECT_THAT(refused("x = 3, y = 1\no3!"), HasSubstr("the run count 3 has nothing to repeat"));
    EXPECT_THAT(refused("x = 3, y = 1\n0o!"), HasSubstr("a run count begins with 0"));
    EXPECT_THAT(refused("x = 3, y = 1\n99999999999999999999999o!"), HasSubstr("the run count is larger than"));
    EXPECT_THAT(refused("x = 3, y = 1\no?!"), HasSubstr("a.rle:2:2: '?' is no cell"));
    EXPECT_THAT(refused(std::string("x = 3, y = 1\n\0!", 15)), HasSubstr("'\\x00' is no cell"));
    EXPECT_THAT(refused("x = 1000000, y = 1000000\n!"),
                HasSubstr("the header asks for 1000000 x 1000000 cells (the maximum is 4294967296)"));
    EXPECT_EQ(refused("x = 65536, y = 65536, rule = B3/S23\n!"), "3: 65536 x 65536 do not fit"); // before there are that many
    EXPECT_THAT(refused("x = 9000000000000000000, y = 9000000000000000000\n!"), HasSubstr("the header asks for"));
    EXPECT_THAT(error_of([] { (void)read_rle("no/such.rle"); }), HasSubstr("3: could not read 'no/such.rle' (No such file or directory)"));
    EXPECT_THAT(error_of([] { (void)read_rle(data_file("")); }), HasSubstr("(it is a folder)"));
}

TEST(Rle, ReadsBackAnyPattern) {
    EXPECT_TRUE(rc::check("cells survive being encoded", [] {
        const auto nx = *rc::gen::inRange(1, 20), ny = *rc::gen::inRange(1, 20);
        const auto cells = *rc::gen::container<std::vector<std::uint8_t>>(nx * ny, rc::gen::inRange<std::uint8_t>(0, 3));
        std::string rle = "x = " + std::to_string(nx) + ", y = " + std::to_string(ny) + ", rule = Any\n";
        for (int i = 0; i < nx * ny;) { // runs within a row; white space and counts of one at random
            const int row_end = (i / nx + 1) * nx;
            int end = i + 1;
            while (end < row_end && cells[end] == cells[i] && *rc::gen::inRange(0, 8) > 0) ++end;
            if (end - i > 1 || *rc::gen::arbitrary<bool>()) rle += std::to_string(end - i);
            rle += cells[i] == 0 ? *rc::gen::element('b', '.') : cells[i] == 1 ? *rc::gen::element('o', 'A') : 'B';
            if (end == row_end) rle += end == nx * ny ? '!' : '$';
            if (*rc::gen::inRange(0, 5) == 0) rle += *rc::gen::element<std::string>(" ", "\n", "\r\n", "\n#C comment o!\n");
            i = end;
        }
        RC_ASSERT(values_of<std::uint8_t>(parse_rle(rle, "a.rle").cells) == cells);
    }));
}

TEST(Rle, DamagedFilesAreRefusedOrRead) {
    never_breaks(contents(data_file("gosper_gun.rle")),
                 [](const std::string& bytes) { (void)parse_rle(bytes, "a.rle", {}, at_most_a_million); });
}

} // namespace tessera::test::rle_test
