#include "host/world/state.hpp"

#include "host/world/under_way.hpp"

#include <utility>

namespace tessera {

State::State(const Setup& setup, std::uint64_t step, StateReader read, Pasts pasts)
    : setup_(&setup), step_(step), read_(by_steps_left(setup, step, std::move(read))), pasts_(std::move(pasts)) {}

State State::kept(StateReader read, Pasts pasts) const {
    auto state = *this;
    state.read_ = std::move(read); // by steps left already
    state.pasts_ = std::move(pasts);
    return state;
}

std::vector<ColumnId> State::columns() const {
    std::vector<ColumnId> columns;
    for (const auto column : setup_->columns.ids())
        if (is_state((*setup_)[column].role)) columns.push_back(column);
    return columns;
}

AgentsPast State::past(CollectionId agents) const { return pasts_ ? pasts_(agents) : AgentsPast{setup_->collections[agents].name}; }

} // namespace tessera
