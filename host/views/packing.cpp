#include "host/views/packing.hpp"

#include "kernels/fused/word_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Members that the sequence's calls read or write, or that phases give to each other.
std::vector<bool> used_members(const Setup& setup, const CallSequence& sequence) {
    std::vector<bool> used(setup.collections[sequence.collection].columns.size());
    for (const auto phase : sequence.phases) {
        const auto& uses = uses_of(setup, phase);
        for (std::size_t m = 0; m < used.size(); ++m) used[m] = used[m] || uses[m].reads || uses[m].writes;
    }
    for (const auto& phase : setup.phases)
        if (const auto* rotate = std::get_if<RotatePhase>(&phase.action); rotate && rotate->collection == sequence.collection)
            for (const auto column : rotate->columns) used[setup.columns[column].member] = true;
    return used;
}

unsigned largest(const std::vector<std::byte>& bytes) {
    unsigned char most = 0;
    for (const std::byte b : bytes) most = std::max(most, static_cast<unsigned char>(b));
    return most;
}

// Of a column of bytes, which is had in pieces.
unsigned largest(const Setup& setup, ColumnId column, const StateReader& read) {
    const auto places = setup.collections[setup.columns[column].collection].places();
    std::vector<std::byte> values;
    unsigned most = 0;
    for_each_piece(places, static_cast<std::int64_t>(setup.bytes_at_a_time), [&](const PlaceRange& piece) {
        values.resize(static_cast<std::size_t>(piece.count()));
        read(column, 0, piece, values.data());
        most = std::max(most, largest(values));
    });
    return most;
}

} // namespace

Packing declared_packing(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    const auto& members = setup.row_of(collection).members;
    const auto used = used_members(setup, sequence);
    for (std::size_t m = 0; m < used.size(); ++m) {
        const auto& layout = collection.columns[m].layout;
        if (!used[m]) continue;
        if ((layout.type != Scalar::u8 && layout.type != Scalar::boolean) || layout.elements != 1)
            return {0, fmt::format("{}.{} is neither a bool nor a std::uint8_t", collection.name, members[m].name)};
        const bool open = std::find(collection.boundary.begin(), collection.boundary.begin() + collection.dimensions,
                                    run_file::Boundary::open) != collection.boundary.begin() + collection.dimensions;
        if (open && largest(collection.columns[m].missing) != 0)
            return {0, fmt::format("{}.{} is not 0 beyond the open boundary", collection.name, members[m].name)};
    }
    // Who else writes these columns might put larger values there.
    for (const auto p : setup.phases.ids()) {
        const auto* call = std::get_if<CallPhase>(&setup.phases[p].action);
        if (!call || setup.kernels[call->kernel].collection != sequence.collection) continue;
        if (std::find(sequence.phases.begin(), sequence.phases.end(), p) == sequence.phases.end())
            return {0, fmt::format("{} does not run in every step", setup.phases[p].name)};
    }
    return {1, {}};
}

std::string obstacle_to_words(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    const bool is_torus = collection.boundary[0] == run_file::Boundary::torus,
               is_mirror = collection.dimensions == 3 && collection.boundary[0] == run_file::Boundary::reflect;
    if (collection.size[0] % places_a_word != 0 && (is_torus || is_mirror))
        return fmt::format("a {} of {} places along x cannot be divided into words of {} places", is_torus ? "torus" : "mirrored row",
                           collection.size[0], places_a_word);
    for (std::size_t m = 0; m < sequence.after.size(); ++m) {
        const auto& layout = collection.columns[m].layout;
        if (sequence.after[m] != m && (size_of(layout.type) != 1 || layout.elements != 1))
            return "a member that is rotated cannot be packed";
    }
    return {};
}

Packing packing_of(const Setup& setup, const CallSequence& sequence, const StateReader& read) {
    auto packing = declared_packing(setup, sequence);
    if (packing.bits == 0) return packing;
    const auto& collection = setup.collections[sequence.collection];
    const auto used = used_members(setup, sequence);
    unsigned most = 0;
    for (std::size_t m = 0; m < used.size(); ++m)
        if (used[m] && collection.columns[m].layout.type == Scalar::u8)
            most = std::max({most, largest(collection.columns[m].outside), largest(collection.columns[m].missing),
                             largest(setup, setup.column_of(sequence.collection, m), read)});
    while (most >> packing.bits != 0) packing.bits *= 2;
    return packing;
}

} // namespace tessera
