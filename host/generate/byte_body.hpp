// Whether the text of a function of bytes compiles for several places at once, as numbers in the fields of words
// (kernels/places/fields.hpp).
#pragma once

#include "jit/source.hpp"

#include <string>
#include <vector>

namespace tessera {

// Of a function that is written with operators alone: the greatest value, 2^n - 1, that bytes may have so that nothing that it computes
// needs more than 7 bits. Else 0, and what stands against it.
struct ByteBody {
    int most = 0;
    std::string why_not;
};

struct NamedFunction {
    std::string row, function;
};
// `bools`: those of the row's members that are bool. It also holds for values up to 255 that what is computed needs no more than 15 bits.
[[nodiscard]] ByteBody byte_body(const jit::ModelSource& model, const NamedFunction& named, const std::vector<std::string>& bools);

} // namespace tessera
