// What kernels written by hand are handed: types as plain C++ names them, and the values of parameters.
#pragma once

#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera::bench {

[[nodiscard]] const char* plain_name(Scalar type); // "unsigned char"

// Of a name that the model has.
[[nodiscard]] const ParameterValue& value_of(const Setup& setup, const std::string& name);

// Adds a parameter's value, in 8 bytes.
void add_value(std::vector<std::byte>& arguments, const ParameterValue& parameter);

} // namespace tessera::bench
