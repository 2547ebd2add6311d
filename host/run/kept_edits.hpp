// Edits of a run that is resumed: those after the state from which it goes on are of steps that come again.
#pragma once

#include "host/outputs/edit.hpp"
#include "host/outputs/result_folder.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Leaves the first `kept` edits of the results, and says how many are dropped.
void drop_later_edits(const ResultFolder& folder, std::size_t kept);

// For a run that begins again, with results in `to`, of one whose results are in `from`: `to` has the sources with which it began, as its
// only edit, which is returned; nothing of a run that nobody could edit. Where the two are one folder, it keeps what was edited since, with
// the manifest, in `set-aside/001`, or the next number that is free, from where it can be replayed. Says so. Throws Failure::output.
[[nodiscard]] std::vector<Edit> begin_edits_again(const ResultFolder& from, const ResultFolder& to);

} // namespace tessera
