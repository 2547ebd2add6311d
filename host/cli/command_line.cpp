#include "host/cli/command_line.hpp"

#include "device_runtime/error.hpp"
#include "host/cli/commands.hpp"
#include "host/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <exception>
#include <new>

namespace tessera {
namespace {

// Options that become overrides of the run file's keys.
struct Overrides {
    std::string steps, seed, devices, threads;
    std::vector<std::string> set;

    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> list;
        if (!steps.empty()) list.push_back("run.steps=" + steps);
        if (!seed.empty()) list.push_back("run.seed=" + seed);
        if (!threads.empty()) list.push_back("run.threads=" + threads);
        if (!devices.empty()) list.push_back("run.devices=" + device_list());
        list.insert(list.end(), set.begin(), set.end());
        return list;
    }

private:
    [[nodiscard]] std::string device_list() const { // cpu,cuda:0 -> ["cpu","cuda:0"]
        std::string list = "[\"";
        for (const char c : devices) list += c == ',' ? std::string("\",\"") : std::string(1, c);
        return devices == "auto" ? "\"auto\"" : list + "\"]";
    }
};

void log_to_stderr(const std::string& level) {
    auto logger = spdlog::stderr_color_mt("tessera");
    logger->set_pattern("%^%l%$: %v");
    spdlog::set_default_logger(logger);
    spdlog::set_level(spdlog::level::from_str(level));
}

void add_request_options(CLI::App& command, RunRequest& request, Overrides& overrides) {
    command.add_option("--set", overrides.set, "Override a key of the run file, as in --set places.cell.size=[64,64]")->type_name("KEY=VALUE")->allow_extra_args(false);
    command.add_option("--plugins", request.plugin_folders, "A folder to look for models in")->type_name("DIR")->allow_extra_args(false);
}

} // namespace

int command_line(int argc, char** argv) {
    RunCommand run;
    run.options.process_start = std::chrono::steady_clock::now();
    Overrides overrides;
    std::string log_level = "info", out;

    CLI::App app{"Simulates models of places and agents, on CPUs and GPUs."};
    app.name("tessera");
    app.set_version_flag("--version", version());
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--log-level", log_level, "How much is told on stderr")->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}));

    auto* run_app = app.add_subcommand("run", "Run a run file, or a model with its own defaults");
    run_app->add_option("what", run.request.what, "A run file (.toml), a model's name, or the path of its source")->required();
    run_app->add_option("--out", out, "The result folder")->type_name("DIR");
    run_app->add_flag("--overwrite", run.options.overwrite, "Replace an earlier run's results");
    run_app->add_option("--steps", overrides.steps, "How many steps to make")->type_name("N");
    run_app->add_option("--seed", overrides.seed, "The seed of random numbers")->type_name("N");
    run_app->add_option("--devices", overrides.devices, "auto, cpu, cuda:0")->type_name("NAMES");
    run_app->add_option("--threads", overrides.threads, "How many threads the CPU uses")->type_name("N");
    run_app->add_flag("--quiet", run.options.quiet, "Show no progress");
    add_request_options(*run_app, run.request, overrides);

    auto* check_app = app.add_subcommand("check", "Check a run file or a model; nothing is run");
    check_app->add_option("what", run.request.what, "A run file (.toml), a model's name, or the path of its source")->required();
    add_request_options(*check_app, run.request, overrides);

    auto* list_app = app.add_subcommand("list", "List the models that can be found");
    list_app->add_option("--plugins", run.request.plugin_folders, "A folder to look for models in")->type_name("DIR")->allow_extra_args(false);

    auto* info_app = app.add_subcommand("info", "Show what a model says of itself");
    info_app->add_option("model", run.request.what, "A model's name, or the path of its source")->required();
    info_app->add_option("--plugins", run.request.plugin_folders, "A folder to look for models in")->type_name("DIR")->allow_extra_args(false);

    auto* devices_app = app.add_subcommand("devices", "List the devices of this machine");
    auto* doctor_app = app.add_subcommand("doctor", "Test the installation: every device runs Life and is compared with the CPU");
    doctor_app->add_option("--plugins", run.request.plugin_folders, "A folder to look for models in")->type_name("DIR")->allow_extra_args(false);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(Failure::usage);
    }
    log_to_stderr(log_level);
    run.request.overrides = overrides.all();
    if (!out.empty()) run.options.out = out;

    try {
        if (*run_app) run_command(run);
        else if (*check_app) check_command(run.request);
        else if (*list_app) list_command(run.request.plugin_folders);
        else if (*info_app) info_command(run.request);
        else if (*devices_app) devices_command();
        else if (*doctor_app) doctor_command(run.request.plugin_folders);
        return 0;
    } catch (const Error& error) {
        spdlog::error("{}", error.what());
        return error.exit_status();
    } catch (const std::bad_alloc&) {
        spdlog::error("the machine's memory is used up (a column or an output needs more than is free) make the grid smaller");
        return static_cast<int>(Failure::memory);
    } catch (const std::exception& error) {
        spdlog::error("{} (a defect of Tessera) please report it with the run file and the model", error.what());
        return static_cast<int>(Failure::internal);
    }
}

} // namespace tessera
