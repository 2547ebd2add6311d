#include "host/execute/made_step.hpp"

namespace tessera {

MadeStep make_phases(const Setup& setup, std::uint64_t step, const std::function<void(PhaseId)>& make, const std::function<bool()>& ask) {
    MadeStep made{step, {}, {}};
    for (std::size_t p = 0; p < setup.phases.size(); ++p) {
        const PhaseId id(p);
        const auto& phase = setup.phases[id];
        if (!phase.timing.includes(step) && !phase.is_in_each_step()) continue;
        make(id);
        made.phases.push_back(id);
        const auto* until = std::get_if<UntilPhase>(&phase.action);
        if (until == nullptr) continue;
        if (ask())
            p = until->behind.index() - 1;
        else if (until->is_last)
            made.unresolved.push_back(id);
    }
    return made;
}

} // namespace tessera
