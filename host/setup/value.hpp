// A number of the run file as the bytes of a scalar of the model.
#pragma once

#include "device_runtime/scalar.hpp"
#include "host/run_file/first_values.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

// Fails at `where` if the number is not one of the type: out of range, a fraction for an integer, anything but 0 and 1 for a bool.
// `what` is how the message calls it ("cell.alive").
[[nodiscard]] std::vector<std::byte> value_bytes(const run_file::Number& number, Scalar type, const run_file::Where& where,
                                                 const std::string& what);

// A constant for a member of `elements` elements: one number for all of them, or an array of as many.
[[nodiscard]] std::vector<std::byte> constant_bytes(const run_file::Constant& constant, Scalar type, int elements,
                                                    const run_file::Where& where, const std::string& what);

// A scalar as C++ source with the same bits: "static_cast<float>(0x1.99999ap-4)".
[[nodiscard]] std::string as_source(Scalar type, const std::byte* value);

// Scalars as people read them: floats with as few digits as read back as the same float; "true"; "[1, 2.5]" if there is more than one.
[[nodiscard]] std::string readable(Scalar type, const std::byte* values, int elements = 1);

// A double that stands for a scalar of the type, as a bound of its values does: 0.1 is the float 0.1 for a float.
[[nodiscard]] std::string readable(Scalar type, double value);

// Whether low <= value <= high, the bounds taken as values of the type where that is float or double.
[[nodiscard]] bool lies_within(Scalar type, const std::byte* value, double low, double high);

// Fails at `where` if the random values of an initial value are not all values of the type: bounds of a uniform distribution outside of it,
// or more integers below n than it has.
void check_random(const run_file::InitStep& step, Scalar type, const run_file::Where& where, const std::string& what);

} // namespace tessera
