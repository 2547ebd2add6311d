#include "host/generate/kernel_source.hpp"

#include "host/generate/agent_source.hpp"
#include "host/generate/chains.hpp"
#include "host/generate/kernel_pieces.hpp"
#include "host/generate/link_source.hpp"
#include "host/generate/march.hpp"
#include "host/generate/mathematics.hpp"
#include "host/generate/numbered.hpp"
#include "host/generate/reduce_source.hpp"
#include "host/generate/uniform_source.hpp"
#include "host/model/named_parameters.hpp"
#include "host/setup/asked_stop.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

using run_file::Boundary;

const char* spelled(Boundary boundary) {
    switch (boundary) {
    case Boundary::torus: return "torus";
    case Boundary::fixed: return "fixed";
    case Boundary::reflect: return "reflect";
    case Boundary::open: break;
    }
    return "open";
}

std::string qualified(const std::string& scope, const std::string& name) {
    return "tessera_model::" + (scope.empty() ? "" : scope + "::") + name;
}

std::string view_headers(const std::vector<ViewChoice>& views) {
    std::string text;
    for (const auto& [kind, name] : {std::pair(ViewChoice::Kind::rows, "rows"), std::pair(ViewChoice::Kind::direct, "direct"),
                                     std::pair(ViewChoice::Kind::window, "window"), std::pair(ViewChoice::Kind::numbered, "numbered")})
        if (std::any_of(views.begin(), views.end(), [kind = kind](const auto& view) { return view.kind == kind; }))
            text += fmt::format("#include <tessera/kernels/places/{}.hpp>\n", name);
    if (std::any_of(views.begin(), views.end(), [](const auto& view) { return view.teams > 0; }))
        text += "#include <tessera/kernels/places/senders.hpp>\n#include <tessera/kernels/places/team.hpp>\n";
    for (const bool fields : {false, true})
        if (std::any_of(views.begin(), views.end(),
                        [&](const auto& view) { return view.kind == ViewChoice::Kind::march && (view.small > 0) == fields; }))
            text += fmt::format("#include <tessera/kernels/places/{}.hpp>\n", fields ? "march_fields" : "march");
    return text;
}

std::string call_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view) {
    if (kernel.kind->list_work()) return {}; // compiled with the program
    if (kernel.is_reduction()) return reduction_source(setup, kernel);
    if (kernel.is_of_arrivals()) return arrivals_source(setup, kernel, view);
    if (setup.collections[kernel.collection].links && kernel.is_of_manage_all()) return link_call_source(setup, kernel);
    if (setup.is_among_agents(kernel)) return agent_call_source(setup, kernel);
    const auto& collection = setup.collections[kernel.collection];
    const std::string type = function_type(setup, kernel), grid = grid_type(collection);
    switch (view.kind) {
    case ViewChoice::Kind::rows: return fmt::format("TESSERA_ENTRY({}, {}, call_rows<{}, {}>)\n", kernel.symbol, type, type, grid);
    case ViewChoice::Kind::direct:
        return fmt::format("TESSERA_ENTRY({}, {}, call_direct<{}, {}, {}>)\n", kernel.symbol, type, type, grid, view.width);
    case ViewChoice::Kind::numbered: return numbered_source(setup, kernel, view);
    case ViewChoice::Kind::march: return fmt::format("TESSERA_ENTRY({}, {}, {})\n", kernel.symbol, type, march_call(view, type, grid));
    default: break;
    }
    return fmt::format("TESSERA_ENTRY({}, {}, call_window<{}, {}, {}, {}, {}>)\n", kernel.symbol, type, type, grid, view.cells, view.rows,
                       view.lanes);
}

// An estimate of the 32-bit registers that a window of `cells` places holds.
int window_registers(const Setup& setup, const KernelSetup& kernel, int cells) {
    const auto& collection = setup.collections[kernel.collection];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    int registers = 0;
    for (const auto& access : kernel.accesses) {
        const auto& use = access.use;
        const auto& layout = setup[access.column].layout;
        const int words = std::max<int>(static_cast<int>(size_of(layout.type)) / 4, 1) * layout.elements;
        const auto span = [&](std::size_t axis) { return use.low[dims][axis] + 1 + use.high[dims][axis]; };
        if (use.reads) registers += words * (span(0) - 1 + cells) * span(1) * span(2);
        if (use.writes) registers += words * cells;
    }
    return registers;
}

// What one call reads and writes, each place once.
std::int64_t bytes_touched(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    std::int64_t bytes = 0;
    for (const auto& [column, use, aside] : kernel.accesses) {
        const auto& layout = setup[column].layout;
        bytes += ((use.reads ? 1 : 0) + (use.writes ? 1 : 0)) * static_cast<std::int64_t>(size_of(layout.type)) * layout.elements;
    }
    return bytes * collection.places();
}

// Of tiles that cover these rows, the last ones as far as they reach.
std::int64_t tiles_of(const CollectionSetup& collection, const RowRange& band, std::int64_t width, std::int64_t height) {
    const auto across = (collection.size[0] + width - 1) / width;
    const auto down = [&](std::int64_t rows) { return (rows + height - 1) / height; };
    return collection.dimensions == 3 ? across * down(collection.size[1]) * band.rows() : across * down(band.rows());
}

} // namespace

bool is_baked(const Setup& setup, const model::Parameter& parameter) {
    return setup.modes().bake || model::is_in_access_list(setup.description(), parameter);
}

std::int64_t row_pieces(const CollectionSetup& collection) {
    constexpr std::int64_t enough_items = 256, shortest_piece = 4096;
    const std::int64_t rows = collection.size[1] * collection.size[2];
    if (rows >= enough_items) return 1;
    return std::clamp((enough_items + rows - 1) / rows, std::int64_t{1}, std::max(collection.size[0] / shortest_piece, std::int64_t{1}));
}

std::string scalar_type(Scalar type) {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::f32: return "float";
    case Scalar::f64: return "double";
    default: return fmt::format("std::{}_t", name_of(type));
    }
}

std::string grid_type(const CollectionSetup& collection) { return "tessera_grid_of_" + collection.name; }

std::string members_type(const model::Row& row) { return qualified(row.scope, "tessera_members_of_" + row.name); }

std::string function_type(const Setup& setup, const KernelSetup& kernel) {
    const auto& function = setup.description().functions[kernel.function];
    return qualified(function.scope, setup.description().rows[function.row].name + "_" + function.name);
}

std::string grid_source(const Setup& setup, const CollectionSetup& collection) {
    std::string columns;
    for (const auto& column : collection.columns) {
        const auto& l = column.layout;
        columns +=
            fmt::format("        {{{}l, {}l, {}l, {{{}, {}, {}}}}},\n", l.row, l.plane, l.element, l.ghost[0], l.ghost[1], l.ghost[2]);
    }
    if (columns.empty()) columns = "        {},\n"; // an array has a value at least
    return fmt::format(R"(struct {} {{
    static constexpr int dims = {};
    static constexpr std::int64_t size[3] = {{{}l, {}l, {}l}};
    static constexpr tessera::boundary rule[3] = {{tessera::boundary::{}, tessera::boundary::{}, tessera::boundary::{}}};
    static constexpr std::int64_t pieces = {};
    static constexpr bool in_bands = {};
    static constexpr bool rows_are_sent = {};
    static constexpr tessera::column_layout columns[] = {{
{}    }};
{}}};
)",
                       grid_type(collection), collection.dimensions, collection.size[0], collection.size[1], collection.size[2],
                       spelled(collection.boundary[0]), spelled(collection.boundary[1]), spelled(collection.boundary[2]),
                       row_pieces(collection), setup.in_bands(), setup.own_memory(), columns,
                       collection.count ? fmt::format("    static constexpr std::int64_t count = {}l;\n", *collection.count) : "");
}

std::string beyond_source(const CollectionSetup& collection) {
    const auto values = [](const Layout& layout, const std::vector<std::byte>& bytes) {
        std::string text;
        for (int e = 0; e < layout.elements; ++e)
            text += as_source(layout.type, bytes.data() + static_cast<std::size_t>(e) * size_of(layout.type)) + ", ";
        return text;
    };
    std::string text;
    for (std::size_t i = 0; i < collection.columns.size(); ++i) {
        const auto& column = collection.columns[i];
        text += fmt::format(
            "template<> struct tessera::beyond<{}, {}> {{\n    static constexpr {} outside[] = {{{}}}, missing[] = {{{}}};\n}};\n",
            grid_type(collection), i, scalar_type(column.layout.type), values(column.layout, column.outside),
            values(column.layout, column.missing));
    }
    return text;
}

std::string parameters_source(const Setup& setup) {
    if (setup.modes().bake || setup.values.parameters.empty()) return {};
    std::string members, body;
    const auto& parameters = setup.description().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        members += fmt::format("    alignas(8) {} p{};\n", scalar_type(parameters[i].type), i);
        if (!is_baked(setup, parameters[i]))
            body +=
                fmt::format("{} = args.p{}; ", qualified(parameters[i].scope, fmt::format("TESSERA_PASSED({})", parameters[i].name)), i);
    }
    return fmt::format("struct tessera_parameters {{\n{}}};\nTESSERA_TASK({}, tessera_parameters, {})\n", members, parameters_symbol, body);
}

std::string to_string(const ViewChoice& view) {
    switch (view.kind) {
    case ViewChoice::Kind::rows: return "rows";
    case ViewChoice::Kind::direct: return "direct";
    case ViewChoice::Kind::agents: return "agents";
    case ViewChoice::Kind::numbered:
        return view.teams > 0 ? "numbered, one place a thread, or several threads a place with many links" : "numbered, one place a thread";
    case ViewChoice::Kind::march:
        return fmt::format("march, {} x {} x {} places a thread{}", view.cells, view.rows, view.planes,
                           view.small > 0 ? fmt::format(", 4 bytes at once up to a value of {}", view.small) : "");
    case ViewChoice::Kind::window: break;
    }
    return fmt::format("window, {} x {} places a thread", view.cells, view.rows);
}

int rows_in_hand(const Setup& setup, const KernelSetup& kernel) {
    int rows = 0;
    for (const auto& access : kernel.accesses) rows += setup[access.column].layout.elements;
    return rows;
}

ViewChoice direct_view(const CollectionSetup& collection) {
    ViewChoice view;
    view.kind = ViewChoice::Kind::direct;
    for (view.width = 32; view.width < 64 && view.width < collection.size[0];) view.width *= 2;
    return view;
}

ViewChoice window_view(const CollectionSetup& collection, int cells, int rows) {
    ViewChoice view;
    view.kind = ViewChoice::Kind::window;
    view.cells = cells;
    view.rows = rows;
    for (view.lanes = 32; view.lanes < block_threads && view.lanes * cells < collection.size[0];) view.lanes *= 2;
    return view;
}

ViewChoice choose_view(const Setup& setup, const KernelSetup& kernel, bool cuda) {
    constexpr int most_registers = 96; // of 255: addresses and arithmetic need some, and two blocks should fit beside each other
    const auto& collection = setup.collections[kernel.collection];
    if (setup.is_among_agents(kernel) || kernel.is_reduction()) {
        ViewChoice view;
        view.kind = ViewChoice::Kind::agents;
        return view;
    }
    if (setup.goes_by_numbers(kernel) || kernel.is_of_arrivals()) {
        if (cuda && kernel.is_function() && goes_in_teams(setup, kernel)) return team_view(setup, kernel);
        return numbered_view(collection);
    }
    const auto asked = setup.modes().view;
    if (!cuda && asked == run_file::View::automatic && rows_in_hand(setup, kernel) <= most_rows_in_hand) return {};
    const bool is_called_once = kernel.is_function() && setup.function_of(kernel).is_init; // so compiling it counts
    if (asked == run_file::View::direct || (asked == run_file::View::automatic && (!cuda || is_called_once)))
        return direct_view(collection);
    if (asked == run_file::View::automatic)
        if (const auto march = choose_march(setup, kernel)) return *march;

    std::size_t widest = 1;
    for (const auto& access : kernel.accesses) widest = std::max(widest, size_of(setup[access.column].layout.type));
    int cells = widest == 8 ? 2 : 4;
    while (cells > 1 && window_registers(setup, kernel, cells) > most_registers) cells /= 2;
    if (window_registers(setup, kernel, cells) > most_registers) return direct_view(collection);

    // Sliding saves loads but costs parallelism (docs/performance.md): a GPU wants 2^15 threads at least, and from beyond its cache more
    // loads in flight than eight rows of wide values leave room for.
    constexpr std::int64_t enough_threads = 1 << 15, cached_bytes = 40 << 20;
    const std::int64_t longest = widest == 1 || bytes_touched(setup, kernel) < cached_bytes ? 8 : 4;
    int rows = static_cast<int>(std::clamp(collection.places() / (cells * enough_threads), std::int64_t{1}, longest));
    while ((rows & (rows - 1)) != 0) --rows; // a power of two
    return window_view(collection, cells, static_cast<int>(std::min<std::int64_t>(rows, collection.size[1])));
}

LaunchShape launch_shape(const CollectionSetup& collection, const ViewChoice& view, const RowRange& band) {
    LaunchShape shape;
    unsigned threads = block_threads;
    std::int64_t tiles_a_block = 1;
    switch (view.kind) {
    case ViewChoice::Kind::rows:
        shape.items = band.rows() * (collection.dimensions == 3 ? collection.size[1] : 1) * row_pieces(collection);
        return shape;
    case ViewChoice::Kind::direct:
    case ViewChoice::Kind::numbered:
        shape.items = tiles_of(collection, band, view.width, 1);
        if (view.teams > 0) threads = static_cast<unsigned>(view.teams);
        tiles_a_block = threads / view.width;
        break;
    case ViewChoice::Kind::window:
        shape.items = tiles_of(collection, band, std::int64_t{view.cells} * view.lanes, view.rows);
        tiles_a_block = block_threads / view.lanes;
        break;
    case ViewChoice::Kind::march: shape.items = blocks_of_march(collection, view, band); break;
    case ViewChoice::Kind::agents: break;
    }
    shape.block = {threads, 1, 1};
    shape.grid = {static_cast<unsigned>((shape.items + tiles_a_block - 1) / tiles_a_block * view.shared), 1, 1};
    return shape;
}

std::string kernel_prelude(const Setup& setup) {
    std::string text = "#define TESSERA_KERNELS 1\n";
    if (!may_use_mathematics(setup.model->source)) text += "#define TESSERA_WITHOUT_MATH 1\n";
    if (!model::may_have_agents(setup.model->source)) text += "#define TESSERA_WITHOUT_AGENTS 1\n";
    if (!model::may_have_links(setup.model->source)) text += "#define TESSERA_WITHOUT_LINKS 1\n";
    return text + parameter_macros(setup) + "#include <tessera/model.hpp>\n#include <tessera/detail/prelude.hpp>\n";
}

std::string parameter_macros(const Setup& setup) {
    std::string text;
    const auto& parameters = setup.description().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool baked = is_baked(setup, parameters[i]);
        text += fmt::format("#define TESSERA_KIND_{} {}\n", parameters[i].name, baked ? "BAKED" : "PASSED");
        if (baked)
            text += fmt::format("#define TESSERA_VALUE_{} {}\n", parameters[i].name,
                                as_source(parameters[i].type, setup.values.parameters[i].bytes.data()));
    }
    const auto& values = setup.description().values;
    for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("#define TESSERA_SLOT_{} {}\n", values[i].name, i);
    return text + uniform_macros(setup.description());
}

namespace {

// Nothing for a CPU.
std::string chains_source(const Setup& setup, const KernelPieces& pieces) {
    const auto chains = chain_sources(setup);
    if (chains.empty()) return {};
    std::string text = "#if TESSERA_GPU\n#include <tessera/kernels/agents/chained.hpp>\n";
    for (std::size_t code = 0; code < chains.size(); ++code) text += in_piece(pieces, pieces.of_chain[code], chains[code]);
    return text + "#endif\n";
}

// The type by which an agents' kernel is called is in all parts: chains need it.
std::string kernel_text(const Setup& setup, const KernelPieces& pieces, KernelId kernel, const ViewChoice& view) {
    const auto text = call_source(setup, setup.kernels[kernel], view);
    const auto entry = text.find("TESSERA_AGENTS(");
    const auto begin = entry == std::string::npos ? 0 : entry;
    return text.substr(0, begin) + in_piece(pieces, pieces.of_kernel[kernel.index()], text.substr(begin));
}

} // namespace

KernelTexts kernel_texts(const Setup& setup, const std::vector<ViewChoice>& views) {
    KernelTexts texts;
    if (!setup.asks_state() && !find_stop_question(setup)) texts.before = "#define TESSERA_WITHOUT_QUESTIONS 1\n";
    texts.before += "#include <tessera/kernels/launch/entry.hpp>\n" + view_headers(views);
    for (const auto& collection : setup.collections) texts.before += grid_source(setup, collection);
    texts.before += agents_source(setup) + changing_links_source(setup) + reduce_headers(setup);
    const auto pieces = kernel_pieces(setup);
    for (const auto kernel : setup.kernels.ids()) texts.kernels.push_back(kernel_text(setup, pieces, kernel, views[kernel.index()]));
    texts.behind = in_piece(pieces, pieces.of_all, joins_source(setup) + uniforms_source(setup.description()) + parameters_source(setup)) +
                   chains_source(setup, pieces);
    return texts;
}

std::string kernel_epilogue(const Setup& setup, const std::vector<ViewChoice>& views) {
    const auto texts = kernel_texts(setup, views);
    auto all = texts.before;
    for (const auto& kernel : texts.kernels) all += kernel;
    return all + texts.behind;
}

} // namespace tessera
