#include "host/edits/paint.hpp"

#include "device_runtime/error.hpp"
#include "host/run_file/given.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

using Point = std::array<std::int64_t, 2>;

const run_file::Where in_the_page{"in the page", 0, 0};
constexpr std::int64_t most_bytes_of_box = std::int64_t{64} << 20;

[[noreturn]] void refuse_stroke(const Stroke& stroke, const std::string& why, const std::string& suggestion = {}) {
    run_file::fail_at(in_the_page, fmt::format("{}.{} cannot be painted", stroke.places, stroke.member), why, suggestion);
}

// What a stroke is of.
struct Canvas {
    const CollectionSetup& places;
    ColumnId column;
    const Layout& layout;
};

Canvas canvas_of(const Stroke& stroke, const Setup& setup) {
    const auto id = require_collection(setup, stroke.places, in_the_page);
    const auto& places = setup.collections[id];
    if (places.agents) refuse_stroke(stroke, fmt::format("{} are agents", stroke.places), "paint a member of places");
    if (!places.has_shape()) refuse_stroke(stroke, fmt::format("{} has no shape, and there is no picture of it", stroke.places));
    const auto column = setup.column_of(id, require_member(setup.row_of(places), stroke.member, in_the_page));
    const auto& layout = setup[column].layout;
    if (stroke.element < 0 || stroke.element >= layout.elements) refuse_stroke(stroke, fmt::format("it has no element {}", stroke.element));
    return {places, column, layout};
}

// ---- which places

// Those of a plane from `from` on, and which of them are painted.
struct Mask {
    Point from{}, to{};
    std::vector<char> is_painted;

    Mask(const Point& first, const Point& end) : from(first), to(end) {
        is_painted.resize(static_cast<std::size_t>((to[0] - from[0]) * (to[1] - from[1])));
    }
    [[nodiscard]] char& at(std::int64_t x, std::int64_t y) {
        return is_painted[static_cast<std::size_t>((y - from[1]) * (to[0] - from[0]) + x - from[0])];
    }
    [[nodiscard]] bool has(std::int64_t x, std::int64_t y) const { return from[0] <= x && x < to[0] && from[1] <= y && y < to[1]; }
};

void check_places(const Stroke& stroke, const Canvas& canvas) {
    constexpr std::size_t most_points = 10000;
    const auto& size = canvas.places.size;
    if (stroke.path.empty() || stroke.path.size() > most_points)
        refuse_stroke(stroke, fmt::format("it is painted along 1 to {} places", most_points));
    if (stroke.plane < 0 || stroke.plane >= size[2]) refuse_stroke(stroke, fmt::format("there is no plane {}", stroke.plane));
    for (const auto& [x, y] : stroke.path)
        if (x < 0 || x >= size[0] || y < 0 || y >= size[1]) refuse_stroke(stroke, fmt::format("there is no place ({}, {})", x, y));
}

// The smallest box around the path, and so many places more, within the grid.
Mask mask_around(const Stroke& stroke, const Canvas& canvas, std::int64_t more) {
    Point from = stroke.path.front(), to = from;
    for (const auto& point : stroke.path)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            from[axis] = std::min(from[axis], point[axis]);
            to[axis] = std::max(to[axis], point[axis]);
        }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        from[axis] = std::max<std::int64_t>(from[axis] - more, 0);
        to[axis] = std::min(to[axis] + more + 1, canvas.places.size[axis]);
    }
    if ((to[0] - from[0]) * (to[1] - from[1]) > most_bytes_of_box / static_cast<std::int64_t>(size_of(canvas.layout.type)))
        refuse_stroke(stroke, fmt::format("{} x {} places are too many at once", to[0] - from[0], to[1] - from[1]), "paint a smaller part");
    return {from, to};
}

// A disc around a place: those whose middle is at most half its size away.
void stamp(Mask& mask, std::int64_t x, std::int64_t y, std::int64_t size) {
    const auto most = size / 2;
    for (auto dy = -most; dy <= most; ++dy)
        for (auto dx = -most; dx <= most; ++dx)
            if (4 * (dx * dx + dy * dy) <= size * size && mask.has(x + dx, y + dy)) mask.at(x + dx, y + dy) = 1;
}

// A disc is stamped at each place of the way.
void check_length(const Stroke& stroke) {
    constexpr std::int64_t most_stamped = std::int64_t{1} << 28;
    std::int64_t stamps = 1;
    for (std::size_t i = 1; i < stroke.path.size(); ++i)
        stamps += 1 + std::max(std::abs(stroke.path[i][0] - stroke.path[i - 1][0]), std::abs(stroke.path[i][1] - stroke.path[i - 1][1]));
    if (stamps > most_stamped / (stroke.size * stroke.size))
        refuse_stroke(stroke, "the path is too long for so large a brush", "paint it in parts, or as a box");
}

// All the way from each place of the path to the next.
Mask brushed(const Stroke& stroke, const Canvas& canvas) {
    constexpr std::int64_t widest = 1001;
    if (stroke.size < 1 || stroke.size > widest) refuse_stroke(stroke, fmt::format("a brush has a size from 1 to {}", widest));
    check_length(stroke);
    auto mask = mask_around(stroke, canvas, stroke.size / 2);
    auto before = stroke.path.front();
    for (const auto& point : stroke.path) {
        const auto dx = point[0] - before[0], dy = point[1] - before[1], steps = std::max({std::abs(dx), std::abs(dy), std::int64_t{1}});
        const auto part = [&](std::int64_t all, std::int64_t step) { // rounded; all is of either sign
            return static_cast<std::int64_t>(std::floor((2.0 * static_cast<double>(all * step) / static_cast<double>(steps) + 1) / 2));
        };
        for (std::int64_t s = 0; s <= steps; ++s) stamp(mask, before[0] + part(dx, s), before[1] + part(dy, s), stroke.size);
        before = point;
    }
    return mask;
}

Mask boxed(const Stroke& stroke, const Canvas& canvas) {
    if (stroke.path.size() != 2) refuse_stroke(stroke, "a box has two corners");
    auto mask = mask_around(stroke, canvas, 0);
    std::fill(mask.is_painted.begin(), mask.is_painted.end(), 1);
    return mask;
}

// The smallest part of a mask that has all that is painted.
Mask cropped(Mask& all, Point from, Point to) {
    Mask part(from, to);
    for (auto y = from[1]; y < to[1]; ++y)
        for (auto x = from[0]; x < to[0]; ++x) part.at(x, y) = all.at(x, y);
    return part;
}

Mask filled(const Stroke& stroke, const Canvas& canvas, Run& run) {
    const auto& size = canvas.places.size;
    const auto bytes = size_of(canvas.layout.type);
    if (stroke.path.size() != 1) refuse_stroke(stroke, "a fill begins at one place");
    if (size[0] * size[1] > most_bytes_of_box / static_cast<std::int64_t>(bytes))
        refuse_stroke(stroke, "the grid is too large to be filled", "paint a box");
    const auto plane =
        read_box(run.simulation().state(), canvas.column, stroke.element, {{0, 0, stroke.plane}, {size[0], size[1], stroke.plane + 1}});
    const auto value_at = [&](const Point& p) { return plane.data() + static_cast<std::size_t>(p[1] * size[0] + p[0]) * bytes; };
    Mask mask({0, 0}, {size[0], size[1]});
    const auto first = stroke.path.front();
    Point from = first, to{first[0] + 1, first[1] + 1};
    std::vector<Point> open{first};
    mask.at(first[0], first[1]) = 1;
    while (!open.empty()) {
        const auto [x, y] = open.back();
        open.pop_back();
        from = {std::min(from[0], x), std::min(from[1], y)};
        to = {std::max(to[0], x + 1), std::max(to[1], y + 1)};
        for (const Point& next : {Point{x - 1, y}, Point{x + 1, y}, Point{x, y - 1}, Point{x, y + 1}}) {
            if (!mask.has(next[0], next[1]) || mask.at(next[0], next[1]) != 0) continue;
            if (std::memcmp(value_at(next), value_at(first), bytes) != 0) continue;
            mask.at(next[0], next[1]) = 1;
            open.push_back(next);
        }
    }
    return cropped(mask, from, to);
}

Mask mask_of(const Stroke& stroke, const Canvas& canvas, Run& run) {
    check_places(stroke, canvas);
    switch (stroke.shape) {
    case Stroke::Shape::box: return boxed(stroke, canvas);
    case Stroke::Shape::fill: return filled(stroke, canvas, run);
    case Stroke::Shape::brush: break;
    }
    return brushed(stroke, canvas);
}

// ---- which value

std::vector<std::byte> value_of(const Stroke& stroke, Scalar type) {
    const auto name = fmt::format("{}.{}", stroke.places, stroke.member);
    const auto number = run_file::given_number(name, stroke.value, in_the_page.file);
    if (const auto* real = std::get_if<double>(&*number); real != nullptr && !std::isfinite(*real))
        refuse_stroke(stroke, fmt::format("{} is not finite", stroke.value), "give a finite number");
    return value_bytes(*number, type, number.where, name);
}

ColumnId column_of(const ValueChange& change, const Setup& setup) {
    const run_file::Where where{"edits", 0, 0};
    const auto id = require_collection(setup, change.places, where);
    if (setup.collections[id].agents) run_file::fail_at(where, fmt::format("{} are agents", change.places), "only places are painted");
    if (!setup.collections[id].has_shape())
        run_file::fail_at(where, fmt::format("{} has no shape", change.places), "only places of a grid are painted");
    return setup.column_of(id, require_member(setup.row_of(setup.collections[id]), change.member, where));
}

PlaceBox box_of(const ValueChange& change) {
    PlaceBox box;
    box.from = change.corner;
    for (std::size_t axis = 0; axis < 3; ++axis) box.to[axis] = box.from[axis] + change.values.size[axis];
    return box;
}

} // namespace

ValueChange painted(const Stroke& stroke, Run& run) {
    const auto canvas = canvas_of(stroke, run.setup());
    const auto value = value_of(stroke, canvas.layout.type);
    const auto mask = mask_of(stroke, canvas, run);
    ValueChange change{stroke.places, stroke.member, stroke.element, {mask.from[0], mask.from[1], stroke.plane}, {}};
    change.values.type = canvas.layout.type;
    change.values.size = {mask.to[0] - mask.from[0], mask.to[1] - mask.from[1], 1};
    change.values.dimensions = canvas.places.dimensions;
    change = as_it_is(change, run);
    for (std::size_t i = 0; i < mask.is_painted.size(); ++i)
        if (mask.is_painted[i] != 0) std::memcpy(change.values.bytes.data() + i * value.size(), value.data(), value.size());
    return change;
}

ValueChange as_it_is(const ValueChange& change, Run& run) {
    auto now = change;
    now.values.bytes = read_box(run.simulation().state(), column_of(change, run.setup()), change.element, box_of(change));
    return now;
}

void write_values(const ValueChange& change, Run& run) {
    const auto& setup = run.setup();
    const auto column = column_of(change, setup);
    const auto& layout = setup[column].layout;
    const auto box = box_of(change);
    bool fits = change.values.type == layout.type && change.element >= 0 && change.element < layout.elements && change.values.elements == 1;
    for (std::size_t axis = 0; axis < 3; ++axis) fits = fits && box.from[axis] >= 0 && box.to[axis] <= layout.size[axis];
    if (!fits)
        throw Error(Failure::input, fmt::format("values of {}.{} do not fit", change.places, change.member),
                    "they are of another type than the member, or beyond the grid");
    run.write(column, change.element, box, change.values.bytes.data());
}

} // namespace tessera
