// `tessera validate`: does a model keep what it promises? Each question is asked in a process of its own, within limits, so that a model
// may do in it what it will.
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/cli/standard_output.hpp"
#include "host/cli/validate_random_runs.hpp"
#include "host/cli/validation.hpp"
#include "host/model/library.hpp"
#include "host/model/library_code.hpp"
#include "host/plugins/trust.hpp"
#include "host/run_file/toml_text.hpp"
#include "host/session/interrupt.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "jit/nvrtc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace tessera {
namespace {

bool is_run_file(const std::string& what) { return fs::path(what).extension() == ".toml"; }

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

// A run of a model that has none: few places of each kind and few agents, all functions, in the order in which they are declared.
std::string least_run(const model::Model& model) {
    auto text = fmt::format("model = {}\n", run_file::toml_text(fs::absolute(model.path).string()));
    for (const auto& row : model.description.rows)
        text += row.ends     ? fmt::format("links.{}.generate = {{ rule = \"random\", links = 40 }}\n", row.collection)
                : row.ground ? fmt::format("agents.{} = {{ count = 20, capacity = 4 }}\n", row.collection)
                             : fmt::format("places.{}.size = [12, 12]\n", row.collection);
    return text;
}

// The hooks that a run was too short for: called at its first state alone, as its manifest says.
std::vector<std::string> hooks_called_once(const fs::path& results) {
    std::string why;
    const auto text = read_regular(results / "manifest.json", 64 << 20, why);
    const auto manifest = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    std::vector<std::string> names;
    if (manifest.is_object() && manifest.contains("hooks"))
        for (const auto& hook : manifest["hooks"])
            if (hook.value("calls", 0) <= 1 && hook.value("called", "").starts_with("every"))
                names.push_back(fmt::format("`{}` ({})", hook.value("name", ""), hook.value("called", "")));
    return names;
}

// What to run so that they are called.
std::string run_with_hooks(const Validation& validation, const model::Model& model, const ValidateCommand& command) {
    if (is_run_file(command.request.what)) return command.request.what;
    if (!model.description.defaults.empty()) return model.path.string();
    auto what = (validation.scratch() / "hooks.toml").string();
    if (!std::filesystem::exists(what)) jit::write_file(what, least_run(model));
    return what;
}

// Calls them in a run, within a time. What no run came to has not been asked.
std::string end_of_hooks(Validation& validation, const std::string& what, const ValidateCommand& command) {
    (void)validation.state(what, {"--devices", "cpu", "--threads", "1"});
    const auto once = hooks_called_once(validation.last_results());
    for (const auto& hook : once) validation.add_not_asked(fmt::format("the hook {} after the first state", hook));
    return once.empty() ? "" : fmt::format("but {} steps call {} only at the first state (--steps)", command.steps, fmt::join(once, ", "));
}

// Whether they end well, as far as they could be asked: else there is nothing that could be run.
bool ask_of_hooks(Validation& validation, const model::Model& model, const ValidateCommand& command) {
    const auto& library = *model.library;
    validation.ask("its hooks need no libraries but those of the C library", [&] {
        std::string others;
        for (const auto& needed : model::needed_libraries(library))
            if (!is_everywhere(needed)) others += (others.empty() ? "" : ", ") + needed;
        if (!others.empty())
            throw Failed(fmt::format("it needs {} (which may be missing elsewhere, or another version) link it in", others));
        return std::string();
    });
    const auto failed = validation.failed();
    validation.limit(std::chrono::seconds(command.patience));
    const auto what = run_with_hooks(validation, model, command);
    validation.ask("its hooks end well", [&] { return end_of_hooks(validation, what, command); });
    if (validation.failed() == failed)
        validation.ask("its hooks leave the arithmetic of a run as it is", [&] {
            const auto log = validation.log_of(what, "warning");
            const auto at = log.find("changes how ");
            if (at == std::string::npos) return std::string();
            const auto begin = log.rfind('\n', at) + 1;
            throw Gap(log.substr(begin, log.find('\n', at) - begin));
        });
    validation.limit(jit::Command{}.patience);
    return validation.failed() == failed;
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
    if (!command.bind_into.empty()) return bind_random_runs(command);
    const auto& what = command.request.what;
    const auto model = find_model(command);
    say(fmt::format("{} ({})", model.description.name, model.path.string()));
    const InterruptGuard interrupt;
    const jit::PrivateFolder scratch(fs::temp_directory_path(), "tessera-validate-");
    Validation validation(command, scratch.path(), interrupt.flag());
    validation.ask("nobody else can change it", [&] {
        const auto path = fs::absolute(model.path);
        if (const auto why = why_not_trusted(path, path.parent_path()); !why.empty()) throw Failed(why);
        return std::string();
    });
    if (model.library)
        validation.ask("its code is as it was written", [&] {
            if (model::check_code(*model.library) == model::Seal::none)
                throw Gap("it has no checksum (so damage is not noticed) write one with `tessera seal`");
            return std::string();
        });
    validation.ask("its description can be read", [&] {
        validation.tessera({"info", model.path.string()});
        return std::string();
    });
    validation.ask("all of it is documented", [&] {
        if (const auto names = undocumented(model.description); !names.empty())
            throw Gap(fmt::format("{} (they have no text) add TESSERA_DOC, or a text to TESSERA_PARAM", names));
        return std::string();
    });
    const bool hooks_end = !model.library || !model.library->has_hooks() || ask_of_hooks(validation, model, command);
    if (model.has_source()) ask_of_targets(validation, is_run_file(what) ? what : model.path.string());
    if (hooks_end) {
        ask_of_runs(validation, what, model.has_source());
        if (model.has_source()) ask_of_library(validation, model, what);
        if (command.random > 0) ask_of_bound_runs(validation, command);
        if (command.random > 0 && model.has_source()) ask_of_random_runs(validation, command);
    } else
        validation.ask("it runs the same everywhere", []() -> std::string { throw NotAsked("its hooks do not end well"); });
    if (validation.failed() > 0)
        throw Error(Failure::mismatch, fmt::format("{} fails {} of these tests", model.description.name, validation.failed()), "see above");
    const auto& not_asked = validation.not_asked();
    say(not_asked.empty() ? "fine" : fmt::format("fine, but not everything was asked; not asked: {}", fmt::join(not_asked, "; ")));
}

} // namespace tessera
