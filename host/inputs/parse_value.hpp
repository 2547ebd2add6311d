// A value of a member as text.
#pragma once

#include "device_runtime/scalar.hpp"

#include <cstddef>
#include <string_view>

namespace tessera {

enum class Parsed { value, no_number, not_held };

// Puts the number that `text` is (as parse_number has them) where `into` says, as a value of the type: integers exactly, a float as the
// nearest to what is written. A bool may be 0, 1, true and false (also True and False). What is no whole number is held by no integer type,
// a finite number that is too large by none; nothing is put then.
[[nodiscard]] Parsed parse_value(std::string_view text, Scalar type, std::byte* into);

} // namespace tessera
