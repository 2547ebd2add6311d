#include "host/storage/calls.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool asks(const model::Function& function) {
    return std::any_of(function.agent_uses.begin(), function.agent_uses.end(),
                       [](const model::AgentUse& use) { return use.moves || use.dies; });
}

} // namespace

bool is_usual(const PhaseSetup& phase) { return phase.timing == run_file::Timing{} && !phase.perhaps_round; }

bool is_called_once(const Setup& setup, KernelId function) {
    return std::count_if(setup.phases.begin(), setup.phases.end(), [function](const PhaseSetup& phase) {
               const auto* call = std::get_if<CallPhase>(&phase.action);
               return call != nullptr && call->kernel == function;
           }) == 1;
}

bool is_manage_all_of(const PhaseSetup& phase, CollectionId agents) {
    const auto* manage = std::get_if<ManagePhase>(&phase.action);
    return manage != nullptr && std::find(manage->collections.begin(), manage->collections.end(), agents) != manage->collections.end();
}

std::optional<KernelId> last_to_ask(const Setup& setup, PhaseId manage, CollectionId agents) {
    if (!is_usual(setup.phases[manage])) return std::nullopt;
    for (auto before = manage.index(); before-- > 0;) {
        const auto& phase = setup.phases[PhaseId(before)];
        if (is_manage_all_of(phase, agents)) return std::nullopt;
        const auto* call = std::get_if<CallPhase>(&phase.action);
        if (call == nullptr || setup.kernels[call->kernel].collection != agents || !asks(setup.function_of(setup.kernels[call->kernel])))
            continue;
        return is_usual(phase) && is_called_once(setup, call->kernel) ? std::optional(call->kernel) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace tessera
