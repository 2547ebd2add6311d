#include "host/generate/any_run_source.hpp"

#include "host/generate/reduce_code.hpp"
#include "host/generate/uniform_source.hpp"
#include "kernels/launch/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace tessera {
namespace {

constexpr int tile_width = 64; // of the view `direct`

bool is_any_run_kernel(const Setup& setup, const KernelSetup& kernel) { return kernel.is_function() && !setup.is_among_agents(kernel); }

// Whether a function can be called in a grid of so many dimensions: it looks along no other axis.
bool fits(const model::Function& function, std::size_t dims) {
    return std::all_of(function.accesses.begin(), function.accesses.end(), [&](const model::MemberAccess& access) {
        for (std::size_t axis = dims; axis < 3; ++axis)
            if (access.use.low[dims - 1][axis] != 0 || access.use.high[dims - 1][axis] != 0) return false;
        return true;
    });
}

bool looks_around(const model::Function& function) {
    return std::any_of(function.accesses.begin(), function.accesses.end(), [](const auto& access) { return access.use.around; });
}

bool has_open_boundary(const CollectionSetup& collection) {
    const auto end = collection.boundary.begin() + collection.dimensions;
    return std::find(collection.boundary.begin(), end, run_file::Boundary::open) != end;
}

std::string entry_name(std::size_t function, bool open) { return fmt::format("tessera_any_run_{}{}", function, open ? "_open" : ""); }
const char* grid_name(bool open) { return open ? "tessera_open_grid" : "tessera_closed_grid"; }

boundary rule_of(run_file::Boundary rule) {
    switch (rule) {
    case run_file::Boundary::torus: return boundary::torus;
    case run_file::Boundary::fixed: return boundary::fixed;
    case run_file::Boundary::reflect: return boundary::reflect;
    case run_file::Boundary::open: break;
    }
    return boundary::open;
}

std::size_t bytes_of_geometry(std::size_t columns) { return sizeof(geometry_header) + columns * sizeof(column_layout); }

std::string grids_source(std::size_t columns, int dimensions) {
    columns = std::max<std::size_t>(columns, 1); // an array has a value at least
    auto text = fmt::format("TESSERA_GEOMETRY({}, {}, {})\n", geometry_symbol, columns, bytes_of_geometry(columns));
    for (const bool open : {false, true})
        text +=
            fmt::format("struct {} {{\n    static constexpr int dims = {};\n    static constexpr bool in_bands = true, may_be_open = {};\n"
                        "    static TESSERA_FN const auto& runtime() {{ return {}; }}\n}};\n",
                        grid_name(open), dimensions, open, geometry_symbol);
    return text;
}

std::string entries_source(const Setup& setup, const KernelSetup& kernel, bool cuda) {
    const auto type = function_type(setup, kernel);
    const bool rows = any_run_view(setup, kernel, cuda).kind == ViewChoice::Kind::rows;
    std::string text;
    for (const bool open : {false, true})
        if (!open || looks_around(setup.function_of(kernel)))
            text += fmt::format("TESSERA_ENTRY({}, {}, {})\n", entry_name(kernel.function, open), type,
                                rows ? fmt::format("call_rows<{}, {}>", type, grid_name(open))
                                     : fmt::format("call_direct<{}, {}, {}>", type, grid_name(open), tile_width));
    return text;
}

} // namespace

std::string any_run_epilogue(const Setup& any, std::size_t row, int dimensions, bool cuda) {
    std::string entries;
    std::set<std::size_t> functions; // a run may have several collections of a row
    for (const auto& kernel : any.kernels) {
        if (!is_any_run_kernel(any, kernel) || any.function_of(kernel).row != row) continue;
        if (fits(any.function_of(kernel), static_cast<std::size_t>(dimensions)) && functions.insert(kernel.function).second)
            entries += entries_source(any, kernel, cuda);
    }
    if (entries.empty()) return {};
    return "#include <tessera/kernels/launch/entry.hpp>\n#include <tessera/kernels/places/rows.hpp>\n#include "
           "<tessera/kernels/places/direct.hpp>\n" +
           grids_source(any.description().rows[row].members.size(), dimensions) + entries + uniforms_source(any.description()) +
           parameters_source(any);
}

std::string obstacle_to_any_run(const Setup& setup) {
    if (setup.has_agents()) return "it has agents";
    const auto has_no_shape = [](const CollectionSetup& collection) { return !collection.has_shape(); };
    if (setup.has_links() || std::any_of(setup.collections.begin(), setup.collections.end(), has_no_shape))
        return "it has places without a shape, or links";
    if (setup.modes().is_fast()) return "run.float is \"fast\"";
    if (setup.modes().view != run_file::View::automatic) return "schedule.view is not automatic";
    return obstacle_to_reduce_code(setup);
}

std::string any_run_symbol(const Setup& setup, const KernelSetup& kernel) {
    if (kernel.is_reduction()) return any_reduce_symbol;
    const auto& collection = setup.collections[kernel.collection];
    return entry_name(kernel.function, looks_around(setup.function_of(kernel)) && has_open_boundary(collection));
}

ViewChoice any_run_view(const Setup& setup, const KernelSetup& kernel, bool cuda) {
    ViewChoice view;
    if (cuda || rows_in_hand(setup, kernel) > most_rows_in_hand) view.kind = ViewChoice::Kind::direct;
    view.width = tile_width;
    return view;
}

std::vector<std::byte> geometry_bytes(const Setup& setup, const CollectionSetup& collection) {
    geometry_header header{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        header.size[axis] = collection.size[axis];
        header.rule[axis] = rule_of(collection.boundary[axis]);
    }
    header.pieces = row_pieces(collection);
    header.rows_are_sent = setup.own_memory() ? 1 : 0;
    std::vector<std::byte> bytes(bytes_of_geometry(std::max<std::size_t>(collection.columns.size(), 1)));
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (std::size_t c = 0; c < collection.columns.size(); ++c) {
        const auto& layout = collection.columns[c].layout;
        const column_layout column{layout.row, layout.plane, layout.element, {{layout.ghost[0], layout.ghost[1], layout.ghost[2]}}};
        std::memcpy(bytes.data() + sizeof(header) + c * sizeof(column), &column, sizeof(column));
    }
    return bytes;
}

} // namespace tessera
