#include "host/bench/report.hpp"

#include <map>

namespace tessera::bench {

void mark_fastest(std::vector<Row>& rows) {
    std::map<Size, Row*> fastest;
    for (auto& row : rows) {
        row.fastest = false;
        if (!row.step_seconds || row.by_hand() || row.state == "differs") continue;
        auto& best = fastest[row.size];
        if (best == nullptr || row.step_seconds->median < best->step_seconds->median) best = &row;
    }
    for (const auto& [size, row] : fastest) row->fastest = true;
}

} // namespace tessera::bench
