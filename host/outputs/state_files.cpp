#include "host/outputs/state_files.hpp"

#include "host/outputs/check_outputs.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/picture.hpp"
#include "host/outputs/state_rows.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

namespace tessera {
namespace {

// One plane of a column: element `element` at z = `slice`.
Array plane_of(const StateView& state, ColumnId column, std::uint64_t element, std::uint64_t slice) {
    Array plane;
    static_cast<ArrayShape&>(plane) = state.shape(column);
    plane.size[2] = plane.elements = 1;
    plane.dimensions = std::min(plane.dimensions, 2);
    const auto first = static_cast<std::int64_t>(slice) * plane.places();
    const auto* const values = state.values(column, static_cast<int>(element), {first, first + plane.places()});
    plane.bytes.assign(values, values + static_cast<std::size_t>(plane.places()) * size_of(plane.type));
    return plane;
}

Array white_plane(const Extents& size) {
    Array plane;
    plane.type = Scalar::boolean;
    plane.size = {size[0], size[1], 1};
    plane.elements = 1;
    plane.dimensions = 2;
    plane.bytes.assign(static_cast<std::size_t>(plane.places()), std::byte{1});
    return plane;
}

// Where agent number i in the order of ids is along an axis, in places; 0 along no axis.
double position_in_places(const Setup& setup, CollectionId agents, const StateView& state, std::size_t axis, std::size_t i) {
    const auto& collection = setup.collections[agents];
    if (axis >= static_cast<std::size_t>(collection.dimensions)) return 0;
    const auto* const values = state.agent_values(setup.positions_of(agents), static_cast<int>(axis));
    const auto at = collection.agents->space->number == Scalar::f32 ? static_cast<double>(reinterpret_cast<const float*>(values)[i])
                                                                    : reinterpret_cast<const double*>(values)[i];
    return at / collection.agents->space->extent[axis] * static_cast<double>(collection.size[axis]);
}

// A member's value of each agent, in the order of ids.
std::vector<double> values_of(const Setup& setup, ColumnId column, const StateView& state, std::size_t count) {
    std::vector<double> values(count);
    const auto* const bytes = state.agent_values(column, 0);
    with_type(setup[column].layout.type, [&](auto kind) {
        using T = decltype(kind);
        for (std::size_t i = 0; i < count; ++i) {
            T value;
            std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
            values[i] = static_cast<double>(value);
        }
    });
    return values;
}

// Those of the agents who are in a slice.
PictureStyle::Overlay overlay_of(const Setup& setup, CollectionId agents, const run_file::OverlayStyle& style, std::uint64_t slice,
                                 const StateView& state) {
    const auto& collection = setup.collections[agents];
    const auto& places = state.agents(agents).places;
    PictureStyle::Overlay overlay;
    overlay.as_dots = collection.agents->space.has_value();
    std::vector<std::uint16_t> colours(places.size());
    if (style.member) {
        const auto& map = colour_map(*style.colours);
        overlay.colours.assign(std::begin(map.entries), std::end(map.entries));
        const auto column = require_column(setup, {{collection.name, **style.member}, {}});
        const bool is_bool = setup[column].layout.type == Scalar::boolean; // from 0 to 1, as in pictures of places
        const auto end = [&](const auto& given, double of_bool) {
            return given ? std::optional<double>(**given) : is_bool ? std::optional<double>(of_bool) : std::nullopt;
        };
        colours = colours_of(map, values_of(setup, column, state, places.size()), end(style.low, 0), end(style.high, 1));
    } else
        overlay.colours = {*named_colour(**style.colour)};
    const auto plane = collection.size[0] * collection.size[1], first = static_cast<std::int64_t>(slice) * plane;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] < first || places[i] >= first + plane) continue;
        PictureStyle::Overlay::Spot spot{places[i] - first, {}, colours[i]};
        if (overlay.as_dots) spot.at = {position_in_places(setup, agents, state, 0, i), position_in_places(setup, agents, state, 1, i)};
        overlay.spots.push_back(spot);
    }
    return overlay;
}

// The places of a picture's plane.
PlaceRange plane_at(const Extents& size, std::uint64_t slice) {
    const auto first = static_cast<std::int64_t>(slice) * size[0] * size[1];
    return {first, first + size[0] * size[1]};
}

Needs needs_of_picture(const Setup& setup, const run_file::Png& png) {
    Needs needs;
    if (png.attribute)
        needs.add({require_column(setup, *png.attribute), png.element ? static_cast<int>(**png.element) : 0},
                  plane_at(setup.collections[places_of_picture(setup, png)].size, png.slice ? **png.slice : 0));
    for (const auto& [name, drawn] : png.overlay) {
        const auto agents = require_collection(setup, *name, {});
        const auto& collection = setup.collections[agents];
        needs.agents.insert(agents);
        for (int axis = 0; collection.agents->space && axis < std::min(collection.dimensions, 2); ++axis)
            needs.agent_values.emplace(setup.positions_of(agents), axis);
        if (drawn.member) needs.agent_values.emplace(require_column(setup, {{collection.name, **drawn.member}, {}}), 0);
    }
    return needs;
}

void write_picture(const Setup& setup, const run_file::Png& png, const FilePlace& place, const StateView& state) {
    PictureStyle style;
    style.colours = *png.colours;
    if (png.low) style.low = **png.low;
    if (png.high) style.high = **png.high;
    style.scale = static_cast<int>(*png.scale);
    const auto& size = setup.collections[places_of_picture(setup, png)].size;
    const auto slice = png.slice ? **png.slice : 0;
    for (const auto& [name, drawn] : png.overlay)
        style.overlays.push_back(overlay_of(setup, require_collection(setup, *name, {}), drawn, slice, state));
    if (png.attribute)
        return write_png(place, plane_of(state, require_column(setup, *png.attribute), png.element ? **png.element : 0, slice), style);
    style.colours = "grey";
    style.low = 0, style.high = 1;
    write_png(place, white_plane(size), style);
}

} // namespace

Needs needs_of(const Setup& setup, const run_file::Output& output) {
    if (const auto* png = std::get_if<run_file::Png>(&output.content)) return needs_of_picture(setup, *png);
    if (const auto* agents = std::get_if<run_file::AgentRows>(&output.content))
        return needs_of_agent_rows(setup, require_collection(setup, *agents->collection, {}));
    Needs needs;
    if (const auto* links = std::get_if<run_file::LinkRows>(&output.content))
        needs.links.insert(require_collection(setup, *links->collection, {}));
    if (const auto* npy = std::get_if<run_file::Npy>(&output.content)) {
        const auto column = require_column(setup, npy->attribute);
        const auto& collection = setup.collections[setup.columns[column].collection];
        const auto size = collection.seen_size();
        for (int e = 0; e < setup[column].layout.elements; ++e) needs.add({column, e}, {0, size[0] * size[1] * size[2]});
    }
    return needs;
}

void write_state_file(const Setup& setup, const run_file::Output& output, const FilePlace& place, const StateView& state) {
    if (const auto* npy = std::get_if<run_file::Npy>(&output.content)) {
        const auto column = require_column(setup, npy->attribute);
        write_npy(
            place, state.shape(column), [&](int element, const PlaceRange& places) { return state.values(column, element, places); },
            state.places_at_a_time());
    }
    if (const auto* png = std::get_if<run_file::Png>(&output.content)) write_picture(setup, *png, place, state);
    if (const auto* agents = std::get_if<run_file::AgentRows>(&output.content)) {
        const auto rows = agent_rows(setup, require_collection(setup, *agents->collection, {}), state);
        agents->as_npy ? write_rows_npy(place, rows) : write_rows_csv(place, rows);
    }
    if (const auto* links = std::get_if<run_file::LinkRows>(&output.content)) {
        const auto rows = link_rows(setup, require_collection(setup, *links->collection, {}), state);
        links->as_npy ? write_rows_npy(place, rows) : write_rows_csv(place, rows);
    }
}

} // namespace tessera
