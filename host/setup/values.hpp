// The numbers of a run that can be others without its kernels being others.
#pragma once

#include "device_runtime/scalar.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct ParameterValue {
    std::string name;
    Scalar type = Scalar::f32;
    std::vector<std::byte> bytes;
};

struct Values {
    std::uint64_t seed = 1;
    std::vector<ParameterValue> parameters; // as the description has them
};

} // namespace tessera
