// A table in text whose first line names its columns.
#pragma once

#include "host/inputs/csv_fields.hpp"
#include "host/inputs/input_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Reads it line by line. The line of names says what separates fields (csv_fields.hpp); quotes around a field are taken off, and do not
// protect a separator. Lines without anything, comments (csv_fields.hpp) and a byte order mark are passed over. Throws Failure::input
// naming file and line: a text without a line of names, and a line that has not as many fields as there are names.
class CsvRecords {
public:
    // `name` stands in errors where the file's would. The text has to outlive it.
    CsvRecords(std::string_view text, std::string name);

    [[nodiscard]] const std::vector<CsvField>& names() const noexcept { return names_; }
    [[nodiscard]] std::int64_t line_of_names() const noexcept { return line_of_names_; }

    // Goes to the next record. False if there is none.
    [[nodiscard]] bool next();
    [[nodiscard]] const std::vector<CsvField>& fields() const noexcept { return fields_; }
    [[nodiscard]] std::int64_t line() const noexcept { return lines_.number(); } // from 1

    // Whether a comma in a number is one that some countries have for the point.
    [[nodiscard]] bool has_decimal_comma(const CsvField& field) const noexcept;

private:
    bool next_line(std::vector<CsvField>& fields);

    std::string name_;
    Lines lines_;
    char separator_ = 0; // not known yet
    std::int64_t line_of_names_ = 0;
    std::vector<CsvField> names_, fields_;
};

} // namespace tessera
