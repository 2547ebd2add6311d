// Programs that start several processes of one command, as `mpirun` and `srun` do.
#pragma once

#include <string>

namespace tessera {

// What is to be said of a run that is one of several of the same command, by the first of them; empty: nothing. Each of them makes the
// whole run by itself.
[[nodiscard]] std::string warning_of_launcher();

} // namespace tessera
