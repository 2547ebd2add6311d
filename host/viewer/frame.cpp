#include "host/viewer/frame.hpp"

#include "host/outputs/colour_map.hpp"
#include "host/setup/names.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera::viewer {
namespace {

constexpr std::int64_t most_pixels_along = 4096;

double as_number(Scalar type, const std::byte* bytes) {
    return with_type(type, [&](auto kind) {
        decltype(kind) value;
        std::memcpy(&value, bytes, sizeof value);
        return static_cast<double>(value);
    });
}

// Where an agent is along an axis, in places from the grid's edge.
double along(const Setup& setup, CollectionId agents, const StateView& state, std::size_t axis, std::size_t agent) {
    const auto& collection = setup.collections[agents];
    if (!collection.agents->space) return static_cast<double>(place_of(collection, state.agents(agents).places[agent])[axis]);
    const auto type = collection.agents->space->number;
    const auto* const values = state.agent_values(setup.positions_of(agents), static_cast<int>(axis));
    return as_number(type, values + agent * size_of(type)) / collection.agents->space->extent[axis] *
           static_cast<double>(collection.size[axis]);
}

} // namespace

Look within_grid(const CollectionSetup& places, Look look) {
    const auto& size = places.size;
    look.across = std::clamp<std::int64_t>(look.across, 1, std::max(size[0], size[1]));
    look.x = std::clamp<std::int64_t>(look.x, 0, size[0] - 1);
    look.y = std::clamp<std::int64_t>(look.y, 0, size[1] - 1);
    look.plane = std::clamp<std::int64_t>(look.plane, 0, size[2] - 1);
    const auto fitting = [&](std::int64_t wanted, std::int64_t left) {
        return std::clamp<std::int64_t>(wanted, 1, std::min((left + look.across - 1) / look.across, most_pixels_along));
    };
    look.width = fitting(look.width, size[0] - look.x);
    look.height = fitting(look.height, size[1] - look.y);
    return look;
}

std::vector<double> pixels_of(const Setup& setup, const Look& look, const StateView& state) {
    const auto column = require_column(setup, {{look.places, look.member}, {}});
    const auto shape = state.shape(column);
    const auto bytes = size_of(shape.type);
    std::vector<double> pixels;
    pixels.reserve(static_cast<std::size_t>(look.width * look.height));
    const auto plane = shape.size[0] * shape.size[1];
    const bool at_once = plane <= state.places_at_a_time() && look.across * look.across <= 16; // one copy from the device, else one a row
    for (std::int64_t py = 0; py < look.height; ++py) {
        const auto row = look.plane * plane + (look.y + py * look.across) * shape.size[0];
        const PlaceRange whole{look.plane * plane, (look.plane + 1) * plane}, one{row, row + shape.size[0]};
        const auto& places = at_once ? whole : one;
        const auto* const from = state.values(column, look.element, places) + static_cast<std::size_t>(row - places.first + look.x) * bytes;
        for (std::int64_t px = 0; px < look.width; ++px)
            pixels.push_back(as_number(shape.type, from + static_cast<std::size_t>(px * look.across) * bytes));
    }
    return pixels;
}

std::string bytes_of(const std::vector<double>& values, const Range& range, bool categorical) {
    constexpr double steps = 254;
    constexpr char none = static_cast<char>(255);
    std::string bytes(values.size(), '\0');
    const double scale = range.high > range.low ? steps / (range.high - range.low) : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        if (!std::isfinite(value))
            bytes[i] = none;
        else if (categorical)
            bytes[i] = static_cast<char>(category_entry(value));
        else if (scale > 0)
            bytes[i] = static_cast<char>(static_cast<unsigned char>(std::clamp((value - range.low) * scale + 0.5, 0.0, steps)));
        else
            bytes[i] = value > range.low ? static_cast<char>(254) : '\0';
    }
    return bytes;
}

std::string agents_of(const Setup& setup, const Look& look, const StateView& state, const std::vector<CollectionId>& agents) {
    std::string pixels(static_cast<std::size_t>(look.width * look.height), '\0');
    for (std::size_t k = 0; k < agents.size(); ++k) {
        const auto& collection = setup.collections[agents[k]];
        const bool shown = std::find(look.agents.begin(), look.agents.end(), collection.name) != look.agents.end();
        if (!shown || setup.collections[collection.agents->ground].name != look.places) continue;
        const auto& places = state.agents(agents[k]).places;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (place_of(collection, places[i])[2] != look.plane) continue;
            const auto pixel = [&](std::size_t axis, std::int64_t first) {
                return std::floor((along(setup, agents[k], state, axis, i) - static_cast<double>(first)) /
                                  static_cast<double>(look.across));
            };
            const double px = pixel(0, look.x), py = collection.dimensions > 1 ? pixel(1, look.y) : 0;
            if (px < 0 || py < 0 || px >= static_cast<double>(look.width) || py >= static_cast<double>(look.height)) continue;
            pixels[static_cast<std::size_t>(static_cast<std::int64_t>(py) * look.width + static_cast<std::int64_t>(px))] =
                static_cast<char>(k + 1);
        }
    }
    return pixels;
}

void widen(Range& range, const std::vector<double>& values, bool is_first) {
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        range.low = is_first ? value : std::min(range.low, value);
        range.high = is_first ? value : std::max(range.high, value);
        is_first = false;
    }
}

std::string framed(std::uint32_t number, std::uint64_t step, const Look& look, const Range& range, const std::string& places,
                   const std::string& agents) {
    struct Head {
        std::uint32_t kind = 1, number = 0;
        std::uint64_t step = 0;
        std::int64_t x = 0, y = 0;
        std::uint32_t width = 0, height = 0, across = 1, flags = 0;
        double low = 0, high = 0;
    };
    static_assert(sizeof(Head) == 64);
    Head head;
    head.number = number;
    head.step = step;
    head.x = look.x, head.y = look.y;
    head.width = static_cast<std::uint32_t>(look.width), head.height = static_cast<std::uint32_t>(look.height);
    head.across = static_cast<std::uint32_t>(look.across);
    head.flags = (places.empty() ? 0u : 1u) | (agents.empty() ? 0u : 2u);
    head.low = range.low, head.high = range.high;
    std::string bytes(sizeof head, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes + places + agents;
}

} // namespace tessera::viewer
