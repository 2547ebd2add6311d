// A change of a run that goes on, ready to be made.
#pragma once

#include "host/array.hpp"
#include "host/prepare/prepare.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>

namespace tessera {

// Other values of parameters, which are set without compiling (Run::sets_at_once).
struct ParameterChange {
    run_file::Parameters given;
};

// Values of an element of a member of places, in a box from `corner` on.
struct ValueChange {
    std::string places, member;
    int element = 0;
    std::array<std::int64_t, 3> corner{};
    Array values;
};

// `Prepared`: the run from now on is made of that.
using Change = std::variant<Prepared, ParameterChange, ValueChange>;

} // namespace tessera
