#include "host/bench/traffic.hpp"

#include "host/schedule/call_sequence.hpp"

namespace tessera::bench {

std::int64_t bytes_a_step(const Setup& setup) {
    const auto usual = usual_phases(setup);
    std::int64_t bytes = 0;
    for (std::size_t c = 0; c < setup.collections.size(); ++c) {
        const auto& collection = setup.collections[c];
        std::vector<bool> read(collection.columns.size()), written(collection.columns.size());
        for (std::size_t p = 0; p < setup.phases.size(); ++p) {
            const auto* call = std::get_if<CallPhase>(&setup.phases[p].action);
            if (call == nullptr || !usual[p] || setup.kernels[call->kernel].collection != c) continue;
            const auto& uses = setup.description().functions[setup.kernels[call->kernel].function].uses;
            for (std::size_t m = 0; m < uses.size(); ++m) {
                read[m] = read[m] || uses[m].reads;
                written[m] = written[m] || uses[m].writes;
            }
        }
        for (std::size_t m = 0; m < read.size(); ++m) {
            const auto& layout = collection.columns[m].layout;
            bytes += (read[m] + written[m]) * static_cast<std::int64_t>(size_of(layout.type)) * layout.elements * collection.places();
        }
    }
    return bytes;
}

std::int64_t places_of(const Setup& setup) {
    std::int64_t places = 0;
    for (const auto& collection : setup.collections) places += collection.places();
    return places;
}

} // namespace tessera::bench
