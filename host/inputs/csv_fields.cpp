#include "host/inputs/csv_fields.hpp"

#include "host/inputs/input_file.hpp"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

// What spreadsheets write for a value that they could not compute.
bool is_error_value(std::string_view word) {
    constexpr std::string_view values[] = {"#N/A",   "#NA",   "#NULL!", "#DIV/0!", "#VALUE!", "#REF!",
                                           "#NAME?", "#NUM!", "#CALC!", "#SPILL!", "#BUSY!",  "#GETTING_DATA"};
    return std::find(std::begin(values), std::end(values), word) != std::end(values);
}

} // namespace

std::string_view without_comment(std::string_view line) {
    for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
        const bool begins_word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
        const auto end = std::min(line.find_first_of(" \t,;\"", at), line.size());
        if (begins_word && !is_error_value(line.substr(at, end - at))) return line.substr(0, at);
    }
    return line;
}

std::string_view without_quotes(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
    return trimmed(text.substr(1, text.size() - 2));
}

char separator_of(std::string_view line) {
    for (const char separator : {';', ',', '\t'})
        if (line.find(separator) != std::string_view::npos) return separator;
    return ' ';
}

void split_fields(std::string_view line, char separator, std::vector<CsvField>& fields) {
    fields.clear();
    if (separator == ' ') {
        for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
            const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
            fields.push_back({line.substr(at, end - at), at});
            at = line.find_first_not_of(" \t", end);
        }
        return;
    }
    for (std::size_t at = 0;;) {
        const std::size_t end = std::min(line.find(separator, at), line.size());
        const std::string_view text = trimmed(line.substr(at, end - at));
        fields.push_back({text, text.empty() ? at : static_cast<std::size_t>(text.data() - line.data())});
        if (end == line.size()) return;
        at = end + 1;
    }
}

} // namespace tessera
