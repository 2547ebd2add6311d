// The fields of a line of text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

struct CsvField {
    std::string_view text;  // without blanks around it
    std::size_t column = 0; // from 0
};

// What separates the fields of a line: a semicolon, a comma, a tab or blanks, whichever of these, in this order, it has.
[[nodiscard]] char separator_of(std::string_view line);

// A run of blanks separates once; every other separator counts.
void split_fields(std::string_view line, char separator, std::vector<CsvField>& fields);

} // namespace tessera
