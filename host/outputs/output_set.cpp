#include "host/outputs/output_set.hpp"

#include "host/outputs/agent_rows.hpp"
#include "host/outputs/check_outputs.hpp"
#include "host/outputs/check_written.hpp"
#include "host/outputs/earlier_results.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/picture.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

TableValue table_value(const expression::Value& value) {
    return std::visit(
        [](auto v) -> TableValue {
            if constexpr (std::is_same_v<decltype(v), bool>)
                return static_cast<std::int64_t>(v);
            else
                return v;
        },
        value);
}

// The first step at or behind `step` at which an output with this timing is due; UINT64_MAX if there is none.
std::uint64_t next_at(const run_file::Timing& timing, std::uint64_t step) {
    const std::uint64_t next =
        step <= timing.from ? timing.from : timing.from + (step - timing.from + timing.every - 1) / timing.every * timing.every;
    return timing.until && next >= *timing.until ? UINT64_MAX : next;
}

// One plane of a column: element `element` at z = `slice`.
Array plane_of(const StateView& state, ColumnId column, std::uint64_t element, std::uint64_t slice) {
    Array plane;
    static_cast<ArrayShape&>(plane) = state.shape(column);
    plane.size[2] = plane.elements = 1;
    plane.dimensions = std::min(plane.dimensions, 2);
    const auto first = static_cast<std::int64_t>(slice) * plane.places();
    const auto* const values = state.values(column, static_cast<int>(element), {first, first + plane.places()});
    plane.bytes.assign(values, values + static_cast<std::size_t>(plane.places()) * size_of(plane.type));
    return plane;
}

Array white_plane(const Extents& size) {
    Array plane;
    plane.type = Scalar::boolean;
    plane.size = {size[0], size[1], 1};
    plane.elements = 1;
    plane.dimensions = 2;
    plane.bytes.assign(static_cast<std::size_t>(plane.places()), std::byte{1});
    return plane;
}

// Where agent number i in the order of ids is along an axis, in places; 0 along no axis.
double position_in_places(const Setup& setup, CollectionId agents, const StateView& state, std::size_t axis, std::size_t i) {
    const auto& collection = setup.collections[agents];
    if (axis >= static_cast<std::size_t>(collection.dimensions)) return 0;
    const auto* const values = state.agent_values(setup.positions_of(agents), static_cast<int>(axis));
    const auto at = collection.agents->space->number == Scalar::f32 ? static_cast<double>(reinterpret_cast<const float*>(values)[i])
                                                                    : reinterpret_cast<const double*>(values)[i];
    return at / collection.agents->space->extent[axis] * static_cast<double>(collection.size[axis]);
}

// A member's value of each agent, in the order of ids.
std::vector<double> values_of(const Setup& setup, ColumnId column, const StateView& state, std::size_t count) {
    std::vector<double> values(count);
    const auto* const bytes = state.agent_values(column, 0);
    with_type(setup[column].layout.type, [&](auto kind) {
        using T = decltype(kind);
        for (std::size_t i = 0; i < count; ++i) {
            T value;
            std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
            values[i] = static_cast<double>(value);
        }
    });
    return values;
}

// Those of the agents who are in a slice.
PictureStyle::Overlay overlay_of(const Setup& setup, CollectionId agents, const run_file::OverlayStyle& style, std::uint64_t slice,
                                 const StateView& state) {
    const auto& collection = setup.collections[agents];
    const auto& places = state.agents(agents).places;
    PictureStyle::Overlay overlay;
    overlay.as_dots = collection.agents->space.has_value();
    std::vector<std::uint16_t> colours(places.size());
    if (style.member) {
        const auto& map = colour_map(*style.colours);
        overlay.colours.assign(std::begin(map.entries), std::end(map.entries));
        const auto column = require_column(setup, {{collection.name, **style.member}, {}});
        const bool is_bool = setup[column].layout.type == Scalar::boolean; // from 0 to 1, as in pictures of places
        const auto end = [&](const auto& given, double of_bool) {
            return given ? std::optional<double>(**given) : is_bool ? std::optional<double>(of_bool) : std::nullopt;
        };
        colours = colours_of(map, values_of(setup, column, state, places.size()), end(style.low, 0), end(style.high, 1));
    } else
        overlay.colours = {*named_colour(**style.colour)};
    const auto plane = collection.size[0] * collection.size[1], first = static_cast<std::int64_t>(slice) * plane;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] < first || places[i] >= first + plane) continue;
        PictureStyle::Overlay::Spot spot{places[i] - first, {}, colours[i]};
        if (overlay.as_dots) spot.at = {position_in_places(setup, agents, state, 0, i), position_in_places(setup, agents, state, 1, i)};
        overlay.spots.push_back(spot);
    }
    return overlay;
}

// A table starts with the step, unless it has a column of that name.
bool names_step(const run_file::Csv& csv) {
    return std::any_of(csv.columns.begin(), csv.columns.end(), [](const auto& column) { return *column.name == "step"; });
}

// "people.csv", and behind that "people.2.csv".
std::string with_number(const std::string& name, int number) {
    if (number == 1) return name;
    const std::filesystem::path path(name);
    return (path.parent_path() / (path.stem().string() + "." + std::to_string(number) + path.extension().string())).string();
}

} // namespace

OutputSet::OutputSet(const Setup& setup, ResultFolder folder, Interrupted interrupted)
    : setup_(setup), folder_(std::move(folder)), interrupted_(std::move(interrupted)) {
    for (const auto& output : setup.agenda.outputs) outputs_.push_back({&*output, nullptr, {}, std::nullopt, 1});
}

void OutputSet::go_on_from(OutputSet& before) {
    for (auto& output : outputs_)
        for (auto& earlier : before.outputs_) {
            if (!(earlier.wanted->file == output.wanted->file)) continue;
            const bool same = earlier.wanted->content == output.wanted->content;
            output.continued = earlier.continued + (earlier.table != nullptr && !same ? 1 : 0);
            if (!same) continue;
            output.table = std::move(earlier.table);
            output.table_name = earlier.table_name;
            output.written_at = earlier.written_at;
        }
    before.close();
    files_ = std::move(before.files_);
    written_ = std::move(before.written_);
}

std::uint64_t OutputSet::next_due(std::uint64_t step, std::uint64_t end) const {
    std::uint64_t next = end;
    for (const auto& output : outputs_) next = std::min(next, next_at(output.wanted->timing, step));
    return next;
}

void OutputSet::write(const StateView& state, bool is_last) {
    const auto step = state.step();
    for (auto& output : outputs_) {
        const auto& timing = output.wanted->timing;
        const bool is_due = is_last ? step >= timing.from && (!timing.until || step < *timing.until) : timing.includes(step);
        if (!is_due || output.written_at == step) continue;
        write_one(output, state);
        output.written_at = step;
    }
}

void OutputSet::write_one(Output& output, const StateView& state) {
    const std::string name = output.wanted->file->at_step(state.step());
    if (const auto* csv = std::get_if<run_file::Csv>(&output.wanted->content)) return write_row(output, *csv, state);
    const auto place = folder_.place(name);
    if (const auto* npy = std::get_if<run_file::Npy>(&output.wanted->content)) {
        const auto column = require_column(setup_, npy->attribute);
        write_npy(
            place, state.shape(column), [&](int element, const PlaceRange& places) { return state.values(column, element, places); },
            state.places_at_a_time());
    }
    if (const auto* png = std::get_if<run_file::Png>(&output.wanted->content)) write_picture(*png, place, state);
    if (const auto* agents = std::get_if<run_file::AgentRows>(&output.wanted->content)) {
        const auto rows = agent_rows(setup_, require_collection(setup_, *agents->collection, {}), state);
        agents->as_npy ? write_agents_npy(place, rows) : write_agents_csv(place, rows);
    }
    if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
    note(name);
}

void OutputSet::note(const std::string& name) {
    if (const auto found = folder_.look_at(name)) written_[name] = *found;
}

std::vector<std::string> OutputSet::changed_files() const {
    std::vector<std::string> changed;
    for (const auto& name : files_) {
        const auto written = written_.find(name);
        if (written == written_.end()) continue;
        const auto now = folder_.look_at(name);
        if (!now || !(*now == written->second)) changed.push_back(name);
    }
    return changed;
}

std::vector<std::string> OutputSet::columns_of(const run_file::Csv& csv) const {
    std::vector<std::string> columns;
    if (!names_step(csv)) columns.emplace_back("step");
    for (const auto& column : csv.columns) columns.push_back(*column.name);
    return columns;
}

OutputPositions OutputSet::positions() {
    OutputPositions positions;
    for (const auto& output : outputs_) {
        OutputPosition position{output.wanted->file->text(), output.continued, output.written_at, {}};
        if (output.table != nullptr) {
            output.table->synchronise();
            const auto look = folder_.look_at(output.table_name);
            const bool is_file = !look || look->is_file;
            const auto end = is_file ? hash_of_end(folder_.place(output.table_name), output.table->size()) : 0;
            position.table = TablePosition{output.table_name, is_file, output.table->size(), end};
        }
        positions.outputs.push_back(std::move(position));
    }
    for (const auto& name : files_) {
        const auto written = written_.find(name);
        positions.files.push_back({name, written == written_.end() ? 0 : written->second.size});
    }
    synchronise_names(folder_.handle(), folder_.path(), files_);
    return positions;
}

void OutputSet::go_on_at(const OutputPositions& positions) {
    check_written(folder_, positions);
    std::vector<std::string> patterns, kept;
    for (const auto& file : positions.files) kept.push_back(file.name);
    for (auto& output : outputs_) {
        patterns.push_back(output.wanted->file->text());
        for (const auto& position : positions.outputs) {
            if (position.file != output.wanted->file->text()) continue;
            output.continued = position.continued;
            output.written_at = position.written_at;
            const auto* const csv = std::get_if<run_file::Csv>(&output.wanted->content);
            if (!position.table || csv == nullptr) continue;
            output.table_name = position.table->name;
            output.table =
                std::make_unique<CsvTable>(folder_.place(output.table_name), columns_of(*csv).size(), position.table->size, interrupted_);
        }
        for (int later = output.continued + 1; folder_.look_at(with_number(output.wanted->file->text(), later)); ++later)
            patterns.push_back(with_number(output.wanted->file->text(), later));
    }
    remove_later_files(folder_.handle(), folder_.path(), patterns, kept);
    files_ = std::move(kept);
    for (const auto& name : files_) note(name);
}

void OutputSet::write_row(Output& output, const run_file::Csv& csv, const StateView& state) {
    if (output.table == nullptr) {
        const auto columns = columns_of(csv);
        const auto name = with_number(output.wanted->file->at_step(state.step()), output.continued);
        output.table = std::make_unique<CsvTable>(folder_.place(name), columns, 1, interrupted_);
        output.table_name = name;
        files_.push_back(name);
        note(name);
    }
    std::vector<TableValue> values;
    if (!names_step(csv)) values.emplace_back(state.step());
    for (const auto& column : csv.columns) values.push_back(table_value(state.evaluate(column.value)));
    output.table->row(values);
}

void OutputSet::write_picture(const run_file::Png& png, const FilePlace& place, const StateView& state) const {
    PictureStyle style;
    style.colours = *png.colours;
    if (png.low) style.low = **png.low;
    if (png.high) style.high = **png.high;
    style.scale = static_cast<int>(*png.scale);
    const auto& size = setup_.collections[places_of_picture(setup_, png)].size;
    const auto slice = png.slice ? **png.slice : 0;
    for (const auto& [name, drawn] : png.overlay)
        style.overlays.push_back(overlay_of(setup_, require_collection(setup_, *name, {}), drawn, slice, state));
    if (png.attribute)
        return write_png(place, plane_of(state, require_column(setup_, *png.attribute), png.element ? **png.element : 0, slice), style);
    style.colours = "grey";
    style.low = 0, style.high = 1;
    write_png(place, white_plane(size), style);
}

void OutputSet::close() {
    for (auto& output : outputs_)
        if (output.table != nullptr) {
            output.table->close();
            if (const auto table = written_.find(output.table_name); table != written_.end() && table->second.is_file)
                table->second.size = output.table->size();
        }
}

} // namespace tessera
