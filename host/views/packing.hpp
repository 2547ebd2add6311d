// Whether the functions of a sequence may be made for 32 places at once, bit by bit (sdk/include/tessera/detail/lanes.hpp).
#pragma once

#include "host/setup/call_sequence.hpp"
#include "host/world/state_reader.hpp"

#include <string>

namespace tessera {

struct Packing {
    int bits = 0;       // of a std::uint8_t: 1, 2, 4 or 8; 0: not packed
    std::string reason; // why not
};

// By what is declared. Whether the functions' bodies allow it, their compiler says.
[[nodiscard]] Packing declared_packing(const Setup& setup, const CallSequence& sequence);

// Why steps cannot hand on words, where a kernel's bits can be made of bytes; empty if they can.
[[nodiscard]] std::string obstacle_to_words(const Setup& setup, const CallSequence& sequence);

// With the fewest bits that hold the values that `read` gives and those beyond the boundary.
[[nodiscard]] Packing packing_of(const Setup& setup, const CallSequence& sequence, const StateReader& read);

} // namespace tessera
