// [places.NAME], but for its initial values.
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/read_devices.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

namespace tessera::run_file {
namespace {

Located<std::vector<std::uint64_t>> read_size(const Node& places) {
    const std::string expected = "an array of 1 to 3 positive integers, as in [4096, 4096]";
    const auto* node = places.find("size");
    if (!node) fail_missing(places, "size", expected);
    expect_array(*node, expected);
    if (node->items.empty() || node->items.size() > 3)
        fail_at(node->where, fmt::format("`{}` has {} extents", node->path, node->items.size()), "expected " + expected);
    std::vector<std::uint64_t> size;
    std::uint64_t total = 1;
    for (const auto& item : node->items) {
        size.push_back(static_cast<std::uint64_t>(read_integer(item, 1)));
        if (size.back() > static_cast<std::uint64_t>(most_places) / total)
            fail_at(node->where, fmt::format("`{}` has more places than there can be", node->path),
                    "a collection has fewer than 2^40, 1099511627776");
        total *= size.back();
    }
    return located(std::move(size), *node);
}

Located<std::vector<double>> read_extent(const Node& node, std::size_t dimensions) {
    const auto expected = fmt::format("expected {} numbers above 0, one for each of `size`", dimensions);
    expect_array(node, "an array of numbers, as in [100.0, 100.0]");
    if (node.items.size() != dimensions) fail_at(node.where, fmt::format("`{}` has {}", node.path, node.items.size()), expected);
    std::vector<double> extent;
    for (const auto& item : node.items) {
        extent.push_back(read_finite(item));
        if (!(extent.back() > 0)) fail_at(item.where, fmt::format("`{}` is {}", item.path, extent.back()), expected);
    }
    return located(std::move(extent), node);
}

std::vector<Located<Boundary>> read_boundary(const Node& places, std::size_t dimensions) {
    const auto* node = places.find("boundary");
    if (!node) return std::vector<Located<Boundary>>(dimensions, {Boundary::torus, places.where});
    if (!node->is(Node::Kind::array)) return std::vector<Located<Boundary>>(dimensions, read_spelling(boundaries, *node));
    if (node->items.size() != dimensions)
        fail_at(node->where, fmt::format("`{}` has {}", node->path, node->items.size()),
                fmt::format("expected one boundary, or {}, one for each extent of `size`", dimensions));
    std::vector<Located<Boundary>> boundary;
    for (const auto& item : node->items) boundary.push_back(read_spelling(boundaries, item));
    return boundary;
}

// Of places without a shape: the size of the rows in which they stand. What needs a shape is refused.
void read_number(const Node& node, const Node& count, Places& places) {
    for (const char* const key : {"extent", "boundary", "outside"})
        if (const auto* other = node.find(key); other && other->where.file == count.where.file)
            fail_at(other->key_where, fmt::format("`{}` together with `count`", other->path),
                    "places of which there is a `count` have no shape, and nothing lies beside them", "leave one of them out");
    places.count = located(static_cast<std::uint64_t>(read_integer(count, 1, most_numbered)), count);
    constexpr auto row = static_cast<std::uint64_t>(row_of_count);
    places.size = located(std::vector<std::uint64_t>{row, (**places.count + row - 1) / row}, count);
    places.boundary.assign(2, {Boundary::open, count.where});
}

void refuse_boxes(const Places& places) {
    for (const auto& [name, steps] : places.init)
        for (const auto& step : steps)
            if (step->box)
                fail_at(step.where, fmt::format("the initial value of {}.{} has a `box`", *places.name, *name),
                        "places of which there is a `count` have no shape", "leave it out, or give the values in a file");
}

// Of places without a shape cuts are numbers of places, which have to be those of rows.
void take_cuts_by_numbers(Places& places) {
    for (auto& cut : places.cuts) {
        if (cut.value % row_of_count != 0)
            fail_at(cut.where, fmt::format("`places.{}.cuts` has {}", *places.name, cut.value),
                    fmt::format("of places without a shape devices have whole multiples of {}", row_of_count),
                    fmt::format("use {}", (cut.value + row_of_count / 2) / row_of_count * row_of_count));
        cut.value /= row_of_count;
    }
}

// Rows of the last axis, none before the one in front of it.
std::vector<Located<std::int64_t>> read_cuts(const Node& node, const std::vector<std::uint64_t>& size, std::int64_t most) {
    const std::string expected = "an array of rows, one for each device but the first, as in [128, 256], or \"measured\"";
    const bool measured = node.is(Node::Kind::text) && node.text == "measured";
    if (!measured) expect_array(node, expected);
    if (size.size() == 1) fail_at(node.where, fmt::format("`{}` cuts a grid of one dimension", node.path), "it is made by one device");
    std::vector<Located<std::int64_t>> cuts;
    if (measured) return cuts;
    for (const auto& item : node.items) {
        const auto row = read_integer(item, 0);
        if (row > most)
            fail_at(item.where, fmt::format("`{}` is {}", item.path, row),
                    most == static_cast<std::int64_t>(size.back()) ? fmt::format("the grid has {} rows", most)
                                                                   : fmt::format("there are {} places in whole rows", most));
        if (!cuts.empty() && row < *cuts.back())
            fail_at(item.where, fmt::format("`{}` is {}, after a cut at {}", item.path, row, *cuts.back()), "cuts are in rising order");
        cuts.push_back(located(row, item));
    }
    return cuts;
}

Located<std::string> read_type(const Node& places) {
    const auto* node = places.find("type");
    return node ? located(read_identifier(*node, "the name of a place type, as in \"cell\""), *node)
                : Located<std::string>{places.key, places.where};
}

Located<Places> read_place_collection(const Node& node, const std::string& folder) {
    if (!is_identifier(node.key))
        fail_at(node.key_where, fmt::format("`{}` cannot be the name of a collection", node.key),
                "expected letters, digits and `_`, starting with no digit");
    expect_keys(node, keys_of("[places.NAME]"));
    Places places;
    places.name = located_key(node);
    places.type = read_type(node);
    const auto* const shape = later_of(node, "count", "size", "places of which there is a `count` have no shape");
    if (shape != nullptr && shape->key == "count")
        read_number(node, *shape, places);
    else {
        places.size = read_size(node);
        if (const auto* extent = node.find("extent")) places.extent = read_extent(*extent, places.size->size());
        places.boundary = read_boundary(node, places.size->size());
    }
    if (const auto* devices = node.find("devices")) places.devices = read_devices(*devices, Auto::refused);
    if (const auto* cuts = node.find("cuts")) {
        const auto rows = static_cast<std::int64_t>(places.size->back());
        places.cuts = read_cuts(*cuts, *places.size, places.count ? rows * row_of_count : rows);
        if (places.count) take_cuts_by_numbers(places);
        places.cuts_measured = located(cuts->is(Node::Kind::text), *cuts);
    }
    if (const auto* outside = places.count ? nullptr : node.find("outside")) {
        expect_table(*outside, "a table: member = value");
        for (const auto& item : outside->items)
            places.outside.push_back(
                {located_key(item), read_constant(item, "a number, a boolean, or an array of these for an array member")});
    }
    if (const auto* init = node.find("init")) {
        expect_table(*init, "a table: member = value");
        const auto seen = places.count ? std::vector{**places.count} : *places.size;
        for (const auto& item : init->items) places.init.push_back({located_key(item), read_init(item, seen, folder)});
        if (places.count) refuse_boxes(places);
    }
    return located(std::move(places), node);
}

} // namespace

std::vector<Located<Places>> read_places(const Node& node, const std::string& folder) {
    expect_table(node, "a table for each collection of places, as in [places.cell]");
    std::vector<Located<Places>> places;
    for (const auto& item : node.items) {
        expect_table(item, "a table with the `size` of the collection, or its `count`");
        places.push_back(read_place_collection(item, folder));
    }
    return places;
}

} // namespace tessera::run_file
