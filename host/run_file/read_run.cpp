// `model`, [run], [schedule], [plugins] and [params].
#include "host/run_file/bytes.hpp"
#include "host/run_file/checks.hpp"
#include "host/run_file/duration.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/read_devices.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tessera::run_file {
namespace {

using Kind = Node::Kind;

Located<std::uint64_t> read_count(const Node& node, std::int64_t low, std::int64_t high) {
    return located(static_cast<std::uint64_t>(read_integer(node, low, high)), node);
}

Located<double> read_delay(const Node& node) {
    const auto seconds = node.is(Kind::text) ? read_latency(node.text) : std::nullopt;
    if (!seconds) fail_expected(node, "a time up to 1 s, as in \"100us\" or \"1ms\"");
    return located(*seconds, node);
}

std::vector<Located<double>> read_weights(const Node& node, std::size_t devices) {
    expect_array(node, "an array of positive numbers, one for each device, as in [2, 1]");
    std::vector<Located<double>> weights;
    for (const auto& item : node.items) {
        const double weight = read_finite(item);
        if (!(weight > 0)) fail_expected(item, "a positive number");
        weights.push_back(located(weight, item));
    }
    if (weights.size() != devices)
        fail_at(node.where, fmt::format("`{}` has {}", node.path, weights.size()),
                fmt::format("there is one for each device, and `devices` names {}", devices));
    return weights;
}

Located<std::uint64_t> read_memory(const Node& node) {
    const auto bytes = node.is(Kind::text) ? read_bytes(node.text) : std::nullopt;
    if (!bytes) fail_expected(node, amounts);
    return located(*bytes, node);
}

// A number of steps, or a time: "30 s", "10 min", "2 h".
void read_interval(const Node& node, Checkpoints& checkpoints) {
    if (node.is(Kind::integer)) {
        checkpoints.every = read_count(node, 1, largest_step);
        return;
    }
    const auto seconds = node.is(Kind::text) ? read_duration(node.text) : std::nullopt;
    if (!seconds) fail_expected(node, fmt::format("a number of steps, or {}", durations));
    checkpoints.every_seconds = located(*seconds, node);
}

Checkpoints read_checkpoints(const Node& node) {
    constexpr std::int64_t most_kept = 1000;
    Checkpoints checkpoints;
    expect_table(node, "a table, as in { every = 10000 }");
    expect_keys(node, keys_of("checkpoint"));
    if (const auto* every = node.find("every")) read_interval(*every, checkpoints);
    if (const auto* keep = node.find("keep")) checkpoints.keep = read_count(*keep, 1, most_kept);
    if (const auto* at_end = node.find("at_end")) checkpoints.at_end = located(read_boolean(*at_end), *at_end);
    if (const auto* memory = node.find("memory")) checkpoints.memory = read_memory(*memory);
    if (const auto* compress = node.find("compress")) checkpoints.compress = read_spelling(compressions, *compress);
    if (!checkpoints.every && !checkpoints.every_seconds && !*checkpoints.at_end)
        fail_missing(node, "every", "a number of steps, or a time; or `at_end = true`");
    return checkpoints;
}

// A number, or "+5000".
void read_steps(const Node& node, Run& run) {
    run.steps_from_start = node.is(Kind::text) && node.text.starts_with('+');
    if (!run.steps_from_start) {
        run.steps = read_count(node, 0, largest_step);
        return;
    }
    std::uint64_t number = 0;
    const auto* const end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data() + 1, end, number);
    if (read.ptr != end || read.ec != std::errc() || number > static_cast<std::uint64_t>(largest_step))
        fail_expected(node, "a number of steps, or \"+5000\" for so many after the state that the run starts with");
    run.steps = located(number, node);
}

Start read_start(const Node& node, const std::string& folder) {
    expect_table(node, "a table, as in { checkpoint = \"results/spinup\" }");
    expect_keys(node, keys_of("start"));
    const auto* checkpoint = node.find("checkpoint");
    if (!checkpoint) fail_missing(node, "checkpoint", "the folder of a checkpoint, or of the results of a run that keeps them");
    return {read_path(*checkpoint, folder, "the path of a folder"), "", 0};
}

void read_lengths(const Node& table, Run& run) {
    if (const auto* steps = table.find("steps")) read_steps(*steps, run);
    if (const auto* stop = table.find("stop")) run.stop = read_condition(*stop);
    if (const auto* stop_every = table.find("stop_every")) run.stop_every = read_count(*stop_every, 1, largest_step);
    if (!run.steps && !run.stop)
        fail_missing(table, table.path.empty() ? "run.steps" : "steps", "a number of steps, or a `stop` condition");
}

} // namespace

bool names_path(const std::string& model) {
    const auto ending = std::filesystem::path(model).extension();
    return model.find('/') != std::string::npos || ending == ".cu" || ending == ".so";
}

Located<std::string> read_model(const Node& node, const std::string& folder) {
    const std::string expected = "the name of a model, or a path to one";
    auto model = names_path(node.text) ? read_path(node, folder, expected) : located(read_text(node, expected), node);
    if (model->empty()) fail_expected(node, expected);
    return model;
}

Run read_run(const Node& document, const std::string& folder) {
    Run run;
    run.devices = {{"auto", document.where}};
    const auto* table = document.find("run");
    if (!table) {
        read_lengths(document, run);
        return run;
    }
    expect_keys(*table, keys_of("[run]"));
    read_lengths(*table, run);
    if (const auto* seed = table->find("seed")) run.seed = read_count(*seed, 0, largest_integer);
    if (const auto* devices = table->find("devices")) run.devices = read_devices(*devices, Auto::allowed);
    if (const auto* weights = table->find("weights")) run.weights = read_weights(*weights, run.devices.size());
    if (const auto* memory = table->find("memory")) run.memory = read_spelling(memory_models, *memory);
    if (const auto* transport = table->find("transport")) run.transport = read_spelling(transports, *transport);
    if (const auto* latency = table->find("inject_latency")) run.inject_latency = read_delay(*latency);
    if (const auto* threads = table->find("threads"); threads && !(threads->is(Kind::text) && threads->text == "auto")) {
        if (!threads->is(Kind::integer) || threads->integer < 1 || threads->integer > 65536)
            fail_expected(*threads, "an integer from 1 to 65536, or \"auto\"");
        run.threads = read_count(*threads, 1, 65536);
    }
    if (const auto* out = table->find("out")) run.out = read_path(*out, folder, "the path of a folder");
    if (const auto* float_mode = table->find("float")) run.float_mode = read_spelling(float_modes, *float_mode);
    if (const auto* bake = table->find("bake")) run.bake = located(read_boolean(*bake), *bake);
    if (const auto* output_memory = table->find("output_memory")) run.output_memory = read_memory(*output_memory);
    if (const auto* output_threads = table->find("output_threads"))
        run.output_threads = read_count(*output_threads, 1, most_output_threads);
    if (const auto* checkpoint = table->find("checkpoint")) run.checkpoint = read_checkpoints(*checkpoint);
    if (const auto* start = table->find("start")) run.start = read_start(*start, folder);
    if (run.steps_from_start && !run.start)
        fail_at(run.steps->where, fmt::format("`steps` counts from the state that the run starts with: \"+{}\"", **run.steps),
                "the run has no `start`", "give the number of steps, or start = { checkpoint = \"results/spinup\" }");
    return run;
}

Schedule read_schedule(const Node& node) {
    Schedule schedule;
    constexpr std::int64_t widest_halo = 1024;
    expect_keys(node, keys_of("[schedule]"));
    if (const auto* exchange = node.find("exchange")) schedule.exchange = read_spelling(exchange_modes, *exchange);
    if (const auto* view = node.find("view")) schedule.view = read_spelling(views, *view);
    if (const auto* tune = node.find("tune"); tune && tune->is(Kind::text) && tune->text.find(':') != std::string::npos) {
        schedule.tune = located(Tune::off, *tune);
        schedule.fused = located(tune->text, *tune);
    } else if (tune)
        schedule.tune = read_spelling(tunings, *tune);
    if (const auto* halo = node.find("halo"); halo && !(halo->is(Kind::text) && halo->text == "auto")) {
        if (!halo->is(Kind::integer) || halo->integer < 1 || halo->integer > widest_halo)
            fail_expected(*halo, fmt::format("an integer from 1 to {}, or \"auto\"", widest_halo));
        schedule.halo = read_count(*halo, 1, widest_halo);
    }
    return schedule;
}

std::vector<Located<std::string>> read_plugin_folders(const Node& node, const std::string& folder) {
    expect_keys(node, keys_of("[plugins]"));
    std::vector<Located<std::string>> folders;
    const auto* path = node.find("path");
    if (!path) return folders;
    expect_array(*path, "an array of folders");
    for (const auto& item : path->items) folders.push_back(read_path(item, folder, "the path of a folder"));
    return folders;
}

std::vector<Named<Located<Number>>> read_params(const Node& node) {
    expect_table(node);
    std::vector<Named<Located<Number>>> params;
    for (const auto& item : node.items) params.push_back({located_key(item), located(read_number(item), item)});
    return params;
}

} // namespace tessera::run_file
