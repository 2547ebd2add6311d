// Rows of agents or of links as files: a table of numbers as text, or an array of records for NumPy.
#pragma once

#include "device_runtime/scalar.hpp"
#include "host/array.hpp"
#include "host/outputs/file_place.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

struct Rows {
    struct Field {
        std::string name; // of an array member's elements: "way[0]"
        Scalar type = Scalar::u8;
        // Of some of the rows; they last until others of this field are asked for.
        std::function<const std::byte*(const PlaceRange& rows)> values;
    };
    std::int64_t count = 0;
    std::int64_t at_a_time = 1; // how many of them are asked for at once
    std::vector<Field> fields;
};

// A heading and a line a row, numbers as CsvTable writes them; bools as 0 and 1. Both appear whole or not at all and throw
// Failure::output.
void write_rows_csv(const FilePlace& place, const Rows& rows);

// An array of records of one dimension (NumPy's format 1.0), with no gaps.
void write_rows_npy(const FilePlace& place, const Rows& rows);

} // namespace tessera
