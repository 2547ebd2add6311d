#include "host/cli/commands.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "device_runtime/printable.hpp"
#include "host/bench/table.hpp"
#include "host/run/check_run.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/schedule/explain.hpp"
#include "host/schedule/kernel_image.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/state_hash.hpp"
#include "host/world/value.hpp"
#include "jit/cache.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace tessera {
namespace {

void say(const std::string& line) { std::fputs((printable(line) + "\n").c_str(), stdout); } // models and folders name things

struct Jit {
    jit::Cache cache;
    jit::Compiler compiler{cache};
};

// Why no GPU is used, without the places that were searched.
std::string without_search(const std::string& why_not) {
    const auto search = why_not.find("; tried ");
    if (search != std::string::npos) spdlog::debug("{}", why_not);
    return why_not.substr(0, search);
}

std::string type_text(const model::Member& member) {
    return std::string(name_of(member.type)) + (member.elements > 1 ? fmt::format("[{}]", member.elements) : "");
}

void say_row(const model::Row& row) {
    say(fmt::format("\nplaces `{}` (struct {})", row.collection, row.name));
    for (const auto& member : row.members)
        say(fmt::format("  {:<20} {:<12} default {}{}", member.name, type_text(member),
                        readable(member.type, member.initial.data(), member.elements), member.doc.empty() ? "" : "   " + member.doc));
}

} // namespace

void run_command(const RunCommand& command) {
    Jit jit;
    const auto prepared = prepare(command.request, jit.compiler);
    const auto result = run(prepared, jit.compiler, command.options);
    const auto& report = result.report;
    say(fmt::format("{} after {} steps in {:.3g} s, state {}", report.status, report.steps, report.step_seconds,
                    hash_text(report.state_hash)));
    say(fmt::format("results in {}", result.folder.string()));
    if (report.status == "interrupted")
        throw Error(Failure::interrupted, fmt::format("interrupted after step {}", report.steps),
                    "outputs and manifest are complete until then");
}

void check_command(const RunRequest& request, bool explain) {
    Jit jit;
    const auto prepared = prepare(request, jit.compiler, Functions::all);
    const auto& setup = prepared.setup;
    check_exchanges(setup);
    const auto notes = check_run(setup); // first: values for a grid that fits into no memory are not read
    check_initial_files(setup);
    const auto any = model::any_target();
    const bool cuda = any.kind == jit::Target::Kind::cuda;
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, cuda));
    const auto target = target_for(setup, cuda, any.architecture);
    (void)compile_kernels(setup, views, target, jit.compiler);

    say(fmt::format("{}: fine", request.what));
    say(fmt::format("  model {} ({})", setup.description().name, setup.model->path.string()));
    for (const auto& collection : setup.collections) say(fmt::format("  {}: {} places", collection.name, collection.places()));
    for (const auto& phase : setup.phases) say("  phase " + phase.name);
    say(fmt::format("  columns take {:.1f} MiB", static_cast<double>(setup.column_bytes()) / (1 << 20)));
    for (const auto& note : notes) say("  " + note);
    if (explain) std::fputs(explain_steps(setup, target, jit.compiler).c_str(), stdout);
}

void list_command(const std::vector<std::string>& plugin_folders) {
    Jit jit;
    const PluginRegistry registry({plugin_folders.begin(), plugin_folders.end()});
    for (const auto& candidate : registry.candidates()) {
        std::string verdict = candidate.rejected.empty() ? "" : "rejected: " + candidate.rejected;
        if (verdict.empty()) try {
                verdict = model::load_model(candidate.path, jit.compiler, model::any_target()).description.doc;
            } catch (const std::exception& error) { // whatever it is, the others are still listed
                verdict = fmt::format("rejected: {}", error.what());
            }
        say(fmt::format("{:<16} {}  ({})", shown(candidate.name), verdict, shown(candidate.path.string(), 1000)));
    }
    if (registry.candidates().empty()) say("no models found; give a folder with --plugins or TESSERA_PLUGIN_PATH");
}

void info_command(const RunRequest& request) {
    Jit jit;
    const auto path = locate_model(request);
    const auto model = model::load_model(path, jit.compiler, model::any_target());
    const auto& description = model.description;
    say(fmt::format("{}: {}\n{}", description.name, description.doc, path.string()));
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        say_row(description.rows[r]);
        for (const auto& function : description.functions)
            if (function.row == r) say(fmt::format("  {} {}({})", function.is_init ? "init" : "call", function.name, function.access));
    }
    if (!description.parameters.empty()) say("\nparameters");
    for (const auto& parameter : description.parameters) {
        const std::string range = parameter.range ? fmt::format("  {} to {}", readable(parameter.type, (*parameter.range)[0]),
                                                                readable(parameter.type, (*parameter.range)[1]))
                                                  : "";
        say(fmt::format("  {:<20} {:<12} default {}{}{}", parameter.name, name_of(parameter.type),
                        readable(parameter.type, parameter.initial.data()), range, parameter.doc.empty() ? "" : "   " + parameter.doc));
    }
    if (!description.defaults.empty()) say("\nruns, unless told otherwise, with\n" + description.defaults);
}

void bench_command(const bench::BenchOptions& options) {
    Jit jit;
    const auto [folder, report] = bench::bench(options, jit.compiler);
    std::fputs(bench::text_table(report).c_str(), stdout);
    say(fmt::format("results in {}", folder.string()));
    if (report.status == "interrupted") throw Error(Failure::interrupted, "interrupted", "what was measured until then is complete");
    if (report.status == "failed")
        throw Error(Failure::mismatch, fmt::format("not everything makes the same steps of {}", report.model),
                    "see the rows that say `differs`", "please report it");
}

void devices_command() {
    const auto cpu = cpu_info(usable_threads());
    say(fmt::format("{:<8} {}", cpu.name, cpu.description));
    const auto cuda = cuda_status();
    for (const auto& device : cuda.devices) say(fmt::format("{:<8} {} ({})", device.name, device.description, device.architecture));
    if (!cuda.available) say(fmt::format("{:<8} not available: {}", "cuda", without_search(cuda.why_not)));
}

namespace {

// What Life makes of the same random field on a device.
std::uint64_t life_on(const std::string& device, const std::vector<std::string>& plugin_folders, Jit& jit) {
    RunRequest request{
        "life",
        {"run.steps=100", "places.cell.size=[517,389]", "places.cell.boundary=\"torus\"", "places.cell.init={alive={random=0.3}}"},
        plugin_folders};
    const auto prepared = prepare(request, jit.compiler);
    const auto opened = open_device(device, 0);
    ThreadPool pool(1);
    Simulation simulation(prepared.setup, *opened, jit.compiler, pool);
    simulation.advance(100, [](std::uint64_t) { return true; });
    return simulation.hash();
}

} // namespace

void doctor_command(const std::vector<std::string>& plugin_folders) {
    Jit jit;
    (void)locate_model({"life", {}, plugin_folders}); // which no device is to blame for
    std::vector<DeviceInfo> devices{cpu_info(usable_threads())};
    const auto cuda = cuda_status();
    devices.insert(devices.end(), cuda.devices.begin(), cuda.devices.end());
    if (!cuda.available) say("no GPU: " + without_search(cuda.why_not));
    int wrong = 0;
    std::optional<std::uint64_t> expected;
    for (const auto& device : devices) {
        std::string verdict;
        try {
            const auto hash = life_on(device.name, plugin_folders, jit);
            if (!expected) expected = hash;
            verdict =
                hash == *expected ? "ok" : fmt::format("WRONG: state {} where the first has {}", hash_text(hash), hash_text(*expected));
            wrong += hash == *expected ? 0 : 1;
        } catch (const Error& error) {
            verdict = fmt::format("FAILED: {}", error.what());
            ++wrong;
        }
        say(fmt::format("{:<8} {}: Life, 100 steps: {}", device.name, device.description, verdict));
    }
    if (wrong > 0) throw Error(Failure::mismatch, fmt::format("{} of {} devices cannot be used", wrong, devices.size()), "see above");
    say(fmt::format("{} device{} fine", devices.size(), devices.size() == 1 ? " is" : "s are"));
}

} // namespace tessera
