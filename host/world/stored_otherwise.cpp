#include "host/world/stored_otherwise.hpp"

#include "device_runtime/error.hpp"
#include "host/world/agent_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera {
namespace {

const SnapshotPiece& piece_for(const Setup& setup, ColumnId column, const Snapshot& snapshot) {
    const auto& collection = setup.collections[setup.columns[column].collection].name;
    const auto& member = setup.member_of(column).name;
    const auto found = std::find_if(snapshot.pieces.begin(), snapshot.pieces.end(),
                                    [&](const auto& piece) { return piece.collection == collection && piece.member == member; });
    if (found != snapshot.pieces.end()) return *found;
    throw Error(Failure::input, fmt::format("the saved state has no {}", setup.name_of(column)), "", "begin the run again");
}

// Where each agent is to stand: cells of the columns of its collection, by numbers in the order of ids.
struct Seats {
    std::vector<std::int64_t> cells; // the place, or the row of the list
    std::vector<int> slots;          // 0 in a list
};

// Those of one place one behind the other: `order` has the agents by places, and those of one place by their ids.
Seats seats_of(const CollectionSetup& agents, const AgentTable& table, const std::vector<std::size_t>& order) {
    Seats seats{std::vector<std::int64_t>(table.size()), std::vector<int>(table.size())};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto place = table.places[order[i]];
        const bool beside = i > 0 && table.places[order[i - 1]] == place;
        if (!agents.agents->in_list()) seats.slots[order[i]] = beside ? seats.slots[order[i - 1]] + 1 : 0;
        seats.cells[order[i]] = agents.agents->in_list() ? static_cast<std::int64_t>(i) : place;
    }
    return seats;
}

class Resettled {
public:
    Resettled(const Setup& to, const Setup& from, CollectionId id, const Snapshot& snapshot)
        : to_(to), from_(from), id_(id), agents_(to.collections[id]), read_(reader_of(from, snapshot)),
          table_(find_agents(from, id, read_)) {
        order_.resize(table_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (!agents_.agents->storage->is_ordered())
            std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return table_.places[a] < table_.places[b]; });
        seats_ = seats_of(agents_, table_, order_);
    }

    [[nodiscard]] SnapshotPiece piece(std::size_t member) const {
        const auto column = to_.column_of(id_, member);
        const auto role = to_[column].role;
        const bool in_list = agents_.agents->in_list();
        auto size = agents_.size;
        if (in_list) size = {role == Role::start ? agents_.places() + 1 : static_cast<std::int64_t>(table_.size()), 1, 1};
        const auto& stored = to_.member_of(column);
        const ArrayShape shape{stored.type, size, stored.elements, in_list ? 1 : agents_.dimensions};
        auto values = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(shape.count()) * size_of(shape.type));
        if (role == Role::place || role == Role::start)
            fill_list(role, *values);
        else
            fill_members(column, shape, *values);
        const auto read = [values, shape](int element, const PlaceRange& places, std::byte* into) {
            const auto bytes = size_of(shape.type);
            std::memcpy(into, values->data() + static_cast<std::size_t>(element * shape.places() + places.first) * bytes,
                        static_cast<std::size_t>(places.count()) * bytes);
        };
        return {agents_.name, stored.name, {0, agents_.whole().end}, shape, read};
    }

private:
    // The place of each row, or where the rows of each place begin and, behind the last, how many there are.
    void fill_list(Role role, std::vector<std::byte>& values) const {
        auto* const numbers = reinterpret_cast<std::int32_t*>(values.data());
        if (role == Role::place) {
            for (std::size_t row = 0; row < order_.size(); ++row) numbers[row] = static_cast<std::int32_t>(table_.places[order_[row]]);
            return;
        }
        std::size_t row = 0;
        for (std::int64_t place = 0; place <= agents_.places(); ++place) {
            while (row < order_.size() && table_.places[order_[row]] < place) ++row;
            numbers[place] = static_cast<std::int32_t>(row);
        }
        numbers[agents_.places()] = static_cast<std::int32_t>(order_.size());
    }

    void fill_members(ColumnId column, const ArrayShape& shape, std::vector<std::byte>& values) const {
        const auto source = source_of(column);
        if (!source) return;
        const auto bytes = size_of(shape.type), stored_bytes = size_of(from_[*source].layout.type);
        const int elements = shape.elements / agents_.agents->storage->agents_a_cell(*agents_.agents);
        for (int e = 0; e < elements; ++e) {
            const auto of_all = agent_values(from_, *source, e, table_, read_);
            for (std::size_t i = 0; i < table_.size(); ++i) {
                const auto plane = static_cast<std::int64_t>(seats_.slots[i]) * elements + e;
                std::memcpy(values.data() + static_cast<std::size_t>(plane * shape.places() + seats_.cells[i]) * bytes,
                            of_all.data() + i * stored_bytes, std::min(bytes, stored_bytes));
            }
        }
    }
    // The same column there.
    [[nodiscard]] std::optional<ColumnId> source_of(ColumnId column) const {
        if (to_[column].role == Role::member) return from_.column_of(id_, to_.columns[column].member);
        return from_.find_column(id_, to_[column].role);
    }

    const Setup& to_;
    const Setup& from_;
    CollectionId id_;
    const CollectionSetup& agents_;
    StateReader read_;
    AgentTable table_;
    std::vector<std::size_t> order_; // of the agents, by their numbers in the order of ids
    Seats seats_;
};

bool are_stored_alike(const AgentsSetup& one, const AgentsSetup& other) {
    return one.storage == other.storage && (one.in_list() || one.capacity == other.capacity);
}

} // namespace

StateReader reader_of(const Setup& setup, const Snapshot& snapshot) {
    return [&](ColumnId column, int element, const PlaceRange& cells, std::byte* into) {
        piece_for(setup, column, snapshot).read(element, cells, into);
    };
}

Snapshot stored_as(const Setup& to, const Setup& from, Snapshot snapshot) {
    auto result = snapshot;
    for (const auto id : to.collections.ids()) {
        const auto& agents = to.collections[id];
        if (!agents.agents || are_stored_alike(*agents.agents, *from.collections[id].agents)) continue;
        const Resettled resettled(to, from, id, snapshot);
        std::erase_if(result.pieces, [&](const auto& piece) { return piece.collection == agents.name; });
        for (std::size_t m = 0; m < agents.columns.size(); ++m)
            if (is_state(to[to.column_of(id, m)].role)) result.pieces.push_back(resettled.piece(m));
    }
    return result;
}

} // namespace tessera
