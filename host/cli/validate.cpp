// `tessera validate`: does a model keep what it promises? Each question is asked in a process of its own, within limits, so that a model
// may do in it what it will.
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/random_runs.hpp"
#include "host/cli/standard_output.hpp"
#include "host/model/library.hpp"
#include "host/plugins/trust.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "jit/nvrtc.hpp"
#include "jit/process.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <regex>
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

constexpr std::uint64_t random_runs = 1000, runs_of_a_shape = 5;

std::string text_of(const fs::path& file) {
    std::string why;
    return read_regular(file, UINT64_MAX, why).value_or("");
}

// Whether it is one of ours: <PROBLEM> (<WHY>) <SUGGESTION>.
bool is_told(const std::string& message) {
    const auto open = message.find(" ("), close = message.rfind(')');
    return open != std::string::npos && open > 0 && close != std::string::npos && close > open + 2;
}

// Whether a run is refused, or ends, in words: by its files, devices and memory, or by what the model does not allow itself (a parameter
// that is no constant of that size, more children than it has declared). A crash is told too, and is none of that.
bool ends_in_words(const jit::Outcome& outcome) {
    const auto reason = reason_of(outcome);
    switch (static_cast<Failure>(outcome.status)) {
    case Failure::input:
    case Failure::device:
    case Failure::memory: return is_told(reason);
    case Failure::compile: return std::regex_search(reason, std::regex(R"(:\d+:\d+: \S)"));
    case Failure::model: return is_told(reason) && !is_of_kernel_fault(reason);
    default: return false;
    }
}

RandomRuns random_runs_of(const ValidateCommand& command, jit::Compiler& compiler) {
    auto prepared = prepare(command.request, compiler);
    auto base = run_file::with_absolute_paths(prepared.setup.run);
    base.model.value = fs::absolute(prepared.model->path).lexically_normal().string();
    return {std::move(base), prepared.model->description, command.seed};
}

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

// The child: nothing of the model is run in it. What is drawn last stands in the folder, whatever becomes of this process.
void bind_random_runs(const ValidateCommand& command) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto runs = random_runs_of(command, compiler);
    const auto file = fs::path(command.bind_into) / "drawn.toml";
    RunRequest request;
    request.what = file.string();
    std::uint64_t bound = 0;
    for (std::uint64_t number = 0; number < random_runs; ++number) {
        jit::write_file(file, runs.any(number));
        try {
            (void)prepare(request, compiler);
            ++bound;
        } catch (const Error& error) {
            if (error.kind() == Failure::internal || !is_told(error.what())) throw;
            spdlog::debug("refused: {}", error.what());
        }
    }
    say(fmt::format("{} are bound, {} refused", bound, random_runs - bound));
}

void ask_of_bound_runs(Validation& validation, const ValidateCommand& command) {
    const auto begin = std::chrono::steady_clock::now();
    validation.ask(fmt::format("{} random run files are bound or refused in words", random_runs), [&]() -> std::string {
        const auto outcome = validation.child(
            {"validate", command.request.what, "--seed", std::to_string(command.seed), "--bind-into", validation.scratch().string()});
        const auto file = validation.scratch() / "drawn.toml";
        if (outcome.status != 0 && fs::exists(file))
            throw Failed(fmt::format("{}, with this run file, drawn by seed {}:\n{}", reason_of(outcome), command.seed, text_of(file)));
        if (outcome.status != 0) throw NotAsked(reason_of(outcome));
        auto counts = outcome.text;
        counts.pop_back();
        if (counts.starts_with("0 ")) throw Failed(counts);
        return fmt::format("{}, {}", counts, seconds_since(begin));
    });
}

// A random run on one device and on three partitions: whether it could be made on one, and on three.
class RandomRun {
public:
    RandomRun(const Validation& validation, const fs::path& file) : validation_(validation), file_(file) {}

    [[nodiscard]] std::pair<bool, bool> compare() {
        const auto one = run({"--devices", "cpu", "--set", "run.weights=[1]"});
        if (one.status != 0) return {false, false};
        expect_kept();
        const auto table = text_of(table_);
        const auto three = run({});
        if (three.status != 0) return {true, false};
        if (state_in(three) != state_in(one))
            throw Failed(fmt::format("{} on three partitions, {} on one", state_in(three), state_in(one)));
        if (text_of(table_) != table) throw Failed("its agents are others on three partitions than on one");
        return {true, true};
    }
    [[nodiscard]] const std::string& refusal() const noexcept { return refusal_; }

private:
    static std::string state_in(const jit::Outcome& outcome) {
        const auto at = outcome.text.find("state ");
        return at == std::string::npos ? "no state" : outcome.text.substr(at, 22);
    }
    [[nodiscard]] jit::Outcome run(const std::vector<std::string>& more) {
        const auto out = file_.parent_path() / "random";
        std::vector<std::string> arguments{"run", file_.string(), "--quiet", "--overwrite", "--out", out.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto outcome = validation_.child(std::move(arguments));
        if (outcome.status != 0 && !ends_in_words(outcome))
            throw Failed(fmt::format("on {}: {}", more.empty() ? "three partitions" : "one device", reason_of(outcome)));
        if (outcome.status != 0) refusal_ = reason_of(outcome);
        table_ = out / "kept.csv";
        return outcome;
    }
    // Each row of the table is as the first, but for the step.
    void expect_kept() const {
        const auto table = text_of(table_);
        static const std::regex row(R"(\n\d+((,[^,\n]*)*))");
        std::string first;
        for (std::sregex_iterator at(table.begin(), table.end(), row), begin = at, end; at != end; ++at) {
            if (at == begin) first = (*at)[1];
            if ((*at)[1] != first) throw Failed("agents were lost, or came from nowhere:\n" + table);
        }
    }

    const Validation& validation_;
    fs::path file_, table_;
    std::string refusal_;
};

// Whether parameters can be handed over at the start. A model may need one as a constant; then each run is compiled with its own.
bool takes_parameters(const Validation& validation, const RandomRuns& runs) {
    const auto file = validation.scratch() / "first.toml";
    jit::write_file(file, runs.small(0, 0, false));
    const auto outcome = validation.child({"check", file.string(), "--set", "run.devices=\"cpu\""});
    return static_cast<Failure>(outcome.status) != Failure::compile;
}

void ask_of_random_runs(Validation& validation, const ValidateCommand& command) {
    const auto begin = std::chrono::steady_clock::now();
    validation.ask(fmt::format("{} random runs end well, with the same state on three partitions and all their agents", command.random),
                   [&]() -> std::string {
                       jit::Cache cache;
                       jit::Compiler compiler(cache);
                       const auto runs = random_runs_of(command, compiler);
                       const bool baked = !takes_parameters(validation, runs);
                       std::uint64_t made = 0, compared = 0;
                       std::string refusal;
                       for (std::uint64_t number = 0; number < command.random; ++number) {
                           const auto text = runs.small(number / runs_of_a_shape, number, baked);
                           const auto file = validation.scratch() / fmt::format("random-{}.toml", number);
                           jit::write_file(file, text);
                           RandomRun random(validation, file);
                           try {
                               const auto [on_one, on_three] = random.compare();
                               made += on_one ? 1 : 0;
                               compared += on_three ? 1 : 0;
                           } catch (const Failed& why) {
                               throw Failed(
                                   fmt::format("{}, with this run file, {} of seed {}:\n{}", why.what(), number, command.seed, text));
                           }
                           if (!random.refusal().empty()) refusal = random.refusal();
                       }
                       if (made == 0) throw Failed("none could be made: " + refusal);
                       return fmt::format("{} on one device, {} on three partitions{}, {}", made, compared,
                                          refusal.empty() ? "" : " (others end in words: " + refusal + ")", seconds_since(begin));
                   });
}

} // namespace

void validate_command(const ValidateCommand& command) {
    if (!command.bind_into.empty()) return bind_random_runs(command);
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
    if (command.random > 0) ask_of_bound_runs(validation, command);
    if (command.random > 0 && model.has_source()) ask_of_random_runs(validation, command);
    if (validation.failed() > 0)
        throw Error(Failure::mismatch, fmt::format("{} fails {} of these", model.description.name, validation.failed()), "see above");
    say("fine");
}

} // namespace tessera
