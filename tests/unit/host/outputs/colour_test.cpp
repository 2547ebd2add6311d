#include "host/outputs/colour_map.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <cmath>

namespace tessera::test::colour_test {
using ::testing::HasSubstr;

namespace {

int distance(Colour a, Colour b) { return std::max({std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)}); }

} // namespace

// Entries of the maps of these names in Matplotlib 3.6; the ends and points between our control points.
TEST(Colour, MapsArePublishedOnes) {
    struct Published {
        const char* map;
        int entry;
        Colour colour;
    };
    const Published published[] = {
        {"viridis", 0, {68, 1, 84}},        {"viridis", 7, {70, 11, 94}},       {"viridis", 37, {70, 51, 127}},
        {"viridis", 128, {33, 145, 140}},   {"viridis", 233, {197, 224, 33}},   {"viridis", 255, {253, 231, 37}},
        {"inferno", 0, {0, 0, 4}},          {"inferno", 37, {41, 11, 85}},      {"inferno", 128, {188, 55, 84}},
        {"inferno", 233, {244, 221, 79}},   {"inferno", 255, {252, 255, 164}},  {"magma", 7, {3, 3, 15}},
        {"magma", 37, {36, 18, 83}},        {"magma", 128, {183, 55, 121}},     {"magma", 233, {254, 213, 151}},
        {"magma", 255, {252, 253, 191}},    {"coolwarm", 0, {59, 76, 192}},     {"coolwarm", 37, {104, 138, 239}},
        {"coolwarm", 100, {190, 210, 246}}, {"coolwarm", 128, {221, 220, 220}}, {"coolwarm", 233, {210, 75, 64}},
        {"coolwarm", 255, {180, 4, 38}}};
    for (const auto& [map, entry, expected] : published)
        EXPECT_LE(distance(colour_map(map).entries[entry], expected), 1) << map << " " << entry;
}

TEST(Colour, GreyIsTheIdentity) {
    for (int i = 0; i < 256; ++i)
        EXPECT_EQ(distance(colour_map("grey").entries[i],
                           Colour{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i)}),
                  0);
}

TEST(Colour, SequentialMapsGetBrighterThroughout) {
    const auto brightness = [](Colour c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
    for (const char* map : {"grey", "viridis", "inferno", "magma", "hot", "heat"})
        for (int i = 1; i < 256; ++i)
            EXPECT_GE(brightness(colour_map(map).entries[i]) + 0.8, brightness(colour_map(map).entries[i - 1])) << map << " " << i;
    EXPECT_EQ(colour_map("hot").entries[0], (Colour{0, 0, 0}));
    EXPECT_EQ(colour_map("hot").entries[255], (Colour{255, 255, 255}));
}

TEST(Colour, SharesOfTheScale) {
    const ColourMap& grey = colour_map("grey");
    EXPECT_EQ(colour(grey, 0).red, 0);
    EXPECT_EQ(colour(grey, 0.5).red, 128);
    EXPECT_EQ(colour(grey, 1).red, 255);
    EXPECT_EQ(colour(grey, 0.999 / 256).red, 0);
    EXPECT_EQ(colour(grey, 1.001 / 256).red, 1);
    EXPECT_EQ(colour(grey, -7).red, 0);
    EXPECT_EQ(colour(grey, 1e300).red, 255);
    EXPECT_EQ(colour(grey, NAN), not_a_number_colour);
}

TEST(Colour, CategoriesDiffer) {
    const auto& entries = colour_map("categories").entries;
    for (int i = 0; i <= 15; ++i)
        for (int j = 0; j < i; ++j) EXPECT_GT(distance(entries[i], entries[j]), 30) << i << " " << j;
    EXPECT_EQ(category_entry(0), 0);
    EXPECT_EQ(category_entry(1.9), 1);
    EXPECT_EQ(category_entry(255), 255);
    EXPECT_EQ(category_entry(256), 1);
    EXPECT_EQ(category_entry(-1), 254);
    EXPECT_EQ(category_entry(1e300), category_entry(1e300));
}

TEST(Colour, EveryNameHasAMapAndOthersAnError) {
    for (const std::string_view name : colour_map_names()) EXPECT_EQ(colour_map(name).name, name);
    EXPECT_EQ(
        error_of([] { (void)colour_map("gray"); }),
        "3: there is no colour map 'gray' (there are grey, viridis, inferno, magma, hot, heat, coolwarm, categories) did you mean 'grey'?");
    EXPECT_THAT(error_of([] { (void)colour_map("the colours of autumn"); }), ::testing::EndsWith("categories)"));
}

} // namespace tessera::test::colour_test
