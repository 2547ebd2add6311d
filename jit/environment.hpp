// Variables of the environment, and where this program is.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::jit {

// Its value; empty also when there is none.
[[nodiscard]] std::string variable(const char* name);

// The file of this program, without links; also where there is no /proc. Empty where the system does not say.
[[nodiscard]] const std::filesystem::path& program_file();

} // namespace tessera::jit
