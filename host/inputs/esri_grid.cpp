#include "host/inputs/esri_grid.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr double exact_in_doubles = 9007199254740992.0; // 2^53: whole numbers up to here are what they are

// Whether a float holds the number, or rounds it to the nearest of its values and does not lose it.
bool rounds_to_float(double value) {
    const auto rounded = static_cast<double>(static_cast<float>(value));
    if (std::isinf(rounded) || (rounded == 0 && value != 0)) return false;
    return rounded == value || std::trunc(value) != value || std::abs(value) > exact_in_doubles;
}

// Whether a number that a float holds is written with so few digits that all programs write it alike. Beyond 2^53, as of the lowest float,
// there are more digits than doubles have.
bool is_plain_float(double value) { return static_cast<double>(static_cast<float>(value)) == value && std::abs(value) <= exact_in_doubles; }

// Whether a cell is the number that stands for no data. Programs write the header and the cells with different numbers of digits, so that
// two texts of one float differ as doubles.
bool is_same_float(double cell, double nodata) {
    if (cell == nodata || is_plain_float(nodata)) return cell == nodata;
    return rounds_to_float(cell) && rounds_to_float(nodata) && static_cast<float>(cell) == static_cast<float>(nodata);
}

class EsriParser {
public:
    EsriParser(std::string_view text, const std::string& name) : lines_(text), name_(name), most_values_(text.size() / 2 + 1) {}

    Array parse(std::optional<double> replacement, const SizeCheck& check_size) {
        read_header();
        if (check_size) check_size({columns_, rows_, 1});
        Array array = make_array(Scalar::f64, {columns_, rows_, 1}, 2, 1, name_);
        const auto values = array.data<double>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = read_value(array, i);
            const bool missing = std::isnan(value) || is_same_float(value, nodata_);
            if (missing && !replacement)
                throw error(fmt::format("the cell at {} has no data", array.position(static_cast<std::int64_t>(i))),
                            std::isnan(value) ? "it is nan" : fmt::format("NODATA_value is {}", nodata_),
                            "say in the run file what such cells become, as in nodata = 0");
            values[i] = missing ? *replacement : value;
        }
        if (const auto extra = next_word())
            throw error(fmt::format("{} follows the last cell", in_quotes(extra->substr(0, 40))),
                        fmt::format("the header says {} x {} cells", columns_, rows_));
        return array;
    }

private:
    [[nodiscard]] Error error(const std::string& problem, const std::string& why = {}, const std::string& suggestion = {}) const {
        return Error(Failure::input, fmt::format("{}:{}: {}", name_, std::max<std::int64_t>(lines_.number(), 1), problem), why, suggestion);
    }

    std::optional<std::string_view> next_word() {
        while ((line_ = trimmed(line_)).empty()) {
            const auto line = lines_.next();
            if (!line) return std::nullopt;
            line_ = *line;
        }
        const std::size_t end = std::min(line_.find_first_of(" \t\v\f"), line_.size());
        const std::string_view word = line_.substr(0, end);
        line_.remove_prefix(end);
        return word;
    }

    // Keys in any order and any case, each once, up to the first word that is a number.
    void read_header() {
        for (;;) {
            const auto word = next_word();
            if (!word) throw error("the header is not complete", "the file ends within it");
            if (parse_number(*word)) {
                pending_ = *word;
                break;
            }
            read_key(*word);
        }
        check_header();
    }

    void check_header() const {
        for (const auto& [key, value] : {std::pair("ncols", columns_), std::pair("nrows", rows_)})
            if (value == 0)
                throw error(fmt::format("the header has no {}", key),
                            "an ESRI grid begins with ncols, nrows, xllcorner, yllcorner and cellsize");
        if (!has_cellsize_)
            throw error("the header has no cellsize", "an ESRI grid begins with ncols, nrows, xllcorner, yllcorner and cellsize");
        if (static_cast<std::uint64_t>(columns_) > most_values_ / static_cast<std::uint64_t>(rows_))
            throw error(fmt::format("the header says {} x {} cells", columns_, rows_), "the file is too short for so many");
    }

    void read_key(std::string_view key) {
        std::string lower(key);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
        constexpr std::string_view keys[] = {"ncols",     "nrows",    "xllcorner",    "xllcenter", "yllcorner",
                                             "yllcenter", "cellsize", "nodata_value", "nodata"};
        if (std::find(std::begin(keys), std::end(keys), lower) == std::end(keys))
            throw error(fmt::format("unknown header key {}", in_quotes(key.substr(0, 40))),
                        "an ESRI grid has ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize and NODATA_value");
        const double value = header_value(lower);
        if (lower == "ncols") columns_ = extent(lower, value);
        if (lower == "nrows") rows_ = extent(lower, value);
        if (lower == "cellsize") {
            if (!(value > 0) || std::isinf(value)) throw error(fmt::format("the cellsize is {}", value), "it must be above 0");
            has_cellsize_ = true;
        }
        if (lower == "nodata_value" || lower == "nodata") nodata_ = value;
    } // where on the globe the grid lies does not matter to a model

    double header_value(const std::string& key) {
        const auto text = next_word();
        if (!text) throw error(fmt::format("{} is followed by nothing", key), "a number was expected");
        const auto value = parse_number(*text);
        if (!value) throw error(fmt::format("{} is followed by {}", key, in_quotes(text->substr(0, 40))), "a number was expected");
        return *value;
    }

    std::int64_t extent(const std::string& key, double value) const {
        if (!(value >= 1) || value > 1e12 || std::trunc(value) != value)
            throw error(fmt::format("{} is {}", key, value), "a whole number from 1 on was expected");
        return static_cast<std::int64_t>(value);
    }

    double read_value(const Array& array, std::size_t index) {
        const auto word = pending_.empty() ? next_word() : std::optional(pending_);
        pending_ = {};
        if (!word)
            throw error(fmt::format("the grid ends before the cell at {}", array.position(static_cast<std::int64_t>(index))),
                        fmt::format("the header says {} x {} cells, {} are there", columns_, rows_, index));
        const auto value = parse_number(*word);
        if (!value)
            throw error(fmt::format("{} is no number", in_quotes(word->substr(0, 40))),
                        fmt::format("it stands for the cell at {}", array.position(static_cast<std::int64_t>(index))));
        return *value;
    }

    Lines lines_;
    const std::string& name_;
    std::uint64_t most_values_; // that a file of its size can hold
    std::string_view line_;     // what is left of it
    std::string_view pending_;  // the first value, which ended the header
    std::int64_t columns_ = 0, rows_ = 0;
    double nodata_ = -9999;
    bool has_cellsize_ = false;
};

} // namespace

Array parse_esri_grid(std::string_view text, const std::string& name, std::optional<double> nodata, const SizeCheck& check_size) {
    return EsriParser(text, name).parse(nodata, check_size);
}

Array read_esri_grid(const std::filesystem::path& path, std::optional<double> nodata, const SizeCheck& check_size,
                     std::uint64_t most_bytes) {
    return parse_esri_grid(read_bytes(path, most_bytes), path.string(), nodata, check_size);
}

} // namespace tessera
