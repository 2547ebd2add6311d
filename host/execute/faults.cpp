#include "host/execute/faults.hpp"

#include "device_runtime/error.hpp"
#include "host/world/agent_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {

void tell_fault(const Setup& setup, const KernelFault& fault, std::uint64_t step) {
    const auto is_this = [&](const auto& kernel) { return kernel.symbol == fault.kernel(); };
    const auto kernel = std::find_if(setup.kernels.begin(), setup.kernels.end(), is_this);
    throw Error(Failure::model,
                fmt::format("{} {} in step {}", kernel == setup.kernels.end() ? fault.kernel() : kernel->name, fault.what_happened(), step),
                fault.why(), fault.advice());
}

void tell_fault(const Setup& setup, const AgentFault& fault, const StateReader& read) {
    const auto& phase = setup.phases[fault.phase];
    const auto agents = setup.kernels[std::get<CallPhase>(phase.action).kernel].collection;
    const auto& collection = setup.collections[agents];
    const auto table = find_agents(setup, agents, read);
    const auto found = std::lower_bound(table.ids.begin(), table.ids.end(), fault.id);
    std::string where;
    if (found != table.ids.end() && *found == fault.id) {
        const auto place = place_of(collection, table.places[static_cast<std::size_t>(found - table.ids.begin())]);
        where = fmt::format(" on place ({})", fmt::join(place.begin(), place.begin() + collection.dimensions, ", "));
    }
    const auto who = fmt::format("{} {}{}", collection.name, fault.id, where);
    if (fault.what == migrates_off_grid)
        throw Error(Failure::model, fmt::format("{} goes off the grid in step {}, {}", who, fault.step, phase.name),
                    "only a torus has another side",
                    fmt::format("ask site.free() or self.position first, or set agents.{}.on_edge = \"refuse\"", collection.name));
    throw Error(Failure::model, fmt::format("{} goes where it may not in step {}, {}", who, fault.step, phase.name),
                "the offset is not among those of `moves` in the function's access list", "widen moves<NEIGHBOURHOOD>, or go elsewhere");
}

} // namespace tessera
