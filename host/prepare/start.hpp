// A state that another run kept, with which a run begins in place of first values.
#pragma once

#include "host/bind/bind.hpp"
#include "host/checkpoint/store.hpp"

#include <memory>

namespace tessera {

// Finds the state that the run file names and has it say which one that is, from where its steps count, and how many agents and how much
// room for them there are to be. Nothing where there is no such state to be found: the run has none, or it was looked at. Throws
// Failure::input, with the line, for one that cannot be used and for steps that it is behind already.
[[nodiscard]] std::shared_ptr<checkpoint::Elsewhere> find_start(run_file::RunFile& run);

// The same state for a run that is bound: agents that it stores in another way are put down in the order of their ids. Throws
// Failure::input, with the line, where they cannot go on: other phases decide about their births, say, or not all find room.
void fit_start(const Bound& run, checkpoint::Saved& saved);

// Rooms of lists as they were, the numbers of agents from files, and the links: no file is read again, and no rule makes links again.
void as_kept(run_file::RunFile& run, const checkpoint::Saved& saved);

} // namespace tessera
