// One state as outputs and conditions see it: columns by name, a part at a time, and what fits into memory fetched from the device once.
#pragma once

#include "host/array.hpp"
#include "host/outputs/needs.hpp"
#include "host/run_file/expression_partial.hpp"
#include "host/setup/names.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

class CaptureMemory;
class ThreadPool;

class StateView : public expression::Columns {
public:
    // `pool`, and what the state reads from, must outlive the view. It lasts for as long as the state is not changed; then it can be turned
    // to another one of the same setup, whose values go where those of this one were.
    StateView(State state, ThreadPool& pool);
    void turn_to(State state);
    void forget(); // all that was read, but not the memory of values of places
    // Who is asked for the reductions of expressions before columns are read.
    void reduce_by(expression::Reducer reduce) { reduce_ = std::move(reduce); }

    [[nodiscard]] std::uint64_t step() const noexcept { return state_.step(); }
    [[nodiscard]] ArrayShape shape(ColumnId column) const;
    // Values of one element of a column, which last until others of it are asked for. Of every element of every column as many as
    // places_at_a_time() fit into the host's share (Setup::bytes_at_a_time).
    [[nodiscard]] const std::byte* values(ColumnId column, int element, const PlaceRange& places) const;
    [[nodiscard]] std::int64_t places_at_a_time() const noexcept { return places_at_a_time_; }

    // What somebody needs of the state, in memory: a view that lasts whatever becomes of the state, for as long as the setup, and that
    // several threads may read. Whatever else it is asked for is Failure::internal. Waits for memory, which must be as large (bytes_of).
    // Throws std::bad_alloc.
    [[nodiscard]] std::shared_ptr<const StateView> capture(const Needs& needs, CaptureMemory& memory) const;
    [[nodiscard]] std::size_t bytes_of(const Needs& needs) const;

    // The agents of a collection, and of all of them the values of an element of a member, in the order of their ids. They last as long as
    // the view.
    [[nodiscard]] const AgentTable& agents(CollectionId collection) const;
    [[nodiscard]] const std::byte* agent_values(ColumnId column, int element) const;
    // How many links of a collection there are, which are the first of its rows.
    [[nodiscard]] std::int64_t links(CollectionId collection) const;

    [[nodiscard]] expression::ColumnInfo column(const expression::Attribute& attribute) const override;
    [[nodiscard]] const void* elements(const expression::Attribute& attribute, std::uint64_t first, std::uint64_t count) const override;
    [[nodiscard]] std::uint64_t tally(const expression::Attribute& attribute) const override;
    [[nodiscard]] std::uint64_t at_a_time() const noexcept override { return static_cast<std::uint64_t>(places_at_a_time_); }
    [[nodiscard]] expression::Value evaluate(const expression::Expression& expression) const;
    // Throws as expression::evaluate does, with the line of the run file.
    [[nodiscard]] expression::Value evaluate(const run_file::Located<expression::Expression>& expression) const;
    // Several, of which the reductions are asked for together: one wait for the devices.
    [[nodiscard]] std::vector<expression::Value>
    evaluate(const std::vector<const run_file::Located<expression::Expression>*>& expressions) const;

private:
    struct Window { // what was read last of an element of a column
        PlaceRange places;
        std::shared_ptr<std::byte[]> values;
        std::size_t room = 0; // bytes
    };
    [[nodiscard]] ColumnId column_of(const expression::Attribute& attribute) const;
    [[nodiscard]] std::vector<std::optional<expression::Partials>>
    reduced(const std::vector<const expression::Expression*>& expressions) const;
    [[nodiscard]] expression::Value evaluate(const expression::Expression& expression, std::optional<expression::Partials> partials) const;
    [[nodiscard]] std::size_t bytes_of_agents(const Needs& needs) const;
    // What is needed of places, and of links as they are.
    [[nodiscard]] std::map<Needs::Element, PlaceRange> ranges_of(const Needs& needs) const;

    State state_;
    const Setup& setup_;
    ThreadPool& pool_;
    std::int64_t places_at_a_time_;
    expression::Reducer reduce_;
    mutable std::map<std::pair<ColumnId, int>, Window> windows_;
    mutable std::map<CollectionId, AgentTable> agents_;
    mutable std::map<CollectionId, std::int64_t> links_; // how many there are
    mutable std::map<std::pair<ColumnId, int>, std::vector<std::byte>> agent_values_;
    mutable std::vector<std::byte> ones_; // of a presence
    std::shared_ptr<void> counted_;       // memory of agents, of a captured one
};

} // namespace tessera
