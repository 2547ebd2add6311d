#include "host/world/snapshot.hpp"

#include "device_runtime/error.hpp"
#include "host/world/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

std::size_t last_axis(int dimensions) { return dimensions == 3 ? 2 : 1; }

// Bytes of one row of one element: a line along x, or a plane of a grid of three dimensions.
std::size_t row_bytes(const Array& array) {
    const auto places = array.dimensions == 3 ? array.size[0] * array.size[1] : array.size[0];
    return static_cast<std::size_t>(places) * size_of(array.type);
}

// Copies rows [first, first + count) of element `e`, to where they are `shift` rows further.
void copy_rows(const Array& from, Array& to, int e, std::int64_t first, std::int64_t count, std::int64_t shift) {
    const auto axis = last_axis(from.dimensions);
    const auto at = [e, bytes = row_bytes(from), axis](const Array& array, std::int64_t row) {
        return static_cast<std::size_t>(e * array.size[axis] + row) * bytes;
    };
    std::memcpy(to.bytes.data() + at(to, first + shift), from.bytes.data() + at(from, first),
                static_cast<std::size_t>(count) * row_bytes(from));
}

SnapshotPiece cut_out(const Array& values, const Band& rows, const std::string& collection, const std::string& member) {
    auto size = values.size;
    size[last_axis(values.dimensions)] = rows.rows();
    SnapshotPiece piece{collection, member, rows, make_array(values.type, size, values.dimensions, values.elements, member)};
    for (int e = 0; e < values.elements; ++e) copy_rows(values, piece.values, e, rows.first, rows.rows(), -rows.first);
    return piece;
}

std::string extents_text(const Extents& size, int dimensions) {
    return fmt::format("{}", fmt::join(size.begin(), size.begin() + dimensions, " x "));
}

void check_extents(const CollectionSetup& collection, const SnapshotPiece& piece) {
    auto size = collection.size;
    size[last_axis(collection.dimensions)] = piece.rows.rows();
    const auto whole = collection.whole();
    if (piece.values.dimensions == collection.dimensions && piece.values.size == size && whole.first <= piece.rows.first &&
        piece.rows.end <= whole.end)
        return;
    throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                fmt::format("rows {} to {} of {} have {} places, and the grid has {}", piece.rows.first, piece.rows.end, piece.member,
                            extents_text(piece.values.size, piece.values.dimensions), extents_text(collection.size, collection.dimensions)),
                "give the grid the size that it had");
}

} // namespace

Snapshot take_snapshot(const Setup& setup, std::uint64_t step, const std::function<Array(ColumnId)>& read,
                       const std::vector<std::int64_t>& cuts) {
    Snapshot snapshot;
    snapshot.step = step;
    for (const auto column : setup.columns.ids()) {
        const auto& collection = setup.collections[setup.columns[column].collection];
        const auto values = read(column);
        for (const auto& rows : cut(collection.whole(), cuts))
            snapshot.pieces.push_back(cut_out(values, rows, collection.name, setup.member_of(column).name));
    }
    return snapshot;
}

RestoredValues restored_values(const Setup& setup, ColumnId column, const Snapshot& snapshot, ThreadPool& pool) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    const auto& member = setup.member_of(column);
    RestoredValues restored;
    restored.values = default_values(setup, column, pool);
    for (const auto& piece : snapshot.pieces) {
        if (piece.collection != collection.name || piece.member != member.name) continue;
        if (piece.values.type != member.type) {
            restored.note = fmt::format("{} was {} and is {} now: it begins with its default", setup.name_of(column),
                                        name_of(piece.values.type), name_of(member.type));
            continue;
        }
        check_extents(collection, piece);
        if (!restored.values)
            restored.values = make_array(member.type, collection.size, collection.dimensions, member.elements, setup.name_of(column));
        for (int e = 0; e < std::min(piece.values.elements, member.elements); ++e)
            copy_rows(piece.values, *restored.values, e, 0, piece.rows.rows(), piece.rows.first);
    }
    return restored;
}

} // namespace tessera
