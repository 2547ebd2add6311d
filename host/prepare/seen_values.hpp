// Parameters by whose values functions look further, or less far.
#pragma once

#include "host/bind/bind.hpp"

#include <map>
#include <string>

namespace tessera {

// Those that access lists name and that have another value than their default: C++ text, by names.
[[nodiscard]] std::map<std::string, std::string> seen_values(const model::Description& description, const Values& values);

} // namespace tessera
