#include "host/world/snapshot.hpp"

#include "device_runtime/error.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/link_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace tessera {
namespace {

std::size_t last_axis(int dimensions) { return dimensions == 3 ? 2 : 1; }

// Rows of a collection: as many places of it, those of places without a shape as a line.
Extents size_of_rows(const CollectionSetup& collection, const RowRange& rows) {
    if (collection.count) return {collection.first_of_row(rows.end) - collection.first_of_row(rows.first), 1, 1};
    auto size = collection.size;
    size[last_axis(collection.dimensions)] = rows.rows();
    return size;
}

bool is_of_list(const CollectionSetup& collection) { return collection.agents && collection.agents->in_list(); }

// How many values a column has whose collection has more room than it takes, or is a list; nothing of any other.
std::optional<std::int64_t> cells_there(const Setup& setup, ColumnId column, const StateReader& read) {
    const auto id = setup.columns[column].collection;
    const auto& collection = setup.collections[id];
    if (is_of_list(collection) || setup[column].role == Role::link_count) return setup[column].layout.size[0];
    return collection.are_changing_links() ? std::optional(links_there(setup, id, read)) : std::nullopt;
}

// In memory.
SnapshotPiece piece_of(const std::string& collection, const std::string& member, const RowRange& rows, Array values) {
    const auto held = std::make_shared<const Array>(std::move(values));
    const auto read = [held](int element, const PlaceRange& places, std::byte* into) {
        const auto bytes = size_of(held->type);
        std::memcpy(into, held->bytes.data() + static_cast<std::size_t>(element * held->places() + places.first) * bytes,
                    static_cast<std::size_t>(places.count()) * bytes);
    };
    return {collection, member, rows, *held, read};
}

SnapshotPiece read_piece(const Setup& setup, ColumnId column, const RowRange& rows, const StateReader& read) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    const auto& member = setup.member_of(column);
    const auto cells = cells_there(setup, column, read); // which are no places
    const bool in_list = cells.has_value();
    const auto size = in_list ? Extents{*cells, 1, 1} : size_of_rows(collection, rows);
    auto values = make_array_of_any(member.type, size, in_list ? 1 : collection.seen_dimensions(), member.elements, member.name);
    const auto first = in_list ? 0 : collection.first_of_row(rows.first), count = values.places();
    const auto plane = static_cast<std::size_t>(count) * size_of(member.type);
    for (int e = 0; e < member.elements; ++e)
        read(column, e, {first, first + count}, values.bytes.data() + static_cast<std::size_t>(e) * plane);
    return piece_of(collection.name, member.name, in_list ? RowRange{0, count} : rows, std::move(values));
}

// Those of the wanted places that a piece has, into the planes of `elements` elements of these.
// `before` is the first of the piece's.
void take_over(const SnapshotPiece& piece, std::int64_t before, const PlaceRange& wanted, int elements, std::byte* into) {
    const PlaceRange both{std::max(wanted.first, before), std::min(wanted.end, before + piece.shape.places())};
    if (both.count() <= 0) return;
    for (int e = 0; e < std::min(piece.shape.elements, elements); ++e)
        piece.read(e, {both.first - before, both.end - before},
                   into + static_cast<std::size_t>(e * wanted.count() + both.first - wanted.first) * size_of(piece.shape.type));
}

std::string extents_text(const Extents& size, int dimensions) {
    return fmt::format("{}", fmt::join(size.begin(), size.begin() + dimensions, " x "));
}

// Of a list, whose room may be another as long as all of them find some: how many they are stands behind where the last place's begin.
void check_list(const Setup& setup, ColumnId column, const SnapshotPiece& piece) {
    if (setup[column].role != Role::start) return;
    const auto agents = setup.columns[column].collection;
    const auto& collection = setup.collections[agents];
    const auto refuse = [&](const std::string& why, const std::string& suggestion) {
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name), why, suggestion);
    };
    const auto places = collection.places(); // of numbered ones there are as many as whole rows have
    if (piece.shape.places() != places + 1) {
        const auto& ground = setup.collections[collection.agents->ground];
        if (ground.count)
            refuse(fmt::format("{} had another number of places, and has {}", ground.name, ground.places()),
                   "give it the `count` that it had");
        refuse(fmt::format("its agents stood on {} places, and the grid has {}", piece.shape.places() - 1, places),
               "give the grid the size that it had");
    }
    std::int32_t alive = 0;
    piece.read(0, {places, places + 1}, reinterpret_cast<std::byte*>(&alive));
    if (alive > collection.agents->capacity)
        refuse(fmt::format("it has {} agents, and there is room for {}", alive, collection.agents->capacity),
               "give the agents the room that they had");
}

void check_extents(const Setup& setup, ColumnId column, const SnapshotPiece& piece) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    if (is_of_list(collection)) return check_list(setup, column, piece);
    if (collection.are_changing_links()) {
        if (piece.shape.places() <= collection.places()) return;
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                    fmt::format("it has {} links, and there is room for {}", piece.shape.places(), collection.places()),
                    "start with as many links as it had");
    }
    const auto whole = collection.whole();
    const bool is_line = piece.shape.dimensions == collection.seen_dimensions() && piece.shape.size == collection.seen_size();
    if (collection.count && piece.rows.first == 0 && is_line) return; // all of it, as a file has it
    const bool fits = whole.first <= piece.rows.first && piece.rows.first < piece.rows.end && piece.rows.end <= whole.end;
    if (fits && piece.shape.dimensions == collection.seen_dimensions() && piece.shape.size == size_of_rows(collection, piece.rows)) return;
    if (collection.count)
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                    fmt::format("its {} has {} values, of rows {} to {}, and {} has {}", piece.member, piece.shape.places(),
                                piece.rows.first, piece.rows.end, collection.name, collection.places()),
                    collection.links ? "give it the links that it had" : "give it the `count` that it had");
    throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                fmt::format("rows {} to {} of {} have {} places, and the grid has {}", piece.rows.first, piece.rows.end, piece.member,
                            extents_text(piece.shape.size, piece.shape.dimensions), extents_text(collection.size, collection.dimensions)),
                "give the grid the size that it had");
}

// Fewer or other slots would lose agents, or make of one's values another's.
void check_slots(const CollectionSetup& collection, const model::Member& member, const SnapshotPiece& piece) {
    if (!collection.agents || is_of_list(collection) || piece.shape.elements == member.elements) return;
    throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                fmt::format("{} has {} values on each place there, and {} here", piece.member, piece.shape.elements, member.elements),
                "give the agents the members and the capacity that they had");
}

// What would be there later than there is room for.
void check_under_way(const Setup& setup, ColumnId column, const SnapshotPiece& piece) {
    const auto& layout = setup[column].layout;
    if (setup[column].role != Role::due) return;
    const auto& collection = setup.collections[setup.columns[column].collection];
    std::vector<std::uint64_t> words(static_cast<std::size_t>(piece.shape.places()));
    for (int e = layout.elements; e < piece.shape.elements; ++e) {
        piece.read(e, {0, piece.shape.places()}, reinterpret_cast<std::byte*>(words.data()));
        if (std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; })) continue;
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection.name),
                    fmt::format("something is under way there that arrives {} steps later, and there is room for {}",
                                e * setup[column].planes / layout.elements, setup[column].planes - 1),
                    "give the links the `delays` that they had");
    }
}

// Codes of agents between steps say whether somebody is there and what became of the last move request (kernels/agents/collection.hpp): as
// those of a function set that keeps results or does not, in one byte or in two.
template<class To> void recode(Scalar from, const std::vector<std::byte>& codes, bool keeps_results, std::byte* into) {
    const auto bytes = size_of(from);
    for (std::size_t i = 0; i < codes.size() / bytes; ++i) {
        unsigned code = std::to_integer<unsigned>(codes[i * bytes]);
        if (from == Scalar::u16) code |= std::to_integer<unsigned>(codes[i * bytes + 1]) << 8U;
        const auto now = static_cast<To>(code == 0 || keeps_results ? code : 1);
        std::memcpy(into + i * sizeof(To), &now, sizeof(To));
    }
}
SnapshotPiece with_codes_of(const CollectionSetup& collection, const model::Member& member, const SnapshotPiece& piece) {
    auto codes = piece;
    codes.shape.type = member.type;
    codes.read = [read = piece.read, from = piece.shape.type, to = member.type,
                  keeps_results = collection.agents->keeps_results](int element, const PlaceRange& places, std::byte* into) {
        std::vector<std::byte> stored(static_cast<std::size_t>(places.count()) * size_of(from));
        read(element, places, stored.data());
        if (to == Scalar::u16)
            recode<std::uint16_t>(from, stored, keeps_results, into);
        else
            recode<std::uint8_t>(from, stored, keeps_results, into);
    };
    return codes;
}

} // namespace

Snapshot take_snapshot(const State& state, const std::vector<std::int64_t>& cuts) {
    const auto& setup = state.setup();
    Snapshot snapshot;
    snapshot.step = state.step();
    for (const auto column : state.columns()) {
        const auto& collection = setup.collections[setup.columns[column].collection];
        const auto cells = cells_there(setup, column, state.reader());
        if (cells.value_or(collection.places()) == 0) continue; // links that there are none of
        for (const auto& rows : cut(collection.whole(), cells ? std::vector<std::int64_t>{} : cuts))
            snapshot.pieces.push_back(read_piece(setup, column, rows, state.reader()));
    }
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].is_managed()) snapshot.agents.push_back(state.past(id));
    return snapshot;
}

RestoredValues restored_values(const Setup& setup, ColumnId column, const Snapshot& snapshot, ThreadPool& pool) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    const auto& member = setup.member_of(column);
    RestoredValues restored;
    restored.values = default_values(setup, column, pool);
    const bool is_codes = setup[column].role == Role::code;
    std::vector<std::shared_ptr<const SnapshotPiece>> pieces;
    for (const auto& piece : snapshot.pieces) {
        if (!is_state(setup[column].role)) break;
        if (piece.collection != collection.name || piece.member != member.name) continue;
        if (is_codes) {
            check_extents(setup, column, piece);
            check_slots(collection, member, piece);
            pieces.push_back(std::make_shared<const SnapshotPiece>(with_codes_of(collection, member, piece)));
            continue;
        }
        if (piece.shape.type != member.type) {
            restored.note = fmt::format("{} was {} and is {} now: it begins with its default", setup.name_of(column),
                                        name_of(piece.shape.type), name_of(member.type));
            continue;
        }
        check_extents(setup, column, piece);
        check_slots(collection, member, piece);
        check_under_way(setup, column, piece);
        pieces.emplace_back(std::shared_ptr<const SnapshotPiece>(), &piece); // the snapshot's own
    }
    if (pieces.empty()) return restored;
    std::vector<std::int64_t> first;
    for (const auto& piece : pieces) first.push_back(is_of_list(collection) ? 0 : collection.first_of_row(piece->rows.first));
    restored.values = [defaults = std::move(restored.values), pieces, first, elements = member.elements,
                       bytes = size_of(member.type)](const PlaceRange& places, std::byte* into) {
        if (defaults)
            (*defaults)(places, into);
        else
            std::memset(into, 0, static_cast<std::size_t>(places.count() * elements) * bytes);
        for (std::size_t p = 0; p < pieces.size(); ++p) take_over(*pieces[p], first[p], places, elements, into);
    };
    return restored;
}

} // namespace tessera
