#include "host/views/program_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {
namespace {

std::string include_line(const std::string& header) { return "#include <tessera/kernels/" + header + ">\n"; }

// What the programs' views are made of, each once.
std::string headers_of(const std::vector<FusedProgram>& programs) {
    std::string text = include_line("launch/entry.hpp") + include_line("launch/compare.hpp");
    for (const auto* each : fused_views())
        if (std::any_of(programs.begin(), programs.end(), [&](const FusedProgram& program) { return program.view.of == each; }))
            text += include_line("fused/" + each->header());
    if (std::any_of(programs.begin(), programs.end(), [](const FusedProgram& program) { return program.view.bits > 0; }))
        text += include_line("fused/bit_lanes.hpp");
    return text;
}

std::string program_type(const FusedProgram& program) { return "tessera_program_" + program.symbol; }

std::string functions_of(const Setup& setup, const FusedProgram& program) {
    std::vector<std::string> types;
    for (const auto phase : program.step.phases) types.push_back(function_type(setup, kernel_of(setup, phase)));
    return fmt::format("{}", fmt::join(types, ", "));
}

// The column that stands for each member, stage by stage.
std::string columns_of(const FusedProgram& program) {
    std::string columns;
    for (const auto& stage : repeated(program.step, program.view.depth).columns) columns += fmt::format("{{{}}}, ", fmt::join(stage, ", "));
    return columns;
}

std::string bounds_of(int threads, int blocks) {
    return blocks > 0 ? fmt::format("({}, {})", threads, blocks) : fmt::format("({})", threads);
}

std::string source_of(const Setup& setup, const FusedProgram& program, bool bounded) {
    const auto& collection = setup.collections[program.step.collection];
    const auto& view = program.view;
    const auto type = program_type(program);
    std::string text =
        fmt::format(R"(struct {0} {{
    using grid = {1};
    using members = {2};
    using functions = tessera::function_list<{3}>;
    static constexpr int steps = {4}, bits = {5}, stream = {6};
    static constexpr bool bounded = {7}, words = {8};
    static constexpr int column[][{9}] = {{{10}}};
}};
TESSERA_PROGRAM({11}, {0}, {12}, {13})
)",
                    type, grid_type(collection), members_type(setup.row_of(collection)), functions_of(setup, program), view.depth,
                    view.bits, view.of->stream_axis(collection), bounded, view.words, collection.columns.size(), columns_of(program),
                    program.symbol, bounds_of(view.of->threads(view), view.of->blocks(view)), view.of->call(view, type));
    for (const bool pack : {true, false})
        if (view.words)
            text += fmt::format("TESSERA_PROGRAM({}, {}, {}, convert_words<{}, {}>)\n",
                                pack ? pack_symbol(program) : unpack_symbol(program), type, bounds_of(block_threads, 0), type, pack);
    return text;
}

} // namespace

std::string program_epilogue(const Setup& setup, const std::vector<FusedProgram>& programs, bool bounded) {
    std::string text = headers_of(programs);
    std::vector<bool> has_grid(setup.collections.size());
    for (const auto& program : programs) {
        const auto& collection = setup.collections[program.step.collection];
        if (!has_grid[program.step.collection.index()]) text += grid_source(setup, collection) + beyond_source(collection);
        has_grid[program.step.collection.index()] = true;
        text += source_of(setup, program, bounded);
    }
    return text + parameters_source(setup);
}

} // namespace tessera
