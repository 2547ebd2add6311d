// SPDX-License-Identifier: Apache-2.0
// What a checked run found wrong: written down by the kernel that ran into it, read and told by the host (host/execute/mistakes.cpp).
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

enum class mistake : std::int32_t {
    none,
    addition, // whose result does not fit into its type, as those of the next three
    subtraction,
    multiplication,
    negation,
    division,   // by zero, or of the smallest integer by -1
    conversion, // of a float to an integer that cannot be it
    narrowing,  // an integer stored in a type that does not have it
    shift,
    element,   // beyond an array
    draw,      // below what is no number of values
    no_result, // the end of a function that should return something
    no_way,    // where the author said that nobody comes
    assertion,
    not_a_number, // stored, where none was read
    goes_nowhere, // to a position that is no number, as that of a child
    child_nowhere,
    chance,    // of bernoulli(p), which is none
    unassigned // a member that the function sets: its value would become the default
};

// A number as the author's text has it.
struct mistaken_value {
    enum kind : std::int64_t { none, whole, natural, real } of;
    union {
        std::int64_t integer;
        std::uint64_t word;
        double number;
    };
};

// A function of the model for a place or an agent.
struct noted_call_record {
    std::int64_t place[3];
    std::uint64_t agent;     // its id; 0: of a place
    std::int64_t number;     // among the calls of the phase, as one thread of a CPU makes them
    std::int32_t is_running; // or was when a mistake was found
    std::int32_t read_nan;   // whether it has read one that is not a number
};

struct mistake_record {
    mistake what;
    std::int32_t member; // whose value it is, of the function's row or, `of_ground`, of the places that its agents stand on
    std::int32_t of_ground;
    std::uint32_t line, column;   // 0: not known
    std::int16_t bits, is_signed; // of the integer type of the result, or of what is shifted; 0 bits: not known
    const char* file;
    const char* array;        // as compilers write its type, 'int [4]', or nullptr where `elements` says how many it has
    const char *text, *words; // of an assertion: the condition, and what the author says of it
    std::int64_t elements;
    mistaken_value left, right;
    noted_call_record call;
};

// What the threads of a GPU share: of all mistakes of a launch that of the call with the least number. Its texts stand behind it, for the
// host does not reach what pointers of a GPU point to; those that are too long are cut off.
struct shared_mistake {
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr int longest_text = 1024; // and a zero

    std::uint64_t least;    // number of a call; none: nothing was found
    std::uint32_t is_taken; // by a thread that writes what follows
    mistake_record record;
    char file[longest_text], text[longest_text], words[longest_text];
};

} // namespace tessera
