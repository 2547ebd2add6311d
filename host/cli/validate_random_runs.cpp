#include "host/cli/validate_random_runs.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/cli/random_runs.hpp"
#include "host/cli/standard_output.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <regex>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

constexpr std::uint64_t random_runs = 1000, runs_of_a_shape = 5;

std::string text_of(const fs::path& file) {
    std::string why;
    return read_regular(file, UINT64_MAX, why).value_or("");
}

// Whether it is one of ours: <PROBLEM> (<REASON>) <SUGGESTION>.
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
    auto base = run_file::with_absolute_paths(prepared.run_file);
    base.model.value = fs::absolute(prepared.model->path).lexically_normal().string();
    return {std::move(base), prepared.model->description, command.seed};
}

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
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
        if (text_of(table_) != table) throw Failed("its agents differ between three partitions and one");
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

} // namespace

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
            log_debug("refused: {}", error.what());
        }
    }
    say(fmt::format("{} are accepted, {} refused", bound, random_runs - bound));
}

void ask_of_bound_runs(Validation& validation, const ValidateCommand& command) {
    const auto begin = std::chrono::steady_clock::now();
    validation.ask(fmt::format("{} random run files are accepted, or refused with a message", random_runs), [&]() -> std::string {
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
                                          refusal.empty() ? "" : " (others end with a message: " + refusal + ")", seconds_since(begin));
                   });
}

} // namespace tessera
