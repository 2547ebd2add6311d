#include "host/tune/explain.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/generate/leaving.hpp"
#include "host/generate/march.hpp"
#include "host/generate/numbered.hpp"
#include "host/generate/sure_draws.hpp"
#include "host/schedule/branches.hpp"
#include "host/schedule/chained_tasks.hpp"
#include "host/schedule/rounds_ahead.hpp"
#include "host/schedule/schedule.hpp"
#include "host/setup/asked_stop.hpp"
#include "host/setup/uniforms.hpp"
#include "host/views/candidates.hpp"
#include "host/views/estimates.hpp"
#include "host/views/packing.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/word_march.hpp"
#include "kernels/places/few_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {
namespace {

constexpr std::uint64_t looked_at = 1024; // steps, as usual_phases does

std::uint64_t deepest_tried() { return static_cast<std::uint64_t>(std::max(depths_tried(true).back(), depths_tried(false).back())); }

// A large GPU, for estimates that need one.
DeviceInfo large_gpu() { return {"cuda:0", DeviceKind::cuda, "a large GPU", "sm_90", std::uint64_t{128} << 30, 132}; }
constexpr double bytes_a_second = 4e12; // of its memory

std::string timing_text(const run_file::Timing& timing) {
    std::vector<std::string> parts;
    if (timing.every != 1) parts.push_back(fmt::format("every {}", timing.every));
    if (timing.from != 0) parts.push_back(fmt::format("from {}", timing.from));
    if (timing.until) parts.push_back(fmt::format("until {}", *timing.until));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::uint64_t steps_of(const Setup& setup) { return setup.agenda.steps ? **setup.agenda.steps : std::numeric_limits<std::uint64_t>::max(); }

// The most usual steps that follow each other among the first ones.
std::uint64_t longest_stretch(const Setup& setup, const std::vector<bool>& usual) {
    std::uint64_t longest = 0, stretch = 0;
    for (std::uint64_t k = 0; k < std::min(looked_at, steps_of(setup)); ++k) {
        stretch = runs_exactly(setup, usual, k) ? stretch + 1 : 0;
        longest = std::max(longest, stretch);
    }
    return longest;
}

void explain_phases(const Setup& setup, const std::vector<bool>& usual, std::vector<std::string>& lines) {
    const auto steps = steps_of(setup);
    bool alike = true;
    for (std::size_t p = 0; p < usual.size(); ++p) {
        const auto& timing = setup.phases[PhaseId(p)].timing;
        const auto& name = setup.phases[PhaseId(p)].name;
        if (setup.phases[PhaseId(p)].first_round) continue; // which is told
        const bool always = timing.every == 1 && timing.from == 0 && (!timing.until || *timing.until >= steps);
        const bool ever = timing.from < steps && (!timing.until || timing.from < *timing.until);
        if (usual[p] ? always : !ever) continue;
        alike = false;
        lines.push_back(
            fmt::format("steps in which `{}` {} ({}) are made singly", name, usual[p] ? "does not run" : "runs", timing_text(timing)));
    }
    const auto stretch = longest_stretch(setup, usual);
    if (alike)
        lines.push_back("every step runs the same phases");
    else if (stretch < 2)
        lines.push_back("no two steps in a row run the same phases: no steps are fused");
    else if (stretch < deepest_tried())
        lines.push_back(fmt::format("at most {} steps in a row run the same phases, so no more are fused together", stretch));
}

std::string halt_text(const std::string& what, std::uint64_t every, const std::string& noun) {
    if (every == 1) return fmt::format("{} every step: no steps are fused as long as that lasts", what);
    return fmt::format("{} every {} steps: if fewer steps than are fused are left before {}, they are made singly", what, every, noun);
}

// Where steps must end, so that what they made can be looked at.
void explain_halts(const Setup& setup, std::vector<std::string>& lines) {
    const auto& outputs = setup.agenda.outputs;
    const auto oftener = [](const auto& a, const auto& b) { return (*a).timing.every < (*b).timing.every; };
    if (!outputs.empty())
        lines.push_back(halt_text("outputs", (**std::min_element(outputs.begin(), outputs.end(), oftener)).timing.every, "an output"));
    if (!setup.agenda.stop) return;
    lines.push_back(halt_text("`stop` is checked", setup.agenda.stop_every, "a check"));
    const auto obstacle = obstacle_to_asking_stop(setup);
    lines.push_back(obstacle.empty() ? "`stop` on one GPU: it is given several steps at a time, and leaves out those behind a yes"
                                     : "`stop` on one GPU: each check is waited for, since " + obstacle);
}

// How long a repeat with `until` waits for its answers.
void explain_questions(const Setup& setup, std::vector<std::string>& lines) {
    if (!setup.asks_state()) return;
    const auto obstacle = obstacle_to_rounds_ahead(setup);
    lines.push_back(obstacle.empty() ? "rounds of `until`: one GPU is given several at a time, and leaves out those behind a yes"
                                     : "rounds of `until`: the answer is waited for before each, since " + obstacle);
}

void explain_tuning(const Setup& setup, std::vector<std::string>& lines) {
    if (setup.modes().view != run_file::View::automatic)
        lines.push_back("`schedule.view` names a view: no steps are fused");
    else if (setup.modes().tune == run_file::Tune::off)
        lines.push_back("`schedule.tune` is \"off\": no steps are fused");
}

// Seconds that memory needs for one step of a sequence on a large GPU.
double memory_seconds(const Setup& setup, const CallSequence& sequence) {
    const auto demand = demand_of(setup, sequence);
    return (demand.bytes_read + demand.bytes_written) * static_cast<double>(setup.collections[sequence.collection].places()) /
           bytes_a_second;
}

std::vector<FusedView> all_candidates(const Setup& setup, const CallSequence& sequence, bool cuda, int bits) {
    const auto device = cuda ? large_gpu() : DeviceInfo{"cpu", DeviceKind::cpu, "", "cpu", 0, 1};
    return ranked_candidates(setup, sequence, device, memory_seconds(setup, sequence), bits, 1000);
}

// Why no candidate makes `depth` steps, where these make fewer: what their class says; where there are none, what all say.
std::string obstacle_to_depth(const Setup& setup, const CallSequence& sequence, bool cuda, int depth, const std::vector<FusedView>& views) {
    std::vector<std::string> reasons, of_all;
    for (const auto* each : fused_views()) {
        const auto why = each->is_for_cpu() == cuda ? std::string() : each->obstacle_to_depth(setup, sequence, depth);
        if (why.empty()) continue;
        of_all.push_back(why);
        if (std::any_of(views.begin(), views.end(), [&](const FusedView& view) { return view.of == each; })) reasons.push_back(why);
    }
    return reasons.empty() ? fmt::format("{}", fmt::join(of_all, "; ")) : reasons.front();
}

// "at most 10 steps at once, for 12 steps see ...; first tried: pipeline, ..."; or why not even two.
std::string views_text(const Setup& setup, const CallSequence& sequence, bool cuda, bool& any) {
    const auto views = all_candidates(setup, sequence, cuda, 0);
    any = !views.empty();
    const auto& tried = depths_tried(cuda);
    if (!any) return obstacle_to_depth(setup, sequence, cuda, tried.front(), views);
    const int deepest = std::max_element(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; })->depth;
    const auto next = std::upper_bound(tried.begin(), tried.end(), deepest);
    const std::string why =
        next == tried.end() ? "(more are not tried)" : fmt::format("({})", obstacle_to_depth(setup, sequence, cuda, *next, views));
    return fmt::format("at most {} steps at once {}; first tried: {}", deepest, why, to_string(views.front()));
}

// One that there is for functions of 32 places at once.
FusedView of_bits(const Setup& setup, const CallSequence& sequence, int bits) {
    return setup.collections[sequence.collection].dimensions == 3 ? word_march_view(1, 1, 1, bits) : pipeline_view(2, 1, 8, bits);
}

// Empty if the functions compile for 32 places at once, so many bits each; else the first line of what the compiler says.
std::string obstacle_to_bits(const Setup& setup, const CallSequence& sequence, int bits, const jit::Target& target,
                             jit::Compiler& compiler) {
    try {
        (void)compile_programs(setup, {{sequence, of_bits(setup, sequence, bits), "packed"}}, target, compiler);
    } catch (const Error& error) {
        if (error.kind() != Failure::compile) throw;
        const std::string message = error.what();
        return message.substr(0, message.find('\n'));
    }
    return {};
}

std::string packing_text(const Setup& setup, const CallSequence& sequence, bool alone, const jit::Target& target, jit::Compiler& compiler) {
    if (!alone) return "not packed: steps of more than one collection are fused";
    const auto declared = declared_packing(setup, sequence);
    if (declared.bits == 0) return "not packed: " + declared.reason;
    if (const auto why = obstacle(setup, sequence, of_bits(setup, sequence, declared.bits)); !why.empty()) return "not packed: " + why;
    if (const auto why = obstacle_to_bits(setup, sequence, declared.bits, target, compiler); !why.empty()) {
        // Bytes of all their bits can hold whatever the functions make of them: what does not compile for these either has another reason.
        constexpr int all_of_a_byte = 8;
        const auto why_not_bytes = obstacle_to_bits(setup, sequence, all_of_a_byte, target, compiler);
        return why_not_bytes.empty() ? "packed: only if values need all 8 bits: " + why : "not packed: " + why_not_bytes;
    }
    const auto views = all_candidates(setup, sequence, true, declared.bits);
    constexpr double starting = 1.5e-6; // seconds, of a kernel: the least that a step takes
    const double step = memory_seconds(setup, sequence) + starting;
    if (!views.empty() && hopeless(predicted_seconds(setup, sequence, large_gpu(), step, views.front()), step))
        return "packed: yes, 32 places to a word on a GPU; not tried: single steps are faster on a grid of this size, by the estimate";
    return "packed: yes, 32 places to a word on a GPU" +
           (views.empty() ? std::string() : fmt::format("; first tried for values 0 and 1: {}", to_string(views.front())));
}

// What is fused of a collection: calls and rotations, as they are called in the run file.
std::string fused_phases(const Setup& setup, const CallSequence& sequence, const std::vector<bool>& usual) {
    std::vector<std::string> names;
    for (const auto p : setup.phases.ids()) {
        const auto* rotate = std::get_if<RotatePhase>(&setup.phases[p].action);
        const bool called = std::find(sequence.phases.begin(), sequence.phases.end(), p) != sequence.phases.end();
        if (usual[p.index()] && (called || (rotate && rotate->collection == sequence.collection)))
            names.push_back("`" + setup.phases[p].name + "`");
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

bool has_to_do_with_a_reduce(const Setup& setup, CollectionId collection) {
    return std::any_of(setup.kernels.begin(), setup.kernels.end(),
                       [&](const KernelSetup& kernel) { return kernel.collection == collection && is_of_a_reduce(setup, kernel); });
}

bool goes_by_numbers(const Setup& setup, CollectionId collection) {
    return std::any_of(setup.kernels.begin(), setup.kernels.end(),
                       [&](const KernelSetup& kernel) { return kernel.collection == collection && setup.goes_by_numbers(kernel); });
}

void explain_collection(const Setup& setup, const CallSequence& sequence, const std::vector<bool>& usual, bool alone,
                        const jit::Target& target, jit::Compiler& compiler, std::vector<std::string>& lines) {
    if (sequence.phases.empty()) return lines.push_back("nothing to fuse: in a usual step no phase calls a function of these places");
    if (setup.asks_state()) return lines.push_back("one step at a time: the number of rounds of a repeat depends on the state");
    if (has_to_do_with_a_reduce(setup, sequence.collection)) return lines.push_back("one step at a time: a reduce comes between the calls");
    if (const auto& collection = setup.collections[sequence.collection]; goes_by_numbers(setup, sequence.collection))
        return lines.push_back(collection.has_shape() ? "one step at a time: functions of these places go along links"
                                                      : "one step at a time: these places have numbers and no positions");
    if (!stands_alone(setup, sequence.collection))
        return lines.push_back("one step at a time: agents read or change these places between the calls of their functions");
    bool on_gpu = false, on_cpu = false;
    const auto gpu = views_text(setup, sequence, true, on_gpu), cpu = views_text(setup, sequence, false, on_cpu);
    if (!on_gpu && !on_cpu && gpu == cpu) return lines.push_back("one step at a time: " + gpu);
    if (on_gpu || on_cpu) lines.push_back("fused: " + fused_phases(setup, sequence, usual));
    lines.push_back("on a GPU: " + (on_gpu ? gpu : "one step at a time: " + gpu));
    lines.push_back("on the CPU: " + (on_cpu ? cpu : "one step at a time: " + cpu));
    if (on_gpu) lines.push_back(packing_text(setup, sequence, alone, target, compiler));
}

// How functions that see other planes are made one step at a time.
void explain_single_steps(const Setup& setup, CollectionId collection, std::vector<std::string>& lines) {
    for (const auto& kernel : setup.kernels)
        if (kernel.collection == collection)
            if (auto text = explain_march(setup, kernel); !text.empty()) lines.push_back(std::move(text));
}

const char* side_text(model::LinkSide side) {
    switch (side) {
    case model::LinkSide::in: return "in_links";
    case model::LinkSide::out: return "out_links";
    default: break;
    }
    return "links";
}

std::string bytes_text(const CollectionSetup& collection) {
    std::int64_t bytes = 0;
    for (const auto& column : collection.columns) bytes += column.layout.bytes;
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// Who goes along the links of a place, where the place with the most has so many.
std::string who_goes_text(const CollectionSetup& links, std::size_t most) {
    constexpr auto by_one = "a thread goes along all links of a place";
    if (most <= static_cast<std::size_t>(few_links) && !links.are_changing_links()) return by_one;
    return fmt::format("{}; on a GPU several threads, where there are more than {}", by_one, links_of_thread);
}

// How many there are, of how many places, and the place that has the most, which takes the longest.
void explain_links(const Setup& setup, CollectionId id, std::vector<std::string>& lines) {
    const auto& collection = setup.collections[id];
    lines.push_back(collection.are_changing_links()
                        ? fmt::format("{} links at first, and room for {}; {} with their lists", setup.start[id].links->size(),
                                      collection.places(), bytes_text(collection))
                        : fmt::format("{} links; {} with their lists", collection.places(), bytes_text(collection)));
    for (const auto& list : collection.links->lists) {
        const auto most = most_links(setup, id, list.side);
        lines.push_back(fmt::format("{}: place {} has the most, {}; {}", side_text(list.side), most.place, most.links,
                                    who_goes_text(collection, most.links)));
    }
}

// What a function makes of a manageAll beside its calls.
std::string explain_with(const KernelSetup& function) {
    if (!function.finds_targets) return fmt::format("the outcome for each slot, while {} goes over the slots", function.name);
    return fmt::format("on one device {} counts agents on their new places, at the end of each call, and spares that pass", function.name);
}

// Which functions are not called for all agents, and of which all calls draw.
void explain_calls(const Setup& setup, CollectionId id, std::vector<std::string>& lines) {
    const LeavingConditions conditions(setup);
    const SureDraws draws(setup.model->source);
    for (const auto& kernel : setup.kernels) {
        if (kernel.collection != id || !kernel.is_function()) continue;
        const auto& function = setup.function_of(kernel);
        if (const auto condition = conditions.of(kernel))
            lines.push_back(fmt::format("`{}` is called only for agents for which this is false: {}", kernel.name, *condition));
        else if (draws.of(setup.description().rows[function.row].name, function.name) > 0)
            lines.push_back(fmt::format("each call of `{}` draws: random numbers of many agents are made before", kernel.name));
    }
}

// How a collection of agents stands in memory, and what a manageAll of it is made of.
void explain_agents(const Setup& setup, CollectionId id, std::vector<std::string>& lines) {
    const auto& collection = setup.collections[id];
    for (auto& line : collection.agents->storage->explained(setup, id, bytes_text(collection))) lines.push_back(std::move(line));
    for (const auto& phase : setup.phases) {
        const auto* manage = std::get_if<ManagePhase>(&phase.action);
        if (manage == nullptr || phase.first_round) continue; // a repeat's rounds are alike
        std::vector<std::string> passes;
        for (const auto kernel : manage->kernels)
            if (auto text = setup.kernels[kernel].kind->explained(); setup.kernels[kernel].collection == id && !text.empty())
                passes.push_back(std::move(text));
        for (const auto kernel : manage->with)
            if (setup.kernels[kernel].collection == id) passes.push_back(explain_with(setup.kernels[kernel]));
        if (std::find(manage->collections.begin(), manage->collections.end(), id) == manage->collections.end()) continue;
        lines.push_back(fmt::format("`{}`: {}", phase.name,
                                    passes.empty() ? "nothing, since no agent can have requested anything"
                                                   : fmt::format("{}", fmt::join(passes, "; "))));
    }
    if (collection.agents->storage->is_ordered()) explain_calls(setup, id, lines);
    lines.push_back("one step at a time: manageAll comes between two steps");
}

// The launches of some steps, as one device makes them.
std::vector<Task> tasks_of_steps(const Setup& setup, std::uint64_t steps) {
    Placement placement;
    for (const auto column : setup.columns.ids()) {
        const auto number = static_cast<int>(column.index());
        placement.current.push_back(number);
        placement.spare.push_back(setup[column].has_spare ? static_cast<int>(setup.columns.size()) + number : Placement::none);
    }
    const Schedule schedule(setup);
    std::vector<Task> tasks;
    for (std::uint64_t step = 0; step < steps; ++step)
        for (const auto phase : setup.phases.ids()) schedule.append_phase(phase, step, step, placement, tasks);
    return tasks;
}

// Which launches one kernel makes together, once each of those that differ.
void explain_chains(const Setup& setup, const Chains& chains, std::vector<std::string>& lines) {
    for (const auto& kernels : chains.codes) {
        if (kernels.size() == 1) continue;
        std::vector<std::string> names;
        for (const auto kernel : kernels) names.push_back("`" + setup.kernels[kernel].name + "`");
        lines.push_back(fmt::format("on one GPU {} launches are one, in which a thread makes them all of a place: {}", kernels.size(),
                                    fmt::join(names, ", ")));
    }
}

// Of steps that are all alike: how many of their launches wait for each other on a GPU, where these are not all.
void explain_launches(const Setup& setup, std::vector<std::string>& lines) {
    const auto is_of_a_cpu = [](const KernelSetup& kernel) { return kernel.kind->list_work().has_value(); };
    const auto is_rare = [](const PhaseSetup& phase) { return phase.timing != run_file::Timing{}; };
    if (setup.partitions() > 1 || std::any_of(setup.kernels.begin(), setup.kernels.end(), is_of_a_cpu) ||
        std::any_of(setup.phases.begin(), setup.phases.end(), is_rare))
        return;
    constexpr std::uint64_t few = 4, more = 8; // the first steps wait for less than those behind them
    const auto chains = chains_of(setup);
    explain_chains(setup, chains, lines);
    const auto joined = [&](std::uint64_t steps) {
        auto tasks = tasks_of_steps(setup, steps);
        const auto together = launched_together(chains, tasks);
        return joined_tasks(setup, together, std::move(tasks));
    };
    const auto of_few = joined(few), of_more = joined(more);
    const auto of_one = [](std::size_t count) { return (count + (more - few) - 1) / (more - few); };
    const auto launches = of_one(of_more.size() - of_few.size());
    const auto a_step = of_one(longest_chain(branches_of(setup, of_more)) - longest_chain(branches_of(setup, of_few)));
    if (!chains.empty() && a_step == launches) lines.push_back(fmt::format("one step at a time is {} launches on one GPU then", launches));
    if (a_step < launches)
        lines.push_back(
            fmt::format("one step at a time is {} launches, of which on a GPU {} wait for each other and the others stand beside "
                        "these",
                        launches, a_step));
}

std::string uniforms_text(const Setup& setup, const std::vector<std::size_t>& uniforms) {
    std::vector<std::string> names;
    for (const auto uniform : uniforms) names.push_back("`" + setup.description().uniforms[uniform].name + "`");
    return fmt::format("{}", fmt::join(names, ", "));
}

// What is made once a step, and when.
void explain_uniforms(const Setup& setup, std::vector<std::string>& lines) {
    if (const auto early = uniforms_of_steps(setup); !early.empty())
        lines.push_back(fmt::format("made once a step, for all steps that are queued together: {}", uniforms_text(setup, early)));
    for (const auto id : setup.phases.ids()) {
        const auto& phase = setup.phases[id];
        if (phase.first_round) continue; // a repeat's rounds are alike
        if (const auto made = uniforms_before(setup, id, phase.timing.from); !made.empty())
            lines.push_back(fmt::format("made in front of `{}`, by values of the step: {}", phase.name, uniforms_text(setup, made)));
    }
}

std::string section(const std::string& heading, const std::vector<std::string>& lines) {
    std::string text = "  " + heading + "\n";
    for (const auto& line : lines) text += "    " + line + "\n";
    return text;
}

} // namespace

std::string explain_steps(const Setup& setup, const jit::Target& target, jit::Compiler& compiler) {
    const auto usual = usual_phases(setup);
    std::vector<std::string> lines;
    explain_phases(setup, usual, lines);
    explain_halts(setup, lines);
    explain_questions(setup, lines);
    explain_tuning(setup, lines);
    explain_launches(setup, lines);
    explain_uniforms(setup, lines);
    std::string text = section("several steps at once", lines);
    const auto sequences = call_sequences(setup, usual);
    const bool alone = fusible_sequences(setup).size() == 1;
    for (const auto& sequence : sequences) {
        lines.clear();
        if (setup.collections[sequence.collection].links)
            explain_links(setup, sequence.collection, lines);
        else if (setup.collections[sequence.collection].agents)
            explain_agents(setup, sequence.collection, lines);
        else {
            explain_single_steps(setup, sequence.collection, lines);
            explain_collection(setup, sequence, usual, alone, target, compiler, lines);
        }
        text += section(setup.collections[sequence.collection].name, lines);
    }
    return text;
}

} // namespace tessera
