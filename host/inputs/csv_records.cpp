#include "host/inputs/csv_records.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {

CsvRecords::CsvRecords(std::string_view text, std::string name) : name_(std::move(name)), lines_(text) {
    if (!next_line(names_))
        throw Error(Failure::input, fmt::format("{}: no line of names", name_), "the file is empty, or has only comments",
                    "name the columns in its first line");
    line_of_names_ = lines_.number();
}

bool CsvRecords::next() {
    if (!next_line(fields_)) return false;
    if (fields_.size() != names_.size())
        throw Error(Failure::input,
                    fmt::format("{}:{}: {} field{} in this line", name_, lines_.number(), fields_.size(), fields_.size() == 1 ? "" : "s"),
                    fmt::format("line {} names {}", line_of_names_, names_.size()));
    return true;
}

bool CsvRecords::has_decimal_comma(const CsvField& field) const noexcept {
    return separator_ != ',' && field.text.find(',') != std::string_view::npos;
}

bool CsvRecords::next_line(std::vector<CsvField>& fields) {
    while (const auto line = lines_.next()) {
        const std::string_view row = without_comment(*line);
        if (trimmed(row).empty()) continue;
        if (separator_ == 0) separator_ = separator_of(row);
        split_fields(row, separator_, fields);
        for (auto& field : fields) field.text = without_quotes(field.text);
        return true;
    }
    return false;
}

} // namespace tessera
