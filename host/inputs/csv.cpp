#include "host/inputs/csv.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/csv_fields.hpp"
#include "host/inputs/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <vector>

namespace tessera {
namespace {

// Values that stay integers as long as all of them are: 64-bit ones do not survive being doubles.
class Values {
public:
    // False if the text is no number.
    bool add(std::string_view text) {
        if (integral_ && add_integer(text)) return true;
        const auto value = parse_number(text);
        if (!value) return false;
        become_real();
        reals_.push_back(*value);
        return true;
    }

    [[nodiscard]] Array array(std::int64_t nx, std::int64_t ny, const std::string& name) const {
        const Scalar type = !integral_ ? Scalar::f64 : large_ ? Scalar::u64 : Scalar::i64;
        Array result = make_array(type, {nx, ny, 1}, ny > 1 ? 2 : 1, 1, name);
        std::memcpy(result.bytes.data(), integral_ ? static_cast<const void*>(integers_.data()) : reals_.data(), result.bytes.size());
        return result;
    }

private:
    bool add_integer(std::string_view text) {
        if (text.substr(0, 2) == "-0") return false; // may be the double -0
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
        std::int64_t value = 0;
        std::uint64_t large = 0;
        const char* end = text.data() + text.size();
        if (const auto [stop, error] = std::from_chars(text.data(), end, value); stop == end && error == std::errc{}) {
            if (value < 0 && large_) return false;
            negative_ = negative_ || value < 0;
            integers_.push_back(static_cast<std::uint64_t>(value));
            return true;
        }
        if (const auto [stop, error] = std::from_chars(text.data(), end, large); stop == end && error == std::errc{} && !negative_) {
            large_ = true;
            integers_.push_back(large);
            return true;
        }
        return false;
    }

    void become_real() {
        if (!integral_) return;
        integral_ = false;
        reals_.reserve(integers_.size() + 1);
        for (const std::uint64_t value : integers_)
            reals_.push_back(large_ ? static_cast<double>(value) : static_cast<double>(static_cast<std::int64_t>(value)));
        integers_ = {};
    }

    std::vector<std::uint64_t> integers_; // two's complement
    std::vector<double> reals_;
    bool integral_ = true, negative_ = false, large_ = false;
};

// What programs write for a value that is not there, in small letters.
bool stands_for_nothing(std::string_view text) {
    constexpr std::string_view words[] = {"na",      "n/a",     "n.a.",      "nan",  "null", "nil",     "none",
                                          "missing", "masked",  "undefined", "void", "nd",   "no data", "no_data",
                                          "nodata",  "no-data", "blank",     "<na>", "nat",  "(null)",  "unknown"};
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return std::find(std::begin(words), std::end(words), small) != std::end(words);
}

// A name has a letter, of any alphabet, and begins as no number does.
bool is_name(std::string_view text) {
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; };
    if (text.empty() || std::string_view("+-.,#0123456789").find(text.front()) != std::string_view::npos) return false;
    return std::any_of(text.begin(), text.end(), is_letter) && !stands_for_nothing(text) && !parse_number(text);
}

// Names that differ, and nothing else: values that are missing are the same words again.
bool is_heading(const std::vector<CsvField>& fields) {
    std::vector<std::string_view> names;
    for (const CsvField& field : fields) names.push_back(without_quotes(field.text));
    if (!std::all_of(names.begin(), names.end(), is_name)) return false;
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

Error no_fit(const std::string& name, std::int64_t line, std::size_t numbers, std::int64_t heading_line, std::size_t names) {
    return Error(Failure::input, fmt::format("{}:{}: {} numbers in this row", name, line, numbers),
                 fmt::format("the heading in line {} has {} names", heading_line, names),
                 "give each column a name, or begin the line with '#' if it is a comment");
}

Error no_number(const CsvField& field, const std::string& name, std::int64_t line, char separator) {
    const bool decimal_comma = separator == ';' && field.text.find(',') != std::string_view::npos;
    return Error(Failure::input,
                 fmt::format("{}:{}:{}: {}", name, line, field.column + 1,
                             field.text.empty() ? "a number is missing" : in_quotes(field.text.substr(0, 40)) + " is no number"),
                 "every field of a row must be a number a double can hold", decimal_comma ? "write decimals with a point" : "");
}

} // namespace

Array parse_csv(std::string_view text, const std::string& name) {
    Lines lines(text);
    Values values;
    std::vector<CsvField> fields;
    std::size_t width = 0, names = 0;
    std::int64_t rows = 0, first_row_line = 0, heading_line = 0;
    bool may_be_heading = true;
    char separator = ' ';
    while (const auto line = lines.next()) {
        const std::string_view row = without_comment(*line);
        if (trimmed(row).empty()) continue;
        if (rows == 0) separator = separator_of(row);
        split_fields(row, separator, fields);
        const bool heading = may_be_heading && is_heading(fields);
        may_be_heading = false;
        if (heading) {
            names = fields.size(), heading_line = lines.number();
            continue;
        }
        if (rows == 0) width = fields.size(), first_row_line = lines.number();
        for (const CsvField& field : fields)
            if (!values.add(field.text)) throw no_number(field, name, lines.number(), separator);
        if (fields.size() != width)
            throw Error(Failure::input, fmt::format("{}:{}: {} numbers in this row", name, lines.number(), fields.size()),
                        fmt::format("line {} has {}", first_row_line, width));
        if (names != 0 && width != names) throw no_fit(name, lines.number(), width, heading_line, names);
        ++rows;
    }
    if (rows == 0)
        throw Error(Failure::input, fmt::format("{}: no row of numbers", name), "the file is empty, or has only comments and a heading");
    return values.array(static_cast<std::int64_t>(width), rows, name);
}

Array read_csv(const std::filesystem::path& path, std::uint64_t most_bytes) {
    return parse_csv(read_bytes(path, most_bytes), path.string());
}

} // namespace tessera
