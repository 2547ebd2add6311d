#include "host/cli/model_page.hpp"

#include "host/cli/first_parents.hpp"
#include "host/cli/links_page.hpp"
#include "host/run_file/sections.hpp"
#include "host/setup/value.hpp"
#include "jit/lexer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tessera {
namespace {

using model::Description;
using model::Function;

std::string gap(const std::string& what) { return "> **Gap:** " + what + "\n\n"; }

// A cell of a table.
std::string cell(std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// What all have together: values that are made in each step, by a reduce or of what is known before.
std::string values_of_a_step(const Description& description) {
    if (description.values.empty() && description.uniforms.empty()) return {};
    std::string text = "**Values of a step**, shared by all entities:\n\n| value | type | meaning |\n| --- | --- | --- |\n";
    for (const auto& value : description.values)
        text += fmt::format("| `{}` | {} | {} |\n", value.name, name_of(value.type),
                            value.doc.empty() ? "**Gap:** its meaning, as the last argument of TESSERA_GLOBAL" : cell(value.doc));
    for (const auto& uniform : description.uniforms)
        text += fmt::format("| `{}` | {}{} | {} |\n", uniform.name, name_of(uniform.type),
                            uniform.elements > 1 ? fmt::format("[{}]", uniform.elements) : "",
                            uniform.doc.empty() ? fmt::format("**Gap:** TESSERA_DOC({}, ...)", uniform.name) : cell(uniform.doc));
    return text + "\n";
}

// Its text, and the names of its values.
std::string meaning(const model::Row& row, const model::Member& member) {
    const auto values = values_text(member);
    if (!member.doc.empty()) return cell(member.doc + (values.empty() ? "" : "; " + values));
    return values.empty() ? fmt::format("**Gap:** TESSERA_DOC({}::{}, ...)", row.name, member.name) : cell(values);
}

std::string entities(const Setup& setup, bool of_run) {
    const auto& description = setup.description();
    std::string text = "## 2 Entities, state variables and scales\n\n";
    for (const auto& row : description.rows) {
        text += row.ends     ? links_heading(description, row)
                : row.ground ? fmt::format("**Agents `{}`** (struct {}), {} `{}`", row.collection, row.name,
                                           row.position ? "in the space of" : "on", description.rows[*row.ground].collection)
                             : fmt::format("**Places `{}`** (struct {})", row.collection, row.name);
        text += row.members.empty() ? ", without state variables.\n\n"
                                    : ":\n\n| state variable | type | first value | meaning |\n| --- | --- | --- | --- |\n";
        for (const auto& member : row.members)
            text += fmt::format("| `{}` | {} | {} | {} |\n", member.name, type_text(member),
                                readable(member.type, member.initial.data(), member.elements), meaning(row, member));
        if (!row.members.empty()) text += "\n";
        if (row.ends) text += life_of_links(description, static_cast<std::size_t>(&row - description.rows.data()));
    }
    text += values_of_a_step(description);
    if (!of_run) return text + gap("scales: the size of the grid and the length of a run, and what a place's width and a step stand for.");
    text += "**Scales.** ";
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.agents) continue;
        if (!collection.has_shape()) {
            text += collection.links ? fmt::format("`{}` are {} links{}. ", collection.name, setup.start[id].links->size(),
                                                   collection.are_changing_links() ? " at first" : "")
                                     : fmt::format("`{}` are {} places without a shape. ", collection.name, collection.places());
            continue;
        }
        std::vector<std::string> rules;
        for (int axis = 0; axis < collection.dimensions; ++axis)
            rules.emplace_back(run_file::spelling_of(run_file::boundaries, collection.boundary[static_cast<std::size_t>(axis)]));
        text +=
            fmt::format("`{}` is a grid of {} places, {}. ", collection.name,
                        fmt::join(collection.size.begin(), collection.size.begin() + collection.dimensions, " x "), fmt::join(rules, ", "));
    }
    const auto& steps = setup.agenda.steps;
    const auto& stop = setup.agenda.stop;
    if (steps) text += fmt::format("A run makes {} steps{}", **steps, stop ? ", or fewer: it" : ".");
    if (stop) text += fmt::format("{} ends when `{}` is true.", steps ? "" : "A run", (**stop).text);
    text += "\n\n";
    return text + gap("what a place's width and a step stand for (metres, days), and the units of the state variables.");
}

std::string when(const run_file::Timing& timing) {
    std::string text;
    if (timing.every > 1) text += fmt::format(", every {} steps", timing.every);
    if (timing.from > 0) text += fmt::format(", from step {} on", timing.from);
    if (timing.until) text += fmt::format(", until step {}", *timing.until);
    return text;
}

// Of a reduce: ": `total` is `sum(ant.sugar)`".
std::string values_made(const Setup& setup, const PhaseSetup& phase) {
    std::string text;
    if (const auto* const reduce = std::get_if<ReducePhase>(&phase.action))
        for (const auto& value : setup.reductions[reduce->reduction].values)
            text += fmt::format("{} `{}` is `{}`", text.empty() ? ":" : ",", setup.description().values[*value.target].name,
                                value.expression->text);
    return text;
}

std::string scheduling(const Setup& setup, bool of_run) {
    std::string text = "## 3 Process overview and scheduling\n\n";
    if (!of_run) return text + gap("the phases of a step: give TESSERA_DEFAULTS, or name a run file.");
    text += "In each step:\n\n";
    bool manages = false, manages_links = false;
    for (const auto& phase : setup.phases) {
        if (phase.first_round || std::holds_alternative<ExchangePhase>(phase.action)) continue;
        text += fmt::format("1. `{}`{}{}\n", phase.name, when(phase.timing), values_made(setup, phase));
        if (const auto* const manage = std::get_if<ManagePhase>(&phase.action))
            for (const auto id : manage->collections) (setup.collections[id].links ? manages_links : manages) = true;
    }
    text += "\nAll entities of a phase act at once: they see others in the state before the phase, and the order in which they are "
            "processed has no influence.";
    if (manages)
        text += " In `manageAll` agents that have asked to die are removed. Then agents that have asked to move do so if there is room, "
                "and then children are born if there is room. If there is not room for all, an order decides: it depends on their ids and "
                "the seed, or only on their ids.";
    if (manages_links) text += managed_links_text(setup);
    return text + "\n\n" + gap("why the processes come in this order.");
}

bool draws(const Setup& setup) {
    const auto names_random = [](const jit::SourceFile& file) {
        const auto tokens = jit::tokens_of(file.text);
        return std::any_of(tokens.begin(), tokens.end(), [](const auto& token) { return token.text == "random"; });
    };
    const auto& source = setup.model->source;
    return names_random(source.main) || std::any_of(source.headers.begin(), source.headers.end(), names_random);
}

// "`grass` of `meadow`, `energy`".
std::string members_text(const Description& description, const Function& function, bool (*chosen)(const model::Use&)) {
    std::vector<std::string> names;
    for (const auto& access : function.accesses)
        if (chosen(access.use))
            names.push_back(
                fmt::format("`{}`{}", description.rows[access.row].members[access.member].name,
                            access.row == function.row ? "" : fmt::format(" of `{}`", description.rows[access.row].collection)));
    return fmt::format("{}", fmt::join(names, ", "));
}

// Whether the member is seen of other places around; along links is another matter (links_page.hpp).
bool is_seen_around(const model::Use& use) {
    const auto is_far = [](const std::array<int, 3>& reach) { return reach != std::array<int, 3>{}; };
    return use.around && (std::any_of(use.low.begin(), use.low.end(), is_far) || std::any_of(use.high.begin(), use.high.end(), is_far));
}

std::string concepts(const Setup& setup) {
    const auto& description = setup.description();
    std::string text = "## 4 Design concepts\n\n";
    text += gap("basic principles, emergence, adaptation, objectives, learning, prediction: which of them the model has, and how.");
    text +=
        "**Sensing.** What each process knows of its surroundings:\n\n| process | sees of itself | sees around |\n| --- | --- | --- |\n";
    for (const auto& function : description.functions) {
        if (function.is_init) continue;
        auto around = members_text(description, function, is_seen_around);
        std::set<std::string> others;
        for (const auto& use : function.agent_uses)
            if (use.counts || use.meets) others.insert(fmt::format("agents `{}`", description.rows[use.row].collection));
        for (auto& seen : seen_along_links(description, function)) others.insert(std::move(seen));
        if (!others.empty()) around += fmt::format("{}{}", around.empty() ? "" : ", ", fmt::join(others, ", "));
        const auto own = members_text(description, function, [](const model::Use& use) { return use.reads && !is_seen_around(use); });
        text += fmt::format("| `{}.{}` | {} | {} |\n", description.rows[function.row].collection, function.name, own.empty() ? "-" : own,
                            around.empty() ? "-" : around);
    }
    std::vector<std::string> interactions;
    for (const auto& function : description.functions) {
        for (const auto& use : function.agent_uses)
            if (use.meets || use.counts)
                interactions.push_back(fmt::format("`{}.{}` {} agents `{}`", description.rows[function.row].collection, function.name,
                                                   use.meets ? "meets" : "counts", description.rows[use.row].collection));
        for (auto& done : done_by_links(description, function)) interactions.push_back(std::move(done));
    }
    text += fmt::format("\n**Interaction.** {}.\n\n", interactions.empty()
                                                          ? std::string("Only through the state of places, and the room on them")
                                                          : fmt::format("{}", fmt::join(interactions, "; ")));
    if (setup.model->has_source())
        text += draws(setup) ? "**Stochasticity.** Processes draw random numbers from a stream for each entity, process and step. The "
                               "streams are computed from the seed, so a run has the same results on any device.\n\n"
                             : "**Stochasticity.** None of the processes draws random numbers.\n\n";
    std::vector<std::string> outputs;
    for (const auto& output : setup.agenda.outputs) outputs.push_back("`" + output->file->text() + "`");
    text += outputs.empty() ? gap("observation: which outputs are looked at.")
                            : fmt::format("**Observation.** A run writes {}.\n\n", fmt::join(outputs, ", "));
    return text + gap("collectives, if there are any.");
}

std::string submodels(const Setup& setup, bool init) {
    const auto& description = setup.description();
    std::string text;
    for (const auto& function : description.functions)
        if (function.is_init == init)
            text += fmt::format("**`{}.{}`**: `{}`\n\n", description.rows[function.row].collection, function.name, function.access) +
                    (function.doc.empty() ? gap("what it does, in words and formulas.") : function.doc + "\n\n");
    return text;
}

std::string initialisation(const Bound& run, bool of_run) {
    const auto& setup = run.setup;
    std::string text = "## 5 Initialization\n\n";
    if (!of_run) return text + submodels(setup, true) + gap("how many agents there are at the start, and with which values.");
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.agents)
            text +=
                fmt::format("At the start there are {} agents `{}`{}{}. ", first_count(setup, id), collection.name,
                            collection.agents->is_limited() ? fmt::format(", at most {} on a place", collection.agents->most_on_place) : "",
                            first_parents(setup, id));
    }
    text += first_links(run);
    if (!text.ends_with("\n")) text += "\n\n";
    std::string given;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto& members = setup.row_of(collection).members;
        for (std::size_t m = 0; m < members.size(); ++m)
            if (setup.is_given(id, m)) given += fmt::format("{}`{}.{}`", given.empty() ? "" : ", ", collection.name, members[m].name);
    }
    if (!given.empty())
        text += fmt::format("The run file gives first values to {}; the other members begin with the values above.\n\n", given);
    return text + submodels(setup, true) + gap("why the model begins like this, and whether its results depend on it.");
}

std::string input_data(const run_file::RunFile& run) {
    std::string text = "## 6 Input data\n\n";
    std::set<std::string> files;
    for (const auto& places : run.places)
        for (const auto& init : places->init)
            for (const auto& step : init.value)
                if (const auto* file = std::get_if<run_file::FromFile>(&step->source)) files.insert("`" + *file->file + "`");
    for (const auto& agents : run.agents)
        if (agents->file) files.insert("`" + **agents->file + "`");
    add_files_of_links(run, files);
    return text +
           (files.empty() ? "The model uses no input data.\n\n" : fmt::format("First values come from {}.\n\n", fmt::join(files, ", ")));
}

std::string parameters(const Description& description) {
    if (description.parameters.empty()) return {};
    std::string text = "| parameter | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const auto& parameter : description.parameters)
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, name_of(parameter.type),
                            readable(parameter.type, parameter.initial.data()),
                            parameter.range ? fmt::format("{} to {}", readable(parameter.type, (*parameter.range)[0]),
                                                          readable(parameter.type, (*parameter.range)[1]))
                                            : "any",
                            parameter.doc.empty() ? "**Gap:** its meaning" : cell(parameter.doc));
    return text + "\n";
}

} // namespace

std::string values_text(const model::Member& member) {
    std::string text;
    for (const auto& value : member.values) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value.code, value.name);
    return text;
}

std::string type_text(const model::Member& member) {
    return std::string(name_of(member.type)) + (member.elements > 1 ? fmt::format("[{}]", member.elements) : "");
}

std::string model_page(const Bound& run, bool of_run) {
    const auto& setup = run.setup;
    const auto& description = setup.description();
    return fmt::format("# {}\n\nBy the ODD protocol (Grimm et al. 2020), from the descriptions of the model and of its run.\n\n",
                       description.name) +
           fmt::format("## 1 Purpose and patterns\n\n{}.\n\n",
                       description.doc.empty() ? "**Gap:** TESSERA_MODEL says nothing" : description.doc) +
           (description.about.empty() ? gap("the purpose of the model, and the patterns of reality by which it is judged.")
                                      : description.about + "\n\n") +
           entities(setup, of_run) + scheduling(setup, of_run) + concepts(setup) + initialisation(run, of_run) + input_data(run.run_file) +
           "## 7 Submodels\n\n" + parameters(description) + submodels(setup, false);
}

} // namespace tessera
