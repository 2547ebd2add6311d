// The `tessera` command: its subcommands and their options.
#pragma once

namespace tessera {

// Parses the arguments, runs the command, tells errors on stderr. Returns the exit status: 0, or the value of a Failure.
[[nodiscard]] int command_line(int argc, char** argv);

} // namespace tessera
