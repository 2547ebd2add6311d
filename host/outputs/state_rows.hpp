// The agents or the links of a state as rows.
#pragma once

#include "host/outputs/needs.hpp"
#include "host/outputs/rows_file.hpp"
#include "host/outputs/state_view.hpp"

namespace tessera {

// Of agents, in the order of ids: id as u64; x, y, z of the place as far as the grid has them, as i64, or in space of the position as what
// it is, or `place`, the number of one without a shape, as i64; and the members. Rows last as long as the view.
[[nodiscard]] Rows agent_rows(const Setup& setup, CollectionId agents, const StateView& state);
[[nodiscard]] Needs needs_of_agent_rows(const Setup& setup, CollectionId agents);

// Of links, in their order, each once: `from` and `to`, the numbers of the places, as i32; and the members.
[[nodiscard]] Rows link_rows(const Setup& setup, CollectionId links, const StateView& state);

} // namespace tessera
