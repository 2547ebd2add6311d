#include "host/cli/command_line.hpp"

#include "device_runtime/printable.hpp"
#include "host/bench/plan.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/standard_output.hpp"
#include "host/run/launcher.hpp"
#include "host/run_file/duration.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/toml_text.hpp"
#include "host/session/as_error.hpp"
#include "host/session/interrupt.hpp"
#include "host/version.hpp"
#include "jit/log.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

// Options that become overrides of the run file's keys.
struct Overrides {
    std::string steps, seed, devices, threads, inject_latency;
    std::vector<std::string> set;

    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> list;
        for (const auto& option : given()) list.push_back(option.override);
        list.insert(list.end(), set.begin(), set.end());
        return list;
    }

    // A message about an override, with the option that was typed.
    [[nodiscard]] std::string as_typed(std::string message) const {
        for (const auto& option : given()) {
            const std::string shown = "--set " + option.override;
            if (const auto at = message.find(shown); at != std::string::npos) message.replace(at, shown.size(), option.typed);
        }
        return message;
    }

private:
    struct Option {
        std::string typed, override;
    };
    [[nodiscard]] std::vector<Option> given() const {
        std::vector<Option> options;
        if (!steps.empty()) options.push_back({"--steps " + steps, "run.steps=" + steps});
        if (!seed.empty()) options.push_back({"--seed " + seed, "run.seed=" + seed});
        if (!threads.empty()) options.push_back({"--threads " + threads, "run.threads=" + threads});
        if (!inject_latency.empty())
            options.push_back({"--inject-latency " + inject_latency, "run.inject_latency=" + run_file::toml_text(inject_latency)});
        if (!devices.empty()) options.push_back({"--devices " + devices, "run.devices=" + device_list()});
        return options;
    }
    [[nodiscard]] std::string device_list() const { // cpu,cuda:0 -> ["cpu","cuda:0"]
        if (devices == "auto") return run_file::toml_text(devices);
        std::string list;
        std::istringstream names(devices);
        for (std::string name; std::getline(names, name, ',');) list += (list.empty() ? "[" : ",") + run_file::toml_text(name);
        return list.empty() ? "[]" : list + "]";
    }
};

// A message without bytes that change a terminal: a part of it is from models and files.
class Printable : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
        const auto text = printable({message.payload.data(), message.payload.size()});
        into.append(text.data(), text.data() + text.size());
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Printable>(); }
};

void log_to_stderr(const std::string& level) {
    auto to_stderr = std::make_shared<spdlog::logger>("tessera", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<Printable>('*').set_pattern("%^%l%$: %*");
    to_stderr->set_formatter(std::move(formatter));
    to_stderr->set_level(spdlog::level::from_str(level));
    set_logger(std::move(to_stderr));
}

std::string lower_first(std::string text) {
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

// An error of the command line as a message of ours.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "tessera" : "tessera " + chosen.front()->get_name();
    const std::string help = fmt::format("see `{} --help`", command);
    const auto left = app.remaining(true);
    if (chosen.empty() && !left.empty() && left.front()[0] != '-') {
        std::vector<std::string> known;
        for (const auto* each : app.get_subcommands([](const CLI::App*) { return true; })) known.push_back(each->get_name());
        const auto meant = did_you_mean(left.front(), known);
        return Error(Failure::usage, fmt::format("there is no command `{}`", left.front()), "commands are " + listed(known),
                     meant.empty() ? help : meant);
    }
    if (chosen.empty() && left.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
        return Error(Failure::usage, "no command was given", "such as `tessera run life`", help);
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) && !chosen.empty())
        for (const auto* option : chosen.front()->get_options())
            if (option->get_required() && option->count() == 0)
                return Error(Failure::usage, fmt::format("`{}` needs a {}", command, option->get_name()),
                             lower_first(option->get_description()), help);
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !left.empty()) {
        const auto option = std::find_if(left.begin(), left.end(), [](const std::string& each) { return each[0] == '-'; });
        const std::string& wrong = option != left.end() ? *option : left.front();
        std::vector<std::string> known;
        for (const auto* each : (chosen.empty() ? &app : chosen.front())->get_options()) known.push_back(each->get_name());
        const auto meant = did_you_mean(wrong, known);
        return Error(Failure::usage, fmt::format("`{}` does not know `{}`", command, wrong), "", meant.empty() ? help : meant);
    }
    return Error(Failure::usage, error.what(), "", help);
}

void add_plugin_options(CLI::App& command, RunRequest& request) {
    command.add_option("--plugins", request.plugin_folders, "A folder in which models are looked for")
        ->type_name("DIR")
        ->allow_extra_args(false);
    command.add_flag("--allow-unsafe-plugins", request.allow_unsafe_plugins, "Accept models that other users can change");
}

void add_request_options(CLI::App& command, RunRequest& request, Overrides& overrides) {
    command.add_option("--set", overrides.set, "Override a key of the run file, such as --set places.cell.size=[64,64]")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_plugin_options(command, request);
}

// An option that takes a time.
void add_time_limit(CLI::App& command, std::string& time_limit) {
    command.add_option("--time-limit", time_limit, "Keep the state and end before this time is over, such as \"2 h\"")->type_name("TIME");
}
std::optional<double> read_time_limit(const std::string& text) {
    if (text.empty()) return std::nullopt;
    if (const auto seconds = run_file::read_duration(text)) return seconds;
    throw Error(Failure::usage, fmt::format("`--time-limit` cannot be `{}`", text), fmt::format("expected {}", run_file::durations));
}

// How the processes of one run talk to each other: they cannot yet, and `none` says that they are runs for themselves.
void add_messages(CLI::App& command, std::string& messages) {
    command.add_option("--messages", messages, "none: these are runs for themselves, also where mpirun or srun starts several processes")
        ->type_name("WAY")
        ->check(CLI::IsMember({"none"}));
}
void warn_of_launcher(const std::string& messages) {
    if (!messages.empty()) return;
    if (const auto warning = warning_of_launcher(); !warning.empty()) log_warning("{}", warning);
}

// A checked run reports its first mistake and ends there.
void expect_alone(const RunCommand& run) {
    if (!run.request.check) return;
    const auto refuse = [](const char* other, const char* why) {
        throw Error(Failure::usage, fmt::format("`--check` cannot be combined with `{}`", other), why, "leave one of them out");
    };
    if (run.request.debug) refuse("--debug", "`--check` looks for mistakes by itself, and a debugger waits for its user");
    if (run.view) refuse("--view", "a mistake ends a checked run, and a viewed run goes on with each change");
    if (run.watch) refuse("--watch", "a mistake ends a checked run, and a watched run goes on with each change");
    if (!run.replay.empty()) refuse("--replay", "a replay repeats the changes of a watched run as they were made");
}

// --help and --version.
int say_of_itself(const CLI::App& app, const CLI::ParseError& asked) try {
    std::ostringstream text;
    (void)app.exit(asked, text, text);
    say_text(text.str());
    finish_saying();
    return 0;
} catch (const Error& error) {
    log_to_stderr("info");
    log_error("{}", error.what());
    return error.exit_status();
}

// What the options of all commands set.
struct Typed {
    RunCommand run;
    ResumeCommand resume;
    bench::BenchOptions bench;
    BuildCommand build;
    ValidateCommand validate;
    NewModel wanted;
    Overrides overrides;
    std::string log_level = "info", time_limit, messages, out, reference, target, library;
    bool explain = false, of_run_files = false, of_schema = false;

    // Gives each command what it has in common with others.
    void share(int argc, char** argv) {
        run.request.overrides = bench.request.overrides = overrides.all();
        if (!out.empty()) run.options.out = bench.out = out;
        if (!reference.empty()) bench.reference = reference;
        build.request = validate.request = run.request;
        resume.request.overrides = overrides.all();
        resume.options = run.options;
        build.out = out;
        for (int i = 0; i < argc; ++i) bench.command += (i > 0 ? " " : "") + std::string(argv[i]);
        run.line = bench.command;
    }
};

void add_common_options(CLI::App& app, std::string& log_level) {
    app.name("tessera");
    app.set_version_flag("--version", version());
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--log-level", log_level, "How much is reported on stderr")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}));
}

void add_server_options(CLI::App& command, RunCommand& run) {
    auto& server = run.server;
    command.add_flag("--no-browser", run.no_browser, "Open no browser on the page, and only say where it is");
    command.add_option("--port", server.port, "The port of the page; by default one that is free")->type_name("N");
    command.add_option("--host", server.host, "The address to listen at; by default this machine alone can look")->type_name("ADDRESS");
    command.add_option("--allow-host", server.allowed_hosts, "A name by which browsers reach the page, such as a proxy's")
        ->type_name("NAME")
        ->allow_extra_args(false);
}

CLI::App* add_run(CLI::App& app, Typed& typed) {
    auto& run = typed.run;
    auto& overrides = typed.overrides;
    auto* run_app = app.add_subcommand("run", "Run a run file, or a model with its own defaults");
    run_app->add_option("model", run.request.what, "A run file (.toml), a model's name, or the path of its source");
    run_app->add_flag("--debug", run.request.debug, "Compile for a debugger: on the CPU, with one thread, not optimised");
    run_app->add_flag("--check", run.request.check, "Find undefined arithmetic, wrong indices, NaN and false assertions, on the CPU");
    auto* watch = run_app->add_flag("--watch", run.watch, "When the model or the run file is saved, go on with the change");
    run_app->add_flag("--view", run.view, "Look at the run in a page of the browser; see `tessera view`");
    add_server_options(*run_app, run);
    run_app->add_option("--replay", run.replay, "Repeat a run that was made with --watch, by its manifest")
        ->type_name("MANIFEST")
        ->excludes(watch);
    run_app->add_option("--out", typed.out, "The result folder")->type_name("DIR");
    run_app->add_flag("--overwrite", run.options.overwrite, "Replace an earlier run's results");
    run_app->add_option("--steps", overrides.steps, "The number of steps")->type_name("N");
    run_app->add_option("--seed", overrides.seed, "The seed of random numbers")->type_name("N");
    run_app->add_option("--devices", overrides.devices, "auto, cpu, cuda:0")->type_name("NAMES");
    run_app->add_option("--threads", overrides.threads, "The number of threads of the CPU")->type_name("N");
    run_app
        ->add_option("--inject-latency", overrides.inject_latency,
                     "For experiments: delay rows from other devices by this time, such as 100us")
        ->type_name("TIME");
    run_app->add_flag("--quiet", run.options.quiet, "Show no progress");
    add_time_limit(*run_app, typed.time_limit);
    add_messages(*run_app, typed.messages);
    add_request_options(*run_app, run.request, overrides);
    return run_app;
}

CLI::App* add_view(CLI::App& app, Typed& typed) {
    auto& run = typed.run;
    auto* view_app = app.add_subcommand("view", "Run in a page of the browser: look at it, pause it, change its parameters");
    view_app->add_option("model", run.request.what, "A run file (.toml), a model's name, or the path of its source; by default wolf_sheep");
    add_server_options(*view_app, run);
    view_app->add_option("--out", typed.out, "The result folder")->type_name("DIR");
    view_app->add_flag("--overwrite", run.options.overwrite, "Replace an earlier run's results");
    view_app->add_option("--steps", typed.overrides.steps, "The number of steps")->type_name("N");
    view_app->add_option("--seed", typed.overrides.seed, "The seed of random numbers")->type_name("N");
    view_app->add_option("--devices", typed.overrides.devices, "auto, cpu, cuda:0")->type_name("NAMES");
    view_app->add_option("--threads", typed.overrides.threads, "The number of threads of the CPU")->type_name("N");
    add_messages(*view_app, typed.messages);
    add_request_options(*view_app, run.request, typed.overrides);
    return view_app;
}

CLI::App* add_resume(CLI::App& app, Typed& typed) {
    auto& resume = typed.resume;
    auto* resume_app = app.add_subcommand("resume", "Go on with a run that ended early, from its last checkpoint");
    resume_app->add_option("results", resume.request.folder, "The result folder of the run")->required();
    resume_app->add_option("--steps", typed.overrides.steps, "The number of steps of the whole run")->type_name("N");
    resume_app->add_option("--devices", typed.overrides.devices, "auto, cpu, cuda:0; the bits are the same")->type_name("NAMES");
    resume_app->add_option("--threads", typed.overrides.threads, "The number of threads of the CPU")->type_name("N");
    auto* out =
        resume_app->add_option("--out", typed.out, "Another result folder, which gets what was written up to there")->type_name("DIR");
    resume_app->add_flag("--check", resume.check, "Only test whether the checkpoints are whole")->excludes(out);
    add_time_limit(*resume_app, typed.time_limit);
    add_messages(*resume_app, typed.messages);
    resume_app->add_flag("--quiet", typed.run.options.quiet, "Show no progress");
    resume_app->add_flag("--allow-unsafe-plugins", resume.request.allow_unsafe_plugins, "Accept sources that other users can change");
    return resume_app;
}

CLI::App* add_check(CLI::App& app, Typed& typed) {
    auto* check_app = app.add_subcommand("check", "Check a run file or a model, and run nothing");
    check_app->add_option("model", typed.run.request.what, "A run file (.toml), a model's name, or the path of its source")->required();
    check_app->add_option("--target", typed.target, "Compile for this GPU, such as sm_90, whether it is here or not")->type_name("NAME");
    check_app->add_flag("--explain", typed.explain, "Show which steps can be fused, how, and why others cannot");
    add_request_options(*check_app, typed.run.request, typed.overrides);
    return check_app;
}

CLI::App* add_bench(CLI::App& app, Typed& typed) {
    auto& bench = typed.bench;
    auto& overrides = typed.overrides;
    auto* bench_app = app.add_subcommand("bench", "Measure the speed of a model, by size and view, beside kernels written by hand");
    bench_app->add_option("model", bench.request.what, "A run file (.toml), a model's name, or the path of its source")->required();
    bench_app
        ->add_option("--sizes", bench.sizes, "Sizes of the grid: 500,1000 are places along each axis; 200x100 has an extent for each axis")
        ->type_name("LIST");
    bench_app->add_option("--views", bench.views, "Views: " + bench::known_views())->type_name("LIST")->capture_default_str();
    bench_app
        ->add_option("--devices", overrides.devices,
                     "auto, cpu, cuda:0; if there are several: the first, the first two, and so on up to all")
        ->type_name("NAMES");
    bench_app
        ->add_option("--scaling", bench.scaling,
                     "The grid for several devices: the same (strong), or one that is as many times as long (weak)")
        ->type_name("LIST")
        ->capture_default_str();
    bench_app->add_option("--counts", bench.counts, "The numbers of devices to measure, such as 1,2,4; else each number up to all")
        ->type_name("LIST");
    bench_app->add_option("--threads", overrides.threads, "The number of threads of the CPU")->type_name("N");
    bench_app
        ->add_option("--inject-latency", overrides.inject_latency,
                     "For experiments: delay rows from other devices by this time, such as 100us")
        ->type_name("TIME");
    bench_app->add_option("--samples", bench.samples, "The number of timings for each row")
        ->type_name("N")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    bench_app->add_option("--reference", typed.reference, "A folder of kernels written by hand")->type_name("DIR");
    bench_app->add_option("--out", typed.out, "The result folder")->type_name("DIR");
    bench_app->add_flag("--overwrite", bench.overwrite, "Replace an earlier run's results");
    add_request_options(*bench_app, bench.request, overrides);
    return bench_app;
}

CLI::App* add_list(CLI::App& app, RunRequest& request) {
    auto* list_app = app.add_subcommand("list", "List the models that can be found");
    add_plugin_options(*list_app, request);
    return list_app;
}

CLI::App* add_info(CLI::App& app, RunRequest& request) {
    auto* info_app = app.add_subcommand("info", "Show a model's description of itself");
    info_app->add_option("model", request.what, "A model's name, or the path of its source")->required();
    add_plugin_options(*info_app, request);
    return info_app;
}

CLI::App* add_build(CLI::App& app, BuildCommand& build, RunRequest& request, std::string& out) {
    auto* build_app = app.add_subcommand("build", "Make a library of a model: one file that works in any plugin folder");
    build_app->add_option("model", request.what, "A model's name, or the path of its source")->required();
    build_app->add_option("--out", out, "The library; by default NAME.so here, or NAME.o with --object")->type_name("FILE");
    build_app->add_option("--for", build.run_files, "Compile the code of this run beforehand: it is faster than code for any run")
        ->type_name("RUNFILE")
        ->allow_extra_args(false);
    build_app->add_flag("--without-source", build.without_source,
                        "Leave the source out: models of places run with any run file, other models with those of --for");
    build_app->add_option("--cpu", build.cpus, "The processors to compile for, such as v2,v3; by default v2")
        ->type_name("LIST")
        ->delimiter(',')
        ->check(CLI::IsMember({"v2", "v3"}));
    build_app->add_option("--gpu", build.gpus, "The GPUs to compile for, such as sm_80,sm_90")->type_name("LIST")->delimiter(',');
    auto* hooks =
        build_app->add_option("--hooks", build.hooks, "C++ sources of hooks: functions that runs call between steps")->type_name("FILE");
    build_app->add_flag("--object", build.object, "Make an object file, for a linker that joins it with hooks to a library")
        ->excludes(hooks);
    build_app->add_option("--depfile", build.depfile, "Write the list of files that it was made of, for make, ninja and CMake")
        ->type_name("FILE");
    add_plugin_options(*build_app, request);
    return build_app;
}

CLI::App* add_docs(CLI::App& app, Typed& typed) {
    auto* docs_app = app.add_subcommand("docs", "Describe a model as Markdown, by the ODD protocol; gaps are marked for the author");
    auto* documented =
        docs_app->add_option("model", typed.run.request.what, "A run file (.toml), a model's name, or the path of its source");
    auto* tables =
        docs_app->add_flag("--run-file", typed.of_run_files, "Write the tables of all keys of run files instead")->excludes(documented);
    docs_app
        ->add_flag("--schema", typed.of_schema,
                   "Write the JSON schema of run files instead; editors use it to complete and check run files")
        ->excludes(documented)
        ->excludes(tables);
    add_request_options(*docs_app, typed.run.request, typed.overrides);
    return docs_app;
}

CLI::App* add_validate(CLI::App& app, ValidateCommand& validate, RunRequest& request) {
    auto* validate_app =
        app.add_subcommand("validate", "Test whether a model is documented, compiles for all devices, and has the same bits everywhere");
    validate_app->add_option("model", request.what, "A run file (.toml), a model's name, or the path of its source or library")->required();
    validate_app->add_option("--steps", validate.steps, "The number of steps of each run")->type_name("N")->capture_default_str();
    validate_app->add_option("--random", validate.random, "The number of random run files to run; 0: none")
        ->type_name("N")
        ->capture_default_str();
    validate_app->add_option("--seed", validate.seed, "The seed of the random run files")->type_name("N")->capture_default_str();
    validate_app->add_option("--patience", validate.patience, "The time limit of the run that tests whether hooks end")
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    validate_app->add_option("--bind-into", validate.bind_into)->group(""); // what a child of `validate` does
    add_plugin_options(*validate_app, request);
    return validate_app;
}

CLI::App* add_seal(CLI::App& app, std::string& library) {
    auto* seal_app =
        app.add_subcommand("seal", "Write a checksum of the code into a library that was linked by hand, or by CMake, with hooks");
    seal_app->add_option("library", library, "The library, NAME.so")->required();
    return seal_app;
}

CLI::App* add_new(CLI::App& app, NewModel& wanted) {
    auto* new_app = app.add_subcommand("new", "Make a folder with a model that runs, a run file and a test");
    new_app->add_option("name", wanted.name, "The model's name")->required();
    new_app->add_flag("--agents", wanted.agents, "With agents on the places");
    new_app->add_flag("--library", wanted.library, "With a CMake project that builds the model as a library");
    return new_app;
}

CLI::App* add_doctor(CLI::App& app, RunRequest& request) {
    auto* doctor_app = app.add_subcommand("doctor", "Test the installation: every device runs models with known results");
    add_plugin_options(*doctor_app, request);
    return doctor_app;
}

void carry_out_run(const RunCommand& run) {
    if (run.request.what.empty() == run.replay.empty())
        throw Error(Failure::usage, run.replay.empty() ? "`tessera run` needs a model" : "`--replay` knows its model by itself",
                    run.replay.empty() ? "a run file (.toml), a model's name, or the path of its source" : "a model is named too",
                    "see `tessera run --help`");
    expect_alone(run);
    if (run.view && !run.replay.empty())
        throw Error(Failure::usage, "`--view` cannot be combined with `--replay`",
                    "a replay repeats the changes of a run as they were made", "leave one of them out");
    run_command(run);
}

void carry_out_docs(const Typed& typed) {
    if (typed.of_run_files) return run_file_docs_command();
    if (typed.of_schema) return schema_command();
    if (typed.run.request.what.empty())
        throw Error(Failure::usage, "`tessera docs` needs a model",
                    "a run file (.toml), a model's name, or the path of its source; or `--run-file`, or `--schema`",
                    "see `tessera docs --help`");
    docs_command(typed.run.request);
}

// A command, and the action for which it stands.
struct Command {
    const CLI::App* app;
    std::function<void()> carry_out;
};

// In the order in which `--help` lists them.
std::vector<Command> add_commands(CLI::App& app, Typed& typed) {
    auto& run = typed.run;
    return {
        {add_run(app, typed),
         [&] {
             warn_of_launcher(typed.messages);
             run.options.keeping.time_limit = read_time_limit(typed.time_limit);
             carry_out_run(run);
         }},
        {add_view(app, typed),
         [&] {
             warn_of_launcher(typed.messages);
             view_command(run, true);
         }},
        {add_resume(app, typed),
         [&] {
             if (!typed.resume.check) warn_of_launcher(typed.messages);
             typed.resume.options.keeping.time_limit = read_time_limit(typed.time_limit);
             resume_command(typed.resume);
         }},
        {add_check(app, typed), [&] { check_command(run.request, typed.explain, typed.target); }},
        {add_bench(app, typed), [&] { bench_command(typed.bench); }},
        {add_list(app, run.request), [&] { list_command(run.request); }},
        {add_info(app, run.request), [&] { info_command(run.request); }},
        {add_build(app, typed.build, run.request, typed.out), [&] { build_command(typed.build); }},
        {add_docs(app, typed), [&] { carry_out_docs(typed); }},
        {add_validate(app, typed.validate, run.request), [&] { validate_command(typed.validate); }},
        {add_seal(app, typed.library), [&] { seal_command(typed.library); }},
        {add_new(app, typed.wanted), [&] { new_command(typed.wanted); }},
        {app.add_subcommand("devices", "List the devices of this machine"), [] { devices_command(); }},
        {add_doctor(app, run.request), [&] { doctor_command(run.request); }},
    };
}

// The exit status if there is no command to carry out.
std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return say_of_itself(app, error);
        log_to_stderr("info");
        const auto told = usage_error(app, error);
        log_error("{}", told.what());
        return told.exit_status();
    }
}

} // namespace

int command_line(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow further is reported as a failed write
    outlive_broken_pipes();
    Typed typed;
    typed.run.options.process_start = std::chrono::steady_clock::now();

    CLI::App app{"Simulates models of places and agents, on CPUs and GPUs."};
    add_common_options(app, typed.log_level);
    const auto commands = add_commands(app, typed);
    if (const auto status = parse(app, argc, argv)) return *status;
    log_to_stderr(typed.log_level);
    typed.share(argc, argv);

    try {
        for (const auto& command : commands)
            if (*command.app) command.carry_out();
        finish_saying();
        return 0;
    } catch (const std::exception& thrown) {
        const auto error = as_error(thrown);
        log_error("{}", typed.overrides.as_typed(error.what()));
        return error.exit_status();
    }
}

} // namespace tessera
