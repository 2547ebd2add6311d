#include "host/outputs/rows_file.hpp"

#include "host/outputs/canonical.hpp"
#include "host/outputs/csv_table.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

namespace tessera {
namespace {

template<class T> T value_at(const std::byte* values, std::size_t i) {
    T value;
    std::memcpy(&value, values + i * sizeof(T), sizeof(T));
    return canonical(value);
}

// As few digits as read back to the same number of its type.
template<class T> void append_text(std::string& line, T value) {
    if constexpr (std::is_same_v<T, float>)
        line += fmt::format("{}", value);
    else if constexpr (std::is_same_v<T, double>)
        append_csv_value(line, value);
    else if constexpr (std::is_unsigned_v<T>)
        append_csv_value(line, static_cast<std::uint64_t>(value));
    else
        append_csv_value(line, static_cast<std::int64_t>(value));
}

// `append(values, i, text)` adds row i of those whose fields have these values.
template<class Append> void write_each(OutputFile& file, const Rows& rows, const Append& append) {
    constexpr std::size_t enough = std::size_t{1} << 20;
    std::string waiting;
    std::vector<const std::byte*> values(rows.fields.size());
    for_each_piece(rows.count, rows.at_a_time, [&](const PlaceRange& piece) {
        for (std::size_t f = 0; f < values.size(); ++f) values[f] = rows.fields[f].values(piece);
        for (std::size_t i = 0; i < static_cast<std::size_t>(piece.count()); ++i) {
            append(values, i, waiting);
            if (waiting.size() < enough) continue;
            file.write(waiting.data(), waiting.size());
            waiting.clear();
        }
    });
    if (!waiting.empty()) file.write(waiting.data(), waiting.size());
}

} // namespace

void write_rows_csv(const FilePlace& place, const Rows& rows) {
    OutputFile file(place);
    std::string heading;
    for (const auto& field : rows.fields) heading += (heading.empty() ? "" : ",") + csv_field(field.name);
    heading += "\n";
    file.write(heading.data(), heading.size());
    write_each(file, rows, [&](const std::vector<const std::byte*>& values, std::size_t i, std::string& text) {
        for (std::size_t f = 0; f < values.size(); ++f) {
            if (f > 0) text += ',';
            with_type(rows.fields[f].type, [&](auto kind) { append_text(text, value_at<decltype(kind)>(values[f], i)); });
        }
        text += '\n';
    });
    file.commit();
}

void write_rows_npy(const FilePlace& place, const Rows& rows) {
    std::string description;
    for (const auto& field : rows.fields)
        description += fmt::format("{}('{}', '{}')", description.empty() ? "[" : ", ", field.name, npy_type(field.type));
    OutputFile file(place);
    const auto header = npy_header(description + "]", fmt::format("({},)", rows.count));
    file.write(header.data(), header.size());
    write_each(file, rows, [&](const std::vector<const std::byte*>& values, std::size_t i, std::string& bytes) {
        for (std::size_t f = 0; f < values.size(); ++f)
            with_type(rows.fields[f].type, [&](auto kind) {
                const auto value = value_at<decltype(kind)>(values[f], i);
                bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
            });
    });
    file.commit();
}

} // namespace tessera
