#include "host/outputs/agent_rows.hpp"

#include "host/outputs/canonical.hpp"
#include "host/outputs/csv_table.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

template<class T> T value_at(const AgentRows::Field& field, std::size_t i) {
    T value;
    std::memcpy(&value, field.values + i * sizeof(T), sizeof(T));
    return canonical(value);
}

// As few digits as read back to the same number of its type.
void append_value(std::string& line, const AgentRows::Field& field, std::size_t i) {
    with_type(field.type, [&](auto kind) {
        using T = decltype(kind);
        const auto value = value_at<T>(field, i);
        if constexpr (std::is_same_v<T, float>)
            line += fmt::format("{}", value);
        else if constexpr (std::is_same_v<T, double>)
            append_csv_value(line, value);
        else if constexpr (std::is_unsigned_v<T>)
            append_csv_value(line, static_cast<std::uint64_t>(value));
        else
            append_csv_value(line, static_cast<std::int64_t>(value));
    });
}

// `append(i, bytes)` adds row i.
template<class Append> void write_rows(OutputFile& file, std::size_t rows, const Append& append) {
    constexpr std::size_t enough = std::size_t{1} << 20;
    std::string waiting;
    for (std::size_t i = 0; i < rows; ++i) {
        append(i, waiting);
        if (waiting.size() < enough && i + 1 < rows) continue;
        file.write(waiting.data(), waiting.size());
        waiting.clear();
    }
}

Extents coordinates(const AgentRows& rows, std::size_t i) {
    const auto number = rows.table->places[i];
    return rows.has_shape ? place_of(*rows.collection, number) : Extents{number, 0, 0};
}

} // namespace

AgentRows agent_rows(const Setup& setup, CollectionId agents, const StateView& state) {
    AgentRows rows;
    rows.table = &state.agents(agents);
    rows.collection = &setup.collections[agents];
    const auto& space = rows.collection->agents->space;
    rows.has_shape = setup.collections[rows.collection->agents->ground].has_shape();
    if (!rows.has_shape) rows.place_axes = {"place"};
    if (rows.has_shape && !space) rows.place_axes.assign(axes, axes + rows.collection->dimensions);
    for (int axis = 0; space && axis < rows.collection->dimensions; ++axis)
        rows.fields.push_back({axes[axis], space->number, state.agent_values(setup.positions_of(agents), axis)});
    const auto& members = setup.row_of(setup.collections[agents]).members;
    for (std::size_t m = 0; m < members.size(); ++m)
        for (int e = 0; e < members[m].elements; ++e)
            rows.fields.push_back({members[m].elements == 1 ? members[m].name : fmt::format("{}[{}]", members[m].name, e), members[m].type,
                                   state.agent_values(setup.column_of(agents, m), e)});
    return rows;
}

void write_agents_csv(const FilePlace& place, const AgentRows& rows) {
    OutputFile file(place);
    std::string heading = "id";
    for (const auto& axis : rows.place_axes) heading += "," + axis;
    for (const auto& field : rows.fields) heading += "," + csv_field(field.name);
    heading += "\n";
    file.write(heading.data(), heading.size());
    write_rows(file, rows.table->size(), [&](std::size_t i, std::string& text) {
        text += fmt::format("{}", rows.table->ids[i]);
        const auto at = coordinates(rows, i);
        for (std::size_t axis = 0; axis < rows.place_axes.size(); ++axis) text += fmt::format(",{}", at[axis]);
        for (const auto& field : rows.fields) {
            text += ',';
            append_value(text, field, i);
        }
        text += '\n';
    });
    file.commit();
}

void write_agents_npy(const FilePlace& place, const AgentRows& rows) {
    std::string description = "[('id', '<u8')";
    for (const auto& axis : rows.place_axes) description += fmt::format(", ('{}', '<i8')", axis);
    for (const auto& field : rows.fields) description += fmt::format(", ('{}', '{}')", field.name, npy_type(field.type));
    OutputFile file(place);
    const auto header = npy_header(description + "]", fmt::format("({},)", rows.table->size()));
    file.write(header.data(), header.size());
    const auto put = [](std::string& bytes, const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
    write_rows(file, rows.table->size(), [&](std::size_t i, std::string& bytes) {
        put(bytes, rows.table->ids[i]);
        const auto at = coordinates(rows, i);
        for (std::size_t axis = 0; axis < rows.place_axes.size(); ++axis) put(bytes, at[axis]);
        for (const auto& field : rows.fields) with_type(field.type, [&](auto kind) { put(bytes, value_at<decltype(kind)>(field, i)); });
    });
    file.commit();
}

} // namespace tessera
