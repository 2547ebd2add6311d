#include "host/bench/report.hpp"

#include <map>
#include <utility>

namespace tessera::bench {

void mark_fastest(std::vector<Row>& rows) {
    std::map<std::pair<Size, int>, Row*> fastest;
    for (auto& row : rows) {
        row.fastest = false;
        if (!row.step_seconds || row.by_hand() || row.state == "differs") continue;
        auto& best = fastest[{row.size, row.devices}];
        if (best == nullptr || row.step_seconds->median < best->step_seconds->median) best = &row;
    }
    for (const auto& [where, row] : fastest) row->fastest = true;
}

} // namespace tessera::bench
