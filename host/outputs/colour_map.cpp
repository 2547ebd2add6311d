#include "host/outputs/colour_map.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

// Every fifth entry of the maps by Nathaniel Smith and Stefan van der Walt (bids.github.io/colormap, CC0), 0xRRGGBB.
constexpr std::uint32_t viridis[] = {
    0x440154, 0x46085c, 0x471063, 0x481769, 0x481d6f, 0x482475, 0x472a7a, 0x46307e, 0x453781, 0x433d84, 0x414287, 0x3f4889, 0x3d4e8a,
    0x3a538b, 0x38598c, 0x355e8d, 0x33638d, 0x31688e, 0x2e6d8e, 0x2c718e, 0x2a768e, 0x297b8e, 0x27808e, 0x25848e, 0x23898e, 0x218e8d,
    0x20928c, 0x1f978b, 0x1e9c89, 0x1fa188, 0x21a585, 0x24aa83, 0x28ae80, 0x2eb37c, 0x35b779, 0x3dbc74, 0x46c06f, 0x50c46a, 0x5ac864,
    0x65cb5e, 0x70cf57, 0x7cd250, 0x89d548, 0x95d840, 0xa2da37, 0xb0dd2f, 0xbddf26, 0xcae11f, 0xd8e219, 0xe5e419, 0xf1e51d, 0xfde725,
};
constexpr std::uint32_t inferno[] = {
    0x000004, 0x02020c, 0x050417, 0x0a0722, 0x10092d, 0x160b39, 0x1e0c45, 0x260c51, 0x2f0a5b, 0x380962, 0x400a67, 0x490b6a, 0x510e6c,
    0x59106e, 0x61136e, 0x69166e, 0x71196e, 0x781c6d, 0x801f6c, 0x88226a, 0x902568, 0x982766, 0xa02a63, 0xa82e5f, 0xb0315b, 0xb73557,
    0xbf3952, 0xc63d4d, 0xcc4248, 0xd34743, 0xd94d3d, 0xdf5337, 0xe45a31, 0xe9612b, 0xed6925, 0xf1711f, 0xf47918, 0xf78212, 0xf98b0b,
    0xfa9407, 0xfb9d07, 0xfca60c, 0xfcb014, 0xfbba1f, 0xfac42a, 0xf8cd37, 0xf6d746, 0xf4e156, 0xf2ea69, 0xf2f27d, 0xf5f992, 0xfcffa4,
};
constexpr std::uint32_t magma[] = {
    0x000004, 0x02020b, 0x050416, 0x090720, 0x0e0b2b, 0x140e36, 0x1a1042, 0x21114e, 0x29115a, 0x311165, 0x390f6e, 0x420f75, 0x4a1079,
    0x52137c, 0x5a167e, 0x621980, 0x6a1c81, 0x721f81, 0x792282, 0x812581, 0x892881, 0x912b81, 0x992d80, 0xa1307e, 0xaa337d, 0xb2357b,
    0xba3878, 0xc23b75, 0xca3e72, 0xd2426f, 0xd9466b, 0xe04c67, 0xe75263, 0xec5860, 0xf1605d, 0xf4695c, 0xf7725c, 0xf97b5d, 0xfb8560,
    0xfc8e64, 0xfd9869, 0xfea16e, 0xfeaa74, 0xfeb47b, 0xfebd82, 0xfec68a, 0xfecf92, 0xfed89a, 0xfde2a3, 0xfdebac, 0xfcf4b6, 0xfcfdbf,
};

// Kenneth Moreland, "Diverging Color Maps for Scientific Visualization" (ISVC 2009), 33 values.
constexpr std::uint32_t coolwarm[] = {
    0x3b4cc0, 0x445acc, 0x4d68d7, 0x5775e1, 0x6282ea, 0x6c8ef1, 0x779af7, 0x82a5fb, 0x8db0fe, 0x98b9ff, 0xa3c2ff,
    0xaec9fd, 0xb8d0f9, 0xc2d5f4, 0xccd9ee, 0xd5dbe6, 0xdddddd, 0xe5d8d1, 0xecd3c5, 0xf1ccb9, 0xf5c4ad, 0xf7bba0,
    0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63, 0xe57058, 0xde604d, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426,
};

// 0 is the background; then the colours of Okabe and Ito with a grey, and six of Paul Tol's muted ones with white.
constexpr std::uint32_t categories[] = {
    0x000000, 0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7,
    0x999999, 0x882255, 0x44aa99, 0xddcc77, 0x332288, 0x117733, 0xffffff, 0x88ccee,
};
constexpr int category_colours = 15;
static_assert(std::size(categories) == category_colours + 1 && 255 % category_colours == 0);

constexpr std::string_view map_names[] = {"grey", "viridis", "inferno", "magma", "hot", "heat", "coolwarm", "categories"};

Colour unpacked(std::uint32_t rgb) {
    return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8 & 0xff), static_cast<std::uint8_t>(rgb & 0xff)};
}

std::uint8_t channel(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

ColourMap interpolated(std::string_view name, std::span<const std::uint32_t> points) {
    ColourMap map{name, {}};
    const int last = static_cast<int>(points.size()) - 1;
    for (int i = 0; i < 256; ++i) { // in whole numbers: between(a, b) = (a (255 - f) + b f) / 255, rounded
        const int below = std::min(i * last / 255, last - 1), f = i * last - below * 255;
        const Colour a = unpacked(points[below]), b = unpacked(points[below + 1]);
        const auto between = [f](int u, int v) { return static_cast<std::uint8_t>((u * (255 - f) + v * f + 127) / 255); };
        map.entries[i] = {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
    }
    return map;
}

ColourMap black_body(std::string_view name) { // red, then green, then blue come up
    ColourMap map{name, {}};
    for (int i = 0; i < 256; ++i) map.entries[i] = {channel(i / 95.0), channel((i - 95) / 96.0), channel((i - 191) / 64.0)};
    return map;
}

ColourMap made(std::string_view name) {
    constexpr std::uint32_t black_and_white[] = {0x000000, 0xffffff};
    if (name == "grey") return interpolated(name, black_and_white);
    if (name == "viridis") return interpolated(name, viridis);
    if (name == "inferno") return interpolated(name, inferno);
    if (name == "magma") return interpolated(name, magma);
    if (name == "coolwarm") return interpolated(name, coolwarm);
    if (name == "hot" || name == "heat") return black_body(name);
    ColourMap map{name, {}, true};
    for (int i = 0; i < 256; ++i) map.entries[i] = unpacked(categories[i == 0 ? 0 : 1 + (i - 1) % category_colours]);
    return map;
}

// Levenshtein's distance.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

std::string nearest(std::string_view name) {
    const auto closer = [name](std::string_view a, std::string_view b) { return edits(name, a) < edits(name, b); };
    const std::string_view best = *std::min_element(std::begin(map_names), std::end(map_names), closer);
    return edits(name, best) <= 1 + best.size() / 3 ? fmt::format("did you mean '{}'?", best) : "";
}

} // namespace

const ColourMap& colour_map(std::string_view name) {
    static const auto maps = [] {
        std::array<ColourMap, std::size(map_names)> all;
        std::transform(std::begin(map_names), std::end(map_names), all.begin(), made);
        return all;
    }();
    const auto found = std::find_if(maps.begin(), maps.end(), [name](const ColourMap& map) { return map.name == name; });
    if (found == maps.end())
        throw Error(Failure::input, fmt::format("there is no colour map '{}'", name),
                    fmt::format("there are {}", fmt::join(map_names, ", ")), nearest(name));
    return *found;
}

std::span<const std::string_view> colour_map_names() noexcept { return map_names; }

std::uint8_t colour_entry(double t) noexcept { return static_cast<std::uint8_t>(std::min(255.0, 256 * std::clamp(t, 0.0, 1.0))); }

std::uint8_t category_entry(double value) noexcept {
    const double whole = std::floor(value);
    if (whole == 0) return 0;
    const double turn = std::fmod(whole - 1, 255);
    return static_cast<std::uint8_t>(1 + (turn < 0 ? turn + 255 : turn));
}

Colour colour(const ColourMap& map, double t) noexcept { return std::isnan(t) ? not_a_number_colour : map.entries[colour_entry(t)]; }

namespace {

struct NamedColour {
    const char* name;
    Colour colour;
};
// As the web has them (CSS Color Module Level 4).
constexpr NamedColour named_colours[] = {{"black", {0, 0, 0}},      {"white", {255, 255, 255}}, {"grey", {128, 128, 128}},
                                         {"red", {255, 0, 0}},      {"green", {0, 128, 0}},     {"blue", {0, 0, 255}},
                                         {"yellow", {255, 255, 0}}, {"orange", {255, 165, 0}},  {"purple", {128, 0, 128}},
                                         {"brown", {165, 42, 42}},  {"pink", {255, 192, 203}},  {"cyan", {0, 255, 255}}};

} // namespace

std::optional<Colour> named_colour(std::string_view name) {
    for (const auto& each : named_colours)
        if (name == each.name) return each.colour;
    if (name.size() != 7 || name[0] != '#') return std::nullopt;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), value, 16);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return Colour{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

std::vector<std::string> colour_names() {
    std::vector<std::string> all;
    for (const auto& each : named_colours) all.emplace_back(each.name);
    return all;
}

} // namespace tessera
