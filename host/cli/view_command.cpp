#include "device_runtime/error.hpp"
#include "host/cli/commands.hpp"
#include "host/edits/changes.hpp"
#include "host/viewer/viewer_pause.hpp"
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "jit/log.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
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

} // namespace

void view_command(const RunCommand& command, bool begins_paused) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    auto request = command.request;
    if (request.what.empty()) request.what = "wolf_sheep";
    if (begins_paused) request.overrides.insert(request.overrides.begin(), "run.bake=false"); // so that parameters change at once

    viewer::Inbox inbox;
    viewer::Server server(command.server, inbox);
    const LogInPages log(server);
    viewer::Steering steering;
    viewer::ViewerPause pause(inbox, server, steering, request.what, begins_paused);
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
