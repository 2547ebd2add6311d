// A phase `reduce` as data, for kernels that were compiled before anybody knew it (any_reduce.hpp). The host fills it in
// (host/generate/reduce_code.cpp).
//
// What stands within a sum, mean, min, max or count, a part, is a list of instructions, and so is what stands around parts. Each puts what
// it makes of one value or two down as another.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

enum class reduce_op : std::int32_t {
    whole, // a constant
    real,
    step,
    element, // of a member, within a part
    part,    // what a part has come to, outside
    mean_of_part,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or
};

// As many as there may be that wait for what is made of them.
inline constexpr int most_reduce_values = 8;

struct reduce_instruction {
    reduce_op op;
    std::int32_t to, left, right; // values
    std::int32_t number;          // of an element: its column among those of the launch; of a part: which of the reduce's it is
    std::int32_t type;            // of an element: its scalar_code
    // Of an element: line `l` of row `r` begins at l * line + r * row + element. A row of a volume is a plane of lines, else it is one
    // line.
    std::int64_t line, row, element;
    std::int64_t whole;
    double real;
};

// As they are called in reduction.hpp.
enum class reduce_part_kind : std::int32_t { counted, whole_sum, real_sum, least_whole, largest_whole, least_real, largest_real };

// The instructions from `first` on, up to `end`, make the value that is added up, or stored.
struct reduce_part {
    reduce_part_kind kind;
    std::int32_t first_word;
    std::int32_t collection;
    std::int32_t value; // whose expression it stands in, among those of the reduce
    std::int32_t first, end;
};
struct reduce_value {
    std::int32_t slot; // of a value of the step; -1: it is a question
    std::int32_t type;
    std::int32_t first, end;
};

} // namespace tessera
