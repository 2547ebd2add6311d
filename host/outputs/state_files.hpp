// Files of one state: arrays, pictures, agents, links; and what each of them needs of the state.
#pragma once

#include "host/outputs/file_place.hpp"
#include "host/outputs/needs.hpp"
#include "host/outputs/state_view.hpp"
#include "host/setup/setup.hpp"

namespace tessera {

// What write_state_file asks the state for. Not of a table.
[[nodiscard]] Needs needs_of(const Setup& setup, const run_file::Output& output);

// The file appears whole or not at all. Throws Failure::output. By any thread, of a state that was captured.
void write_state_file(const Setup& setup, const run_file::Output& output, const FilePlace& place, const StateView& state);

} // namespace tessera
