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

bool is_heading(const std::vector<CsvField>& fields) {
    return std::none_of(fields.begin(), fields.end(), [](const CsvField& field) { return parse_number(field.text).has_value(); });
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
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3); // byte order mark
    Lines lines(text);
    Values values;
    std::vector<CsvField> fields;
    std::size_t width = 0;
    std::int64_t rows = 0, first_row_line = 0;
    bool may_be_heading = true;
    char separator = ' ';
    while (const auto line = lines.next()) {
        const std::string_view row = line->substr(0, line->find('#'));
        if (trimmed(row).empty()) continue;
        if (rows == 0) separator = separator_of(row);
        split_fields(row, separator, fields);
        const bool heading = may_be_heading && is_heading(fields);
        may_be_heading = false;
        if (heading) continue;
        if (rows == 0) width = fields.size(), first_row_line = lines.number();
        for (const CsvField& field : fields)
            if (!values.add(field.text)) throw no_number(field, name, lines.number(), separator);
        if (fields.size() != width)
            throw Error(Failure::input, fmt::format("{}:{}: {} numbers in this row", name, lines.number(), fields.size()),
                        fmt::format("line {} has {}", first_row_line, width));
        ++rows;
    }
    if (rows == 0)
        throw Error(Failure::input, fmt::format("{}: no row of numbers", name), "the file is empty, or holds comments and a heading alone");
    return values.array(static_cast<std::int64_t>(width), rows, name);
}

Array read_csv(const std::filesystem::path& path, std::uint64_t most_bytes) {
    return parse_csv(read_bytes(path, most_bytes), path.string());
}

} // namespace tessera
