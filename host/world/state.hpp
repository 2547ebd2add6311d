// The state of a run between two steps: all that the next step and the results are made from, and nothing else. Whatever hashes it, keeps
// it, shows it or hands it on reads it here.
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/state_reader.hpp"
#include "kernels/launch/arguments.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

// How many agents of a collection there were before the first step, children of init functions left out, and what became of them since.
struct AgentsPast {
    std::string collection;
    std::uint64_t first = 0;
    agent_counters counters{};

    [[nodiscard]] std::uint64_t alive() const noexcept { return first + counters.born - counters.died; }
};

class State {
public:
    using Pasts = std::function<AgentsPast(CollectionId)>;

    // Of the step that it is the state after. `setup`, and whatever `read` and `pasts` read from, must outlive it. Without `pasts` nothing
    // is known of what became of agents.
    State(const Setup& setup, std::uint64_t step, StateReader read, Pasts pasts = {});

    [[nodiscard]] const Setup& setup() const noexcept { return *setup_; }
    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }

    // The same state from where its values were put, as this one has them.
    [[nodiscard]] State kept(StateReader read, Pasts pasts) const;

    // The columns that are part of it, in the order of the setup (is_state).
    [[nodiscard]] std::vector<ColumnId> columns() const;
    // The values of some cells of one element of a column: of places in the order of their numbers, of lists by rows of the list.
    void read(ColumnId column, int element, const PlaceRange& cells, std::byte* into) const { read_(column, element, cells, into); }
    [[nodiscard]] const StateReader& reader() const noexcept { return read_; }

    // Of a collection of agents.
    [[nodiscard]] AgentsPast past(CollectionId agents) const;

private:
    const Setup* setup_;
    std::uint64_t step_;
    StateReader read_;
    Pasts pasts_;
};

} // namespace tessera
