#include "host/setup/uniforms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

void mark(const model::Description& description, const std::vector<std::size_t>& uniforms, std::vector<bool>& marked) {
    for (const auto uniform : uniforms) {
        mark(description, description.uniforms[uniform].uniforms, marked);
        marked[uniform] = true;
    }
}

// What a phase reads, with what that goes by.
std::vector<bool> read_by(const Setup& setup, const PhaseSetup& phase) {
    const auto& description = setup.description();
    std::vector<bool> marked(description.uniforms.size());
    if (const auto* call = std::get_if<CallPhase>(&phase.action))
        mark(description, setup.function_of(setup.kernels[call->kernel]).uniforms, marked);
    return marked;
}

// Whether a phase makes a value anew by which the uniform goes, or may have left out phases that do, or that read it.
bool outdates(const Setup& setup, const PhaseSetup& phase, const model::Uniform& uniform) {
    if (std::holds_alternative<UntilPhase>(phase.action)) return true;
    const auto* reduce = std::get_if<ReducePhase>(&phase.action);
    if (reduce == nullptr) return false;
    const auto& made = setup.reductions[reduce->reduction].values;
    return std::any_of(made.begin(), made.end(), [&](const ReductionSetup::Value& value) {
        return std::find(uniform.values.begin(), uniform.values.end(), *value.target) != uniform.values.end();
    });
}

bool is_made_before(const Setup& setup, PhaseId phase, std::uint64_t step, std::size_t uniform) {
    for (auto before = phase.index(); before-- > 0;) {
        const auto& other = setup.phases[PhaseId(before)];
        if (!other.timing.includes(step)) continue;
        if (outdates(setup, other, setup.description().uniforms[uniform])) return false;
        if (read_by(setup, other)[uniform]) return true;
    }
    return false;
}

} // namespace

std::size_t word_of_uniform(const model::Description& description, std::size_t uniform) noexcept {
    std::size_t words = 0;
    for (std::size_t u = 0; u < uniform; ++u) words += description.uniforms[u].words();
    return words;
}

std::size_t words_of_uniforms(const model::Description& description) noexcept {
    return word_of_uniform(description, description.uniforms.size());
}

std::string uniform_symbol(std::size_t uniform) { return fmt::format("tessera_uniform_{}", uniform); }

std::vector<std::size_t> uniforms_of_steps(const Setup& setup) {
    const auto& uniforms = setup.description().uniforms;
    std::vector<std::size_t> made;
    if (uniforms.empty()) return made;
    std::vector<bool> read(uniforms.size());
    for (const auto& phase : setup.phases) {
        const auto by_this = read_by(setup, phase);
        for (std::size_t u = 0; u < read.size(); ++u) read[u] = read[u] || by_this[u];
    }
    for (std::size_t u = 0; u < read.size(); ++u)
        if (read[u] && uniforms[u].values.empty()) made.push_back(u);
    return made;
}

std::vector<std::size_t> uniforms_before(const Setup& setup, PhaseId phase, std::uint64_t step) {
    const auto& uniforms = setup.description().uniforms;
    std::vector<std::size_t> made;
    if (uniforms.empty()) return made;
    const auto read = read_by(setup, setup.phases[phase]);
    for (std::size_t u = 0; u < read.size(); ++u)
        if (read[u] && !uniforms[u].values.empty() && !is_made_before(setup, phase, step, u)) made.push_back(u);
    return made;
}

} // namespace tessera
