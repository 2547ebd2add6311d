#include "host/generate/march.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

int rows_of_threads(const ViewChoice& view) { return block_threads / view.lanes; }

// The last axis, along which is marched; and what holds on grids of as many dimensions has the same index.
std::size_t last_axis(const CollectionSetup& collection) { return static_cast<std::size_t>(collection.dimensions - 1); }

bool sees_other_planes(const CollectionSetup& collection, const KernelSetup& kernel) {
    const auto axis = last_axis(collection);
    return std::any_of(kernel.accesses.begin(), kernel.accesses.end(), [&](const Access& access) {
        return access.use.around && access.use.low[axis][axis] + access.use.high[axis][axis] > 0;
    });
}

// An estimate of the 32-bit registers that the planes of a thread take.
int registers_of_planes(const Setup& setup, const KernelSetup& kernel, int cells, int rows) {
    int registers = 0;
    for (const auto& access : kernel.accesses) {
        const auto& use = access.use;
        const auto& layout = setup[access.column].layout;
        const int words = std::max<int>(static_cast<int>(size_of(layout.type)) / 4, 1) * layout.elements;
        constexpr std::size_t volume = 2;
        const auto beside = [&](std::size_t axis) { return use.low[volume][axis] + use.high[volume][axis]; };
        if (use.reads) registers += words * (beside(0) + cells) * (beside(1) + rows) * (beside(2) + 1);
        if (use.writes) registers += words * cells * rows;
    }
    return registers;
}

bool is_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

// What stands against fields in how a function uses a column; empty if nothing does.
std::string obstacle_to_fields(const Setup& setup, const CollectionSetup& collection, const Access& access) {
    const auto& column = setup[access.column];
    const auto name = setup.name_of(access.column);
    if ((column.layout.type != Scalar::u8 && column.layout.type != Scalar::boolean) || column.layout.elements != 1)
        return fmt::format("{} is neither a bool nor a std::uint8_t", name);
    const auto& use = access.use;
    const auto dims = last_axis(collection);
    for (std::size_t axis = 0; axis <= dims; ++axis)
        if (std::max(use.low[dims][axis], use.high[dims][axis]) > 1) return fmt::format("{} is seen further away than one place", name);
    const bool open =
        std::find(collection.boundary.begin(), collection.boundary.end(), run_file::Boundary::open) != collection.boundary.end();
    if (use.around && open && !is_zero(column.missing)) return fmt::format("{} is not 0 beyond the open boundary", name);
    const auto& initial = setup.member_of(access.column).initial;
    if (!use.reads && std::any_of(initial.begin(), initial.end(), [](std::byte byte) { return byte > std::byte{1}; }))
        return fmt::format("{} is set, and its default is greater than 1", name);
    return {};
}

// As few threads as a GPU needs to be busy: first fewer planes, then fewer rows, then fewer places beside each other.
ViewChoice with_threads_enough(const CollectionSetup& collection, ViewChoice view, int fewest_cells) {
    constexpr std::int64_t enough_threads = 1 << 15;
    const auto too_few = [&] { return collection.places() < enough_threads * view.cells * view.rows * view.planes; };
    while (too_few() && view.planes > 1) view.planes /= 2;
    while (too_few() && view.rows > 1) view.rows /= 2;
    while (too_few() && view.cells > fewest_cells) view.cells /= 2;
    return march_view(collection, view.cells, view.rows, view.planes, view.small);
}

} // namespace

ViewChoice march_view(const CollectionSetup& collection, int cells, int rows, int planes, int small) {
    ViewChoice view;
    view.kind = ViewChoice::Kind::march;
    view.cells = cells;
    view.rows = collection.dimensions == 2 ? 1 : rows;
    view.planes = planes;
    view.small = small;
    const bool flat = collection.dimensions == 2;
    const int fewest_lanes = flat ? 32 : 8, most_lanes = flat ? block_threads : 32; // the others of a block stand in rows below
    for (view.lanes = fewest_lanes; view.lanes < most_lanes && std::int64_t{view.lanes} * cells < collection.size[0];) view.lanes *= 2;
    return view;
}

ByteBody bytes_at_once(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    if (setup.modes().checked) return {0, "a checked run looks at each place"};
    if (!setup.model->has_source()) return {0, "the model has no source"};
    for (const auto& access : kernel.accesses)
        if (auto why = obstacle_to_fields(setup, collection, access); !why.empty()) return {0, std::move(why)};
    const auto& function = setup.function_of(kernel);
    const auto& row = setup.row_of(collection);
    std::vector<std::string> bools;
    for (const auto& member : row.members)
        if (member.type == Scalar::boolean) bools.push_back(member.name);
    return byte_body(setup.model->source, {row.name, function.name}, bools);
}

std::optional<ViewChoice> choose_march(const Setup& setup, const KernelSetup& kernel) {
    constexpr int most_registers = 96; // as of a window
    const auto& collection = setup.collections[kernel.collection];
    if (collection.dimensions < 2 || !kernel.is_function() || !sees_other_planes(collection, kernel)) return {};
    const bool flat = collection.dimensions == 2;
    ViewChoice view;
    view.small = bytes_at_once(setup, kernel).most;
    if (view.small > 0) {
        view.cells = 16;
        view.rows = flat ? 1 : 2;
        view.planes = 4;
        const auto fitted = with_threads_enough(collection, view, 4);
        if (flat && fitted.planes < view.planes) return {}; // few threads have less to share, and a window is faster
        return fitted;
    }
    if (flat) return {}; // a window slides down its rows
    // Of wide values a row at a time, so that enough loads are in flight; bytes gain more by sharing rows.
    std::size_t widest = 1;
    for (const auto& access : kernel.accesses) widest = std::max(widest, size_of(setup[access.column].layout.type));
    view.cells = widest == 8 ? 2 : 4;
    view.rows = widest == 1 ? 2 : 1;
    view.planes = widest == 1 ? 8 : 4;
    while (view.rows > 1 && registers_of_planes(setup, kernel, view.cells, view.rows) > most_registers) view.rows /= 2;
    while (view.cells > 1 && registers_of_planes(setup, kernel, view.cells, view.rows) > most_registers) view.cells /= 2;
    if (registers_of_planes(setup, kernel, view.cells, view.rows) > most_registers) return {};
    return with_threads_enough(collection, view, view.cells);
}

std::int64_t blocks_of_march(const CollectionSetup& collection, const ViewChoice& view, const RowRange& planes) {
    const auto pieces = [](std::int64_t extent, std::int64_t piece) { return (extent + piece - 1) / piece; };
    const auto across = pieces(collection.size[0], std::int64_t{view.cells} * view.lanes);
    const std::int64_t threads_below = rows_of_threads(view);
    if (collection.dimensions == 2) return across * pieces(planes.rows(), view.planes * threads_below);
    return across * pieces(collection.size[1], view.rows * threads_below) * pieces(planes.rows(), view.planes);
}

std::string march_call(const ViewChoice& view, const std::string& function, const std::string& grid) {
    const auto shape =
        fmt::format("tessera::march_shape<{}, {}, {}, {}, {}>", view.cells, view.rows, view.planes, view.lanes, rows_of_threads(view));
    return view.small > 0 ? fmt::format("call_march_fields<{}, {}, {}, {}>", function, grid, shape, view.small)
                          : fmt::format("call_march<{}, {}, {}>", function, grid, shape);
}

std::string explain_march(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    if (collection.dimensions < 2 || !kernel.is_function() || !sees_other_planes(collection, kernel)) return {};
    const auto view = choose_view(setup, kernel, true);
    if (collection.dimensions == 2 && view.kind != ViewChoice::Kind::march) return {};
    const auto text = fmt::format("{} on a GPU, one step at a time: {}", kernel.name, to_string(view));
    const bool of_bytes = std::all_of(kernel.accesses.begin(), kernel.accesses.end(),
                                      [&](const Access& access) { return size_of(setup[access.column].layout.type) == 1; });
    if (view.kind != ViewChoice::Kind::march || view.small > 0 || !of_bytes) return text;
    return fmt::format("{}; not several bytes at once: {}", text, bytes_at_once(setup, kernel).why_not);
}

} // namespace tessera
