#include "host/schedule/fusion.hpp"

#include "host/schedule/fused_blocks.hpp"
#include "host/schedule/fused_patches.hpp"
#include "host/schedule/fused_tiles.hpp"
#include "host/schedule/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera {
namespace {

constexpr int warp = 32, most_reach = 3; // device_runtime/kernels/program.hpp: most_reach_fused

int places_a_lane(const FusedView& view) { return view.cells * (view.bits > 0 ? 32 : 1); }

int halo_of(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto step = plan_of(setup, sequence, view).until.back();
    const int aside = std::max(step.low[0], step.high[0]) * view.depth, lane = places_a_lane(view);
    return (aside + lane - 1) / lane * lane;
}

int threads_of(const FusedView& view) { return view.kind == FusedView::Kind::tile ? threads_of_tile(view) : block_threads; }

std::string call_of(const FusedProgram& program) {
    const auto& view = program.view;
    const auto type = "tessera_program_" + program.symbol;
    switch (view.kind) {
    case FusedView::Kind::blocks: return fmt::format("call_row_blocks<{}, {}, {}>", type, view.cells, view.rows);
    case FusedView::Kind::tile: return fmt::format("call_tiles<{}, {}, {}, {}>", type, view.cells, view.tall, view.rows);
    case FusedView::Kind::patch: return fmt::format("call_patches<{}, {}, {}>", type, view.cells, view.rows);
    case FusedView::Kind::pipeline: break;
    }
    return fmt::format("call_pipeline<{}, {}, {}>", type, view.cells, view.rows);
}

// Why words cannot be handed on, where bits can be made of bytes.
std::string obstacle_to_words(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    if (collection.boundary[0] == run_file::Boundary::torus && collection.size[0] % 32 != 0)
        return fmt::format("a torus of {} places is not made of whole words of 32", collection.size[0]);
    for (std::size_t m = 0; m < sequence.after.size(); ++m) {
        const auto& layout = collection.columns[m].layout;
        if (sequence.after[m] != m && (size_of(layout.type) != 1 || layout.elements != 1)) return "a column that is rotated has no bits";
    }
    return {};
}

std::string obstacle_to_strips(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const int halo = halo_of(setup, sequence, view);
    if (2 * halo > warp * places_a_lane(view) / 2)
        return fmt::format("{} steps see {} places sideways, too many for a strip of {}", view.depth, halo, warp * places_a_lane(view));
    return {};
}

// Of what stands in registers or in rows that the cache holds.
std::string obstacle_to_rows(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    if (collection.dimensions == 3) return "a grid of three dimensions is not streamed by rows";
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    for (const auto phase : sequence.phases)
        for (const auto& use : uses_of(setup, phase))
            for (std::size_t axis = 0; axis < 2; ++axis)
                if (use.low[dims][axis] > most_reach || use.high[dims][axis] > most_reach)
                    return fmt::format("{} sees further than {} places", setup.phases[phase].name, most_reach);
    return {};
}

} // namespace

int stream_axis(const CollectionSetup& collection, const FusedView& view) {
    return view.kind == FusedView::Kind::tile && collection.dimensions == 3 ? 2 : 1;
}

std::string to_string(const FusedView& view) {
    const auto number_of = [](int number, const char* what) { return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s"); };
    if (view.kind == FusedView::Kind::blocks)
        return fmt::format("blocks, {}, {} x {} places", number_of(view.depth, "step"), view.cells, view.rows);
    if (view.kind == FusedView::Kind::tile)
        return fmt::format("tile, {}, {}{}{} places", number_of(view.depth, "step"), view.cells,
                           view.tall > 1 ? fmt::format(" x {}", view.tall) : "", view.rows > 1 ? fmt::format(" x {}", view.rows) : "");
    if (view.kind == FusedView::Kind::patch)
        return fmt::format("patch, {}, {} a lane, {}", number_of(view.depth, "step"), number_of(view.cells, "place"),
                           number_of(view.rows, "row"));
    return fmt::format("pipeline, {}, {} a lane{}, strips of {}", number_of(view.depth, "step"), number_of(places_a_lane(view), "place"),
                       view.bits > 0 ? fmt::format(" ({} each{})", number_of(view.bits, "bit"), view.words ? ", in memory too" : "") : "",
                       number_of(view.rows, "row"));
}

std::vector<bool> CallSequence::written(const Setup& setup) const {
    std::vector<bool> result(after.size());
    for (std::size_t call = 0; call < phases.size(); ++call) {
        const auto& uses = uses_of(setup, phases[call]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes) result[columns[call][m]] = true;
    }
    return result;
}

CallSequence repeated(const CallSequence& one, int steps) {
    CallSequence all = one;
    for (int step = 1; step < steps; ++step) {
        const auto before = all.after;
        for (std::size_t call = 0; call < one.phases.size(); ++call) {
            all.phases.push_back(one.phases[call]);
            auto& columns = all.columns.emplace_back(one.columns[call]);
            for (auto& column : columns) column = before[column];
        }
        for (std::size_t m = 0; m < before.size(); ++m) all.after[m] = before[one.after[m]];
    }
    return all;
}

std::vector<bool> usual_phases(const Setup& setup) {
    constexpr std::uint64_t looked_at = 1024;
    const std::uint64_t steps = std::min(looked_at, setup.run.run.steps ? **setup.run.run.steps : looked_at);
    std::map<std::vector<bool>, std::uint64_t> seen;
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(steps, 1); ++k) {
        std::vector<bool> active;
        for (const auto& phase : setup.phases) active.push_back(phase.timing.includes(k));
        ++seen[active];
    }
    return std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
}

bool runs_exactly(const Setup& setup, const std::vector<bool>& phases, std::uint64_t step) {
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (setup.phases[p].timing.includes(step) != phases[p]) return false;
    return true;
}

std::vector<CallSequence> call_sequences(const Setup& setup, const std::vector<bool>& phases) {
    std::vector<CallSequence> all(setup.collections.size());
    for (const auto c : setup.collections.ids()) {
        auto& after = all[c.index()].after;
        all[c.index()].collection = c;
        after.resize(setup.collections[c].columns.size());
        std::iota(after.begin(), after.end(), std::size_t{0});
    }
    for (const auto p : setup.phases.ids()) {
        if (!phases[p.index()]) continue;
        if (const auto* call = std::get_if<CallPhase>(&setup.phases[p].action)) {
            auto& sequence = all[setup.kernels[call->kernel].collection.index()];
            sequence.phases.push_back(p);
            sequence.columns.push_back(sequence.after);
        } else if (const auto* rotate = std::get_if<RotatePhase>(&setup.phases[p].action)) {
            auto& after = all[rotate->collection.index()].after;
            const auto named = [&](std::size_t i) -> auto& { return after[setup.columns[rotate->columns[i]].member]; };
            const auto last = named(rotate->columns.size() - 1);
            for (std::size_t i = rotate->columns.size() - 1; i > 0; --i) named(i) = named(i - 1);
            named(0) = last;
        }
    }
    return all;
}

std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    if (sequence.phases.empty()) return fmt::format("no phase calls a function of {}", setup.collections[sequence.collection].name);
    if (view.kind == FusedView::Kind::tile) return obstacle_to_tiles(setup, sequence, view);
    if (auto why = obstacle_to_rows(setup, sequence); !why.empty()) return why;
    if (view.kind == FusedView::Kind::blocks) return obstacle_to_blocks(setup, sequence, view);
    if (auto why = obstacle_to_strips(setup, sequence, view); !why.empty()) return why;
    if (view.kind == FusedView::Kind::patch) return obstacle_to_patches(setup, sequence, view);
    return view.words ? obstacle_to_words(setup, sequence) : "";
}

StripGeometry strip_geometry(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& size = setup.collections[sequence.collection].size;
    StripGeometry strips;
    strips.width = warp * places_a_lane(view);
    strips.useful = strips.width - 2 * halo_of(setup, sequence, view);
    strips.tiles = (size[0] + strips.useful - 1) / strips.useful * ((size[1] + view.rows - 1) / view.rows);
    return strips;
}

LaunchShape launch_shape(const Setup& setup, const FusedProgram& program) {
    const auto& collection = setup.collections[program.step.collection];
    if (program.view.kind == FusedView::Kind::blocks) return shape_of_blocks(collection, program.view);
    LaunchShape shape;
    shape.block = {block_threads, 1, 1};
    if (program.view.kind == FusedView::Kind::tile) {
        shape.items = count_of_tiles(collection, program.view);
        shape.block = {static_cast<unsigned>(threads_of_tile(program.view)), 1, 1};
        shape.grid = {static_cast<unsigned>(shape.items), 1, 1};
        return shape;
    }
    shape.items = strip_geometry(setup, program.step, program.view).tiles;
    shape.grid = {static_cast<unsigned>((shape.items * warp + block_threads - 1) / block_threads), 1, 1};
    return shape;
}

std::vector<CallSequence> fusible_sequences(const Setup& setup) {
    std::vector<CallSequence> sequences;
    for (auto& sequence : call_sequences(setup, usual_phases(setup)))
        if (!sequence.phases.empty()) sequences.push_back(std::move(sequence));
    return sequences;
}

std::vector<FusedProgram> programs_for(const Setup& setup, const std::vector<CallSequence>& sequences, const FusedView& view) {
    std::vector<FusedProgram> programs;
    for (const auto& sequence : sequences)
        if (obstacle(setup, sequence, view).empty())
            programs.push_back({sequence, view, "fused_" + setup.collections[sequence.collection].name});
    return programs;
}

WordLayout word_layout(const CollectionSetup& collection, const FusedView& view) {
    const std::int64_t across = (collection.size[0] + 31) / 32, row = (across + 31) / 32 * 32; // bit_slots.hpp: words_across, row_words
    WordLayout layout;
    layout.bytes = static_cast<std::size_t>(row * collection.size[1] * view.bits) * sizeof(std::uint32_t);
    layout.shape.items = across * collection.size[1];
    layout.shape.block = {block_threads, 1, 1};
    layout.shape.grid = {static_cast<unsigned>((layout.shape.items + block_threads - 1) / block_threads), 1, 1};
    return layout;
}
std::string pack_symbol(const FusedProgram& program) { return program.symbol + "_pack"; }
std::string unpack_symbol(const FusedProgram& program) { return program.symbol + "_unpack"; }

std::string program_epilogue(const Setup& setup, const std::vector<FusedProgram>& programs, bool bounded) {
    const auto has = [&](FusedView::Kind kind) {
        return std::any_of(programs.begin(), programs.end(), [kind](const FusedProgram& program) { return program.view.kind == kind; });
    };
    std::string text = "#include <tessera/kernels/entry.hpp>\n#include <tessera/kernels/compare.hpp>\n";
    if (has(FusedView::Kind::pipeline)) text += "#include <tessera/kernels/pipeline.hpp>\n";
    if (has(FusedView::Kind::blocks)) text += "#include <tessera/kernels/row_blocks.hpp>\n";
    if (has(FusedView::Kind::patch)) text += "#include <tessera/kernels/patch.hpp>\n";
    if (has(FusedView::Kind::tile)) text += "#include <tessera/kernels/tile.hpp>\n";
    const auto in_bits = [](const FusedProgram& program) { return program.view.bits > 0; };
    if (std::any_of(programs.begin(), programs.end(), in_bits)) text += "#include <tessera/kernels/bit_slots.hpp>\n";
    std::vector<bool> has_grid(setup.collections.size());
    for (const auto& program : programs) {
        const auto& collection = setup.collections[program.step.collection];
        const auto number = program.step.collection.index();
        if (!has_grid[number]) text += grid_source(collection) + beyond_source(collection);
        has_grid[number] = true;
        const auto& row = setup.row_of(collection);
        std::string functions, columns;
        for (const auto phase : program.step.phases)
            functions += (functions.empty() ? "" : ", ") +
                         function_type(setup, setup.kernels[std::get<CallPhase>(setup.phases[phase].action).kernel]);
        const auto all = repeated(program.step, program.view.depth);
        for (const auto& stage : all.columns) columns += fmt::format("{{{}}}, ", fmt::join(stage, ", "));
        text += fmt::format(R"(struct tessera_program_{0} {{
    using grid = {1};
    using members = {2};
    using functions = tessera::function_list<{3}>;
    static constexpr int steps = {4}, bits = {8}, stream = {11};
    static constexpr bool bounded = {9}, words = {10};
    static constexpr int column[][{5}] = {{{6}}};
}};
TESSERA_PROGRAM({0}, tessera_program_{0}, {12}, {7})
)",
                            program.symbol, grid_type(collection), members_type(row), functions, program.view.depth,
                            collection.columns.size(), columns, call_of(program), program.view.bits, bounded, program.view.words,
                            stream_axis(collection, program.view), threads_of(program.view));
        if (program.view.words)
            text += fmt::format("TESSERA_PROGRAM({0}, tessera_program_{2}, {3}, convert_words<tessera_program_{2}, true>)\n"
                                "TESSERA_PROGRAM({1}, tessera_program_{2}, {3}, convert_words<tessera_program_{2}, false>)\n",
                                pack_symbol(program), unpack_symbol(program), program.symbol, block_threads);
    }
    return text + parameters_source(setup);
}

} // namespace tessera
