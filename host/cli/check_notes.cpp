#include "host/cli/check_notes.hpp"

#include "jit/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>

namespace tessera {
namespace {

// Functions of the model that no phase calls, for a collection that could.
std::vector<std::string> uncalled_functions(const Setup& setup) {
    std::vector<std::string> uncalled;
    for (std::size_t f = 0; f < setup.description().functions.size(); ++f) {
        const auto& function = setup.description().functions[f];
        const auto of_its_row = [&](const CollectionSetup& collection) { return collection.row == function.row; };
        const auto calls_it = [&](const PhaseSetup& phase) {
            const auto* const call = std::get_if<CallPhase>(&phase.action);
            return call != nullptr && setup.kernels[call->kernel].function == f;
        };
        const auto collection = std::find_if(setup.collections.begin(), setup.collections.end(), of_its_row);
        if (!function.is_init && collection != setup.collections.end() && std::none_of(setup.phases.begin(), setup.phases.end(), calls_it))
            uncalled.push_back(collection->name + "." + function.name);
    }
    return uncalled;
}

// Rows with functions, of which the run has none.
std::vector<std::string> rows_without_collection(const Setup& setup) {
    std::vector<std::string> rows;
    for (std::size_t r = 0; r < setup.description().rows.size(); ++r) {
        const auto& functions = setup.description().functions;
        const bool has_functions = std::any_of(functions.begin(), functions.end(), [&](const auto& function) { return function.row == r; });
        const bool is_there =
            std::any_of(setup.collections.begin(), setup.collections.end(), [&](const auto& collection) { return collection.row == r; });
        if (has_functions && !is_there) rows.push_back(setup.description().rows[r].name);
    }
    return rows;
}

// Values that a phase makes, and no function that a phase calls reads.
std::vector<std::string> unread_values(const Setup& setup) {
    std::vector<std::string> unread;
    for (std::size_t v = 0; v < setup.description().values.size(); ++v) {
        const auto makes_it = [v](const ReductionSetup& reduction) {
            return std::any_of(reduction.values.begin(), reduction.values.end(), [v](const auto& value) { return value.target == v; });
        };
        const auto reads_it = [&](const PhaseSetup& phase) {
            const auto* const call = std::get_if<CallPhase>(&phase.action);
            if (call == nullptr) return false;
            const auto& values = setup.function_of(setup.kernels[call->kernel]).values;
            return std::find(values.begin(), values.end(), v) != values.end();
        };
        if (std::any_of(setup.reductions.begin(), setup.reductions.end(), makes_it) &&
            std::none_of(setup.phases.begin(), setup.phases.end(), reads_it))
            unread.push_back(setup.description().values[v].name);
    }
    return unread;
}

// ---- what never happens

// Phases that begin after the last step; one line for all rounds of a repeat.
std::vector<std::string> phases_too_late(const Setup& setup) {
    std::vector<std::string> notes;
    const auto& steps = setup.agenda.steps;
    if (!steps || **steps == 0) return notes;
    for (const auto& phase : setup.phases)
        if (phase.timing.from >= **steps && !phase.first_round)
            notes.push_back(
                fmt::format("note: {} never happens (it begins in step {}, and the steps are 0 to {}) give it an earlier `from`, "
                            "or make more steps",
                            phase.name, phase.timing.from, **steps - 1));
    return notes;
}

// Outputs that begin after the last state.
std::vector<std::string> outputs_too_late(const Setup& setup) {
    std::vector<std::string> notes;
    const auto& steps = setup.agenda.steps;
    for (const auto& output : setup.agenda.outputs)
        if (steps && output->timing.from > **steps)
            notes.push_back(
                fmt::format("note: {} is never written (it begins at step {}, and the last state is that after step {}) give it "
                            "an earlier `from`, or make more steps",
                            output->file->text(), output->timing.from, **steps));
    return notes;
}

// Whether the model's source names it anywhere but where it is declared. A library without a source may.
bool is_read(const model::Model& model, const std::string& parameter) {
    if (!model.has_source()) return true;
    std::size_t times = 0;
    const auto count_in = [&](const jit::SourceFile& file) {
        for (const auto& token : jit::tokens_of(file.text))
            times += token.kind == jit::Token::Kind::identifier && token.text == parameter ? 1 : 0;
    };
    count_in(model.source.main);
    for (const auto& header : model.source.headers) count_in(header);
    return times > 1;
}

std::vector<std::string> unread_parameters(const Setup& setup, const run_file::RunFile& run_file) {
    std::vector<std::string> notes;
    for (const auto& parameter : run_file.params)
        if (!is_read(*setup.model, *parameter.name))
            notes.push_back(
                fmt::format("note: nothing reads the parameter {} (the model declares it and does not use it) its value makes no "
                            "difference",
                            *parameter.name));
    return notes;
}

// ---- collections that are there for nothing

bool is_of(const Setup& setup, const KernelSetup& kernel, CollectionId id) {
    const auto reads_it = [&](const Access& access) { return setup.columns[access.column].collection == id; };
    return kernel.collection == id || std::any_of(kernel.accesses.begin(), kernel.accesses.end(), reads_it);
}

// Whether the phase does anything with the collection but to exchange it.
bool touches(const Setup& setup, const PhaseSetup& phase, CollectionId id) {
    const auto of_reduction = [&](ReductionId reduction) {
        const auto& kernels = setup.reductions[reduction].kernels;
        return std::any_of(kernels.begin(), kernels.end(), [&](KernelId kernel) { return is_of(setup, setup.kernels[kernel], id); });
    };
    if (const auto* const call = std::get_if<CallPhase>(&phase.action)) return is_of(setup, setup.kernels[call->kernel], id);
    if (const auto* const rotate = std::get_if<RotatePhase>(&phase.action)) return rotate->collection == id;
    if (const auto* const reduce = std::get_if<ReducePhase>(&phase.action)) return of_reduction(reduce->reduction);
    if (const auto* const until = std::get_if<UntilPhase>(&phase.action)) return of_reduction(until->question);
    return false;
}

// Whether the run says that it is there; a check of a model by itself adds what its functions need.
bool is_named(const Setup& setup, CollectionId id) {
    const auto& where = setup.collections[id].where;
    return where.file != setup.description().name;
}

// Nor do agents whose phases do something stand on it.
bool is_untouched(const Setup& setup, CollectionId id) {
    const auto touched = [&](CollectionId one) {
        return std::any_of(setup.phases.begin(), setup.phases.end(), [&](const PhaseSetup& phase) { return touches(setup, phase, one); });
    };
    const auto stand_on_it = [&](CollectionId agents) {
        return setup.collections[agents].agents && setup.collections[agents].agents->ground == id && touched(agents);
    };
    const auto all = setup.collections.ids();
    return !touched(id) && std::none_of(all.begin(), all.end(), stand_on_it);
}

// ---- neighbourhoods that go round a torus

using Reach = std::array<std::array<int, 3>, 3>;

// "x", "x and y": the axes of a torus along which what is so far away, on both sides, is met again.
std::string axes_gone_round(const CollectionSetup& places, const Reach& low, const Reach& high) {
    std::string axes;
    const auto dims = static_cast<std::size_t>(places.dimensions - 1);
    for (std::size_t axis = 0; axis <= dims; ++axis)
        if (places.boundary[axis] == run_file::Boundary::torus && low[dims][axis] + high[dims][axis] >= places.size[axis])
            axes += std::string(axes.empty() ? "" : " and ") + "xyz"[axis];
    return axes;
}

// The same of all that a function sees.
std::string axes_gone_round(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const auto& places = collection.agents ? setup.collections[collection.agents->ground] : collection;
    std::string axes;
    const auto add = [&](const Reach& low, const Reach& high) {
        if (const auto more = axes_gone_round(places, low, high); more.size() > axes.size()) axes = more;
    };
    for (const auto& access : setup.function_of(kernel).accesses)
        if (access.use.around) add(access.use.low, access.use.high);
    for (const auto& use : setup.function_of(kernel).agent_uses)
        if (use.counts || use.meets) add(use.low, use.high);
    return axes;
}

// A line for each function.
std::vector<std::string> notes_on_tori(const Setup& setup) {
    std::vector<std::string> notes;
    std::set<std::string> named;
    for (const auto& kernel : setup.kernels) {
        if (!kernel.is_function() || !named.insert(kernel.name).second) continue;
        if (const auto axes = axes_gone_round(setup, kernel); !axes.empty())
            notes.push_back(fmt::format("note: {} sees a place more than once (its neighbourhood is longer along {} than the torus) make "
                                        "the grid longer, or take that into account",
                                        kernel.name, axes));
    }
    return notes;
}

} // namespace

std::vector<std::string> notes_on_run(const Setup& setup, const run_file::RunFile& run_file) {
    std::vector<std::string> notes;
    for (const auto& value : unread_values(setup)) notes.push_back(fmt::format("no phase reads {}, which a reduce makes", value));
    for (const auto& function : uncalled_functions(setup))
        notes.push_back(
            fmt::format("note: no phase calls {} (functions run where a phase names them) add callAll = \"{}\" if it is meant to run",
                        function, function));
    for (auto& more : {phases_too_late(setup), outputs_too_late(setup), unread_parameters(setup, run_file)})
        notes.insert(notes.end(), more.begin(), more.end());
    return notes;
}

std::vector<std::string> notes_on(const Setup& setup, const run_file::RunFile& run_file) {
    auto notes = notes_on_run(setup, run_file);
    for (const auto& row : rows_without_collection(setup))
        notes.push_back(fmt::format("note: the run has no {}, and its functions are not compiled", row));
    for (const auto id : setup.collections.ids())
        if (is_named(setup, id) && is_untouched(setup, id))
            notes.push_back(fmt::format("note: no phase uses {} (it takes memory, and never changes) remove it if that is not meant",
                                        setup.collections[id].name));
    for (auto& note : notes_on_tori(setup)) notes.push_back(std::move(note));
    return notes;
}

} // namespace tessera
