#include "host/setup/traffic.hpp"

#include "host/setup/call_sequence.hpp"

namespace tessera {

std::int64_t bytes_a_step(const Setup& setup) {
    const auto usual = usual_phases(setup);
    std::vector<bool> read(setup.columns.size()), written(setup.columns.size());
    for (const auto p : setup.phases.ids()) {
        const auto* call = std::get_if<CallPhase>(&setup.phases[p].action);
        if (call == nullptr || !usual[p.index()]) continue;
        for (const auto& [column, use, aside] : setup.kernels[call->kernel].accesses) {
            read[column.index()] = read[column.index()] || use.reads;
            written[column.index()] = written[column.index()] || use.writes;
        }
    }
    std::int64_t bytes = 0;
    for (const auto column : setup.columns.ids()) {
        const auto& layout = setup[column].layout;
        bytes += (read[column.index()] + written[column.index()]) * static_cast<std::int64_t>(size_of(layout.type)) * layout.elements *
                 setup.collections[setup.columns[column].collection].places();
    }
    return bytes;
}

std::int64_t places_of(const Setup& setup) {
    std::int64_t places = 0;
    for (const auto& collection : setup.collections)
        if (collection.are_places()) places += collection.places();
    return places;
}

} // namespace tessera
