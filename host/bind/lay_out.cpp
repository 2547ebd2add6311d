// Where columns need ghosts and second buffers, and how they stand in memory.
#include "host/bind/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tessera {
namespace {

using run_file::Boundary;

void widen_ghosts(Setup& setup) {
    for (const auto& kernel : setup.kernels) {
        if (setup.is_among_agents(kernel)) { // they find what is around them without ghosts
            for (const auto& [id, use, aside] : kernel.accesses) setup[id].has_spare |= use.around && use.writes;
            continue;
        }
        for (const auto& [id, use, aside] : kernel.accesses) {
            const auto dims = static_cast<std::size_t>(setup.collections[setup.columns[id].collection].dimensions - 1);
            auto& column = setup[id];
            bool looks_away = use.everywhere && use.around;
            for (std::size_t axis = 0; axis <= dims; ++axis) {
                const int reach = std::max(use.low[dims][axis], use.high[dims][axis]);
                looks_away |= reach > 0;
                column.layout.ghost[axis] = std::max(column.layout.ghost[axis], reach);
            }
            if (looks_away && use.writes) column.has_spare = true;
        }
    }
}

bool has_axis(const CollectionSetup& collection, Boundary rule) {
    const auto* const first = collection.boundary.data();
    return std::find(first, first + collection.dimensions, rule) != first + collection.dimensions;
}

// Whether ghosts of the two columns hold the same constants.
bool alike_outside(const CollectionSetup& collection, const ColumnSetup& a, const ColumnSetup& b) {
    return (!has_axis(collection, Boundary::fixed) || a.outside == b.outside) &&
           (!has_axis(collection, Boundary::open) || a.missing == b.missing);
}

// Gives the columns of a rotation the widest ghosts among them; whether that changed one.
bool share_ghosts(Setup& setup, const RotatePhase& rotate) {
    std::array<int, 3> widest{};
    for (const auto c : rotate.columns)
        for (std::size_t axis = 0; axis < 3; ++axis) widest[axis] = std::max(widest[axis], setup[c].layout.ghost[axis]);
    bool changed = false;
    for (const auto c : rotate.columns) changed |= std::exchange(setup[c].layout.ghost, widest) != widest;
    return changed;
}

void check_outside(const Setup& setup, const RotatePhase& rotate, const PhaseSetup& phase) {
    const auto& first = setup[rotate.columns[0]];
    if (first.layout.ghost == std::array<int, 3>{}) return; // nobody looks there
    for (const auto c : rotate.columns)
        if (!alike_outside(setup.collections[rotate.collection], setup[c], first))
            run_file::fail_at(phase.where, fmt::format("cannot {}", phase.name),
                              "the members have different values outside of the boundary", "give them the same default or `outside` value");
}

// Columns that rotate change places with their ghosts, so they have the same ones; also those that meet through a third column.
void equalise_rotated(Setup& setup) {
    const auto for_each_rotation = [&](const auto& visit) {
        for (const auto& phase : setup.phases)
            if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) visit(setup, *rotate, phase);
    };
    for (bool changed = true; changed;) {
        changed = false;
        for_each_rotation([&](Setup& of, const auto& rotate, const auto&) { changed |= share_ghosts(of, rotate); });
    }
    for_each_rotation(check_outside);
}

} // namespace

void lay_out(Setup& setup) {
    widen_ghosts(setup);
    equalise_rotated(setup);
    for (auto& collection : setup.collections)
        for (auto& column : collection.columns)
            column.layout = make_layout(column.layout.type, column.layout.elements,
                                        column.cells > 0 ? Extents{column.cells, 1, 1} : collection.size, column.layout.ghost);
}

} // namespace tessera
