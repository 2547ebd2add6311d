// `tessera validate`: does a model keep what it promises? Each question is asked in a process of its own, within limits, so that a model
// may do in it what it will.
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/standard_output.hpp"
#include "host/model/library.hpp"
#include "host/plugins/trust.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "jit/nvrtc.hpp"
#include "jit/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// A question that this model or this machine has no answer to, and why.
struct NotAsked : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Something is missing that does no harm.
struct Gap : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// The answer is no, and why.
struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool is_run_file(const std::string& what) { return fs::path(what).extension() == ".toml"; }

// What a child said last of what went wrong: from "error: " on.
std::string reason_of(const jit::Outcome& outcome) {
    if (outcome.timed_out) return "it took too long";
    const auto at = outcome.text.rfind("error: ");
    auto reason = at == std::string::npos ? outcome.text : outcome.text.substr(at + 7);
    while (!reason.empty() && reason.back() == '\n') reason.pop_back();
    if (outcome.status > 128) return fmt::format("it ended by signal {}{}{}", outcome.status - 128, reason.empty() ? "" : ": ", reason);
    return reason.empty() ? fmt::format("it ended with status {}", outcome.status) : reason;
}

class Validation {
public:
    Validation(const ValidateCommand& command, fs::path scratch) : command_(command), scratch_(std::move(scratch)) {}

    void ask(const std::string& question, const std::function<std::string()>& answer) {
        std::string verdict;
        try {
            const auto remark = answer();
            verdict = fmt::format("ok        {}{}", question, remark.empty() ? "" : ": " + remark);
        } catch (const NotAsked& why) {
            verdict = fmt::format("not asked {}: {}", question, why.what());
        } catch (const Gap& why) {
            verdict = fmt::format("gap       {}: {}", question, why.what());
        } catch (const Failed& why) {
            verdict = fmt::format("FAILED    {}: {}", question, why.what());
            ++failed_;
        }
        say(verdict);
    }
    [[nodiscard]] int failed() const noexcept { return failed_; }

    // What this program says as a child; its failure is the answer.
    std::string tessera(std::vector<std::string> arguments) const {
        const auto outcome = child(std::move(arguments));
        if (outcome.status != 0) throw Failed(reason_of(outcome));
        return outcome.text;
    }
    [[nodiscard]] jit::Outcome child(std::vector<std::string> arguments) const {
        jit::Command command;
        command.arguments = {fs::read_symlink("/proc/self/exe").string(), "--log-level", "error"};
        command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
        for (const auto& folder : command_.request.plugin_folders) command.arguments.insert(command.arguments.end(), {"--plugins", folder});
        if (command_.request.allow_unsafe_plugins) command.arguments.emplace_back("--allow-unsafe-plugins");
        return jit::run(command);
    }

    // The state after some steps of a run, "state 0123456789abcdef".
    std::string state(const std::string& what, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "run", what, "--steps", std::to_string(command_.steps), "--quiet", "--out", (scratch_ / std::to_string(runs_++)).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto outcome = child(std::move(arguments));
        if (outcome.status == 3 || outcome.status == 6) throw NotAsked(reason_of(outcome));
        if (outcome.status != 0) throw Failed(reason_of(outcome));
        const auto at = outcome.text.find("state ");
        if (at == std::string::npos) throw Failed("it says nothing of its state");
        return outcome.text.substr(at, 22);
    }
    // The same with other means.
    std::string expect_state(const std::string& expected, const std::string& what, const std::vector<std::string>& more) {
        const auto found = state(what, more);
        if (found != expected) throw Failed(fmt::format("{} instead of {}", found, expected));
        return {};
    }

    [[nodiscard]] const fs::path& scratch() const noexcept { return scratch_; }

private:
    const ValidateCommand& command_;
    fs::path scratch_;
    int failed_ = 0, runs_ = 0;
};

std::string undocumented(const model::Description& description) {
    std::string names;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
    for (const auto& row : description.rows)
        for (const auto& member : row.members)
            if (member.doc.empty()) add(row.name + "::" + member.name);
    for (const auto& parameter : description.parameters)
        if (parameter.doc.empty()) add(parameter.name);
    if (description.doc.empty()) add("TESSERA_MODEL");
    return names;
}

// The model's source or library that a run file or a name leads to, and its name. Nothing of it is run.
model::Model find_model(const ValidateCommand& command) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    if (!is_run_file(command.request.what)) return model::load_model(locate_model(command.request), compiler);
    auto prepared = prepare(command.request, compiler);
    return std::move(*prepared.model);
}

void ask_of_targets(Validation& validation, const std::string& what) {
    validation.ask("all of it compiles for the CPU", [&] {
        validation.tessera({"check", what});
        return std::string();
    });
    std::vector<int> architectures;
    try {
        architectures = jit::Nvrtc::find().architectures();
    } catch (const Error& error) {
        validation.ask("all of it compiles for GPUs", [&]() -> std::string { throw NotAsked(error.what()); });
    }
    for (const int version : architectures)
        validation.ask(fmt::format("all of it compiles for sm_{}", version), [&] {
            validation.tessera({"check", what, "--target", fmt::format("sm_{}", version)});
            return std::string();
        });
}

// Libraries that there are wherever Tessera is.
bool is_everywhere(const std::string& library) {
    for (const std::string part : {"libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.", "ld-linux-x86-64.so."})
        if (library.starts_with(part)) return true;
    return false;
}

void ask_of_hooks(Validation& validation, const model::Library& library, const std::string& what) {
    validation.ask("its hooks need no libraries but those of the C library", [&] {
        std::string others;
        for (const auto& needed : model::needed_libraries(library))
            if (!is_everywhere(needed)) others += (others.empty() ? "" : ", ") + needed;
        if (!others.empty())
            throw Failed(fmt::format("it needs {} (which may be missing elsewhere, or another version) link it in", others));
        return std::string();
    });
    validation.ask("its hooks end well", [&] {
        (void)validation.state(what, {"--devices", "cpu", "--threads", "1"});
        return std::string();
    });
}

void ask_of_runs(Validation& validation, const std::string& what, bool has_source) {
    std::string state;
    validation.ask("it runs on the CPU", [&] {
        return state = validation.state(what, {"--devices", "cpu", "--threads", "1", "--set", "schedule.tune=off"});
    });
    if (state.empty()) return;
    const auto same = [&](const std::string& question, const std::vector<std::string>& more) {
        validation.ask(question, [&] { return validation.expect_state(state, what, more); });
    };
    same("the same state once more", {"--devices", "cpu", "--threads", "1"});
    if (has_source) same("a checked run is clean", {"--check"});
    same("the same state with 3 threads", {"--devices", "cpu", "--threads", "3"});
    same("the same state on three parts of the grid", {"--devices", "cpu,cpu,cpu", "--threads", "3"});
    for (const auto& device : cuda_status().devices) same(fmt::format("the same state on {}", device.name), {"--devices", device.name});
    if (!cuda_status().available) validation.ask("the same state on a GPU", [&]() -> std::string { throw NotAsked("there is none here"); });
}

void ask_of_library(Validation& validation, const model::Model& model, const std::string& what) {
    const auto library = validation.scratch() / (model.description.name + ".so");
    const auto source = model.path.string();
    validation.ask("a library of it is the same bytes whenever it is built", [&]() -> std::string {
        if (model.library) throw NotAsked("it is one");
        validation.tessera({"build", source, "--out", library.string()});
        const auto first = jit::read_file(library);
        validation.tessera({"build", source, "--out", library.string()});
        if (jit::read_file(library) != first) throw Failed("two builds differ");
        return fmt::format("{} bytes", first.size());
    });
    if (!fs::exists(library)) return;
    validation.ask("its library comes to the same state", [&]() -> std::string {
        const std::vector<std::string> more{"--devices", "cpu", "--threads", "1"};
        const auto of_library = is_run_file(what) ? std::vector<std::string>{"--set", fmt::format("model=\"{}\"", library.string())}
                                                  : std::vector<std::string>{};
        auto all = more;
        all.insert(all.end(), of_library.begin(), of_library.end());
        return validation.expect_state(validation.state(what, more), is_run_file(what) ? what : library.string(), all);
    });
}

} // namespace

void validate_command(const ValidateCommand& command) {
    const auto& what = command.request.what;
    const auto model = find_model(command);
    say(fmt::format("{} ({})", model.description.name, model.path.string()));
    const jit::PrivateFolder scratch(fs::temp_directory_path(), "tessera-validate-");
    Validation validation(command, scratch.path());
    validation.ask("nobody else can change it", [&] {
        const auto path = fs::absolute(model.path);
        if (const auto why = why_not_trusted(path, path.parent_path()); !why.empty()) throw Failed(why);
        return std::string();
    });
    validation.ask("what it says of itself can be read", [&] {
        validation.tessera({"info", model.path.string()});
        return std::string();
    });
    validation.ask("all of it is documented", [&] {
        if (const auto names = undocumented(model.description); !names.empty())
            throw Gap(fmt::format("{} (nothing says what they are) add TESSERA_DOC, or a text to TESSERA_PARAM", names));
        return std::string();
    });
    if (model.library && model.library->has_hooks())
        ask_of_hooks(validation, *model.library, is_run_file(what) ? what : model.path.string());
    if (model.has_source()) ask_of_targets(validation, is_run_file(what) ? what : model.path.string());
    ask_of_runs(validation, what, model.has_source());
    if (model.has_source()) ask_of_library(validation, model, what);
    if (validation.failed() > 0)
        throw Error(Failure::mismatch, fmt::format("{} fails {} of these", model.description.name, validation.failed()), "see above");
    say("fine");
}

} // namespace tessera
