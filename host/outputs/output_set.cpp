#include "host/outputs/output_set.hpp"

#include "host/outputs/check_written.hpp"
#include "host/outputs/earlier_results.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/state_files.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
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

// Of several things that are all tried, what failed first.
class FirstFailure {
public:
    template<class Try> void of(const Try& attempt) {
        try {
            attempt();
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
        }
    }
    [[nodiscard]] bool is_there() const noexcept { return failure_ != nullptr; }
    void tell() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::exception_ptr failure_;
};

} // namespace

OutputSet::OutputSet(const Setup& setup, ResultFolder folder, Outbox& outbox, Interrupted interrupted)
    : setup_(setup), folder_(std::move(folder)), outbox_(outbox), interrupted_(std::move(interrupted)) {
    for (const auto& output : setup.agenda.outputs) outputs_.push_back({&*output, nullptr, {}, std::nullopt, 1});
}

void OutputSet::go_on_from(OutputSet& before) {
    outbox_.wait();
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
    numbers_ = std::move(before.numbers_);
}

std::uint64_t OutputSet::next_due(std::uint64_t step, std::uint64_t end) const {
    std::uint64_t next = end;
    for (const auto& output : outputs_) next = std::min(next, next_at(output.wanted->timing, step));
    return next;
}

// Rows that the state owes are written whatever fails beside them: a run that goes on from here does not write them again.
void OutputSet::write(const StateView& state, bool is_last) {
    FirstFailure failure;
    failure.of([&] { outbox_.check(); });
    std::vector<Due> due;
    std::vector<Output*> tables;
    for (auto& output : outputs_) {
        if (!is_due(output, state.step(), is_last)) continue;
        if (std::holds_alternative<run_file::Csv>(output.wanted->content)) {
            output.written_at = state.step();
            if (output.table == nullptr) (void)begun(table_name(output, state.step())); // its place among the files
            tables.push_back(&output);
        } else if (!failure.is_there()) {
            output.written_at = state.step();
            due.push_back(file_due(output, state.step()));
        }
    }
    failure.of([&] { write_files(due, state); });
    for (auto* table : tables) failure.of([&] { write_row(*table, std::get<run_file::Csv>(table->wanted->content), state); });
    failure.tell();
}

bool OutputSet::is_due(const Output& output, std::uint64_t step, bool is_last) {
    const auto& timing = output.wanted->timing;
    const bool is_wanted = is_last ? step >= timing.from && (!timing.until || step < *timing.until) : timing.includes(step);
    return is_wanted && output.written_at != step;
}

OutputSet::Due OutputSet::file_due(const Output& output, std::uint64_t step) {
    auto file = begun(output.wanted->file->at_step(step));
    if (file->stands) outbox_.wait(); // one of other contents, from before an edit
    file->stands = false;
    return {output.wanted, std::move(file), needs_of(setup_, *output.wanted)};
}

// Beside the steps, all at once or each by itself, or from where the state is, where there is not that much memory.
void OutputSet::write_files(const std::vector<Due>& due, const StateView& state) {
    Needs all;
    for (const auto& each : due) all.add(each.needs);
    if (hand_over(due, all, state)) return;
    FirstFailure failure;
    for (const auto& each : due)
        failure.of([&] {
            if (hand_over({each}, each.needs, state)) return;
            write_state_file(setup_, *each.output, folder_.place(each.file->name), state);
            note(*each.file);
        });
    failure.tell();
}

// Whether there is memory for what they need: then they are written while the run goes on.
bool OutputSet::hand_over(const std::vector<Due>& due, const Needs& needs, const StateView& state) {
    if (due.empty()) return true;
    if (!outbox_.memory().fits(state.bytes_of(needs))) return false;
    std::shared_ptr<const StateView> captured;
    try {
        captured = state.capture(needs, outbox_.memory());
    } catch (const std::bad_alloc&) {
        return false;
    }
    for (const auto& each : due)
        outbox_.add([this, captured, output = each.output, file = each.file](Outbox::Ticket) {
            write_state_file(setup_, *output, folder_.place(file->name), *captured);
            note(*file);
        });
    return true;
}

// One of that name in its order among all, which is not there yet.
std::shared_ptr<OutputSet::File> OutputSet::begun(const std::string& name) {
    const auto [number, is_new] = numbers_.emplace(name, files_.size());
    if (is_new) files_.push_back(std::make_shared<File>(name));
    return files_[number->second];
}

// Of a file that was just written or begun.
void OutputSet::note(File& file) const {
    file.look = folder_.look_at(file.name);
    file.stands = true;
}

void OutputSet::add_file(const std::string& name) { begun(name)->stands = true; }

std::vector<std::string> OutputSet::files() const {
    std::vector<std::string> names;
    for (const auto& file : files_)
        if (file->stands) names.push_back(file->name);
    return names;
}

std::vector<std::string> OutputSet::changed_files() const {
    std::vector<std::string> changed;
    for (const auto& file : files_) {
        if (!file->stands || !file->look) continue;
        const auto now = folder_.look_at(file->name);
        if (!now || !(*now == *file->look)) changed.push_back(file->name);
    }
    return changed;
}

std::vector<std::string> OutputSet::columns_of(const run_file::Csv& csv) const {
    std::vector<std::string> columns;
    if (!names_step(csv)) columns.emplace_back("step");
    for (const auto& column : csv.columns) columns.push_back(*column.name);
    return columns;
}

std::function<OutputPositions()> OutputSet::positions() {
    OutputPositions positions;
    std::vector<std::pair<std::size_t, const CsvTable*>> tables;
    for (const auto& output : outputs_) {
        OutputPosition position{output.wanted->file->text(), output.continued, output.written_at, {}};
        if (output.table != nullptr) {
            output.table->flush();
            position.table = TablePosition{output.table_name, true, output.table->size(), 0};
            tables.emplace_back(positions.outputs.size(), output.table.get());
        }
        positions.outputs.push_back(std::move(position));
    }
    return [positions, tables, files = files_, folder = folder_]() {
        auto on_disk = positions;
        for (const auto& [number, table] : tables) {
            auto& position = *on_disk.outputs[number].table;
            table->wait_for_disk();
            const auto look = folder.look_at(position.name);
            position.is_file = !look || look->is_file;
            if (position.is_file) position.end_hash = hash_of_end(folder.place(position.name), position.size);
        }
        std::vector<std::string> names;
        for (const auto& file : files) {
            if (!file->stands) continue;
            names.push_back(file->name);
            on_disk.files.push_back({file->name, file->look ? file->look->size : 0});
        }
        synchronise_names(folder.handle(), folder.path(), names);
        return on_disk;
    };
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
    files_.clear();
    numbers_.clear();
    for (const auto& name : kept) note(*begun(name));
}

std::string OutputSet::table_name(const Output& output, std::uint64_t step) {
    return with_number(output.wanted->file->at_step(step), output.continued);
}

void OutputSet::write_row(Output& output, const run_file::Csv& csv, const StateView& state) {
    if (output.table == nullptr) {
        const auto columns = columns_of(csv);
        const auto name = table_name(output, state.step());
        output.table = std::make_unique<CsvTable>(folder_.place(name), columns, 1, interrupted_);
        output.table_name = name;
        note(*begun(name));
    }
    std::vector<TableValue> values;
    if (!names_step(csv)) values.emplace_back(state.step());
    std::vector<const run_file::Located<expression::Expression>*> wanted;
    for (const auto& column : csv.columns) wanted.push_back(&column.value);
    for (const auto& value : state.evaluate(wanted)) values.push_back(table_value(value));
    output.table->row(values);
}

void OutputSet::close() {
    for (auto& output : outputs_)
        if (output.table != nullptr) {
            output.table->close();
            auto& look = begun(output.table_name)->look;
            if (look && look->is_file) look->size = output.table->size();
        }
}

} // namespace tessera
