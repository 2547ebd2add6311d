// A RunFile as TOML.
#include "host/run_file/bytes.hpp"
#include "host/run_file/checks.hpp"
#include "host/run_file/run_file.hpp"
#include "host/run_file/sections.hpp"
#include "host/run_file/toml_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tessera::run_file {
namespace {

std::string toml(const std::string& text) { return toml_text(text); }

std::string toml(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    const auto text = fmt::format("{}", number); // as short as reads back to the same bits
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml(bool value) { return value ? "true" : "false"; }
std::string toml(std::int64_t value) { return std::to_string(value); }
std::string toml(std::uint64_t value) { return std::to_string(value); }
std::string toml(const Number& number) {
    return std::visit([](auto value) { return toml(value); }, number);
}
std::string toml(const QualifiedName& name) { return toml(name.collection + "." + name.member); }
std::string toml(const Constant& constant);
std::string toml(const Box& box);
std::string toml(const InitStep& step);
template<class T> std::string toml(const std::vector<T>& values);
template<class T> std::string toml(const Located<T>& value) { return toml(*value); }

template<class T> std::string toml(const std::vector<T>& values) {
    std::string text = "[";
    for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + toml(value);
    return text + "]";
}

std::string toml(const Constant& constant) { return constant.is_array ? toml(constant.numbers) : toml(constant.numbers[0]); }

// "key = value" lines under a header, or "key = value, " pairs in braces.
class Entries {
public:
    template<class T> Entries& add(const std::string& key, const T& value) { return add_text(key, toml(value)); }
    template<class T> Entries& add(const std::string& key, const std::optional<T>& value) { return value ? add(key, *value) : *this; }
    Entries& add_text(const std::string& key, const std::string& value) {
        lines_.push_back(toml_key(key) + " = " + value);
        return *this;
    }
    [[nodiscard]] std::string inline_table() const {
        std::string text;
        for (const auto& line : lines_) text += (text.empty() ? " " : ", ") + line;
        return "{" + text + " }";
    }
    [[nodiscard]] std::string under(const std::string& header) const {
        std::string text = "\n" + header + "\n";
        for (const auto& line : lines_) text += line + "\n";
        return text;
    }

private:
    std::vector<std::string> lines_;
};

// Writes each kind of initial value into an inline table.
struct WriteInit {
    Entries& to;
    void operator()(const Constant& constant) const { to.add("value", constant); }
    void operator()(const FromFile& from) const {
        to.add("file", from.file).add("at", from.at).add("nodata", from.nodata).add("rule", from.rule).add("element", from.element);
    }
    void operator()(const Uniform& u) const { to.add("random", std::string("uniform")).add("low", u.low).add("high", u.high); }
    void operator()(const Bernoulli& b) const { to.add("random", std::string("bernoulli")).add("p", b.p); }
    void operator()(const Below& b) const {
        to.add("random", std::string("below")).add("n", b.n);
        if (b.plus != 0) to.add("plus", b.plus);
    }
    void operator()(const Normal& n) const { to.add("random", std::string("normal")).add("mean", n.mean).add("deviation", n.deviation); }
};

std::string toml(const Box& box) { return fmt::format("[{}, {}]", toml(box.low), toml(box.high)); }

std::string toml(const InitStep& step) {
    Entries entries;
    std::visit(WriteInit{entries}, step.source);
    if (step.box) entries.add("box", *step.box);
    return entries.inline_table();
}

std::string write_init(const std::vector<Located<InitStep>>& steps) {
    if (steps.size() != 1) return toml(steps);
    const auto* constant = std::get_if<Constant>(&steps[0]->source);
    return constant && !steps[0]->box ? toml(*constant) : toml(steps[0]);
}

std::string write_checkpoints(const Checkpoints& checkpoints) {
    Entries entries;
    entries.add("every", checkpoints.every);
    if (checkpoints.every_seconds) entries.add("every", fmt::format("{} s", **checkpoints.every_seconds));
    entries.add("keep", checkpoints.keep).add("at_end", checkpoints.at_end);
    if (checkpoints.memory) entries.add("memory", bytes_text(**checkpoints.memory));
    if (*checkpoints.compress != Compression::none) entries.add("compress", std::string(spelling_of(compressions, *checkpoints.compress)));
    return entries.inline_table();
}

std::string write_run(const Run& run) {
    Entries entries;
    if (run.steps && run.steps_from_start)
        entries.add("steps", fmt::format("+{}", **run.steps));
    else
        entries.add("steps", run.steps);
    entries.add("seed", run.seed);
    if (run.devices.size() == 1 && *run.devices[0] == "auto")
        entries.add("devices", run.devices[0]);
    else
        entries.add("devices", run.devices);
    if (!run.weights.empty()) entries.add("weights", run.weights);
    if (run.devices.size() > 1 || *run.devices[0] == "auto") // which may be several
        entries.add("memory", std::string(spelling_of(memory_models, *run.memory)))
            .add("transport", std::string(spelling_of(transports, *run.transport)));
    if (run.inject_latency) entries.add("inject_latency", fmt::format("{:g}us", **run.inject_latency * 1e6));
    if (run.threads)
        entries.add("threads", *run.threads);
    else
        entries.add("threads", std::string("auto"));
    if (run.stop) entries.add("stop", run.stop->value.text);
    entries.add("stop_every", run.stop_every).add("out", run.out);
    entries.add("float", std::string(spelling_of(float_modes, *run.float_mode))).add("bake", run.bake);
    if (run.output_memory && **run.output_memory != default_output_memory) entries.add("output_memory", bytes_text(**run.output_memory));
    if (run.output_threads) entries.add("output_threads", *run.output_threads);
    if (run.checkpoint) entries.add_text("checkpoint", write_checkpoints(*run.checkpoint));
    if (run.start) {
        const auto& folder = run.start->found.empty() ? *run.start->checkpoint : run.start->found;
        entries.add_text("start", Entries().add("checkpoint", folder).inline_table());
    }
    return entries.under("[run]");
}

std::string write_schedule(const Schedule& schedule) {
    Entries entries;
    entries.add("exchange", std::string(spelling_of(exchange_modes, *schedule.exchange)))
        .add("view", std::string(spelling_of(views, *schedule.view)))
        .add("tune", schedule.fused ? **schedule.fused : std::string(spelling_of(tunings, *schedule.tune)));
    if (schedule.halo)
        entries.add("halo", *schedule.halo);
    else
        entries.add("halo", std::string("auto"));
    return entries.under("[schedule]");
}

std::string write_places(const Places& places) {
    Entries entries;
    entries.add("type", places.type);
    if (places.count)
        entries.add("count", places.count);
    else
        entries.add("size", places.size).add("extent", places.extent);
    std::vector<std::string> boundary;
    for (const auto& side : places.boundary) boundary.emplace_back(spelling_of(boundaries, *side));
    if (!places.count) entries.add("boundary", boundary);
    if (!places.devices.empty()) entries.add("devices", places.devices);
    auto cuts = places.cuts;
    if (places.count)
        for (auto& cut : cuts) cut.value *= row_of_count;
    if (!cuts.empty()) entries.add("cuts", cuts);
    if (*places.cuts_measured) entries.add("cuts", std::string("measured"));
    const auto header = "places." + *places.name;
    auto text = entries.under("[" + header + "]");
    Entries outside, init;
    for (const auto& member : places.outside) outside.add(*member.name, member.value);
    for (const auto& member : places.init) init.add_text(*member.name, write_init(member.value));
    if (!places.outside.empty()) text += outside.under("[" + header + ".outside]");
    if (!places.init.empty()) text += init.under("[" + header + ".init]");
    return text;
}

std::string write_links(const Links& links) {
    Entries entries;
    entries.add("type", links.type).add("from", links.from).add("to", links.to).add("file", links.file);
    if (links.generate) {
        const auto& rule = **links.generate;
        Entries generate;
        generate.add("rule", std::string(spelling_of(link_rules, rule.kind)))
            .add("degree", rule.degree)
            .add("chance", rule.chance)
            .add("links", rule.links)
            .add("rewire", rule.rewire)
            .add("torus", rule.torus)
            .add("file", rule.file)
            .add("to_file", rule.to_file);
        if (!rule.size.empty()) generate.add("size", rule.size);
        if (!rule.sizes.empty()) generate.add("sizes", rule.sizes);
        if (!rule.to_sizes.empty()) generate.add("to_sizes", rule.to_sizes);
        if (!rule.chances.empty()) generate.add("chances", rule.chances);
        if (!rule.counts.empty()) generate.add("counts", rule.counts);
        entries.add_text("generate", generate.inline_table());
    }
    entries.add("parallel", links.parallel).add("loops", links.loops).add("delays", links.delays);
    const auto header = "links." + *links.name;
    auto text = entries.under("[" + header + "]");
    Entries init;
    for (const auto& member : links.init) init.add_text(*member.name, write_init(member.value));
    if (!links.init.empty()) text += init.under("[" + header + ".init]");
    return text;
}

std::string write_agents(const Agents& agents) {
    Entries entries;
    entries.add("type", agents.type).add("on", agents.on).add("count", agents.count);
    if (agents.box)
        entries.add_text("place", fmt::format("{{ box = {} }}", toml(**agents.box)));
    else if (agents.file)
        entries.add_text("place", fmt::format("{{ file = {} }}", toml(*agents.file)));
    else
        entries.add("place", std::string(*agents.place == StartingPlaces::each ? "each" : "random"));
    if (*agents.capacity == unlimited)
        entries.add("capacity", std::string("unlimited"));
    else
        entries.add("capacity", agents.capacity);
    entries.add("reserve", agents.reserve)
        .add("priority", std::string(spelling_of(priorities, *agents.priority)))
        .add("on_edge", std::string(spelling_of(edge_rules, *agents.on_edge)));
    const auto header = "agents." + *agents.name;
    auto text = entries.under("[" + header + "]");
    Entries init;
    for (const auto& member : agents.init) init.add_text(*member.name, write_init(member.value));
    if (!agents.init.empty()) text += init.under("[" + header + ".init]");
    return text;
}

Entries& add_timing(Entries& entries, const Timing& timing) {
    return entries.add("every", timing.every).add("from", timing.from).add("until", timing.until);
}

struct WriteAction {
    Entries& to;
    void operator()(const CallAll& action) const { to.add("callAll", action.function); }
    void operator()(const ExchangeAll& action) const { to.add("exchangeAll", action.collection); }
    void operator()(const ManageAll& action) const {
        if (action.collections.size() == 1)
            to.add("manageAll", action.collections.front());
        else
            to.add("manageAll", action.collections);
    }
    void operator()(const Rotate& action) const { to.add("rotate", action.members); }
    void operator()(const Reduce& action) const {
        Entries values;
        for (const auto& value : action.values) values.add(*value.name, value.value->text);
        to.add_text("reduce", values.inline_table());
    }
    void operator()(const Until&) const {} // said of the repeat
};

// The phase from `first` on, or the repeat that begins there; how many phases it is made of.
std::size_t write_phase(const std::vector<Located<Phase>>& phases, std::size_t first, Entries& entries) {
    const auto& round = phases[first]->round;
    if (!round) {
        std::visit(WriteAction{entries}, phases[first]->action);
        return 1;
    }
    std::string body;
    std::size_t of_a_round = 0;
    const auto* const until = std::get_if<Until>(&phases[first]->action);
    for (; first + of_a_round < phases.size() && phases[first + of_a_round]->round == round; ++of_a_round) {
        if (until != nullptr && of_a_round == 0) continue;
        Entries phase;
        std::visit(WriteAction{phase}, phases[first + of_a_round]->action);
        body += (body.empty() ? "" : ", ") + phase.inline_table();
    }
    Entries repeat;
    repeat.add_text("phases", "[" + body + "]");
    if (until != nullptr)
        repeat.add("until", until->condition->text).add("most", round->times);
    else
        repeat.add("times", round->times);
    entries.add_text("repeat", repeat.inline_table());
    return of_a_round * round->times + (until != nullptr ? 1 : 0);
}

struct WriteContent {
    Entries& to;
    const std::string& file;
    void operator()(const Csv& csv) const {
        Entries columns;
        for (const auto& column : csv.columns) columns.add(*column.name, column.value->text);
        to.add("csv", file).add_text("columns", columns.inline_table());
    }
    void operator()(const Npy& npy) const { to.add("npy", file).add("attribute", npy.attribute); }
    void operator()(const Png& png) const {
        to.add("png", file).add("attribute", png.attribute);
        if (png.attribute) to.add("colours", png.colours).add("low", png.low).add("high", png.high);
        to.add("scale", png.scale).add("slice", png.slice).add("element", png.element);
        Entries overlay;
        for (const auto& [agents, style] : png.overlay) {
            if (style.colour) {
                overlay.add(*agents, *style.colour);
                continue;
            }
            Entries map;
            map.add("attribute", style.member).add("colours", style.colours).add("low", style.low).add("high", style.high);
            overlay.add_text(*agents, map.inline_table());
        }
        if (!png.overlay.empty()) to.add_text("overlay", overlay.inline_table());
    }
    void operator()(const AgentRows& agents) const { to.add("agents", file).add("attribute", agents.collection); }
    void operator()(const LinkRows& links) const { to.add("links", file).add("attribute", links.collection); }
};

} // namespace

std::string resolved_toml(const RunFile& run) {
    std::string text = "model = " + toml(run.model) + "\n" + write_run(run.run) + write_schedule(run.schedule);
    for (const auto& places : run.places) text += write_places(*places);
    for (const auto& links : run.links) text += write_links(*links);
    for (const auto& agents : run.agents) text += write_agents(*agents);
    Entries params;
    for (const auto& param : run.params) params.add(*param.name, param.value);
    if (!run.params.empty()) text += params.under("[params]");
    for (std::size_t p = 0; p < run.phases.size();) {
        Entries entries;
        const auto& timing = run.phases[p]->timing;
        p += write_phase(run.phases, p, entries);
        text += add_timing(entries, timing).under("[[phase]]");
    }
    for (const auto& output : run.outputs) {
        Entries entries;
        std::visit(WriteContent{entries, output->file->text()}, output->content);
        text += add_timing(entries, output->timing).under("[[output]]");
    }
    if (!run.plugin_folders.empty()) text += Entries().add("path", run.plugin_folders).under("[plugins]");
    return text;
}

} // namespace tessera::run_file
