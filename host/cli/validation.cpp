#include "host/cli/validation.hpp"

#include "device_runtime/error.hpp"
#include "host/cli/standard_output.hpp"
#include "jit/environment.hpp"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace tessera {

std::string reason_of(const jit::Outcome& outcome) {
    if (outcome.timed_out) return "it took too long";
    const auto at = outcome.text.rfind("error: ");
    auto reason = at == std::string::npos ? outcome.text : outcome.text.substr(at + 7);
    while (!reason.empty() && reason.back() == '\n') reason.pop_back();
    if (outcome.status > 128) return fmt::format("it ended by signal {}{}{}", outcome.status - 128, reason.empty() ? "" : ": ", reason);
    return reason.empty() ? fmt::format("it ended with status {}", outcome.status) : reason;
}

void Validation::ask(const std::string& question, const std::function<std::string()>& answer) {
    std::string verdict;
    try {
        const auto remark = answer();
        verdict = fmt::format("ok        {}{}", question, remark.empty() ? "" : ": " + remark);
    } catch (const NotAsked& why) {
        verdict = fmt::format("not asked {}: {}", question, why.what());
        not_asked_.push_back(question);
    } catch (const Gap& why) {
        verdict = fmt::format("gap       {}: {}", question, why.what());
    } catch (const Failed& why) {
        verdict = fmt::format("FAILED    {}: {}", question, why.what());
        ++failed_;
    }
    say(verdict);
}

std::string Validation::tessera(std::vector<std::string> arguments) const {
    const auto outcome = child(std::move(arguments));
    if (outcome.status != 0) throw Failed(reason_of(outcome));
    return outcome.text;
}

jit::Outcome Validation::child(std::vector<std::string> arguments, const std::string& log_level) const {
    jit::Command command;
    command.arguments = {jit::program_file().string(), "--log-level", log_level};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    for (const auto& folder : command_.request.plugin_folders) command.arguments.insert(command.arguments.end(), {"--plugins", folder});
    if (command_.request.allow_unsafe_plugins) command.arguments.emplace_back("--allow-unsafe-plugins");
    command.patience = patience_;
    command.cancel = &interrupted_;
    auto outcome = jit::run(command);
    if (outcome.cancelled) throw Error(Failure::interrupted, "interrupted", "the model was being asked");
    return outcome;
}

std::string Validation::log_of(const std::string& what, const std::string& log_level) {
    const auto outcome = child({"run", what, "--steps", std::to_string(command_.steps), "--quiet", "--devices", "cpu", "--threads", "1",
                                "--out", (scratch_ / std::to_string(runs_++)).string()},
                               log_level);
    if (outcome.status != 0) throw NotAsked(reason_of(outcome));
    return outcome.text;
}

std::string Validation::state(const std::string& what, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "run", what, "--steps", std::to_string(command_.steps), "--quiet", "--out", (scratch_ / std::to_string(runs_++)).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = child(std::move(arguments));
    const bool is_told = outcome.text.find("error: ") != std::string::npos; // else it ended by itself, as `exit(3)` in a hook does
    if (is_told && (outcome.status == 3 || outcome.status == 6)) throw NotAsked(reason_of(outcome));
    if (outcome.status != 0) throw Failed(reason_of(outcome));
    const auto at = outcome.text.find("state ");
    if (at == std::string::npos) throw Failed("it says nothing of its state");
    return outcome.text.substr(at, 22);
}

std::string Validation::expect_state(const std::string& expected, const std::string& what, const std::vector<std::string>& more) {
    const auto found = state(what, more);
    if (found != expected) throw Failed(fmt::format("{} instead of {}", found, expected));
    return {};
}

} // namespace tessera
