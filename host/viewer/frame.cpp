#include "host/viewer/frame.hpp"

#include "host/viewer/about.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::viewer {
namespace {

constexpr std::int64_t most_pixels_along = 4096;

// Those of the picture, and the one that it looks along.
std::array<std::size_t, 3> axes_of(const Look& look) {
    if (look.axis == 0) return {1, 2, 0};
    if (look.axis == 1) return {0, 2, 1};
    return {0, 1, 2};
}

} // namespace

Look within_grid(const CollectionSetup& places, Look look) {
    constexpr std::int64_t finest = 16, most_across = 1 << 16; // sums of a pixel hold so many places
    if (places.dimensions < 3) look.is_volume = false;
    if (places.dimensions < 3 || look.axis > 2 || look.is_volume) look.axis = 2;
    const auto axes = axes_of(look);
    const auto nx = places.size[axes[0]], ny = places.size[axes[1]], nz = places.size[axes[2]];
    look.across = std::clamp<std::int64_t>(look.across, 1, std::min(std::max(nx, ny), most_across));
    look.x = std::clamp<std::int64_t>(look.x, 0, nx - 1);
    look.y = std::clamp<std::int64_t>(look.y, 0, ny - 1);
    look.plane = std::clamp<std::int64_t>(look.plane, 0, nz - 1);
    const auto fitting = [&](std::int64_t wanted, std::int64_t left) {
        return std::clamp<std::int64_t>(wanted, 1, std::min((left + look.across - 1) / look.across, most_pixels_along));
    };
    look.width = fitting(look.width, nx - look.x);
    look.height = fitting(look.height, ny - look.y);
    look.fine = std::clamp<std::int64_t>(look.fine, 1, std::min(finest, most_pixels_along / std::max(look.width, look.height)));
    return look;
}

FrameView view_of(const CollectionSetup& places, const Look& look) {
    FrameView view;
    view.axes = axes_of(look);
    view.x = look.x, view.y = look.y;
    view.across = look.across, view.width = look.width, view.height = look.height;
    view.first = look.is_through ? 0 : look.plane;
    view.end = look.is_through ? places.size[view.axes[2]] : look.plane + 1;
    if (look.is_volume)
        view.x = view.y = view.first = 0, view.across = 1, view.width = places.size[0], view.height = places.size[1],
        view.end = places.size[2];
    return view;
}

double places_in(const FrameView& view) noexcept {
    return static_cast<double>(view.width * view.across) * static_cast<double>(view.height * view.across) *
           static_cast<double>(view.end - view.first);
}

std::vector<std::optional<CollectionId>> agents_in(const Setup& setup, const Look& look) {
    std::vector<std::optional<CollectionId>> all;
    for (const auto id : agents_in(setup)) {
        const auto& collection = setup.collections[id];
        const bool shown = std::find(look.agents.begin(), look.agents.end(), collection.name) != look.agents.end() &&
                           setup.collections[collection.agents->ground].name == look.places;
        all.push_back(shown ? std::optional(id) : std::nullopt);
    }
    return all;
}

namespace {

// How many there are; then one array after the other: ids, x, y, z, numbers, shades.
std::string packed(const FramePoints& found) {
    const auto& points = found.points;
    std::string bytes(reinterpret_cast<const char*>(&found.all), sizeof found.all);
    const auto put = [&](const auto& part) {
        for (const auto& point : points) {
            const auto value = part(point);
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
    };
    bytes.reserve(bytes.size() + points.size() * 22);
    put([](const frame_point& point) { return point.id; });
    put([](const frame_point& point) { return point.x; });
    put([](const frame_point& point) { return point.y; });
    put([](const frame_point& point) { return point.z; });
    put([](const frame_point& point) { return point.number; });
    put([](const frame_point& point) { return point.shade; });
    return bytes;
}

} // namespace

std::string framed(const FrameHead& head, const Look& look, const FramePixels& pixels) {
    struct Wire {
        std::uint32_t kind = 2, number = 0;
        std::uint64_t step = 0;
        std::int64_t x = 0, y = 0;
        std::uint32_t width = 0, height = 0, across = 1, flags = 0;
        double low = 0, high = 0;
        std::uint32_t look = 0, by = 0, fine = 1, points = 0;
    };
    static_assert(sizeof(Wire) == 80);
    Wire wire;
    wire.number = head.number, wire.step = head.step;
    wire.x = look.x, wire.y = look.y;
    wire.width = static_cast<std::uint32_t>(look.width), wire.height = static_cast<std::uint32_t>(look.height);
    wire.across = static_cast<std::uint32_t>(look.across);
    wire.flags = (pixels.places.empty() ? 0u : 1u) | (pixels.agents.numbers.empty() ? 0u : 2u) | (head.is_given ? 4u : 0u) |
                 (head.is_coarse ? 8u : 0u) | (pixels.points ? 16u : 0u) | (pixels.agents.shades.empty() ? 0u : 32u) |
                 (look.is_volume ? 64u : 0u);
    wire.low = head.range.low, wire.high = head.range.high;
    wire.look = look.number, wire.by = static_cast<std::uint32_t>(head.by), wire.fine = static_cast<std::uint32_t>(look.fine);
    wire.points = pixels.points ? static_cast<std::uint32_t>(pixels.points->points.size()) : 0;
    std::string bytes(sizeof wire, '\0');
    std::memcpy(bytes.data(), &wire, sizeof wire);
    bytes += pixels.places + pixels.agents.numbers + pixels.agents.shades;
    return pixels.points ? bytes + packed(*pixels.points) : bytes;
}

} // namespace tessera::viewer
