#include "device_runtime/error.hpp"
#include "host/cli/commands.hpp"
#include "host/edits/changes.hpp"
#include "host/plugins/registry.hpp"
#include "host/session/interrupt.hpp"
#include "host/viewer/viewer_pause.hpp"
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>

namespace tessera {
namespace {

// Warnings and errors of the log, in the pages too: such as what a compiler says of a source that was saved.
class ToPages : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit ToPages(viewer::Server& server) : server_(server) { set_level(spdlog::level::warn); }

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const nlohmann::json told{{"level", message.level >= spdlog::level::err ? "error" : "warning"},
                                  {"text", std::string(message.payload.data(), message.payload.size())}};
        server_.send_all(nlohmann::json{{"message", told}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    void flush_() override {}

    viewer::Server& server_;
};

// While one lives, pages are told what is logged.
class LogInPages {
public:
    explicit LogInPages(viewer::Server& server) : sink_(std::make_shared<ToPages>(server)) { logger()->sinks().push_back(sink_); }
    ~LogInPages() {
        auto& sinks = logger()->sinks();
        sinks.erase(std::remove(sinks.begin(), sinks.end(), sink_), sinks.end());
    }
    LogInPages(const LogInPages&) = delete;
    LogInPages& operator=(const LogInPages&) = delete;

private:
    spdlog::sink_ptr sink_;
};

constexpr const char* example = "wolf_sheep"; // what is shown where nothing is named

void expect_example(const RunRequest& request) {
    const PluginRegistry registry({request.plugin_folders.begin(), request.plugin_folders.end()},
                                  request.allow_unsafe_plugins ? Unsafe::allowed : Unsafe::refused);
    const auto& all = registry.candidates();
    if (std::any_of(all.begin(), all.end(), [](const Candidate& each) { return each.name == example; })) return;
    throw Error(Failure::usage, "`tessera view` was given no model",
                fmt::format("the example {} that it shows then is not installed with this program", example),
                "name a model, the path of its source or a run file: tessera view MODEL");
}

} // namespace

void view_command(const RunCommand& command, bool begins_paused) {
    const InterruptGuard until_it_is_known(Keeping::unknown);
    jit::Cache cache;
    jit::Compiler compiler(cache);
    auto request = command.request;
    if (request.what.empty()) {
        expect_example(request);
        request.what = example;
    }
    // In a page parameters change at once, and a run goes on as long as somebody looks.
    if (begins_paused) request.fallback = fmt::format("run = {{ bake = false, steps = {} }}\n", viewer::endless);

    viewer::Inbox inbox;
    viewer::Server server(command.server, inbox);
    const LogInPages log(server);
    viewer::Steering steering;
    viewer::ViewerPause pause(inbox, server, steering, std::filesystem::path(request.what).stem().string(), begins_paused);
    if (!command.no_browser) pause.open_browser();
    auto options = command.options;
    options.quiet = true; // the page shows it
    options.pauses = {&pause};
    do {
        const auto prepared = prepare(request, compiler);
        const auto changes = watch(request, prepared, compiler, &steering);
        options.changes = changes.get();
        pause.begin_run();
        try {
            tell(run(prepared, compiler, options));
        } catch (const Error& error) {
            if (error.kind() != Failure::interrupted) pause.tell_failure(error.what());
            throw;
        }
        if (!pause.seed().empty()) request.overrides.push_back("run.seed=" + pause.seed());
        options.again = pause.begins_again();
    } while (options.again);
}

} // namespace tessera
