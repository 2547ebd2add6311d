#include "host/inputs/csv_fields.hpp"

#include "host/inputs/input_file.hpp"

#include <algorithm>

namespace tessera {

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
