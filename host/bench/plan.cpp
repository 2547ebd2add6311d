#include "host/bench/plan.hpp"

#include "device_runtime/error.hpp"
#include "host/generate/march.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

namespace tessera::bench {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    if (text.empty() || text.back() == separator) parts.emplace_back();
    return parts;
}

// "200x100" as numbers from 1 to `most`; empty if it is not that.
std::vector<std::int64_t> numbers_of(const std::string& text, std::int64_t most) {
    std::vector<std::int64_t> numbers;
    for (const auto& part : split(text, 'x')) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (error != std::errc() || end != part.data() + part.size() || number < 1 || number > most) return {};
        numbers.push_back(number);
    }
    return numbers;
}

[[noreturn]] void refuse_shape(const std::string& item, const std::string& shape) {
    throw Error(Failure::usage, fmt::format("--views {}: this is no view", item), shape);
}

ViewChoice window(int cells, int rows) {
    ViewChoice view;
    view.kind = ViewChoice::Kind::window;
    view.cells = cells;
    view.rows = rows;
    return view;
}

// `small` is asked for where it is not 0; its value is the kernel's.
ViewChoice march(int cells, int rows, int planes, int small) {
    ViewChoice view;
    view.kind = ViewChoice::Kind::march;
    view.cells = cells;
    view.rows = rows;
    view.planes = planes;
    view.small = small;
    return view;
}

// A shape as a kernel can have it.
ViewChoice fitted(const ViewChoice& shape, const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const int small = shape.small > 0 && kernel.is_function() ? bytes_at_once(setup, kernel).most : 0;
    if (shape.kind == ViewChoice::Kind::march && kernel.is_function() &&
        (collection.dimensions == 3 || (collection.dimensions == 2 && small > 0)))
        return march_view(collection, shape.small > 0 && small == 0 ? 4 : shape.cells, shape.rows, shape.planes, small);
    if (shape.kind == ViewChoice::Kind::direct || shape.kind == ViewChoice::Kind::march) return direct_view(collection);
    if (shape.kind == ViewChoice::Kind::window)
        return window_view(collection, shape.cells, static_cast<int>(std::min<std::int64_t>(shape.rows, collection.size[1])));
    return shape;
}

struct Named {
    std::string name, shape; // "window", "4x8"
};

void add_shaped(Views& views, const Named& named, const std::string& item) {
    const auto numbers = numbers_of(named.shape, 1 << 20);
    const auto number = [&](std::size_t i) { return static_cast<int>(numbers[i]); };
    const auto needs = [&](std::size_t least, std::size_t most, const char* expected) {
        if (numbers.size() < least || numbers.size() > most) refuse_shape(item, expected);
    };
    if (named.name == "window") {
        needs(2, 2, "window:4x8 is 4 places beside each other, and 8 rows, of a thread");
        views.single.push_back(window(number(0), number(1)));
    } else if (named.name == "march") {
        needs(3, 3, "march:4x1x8 is 4 places beside each other, 1 row and 8 planes of a thread");
        views.single.push_back(march(number(0), number(1), number(2), 0));
    } else if (named.name == "bytes") {
        const char* const expected = "bytes:16x2x8 is 16 bytes beside each other, 4, 8 or 16, 2 rows and 8 planes of a thread";
        needs(3, 3, expected);
        if (number(0) != 4 && number(0) != 8 && number(0) != 16) refuse_shape(item, expected);
        views.single.push_back(march(number(0), number(1), number(2), 1));
    } else {
        const auto read = read_fused_view(item);
        if (!read.view) refuse_shape(item, read.why_not);
        views.fused.push_back(*read.view);
    }
}

// What `--views` knows: groups, and names with numbers behind them.
std::vector<std::string> groups() { return {"all", "single", "fused", "chosen", "rows", "direct", "window"}; }
std::vector<std::string> shaped() {
    std::vector<std::string> names{"window", "march", "bytes"};
    for (const auto& spelling : fused_spellings()) names.push_back(spelling.name);
    return names;
}

void add(Views& views, const std::string& item) {
    const auto colon = item.find(':');
    const Named named{item.substr(0, colon), colon == std::string::npos ? "" : item.substr(colon + 1)};
    const auto is_one_of = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), named.name) != names.end();
    };
    if (colon == std::string::npos && is_one_of(groups())) {
        const bool all = named.name == "all", single = all || named.name == "single";
        views.chosen |= single || named.name == "chosen";
        views.direct |= single;
        views.windows |= all || named.name == "window";
        views.candidates |= all || named.name == "fused";
        if (named.name == "rows") views.single.emplace_back();
        if (named.name == "direct") views.single.push_back({ViewChoice::Kind::direct});
    } else if (is_one_of(shaped())) {
        add_shaped(views, named, item);
    } else {
        auto known = groups();
        for (const auto& name : shaped())
            if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
        throw Error(Failure::usage, fmt::format("--views {}: this is no view", item), "known are " + listed(known),
                    did_you_mean(named.name, known));
    }
}

} // namespace

std::vector<Size> parse_sizes(const std::string& text) {
    constexpr std::int64_t most = (std::int64_t{1} << 40) - 1;
    std::vector<Size> sizes;
    for (const auto& item : split(text, ',')) {
        sizes.push_back(numbers_of(item, most));
        if (sizes.back().empty() || sizes.back().size() > 3)
            throw Error(Failure::usage, fmt::format("--sizes {}: `{}` is no size", text, item),
                        "a size is one extent for all axes, or one for each, from 1 to 2^40 - 1",
                        "write --sizes 500,1000 or --sizes 200x100");
    }
    return sizes;
}

std::vector<Size> usual_sizes(int dimensions) {
    if (dimensions == 1) return {{1 << 16}, {1 << 20}, {1 << 24}, {1 << 26}};
    if (dimensions == 2) return {{500}, {1000}, {2000}, {4096}, {8192}};
    return {{64}, {128}, {256}, {400}};
}

Extents extents_of(const Size& size, const std::string& collection, std::size_t dimensions) {
    if (size.size() != 1 && size.size() != dimensions)
        throw Error(Failure::usage, fmt::format("--sizes {}: this has {} extents", fmt::join(size, "x"), size.size()),
                    fmt::format("{} is a grid of {} dimension{}", collection, dimensions, dimensions == 1 ? "" : "s"),
                    "give one number for all of them, or as many as there are");
    Extents extents{1, 1, 1};
    for (std::size_t axis = 0; axis < dimensions; ++axis) extents[axis] = size[std::min(axis, size.size() - 1)];
    return extents;
}

std::string to_string(const Size& size) { return fmt::format("{}", fmt::join(size, " x ")); }

std::string known_views() {
    auto known = groups();
    for (const char* const name : {"window:CxR", "march:CxRxP", "bytes:CxRxP"}) known.emplace_back(name);
    for (const auto& spelling : fused_spellings()) known.push_back(spelling.name + ":" + spelling.form);
    return fmt::format("{}", fmt::join(known, ", "));
}

Views parse_views(const std::string& text) {
    Views views;
    for (const auto& item : split(text, ',')) add(views, item);
    return views;
}

ScalingWanted parse_scaling(const std::string& text) {
    ScalingWanted wanted;
    for (const auto& item : split(text, ',')) {
        if (item != "strong" && item != "weak")
            throw Error(Failure::usage, fmt::format("--scaling {}: `{}` is none", text, item), "known are strong and weak",
                        did_you_mean(item, {"strong", "weak"}));
        (item == "strong" ? wanted.strong : wanted.weak) = true;
    }
    return wanted;
}

std::vector<int> parse_counts(const std::string& text, std::size_t devices) {
    std::vector<int> counts(text.empty() ? devices : 0);
    std::iota(counts.begin(), counts.end(), 1);
    if (text.empty()) return counts;
    for (const auto& item : split(text, ',')) {
        const auto numbers = numbers_of(item, static_cast<std::int64_t>(devices));
        if (numbers.size() != 1)
            throw Error(Failure::usage, fmt::format("--counts {}: `{}` is no number of devices", text, item),
                        fmt::format("there are 1 to {}", devices), "write --counts 1,2,4, and as many devices in --devices");
        counts.push_back(static_cast<int>(numbers.front()));
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

std::vector<std::vector<ViewChoice>> single_views(const Views& wanted, const Setup& setup, bool cuda) {
    auto shapes = wanted.single;
    if (wanted.direct && cuda) shapes.push_back({ViewChoice::Kind::direct});
    if (wanted.windows && cuda)
        for (const int cells : {1, 2, 4})
            for (const int rows : {1, 2, 4, 8, 16}) shapes.push_back(window(cells, rows));
    std::vector<std::vector<ViewChoice>> views;
    for (const auto& shape : shapes) {
        std::vector<ViewChoice> view;
        for (const auto& kernel : setup.kernels) view.push_back(fitted(shape, setup, kernel));
        if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
    }
    return views;
}

} // namespace tessera::bench
