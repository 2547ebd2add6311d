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

// A line without its comment, which runs from a '#' that begins a word to the end. Within a word it is a part of that ("1.#INF"), and the
// error values of spreadsheets ("#N/A") are words.
[[nodiscard]] std::string_view without_comment(std::string_view line);

// A field without the quotes around it, and the blanks within these.
[[nodiscard]] std::string_view without_quotes(std::string_view text);

// What separates the fields of a line: a semicolon, a comma, a tab or blanks, whichever of these, in this order, it has.
[[nodiscard]] char separator_of(std::string_view line);

// A run of blanks separates once; every other separator counts.
void split_fields(std::string_view line, char separator, std::vector<CsvField>& fields);

} // namespace tessera
