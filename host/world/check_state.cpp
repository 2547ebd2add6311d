#include "host/world/check_state.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tessera {
namespace {

// Calls `visit(place, value)` for all values of an element.
template<class T, class Visit> void for_each_value(const SnapshotPiece& piece, int element, const Visit& visit) {
    constexpr std::int64_t at_a_time = std::int64_t{1} << 20;
    std::vector<T> values;
    for_each_piece(piece.shape.places(), at_a_time, [&](const PlaceRange& places) {
        values.resize(static_cast<std::size_t>(places.count()));
        piece.read(element, places, reinterpret_cast<std::byte*>(values.data()));
        for (auto place = places.first; place < places.end; ++place) visit(place, values[static_cast<std::size_t>(place - places.first)]);
    });
}

class CollectionCheck {
public:
    CollectionCheck(const Setup& setup, const Snapshot& state, CollectionId id)
        : setup_(setup), state_(state), id_(id), collection_(setup.collections[id]) {}

    void check(Lacking lacking) const {
        for (std::size_t m = 0; m < collection_.columns.size(); ++m) check_column(setup_.column_of(id_, m), lacking);
        if (lacking == Lacking::refused && collection_.is_managed()) check_is_counted();
        if (const auto* const ends = find(Role::link_end); ends != nullptr && collection_.are_changing_links())
            check_alive(static_cast<std::uint64_t>(ends->shape.places()));
        if (!collection_.agents || find(Role::id) == nullptr) return;
        if (collection_.agents->in_list())
            check_list();
        else
            check_slots();
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(Failure::input, fmt::format("the saved state does not fit into {}", collection_.name), why,
                    "go on from an earlier checkpoint, or begin the run again");
    }
    [[nodiscard]] const SnapshotPiece* find(ColumnId column) const {
        for (const auto& piece : state_.pieces)
            if (piece.collection == collection_.name && piece.member == setup_.member_of(column).name) return &piece;
        return nullptr;
    }
    [[nodiscard]] const SnapshotPiece* find(Role role) const {
        const auto column = setup_.find_column(id_, role);
        return column ? find(*column) : nullptr;
    }
    // A column that is there in the type that kernels go by.
    [[nodiscard]] const SnapshotPiece& numbers(Role role, Scalar type) const {
        const auto column = setup_.column_of(id_, role);
        const auto* const piece = find(column);
        if (piece == nullptr) refuse(fmt::format("it has no {}", setup_.name_of(column)));
        if (piece->shape.type != type) refuse(fmt::format("its {} is {}", setup_.name_of(column), name_of(piece->shape.type)));
        return *piece;
    }

    void check_column(ColumnId column, Lacking lacking) const {
        const auto role = setup_[column].role;
        if (!is_state(role)) return;
        const auto& layout = setup_[column].layout;
        const auto* const piece = find(column);
        if (piece == nullptr && lacking == Lacking::refused) refuse(fmt::format("it has no {}", setup_.name_of(column)));
        if (piece == nullptr) return;
        const bool is_same = piece->shape.type == layout.type && piece->shape.elements == layout.elements;
        if (lacking == Lacking::refused && role != Role::code && !is_same)
            refuse(fmt::format("its {} is {}[{}], and that of the run is {}[{}]", setup_.name_of(column), name_of(piece->shape.type),
                               piece->shape.elements, name_of(layout.type), layout.elements));
        if (piece->shape.type != Scalar::boolean) return;
        for (int e = 0; e < piece->shape.elements; ++e)
            for_each_value<std::uint8_t>(*piece, e, [&](std::int64_t place, std::uint8_t value) {
                if (value > 1) refuse(fmt::format("value {} of its {} is {}, and no bool", place, setup_.name_of(column), value));
            });
    }

    // Without repetition; `ids` are put in order.
    void check_ids(std::vector<std::uint64_t>& ids) const {
        if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
        if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end())
            refuse(fmt::format("two agents have the id {}", *twice));
    }
    // So many of them have begun and ended since the first step.
    void check_is_counted() const {
        const auto is_it = [&](const AgentsPast& past) { return past.collection == collection_.name; };
        if (std::none_of(state_.agents.begin(), state_.agents.end(), is_it)) refuse("it does not say how many were born and died");
    }
    void check_alive(std::uint64_t there) const {
        for (const auto& past : state_.agents)
            if (past.collection == collection_.name && past.alive() != there)
                refuse(fmt::format("it has {} {}, and {} of those that were there or were born are alive", there,
                                   collection_.links ? "links" : "agents", past.alive()));
    }
    void check_code(unsigned code) const {
        const auto& agents = *collection_.agents;
        const auto last = static_cast<unsigned>((agents.keeps_results ? 3 : 1) * (2 + agents.offsets())); // slot_code
        if (code > last && agents.keeps_results) refuse(fmt::format("an agent has the code {}, and the last one is {}", code, last));
    }
    // Calls `visit(place, code)` for an element.
    template<class Visit> void for_each_code(const SnapshotPiece& codes, int element, const Visit& visit) const {
        if (codes.shape.type == Scalar::u16)
            for_each_value<std::uint16_t>(codes, element, visit);
        else if (codes.shape.type == Scalar::u8)
            for_each_value<std::uint8_t>(codes, element, visit);
        else
            refuse(fmt::format("its codes of agents are {}", name_of(codes.shape.type)));
    }

    void check_slots() const {
        const auto& ids = numbers(Role::id, Scalar::u64);
        const auto* const codes = find(Role::code);
        if (codes == nullptr) refuse("it has no codes of agents");
        if (codes->shape.elements != ids.shape.elements || codes->shape.size != ids.shape.size)
            refuse("its codes and its ids are not of the same slots");
        std::vector<std::uint64_t> found;
        std::vector<bool> is_there(static_cast<std::size_t>(codes->shape.places()));
        for (int slot = 0; slot < codes->shape.elements; ++slot) {
            for_each_code(*codes, slot, [&](std::int64_t place, unsigned code) {
                check_code(code);
                is_there[static_cast<std::size_t>(place)] = code != 0;
            });
            for_each_value<std::uint64_t>(ids, slot, [&](std::int64_t place, std::uint64_t id) {
                if (is_there[static_cast<std::size_t>(place)]) found.push_back(id);
            });
        }
        check_alive(found.size());
        check_ids(found);
    }

    void check_list() const {
        const auto places = collection_.places();
        const auto& starts = numbers(Role::start, Scalar::i32);
        const auto& stands = numbers(Role::place, Scalar::i32);
        if (starts.shape.places() != places + 1) return; // which is refused where it is read, with the extents
        const auto count = stands.shape.places();
        check_alive(static_cast<std::uint64_t>(count));
        for_each_value<std::int32_t>(stands, 0, [&](std::int64_t row, std::int32_t place) {
            if (place < 0 || place >= places) refuse(fmt::format("agent {} stands on place {}, and there are {}", row, place, places));
        });
        if (!collection_.agents->storage->is_ordered()) check_starts(starts, stands);
        for_each_code(numbers_of_codes(), 0, [&](std::int64_t row, unsigned code) {
            if (code == 0) refuse(fmt::format("agent {} is not alive", row));
            check_code(code);
        });
        std::vector<std::uint64_t> ids;
        for_each_value<std::uint64_t>(numbers(Role::id, Scalar::u64), 0, [&](std::int64_t, std::uint64_t id) { ids.push_back(id); });
        if (collection_.agents->storage->is_ordered() && !std::is_sorted(ids.begin(), ids.end()))
            refuse("its agents are not in the order of their ids");
        check_ids(ids);
        if (collection_.agents->space) check_positions(count);
    }
    [[nodiscard]] const SnapshotPiece& numbers_of_codes() const {
        const auto* const codes = find(Role::code);
        if (codes == nullptr) refuse("it has no codes of agents");
        return *codes;
    }
    // The agents of a place stand together, place after place.
    void check_starts(const SnapshotPiece& starts, const SnapshotPiece& stands) const {
        std::vector<std::int32_t> first;
        for_each_value<std::int32_t>(starts, 0, [&](std::int64_t, std::int32_t row) { first.push_back(row); });
        const bool is_whole = first.front() == 0 && first.back() == stands.shape.places();
        if (!is_whole || !std::is_sorted(first.begin(), first.end())) refuse("it does not say which agents each place has");
        for_each_value<std::int32_t>(stands, 0, [&](std::int64_t row, std::int32_t place) {
            const auto at = static_cast<std::size_t>(place);
            if (row < first[at] || row >= first[at + 1]) refuse(fmt::format("agent {} is not among those of its place, {}", row, place));
        });
    }
    void check_positions(std::int64_t count) const {
        const auto& space = *collection_.agents->space;
        const auto& positions = numbers(Role::position, space.number);
        if (positions.shape.places() != count || positions.shape.elements != collection_.dimensions)
            refuse("its positions are not those of its agents");
        for (int axis = 0; axis < positions.shape.elements; ++axis) {
            const auto check = [&](std::int64_t row, double at) {
                if (!(at >= 0 && at <= space.extent[static_cast<std::size_t>(axis)]))
                    refuse(fmt::format("agent {} is at {:.6g} on axis {}, and space goes from 0 to {:.6g}", row, at, "xyz"[axis],
                                       space.extent[static_cast<std::size_t>(axis)]));
            };
            if (space.number == Scalar::f32)
                for_each_value<float>(positions, axis, check);
            else
                for_each_value<double>(positions, axis, check);
        }
    }

    const Setup& setup_;
    const Snapshot& state_;
    CollectionId id_;
    const CollectionSetup& collection_;
};

} // namespace

void check_state(const Setup& setup, const Snapshot& state, Lacking lacking) {
    for (const auto id : setup.collections.ids()) CollectionCheck(setup, state, id).check(lacking);
}

} // namespace tessera
