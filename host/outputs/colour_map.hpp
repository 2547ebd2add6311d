// Colours for numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct Colour {
    std::uint8_t red = 0, green = 0, blue = 0;
    friend bool operator==(const Colour&, const Colour&) = default;
};

struct ColourMap {
    std::string_view name;
    std::array<Colour, 256> entries;
    bool categorical = false; // a colour for each whole number rather than a scale
};

// "black", "orange", ... or "#ff8000"; nothing for anything else.
[[nodiscard]] std::optional<Colour> named_colour(std::string_view name);
[[nodiscard]] std::vector<std::string> colour_names();

inline constexpr Colour not_a_number_colour{255, 0, 255}; // NaN and infinities

// grey, viridis, inferno, magma, hot (also as heat), coolwarm (diverging) and categories. Throws Failure::input naming the nearest
// name, and all of them. The map lives as long as the process; thread-safe.
[[nodiscard]] const ColourMap& colour_map(std::string_view name);

[[nodiscard]] std::span<const std::string_view> colour_map_names() noexcept;

// The colour of t from 0 to 1 (what lies outside gets the nearest end's).
[[nodiscard]] Colour colour(const ColourMap& map, double t) noexcept;

// The entry of a map for t, 0 to 255: the map has equal shares of the scale. t is a number.
[[nodiscard]] std::uint8_t colour_entry(double t) noexcept;

// The entry of a categorical map for a whole number: 0 is the background, others have 15 colours that come round again.
[[nodiscard]] std::uint8_t category_entry(double value) noexcept;

} // namespace tessera
