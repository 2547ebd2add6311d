// The version of this program.
#pragma once

namespace tessera {

[[nodiscard]] const char* version() noexcept; // "0.1.0"

} // namespace tessera
