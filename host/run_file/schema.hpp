// The JSON schema of run files, by which editors complete and check them: made of all keys, as the manual's tables are.
#pragma once

#include <string>

namespace tessera::run_file {

// Draft 07, which editors of TOML know, indented.
[[nodiscard]] std::string schema_of_run_files();

} // namespace tessera::run_file
