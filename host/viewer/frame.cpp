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
    if (places.dimensions < 3 || look.axis > 2) look.axis = 2;
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

std::string framed(const FrameHead& head, const Look& look, const std::string& places, const std::string& agents) {
    struct Wire {
        std::uint32_t kind = 2, number = 0;
        std::uint64_t step = 0;
        std::int64_t x = 0, y = 0;
        std::uint32_t width = 0, height = 0, across = 1, flags = 0;
        double low = 0, high = 0;
        std::uint32_t look = 0, by = 0, fine = 1, reserved = 0;
    };
    static_assert(sizeof(Wire) == 80);
    Wire wire;
    wire.number = head.number, wire.step = head.step;
    wire.x = look.x, wire.y = look.y;
    wire.width = static_cast<std::uint32_t>(look.width), wire.height = static_cast<std::uint32_t>(look.height);
    wire.across = static_cast<std::uint32_t>(look.across);
    wire.flags = (places.empty() ? 0u : 1u) | (agents.empty() ? 0u : 2u) | (head.is_given ? 4u : 0u) | (head.is_coarse ? 8u : 0u);
    wire.low = head.range.low, wire.high = head.range.high;
    wire.look = look.number, wire.by = static_cast<std::uint32_t>(head.by), wire.fine = static_cast<std::uint32_t>(look.fine);
    std::string bytes(sizeof wire, '\0');
    std::memcpy(bytes.data(), &wire, sizeof wire);
    return bytes + places + agents;
}

} // namespace tessera::viewer
