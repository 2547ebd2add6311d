// A number of the run file as the bytes of a scalar of the model.
#pragma once

#include "device_runtime/scalar.hpp"
#include "host/run_file/run_file.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

// Fails at `where` if the number is not one of the type: out of range, a fraction for an integer, anything but 0 and 1 for a bool.
// `what` is how the message calls it ("cell.alive").
[[nodiscard]] std::vector<std::byte> value_bytes(const run_file::Number& number, Scalar type, const run_file::Where& where, const std::string& what);

// A constant for a member of `elements` elements: one number for all of them, or an array of as many.
[[nodiscard]] std::vector<std::byte> constant_bytes(const run_file::Constant& constant, Scalar type, int elements, const run_file::Where& where,
                                                    const std::string& what);

// A scalar as C++ source with the same bits: "static_cast<float>(0x1.99999ap-4)".
[[nodiscard]] std::string as_source(Scalar type, const std::byte* value);

// A scalar rounded to a double.
[[nodiscard]] double as_double(Scalar type, const std::byte* value);

} // namespace tessera
