// What a run that goes on keeps when its run file or its model has changed.
#pragma once

#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// What only a run that begins takes from its run file, from `now` into `next`: sizes, first values, seed, devices and the like. The keys in
// which they differ.
[[nodiscard]] std::vector<std::string> keep_beginning(run_file::RunFile& next, const run_file::RunFile& now);

// Throws Failure::input where agents cannot go on: their places have another capacity or another way of keeping them, or other phases
// decide about their births, by which their ids are numbered.
void check_carried_agents(const Setup& now, const Setup& next);

} // namespace tessera
