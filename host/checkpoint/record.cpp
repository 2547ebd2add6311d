#include "host/checkpoint/record.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "host/run_file/file_name.hpp"
#include "host/version.hpp"
#include "host/world/state_hash.hpp"

#include <tessera/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace tessera::checkpoint {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int format_number = 1, format_of_packed = 2; // one whose columns are compressed, which version 1 did not know
constexpr const char* packer = "zstd";
constexpr const char* seal_key = "xxh3_of_all_before";

[[noreturn]] void refuse(const std::string& why, const std::string& suggestion = {}) { throw Error(Failure::input, why, "", suggestion); }

// ---- hashes as text

std::uint64_t number_of(const std::string& hash) {
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(hash.data(), hash.data() + hash.size(), number, 16);
    if (failed != std::errc() || end != hash.data() + hash.size()) refuse(fmt::format("\"{}\" is no hash", hash));
    return number;
}

// ---- numbers

constexpr std::uint64_t largest_step = (std::uint64_t{1} << 32) - 1, most_agents = std::uint64_t{1} << 40, most_room = INT32_MAX,
                        most_events = std::uint64_t{1} << 62; // of births, say

// A whole number from 0 on.
std::uint64_t whole_number(const json& from, const char* key, std::uint64_t most = UINT64_MAX) {
    const auto& value = from.at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
        refuse(fmt::format("its \"{}\" is {}", key, value.dump(-1, ' ', true, json::error_handler_t::replace)));
    return value.get<std::uint64_t>();
}
int whole_int(const json& from, const char* key) { return static_cast<int>(whole_number(from, key, INT32_MAX)); }
std::uint64_t step_number(const json& from, const char* key) { return whole_number(from, key, largest_step); }

// ---- files and columns

ordered_json json_of(const FileRecord& file) {
    auto hashes = ordered_json::array();
    for (const auto hash : file.hashes) hashes.push_back(hash_text(hash));
    return {{"name", file.name}, {"bytes", file.size}, {"xxh3_of_16_MiB", hashes}};
}

FileRecord file_of(const json& from) {
    FileRecord file{from.at("name").get<std::string>(), whole_number(from, "bytes"), {}};
    if (!why_no_plain_name(file.name).empty() || file.name.find('/') != std::string::npos)
        refuse(fmt::format("\"{}\" is no name of a file", file.name));
    for (const auto& hash : from.at("xxh3_of_16_MiB")) file.hashes.push_back(number_of(hash.get<std::string>()));
    return file;
}

Scalar type_named(const std::string& name) {
    for (auto type = static_cast<int>(Scalar::boolean); type <= static_cast<int>(Scalar::f64); ++type)
        if (name == name_of(static_cast<Scalar>(type))) return static_cast<Scalar>(type);
    refuse(fmt::format("there is no type \"{}\"", name));
}

ordered_json json_of(const ColumnRecord& column) {
    ordered_json entry{{"collection", column.collection},       {"member", column.member},
                       {"type", name_of(column.shape.type)},    {"elements", column.shape.elements},
                       {"dimensions", column.shape.dimensions}, {"size", column.shape.size},
                       {"file", json_of(column.file)}};
    if (const auto& packing = column.packing)
        entry["packed"] = {{"by", packer}, {"block_bytes", packing->block_bytes}, {"sizes", packing->sizes}};
    return entry;
}

Packing packing_of(const json& from) {
    if (const auto by = from.at("by").get<std::string>(); by != packer) refuse(fmt::format("its columns are compressed by \"{}\"", by));
    return {whole_number(from, "block_bytes"), from.at("sizes").get<std::vector<std::uint64_t>>()};
}

ColumnRecord column_of(const json& from) {
    ColumnRecord column{from.at("collection").get<std::string>(), from.at("member").get<std::string>(), {}, file_of(from.at("file")), {}};
    if (from.contains("packed")) column.packing = packing_of(from.at("packed"));
    auto& shape = column.shape;
    shape.type = type_named(from.at("type").get<std::string>());
    shape.elements = whole_int(from, "elements");
    shape.dimensions = whole_int(from, "dimensions");
    const auto& size = from.at("size");
    if (!size.is_array() || size.size() != shape.size.size() ||
        !std::all_of(size.begin(), size.end(), [](const json& extent) { return extent.is_number_unsigned(); }))
        refuse(fmt::format("the size of its {} is {}", column.file.name, size.dump(-1, ' ', true, json::error_handler_t::replace)));
    shape.size = size.get<Extents>();
    std::int64_t values = shape.elements;
    bool fits = shape.elements >= 1 && shape.dimensions >= 1 && shape.dimensions <= 3;
    for (const auto extent : shape.size) fits = fits && extent >= 0 && !__builtin_mul_overflow(values, extent, &values);
    std::int64_t bytes = 0;
    if (!fits || __builtin_mul_overflow(values, static_cast<std::int64_t>(size_of(shape.type)), &bytes) ||
        (!column.packing && static_cast<std::uint64_t>(bytes) > column.file.size))
        refuse(fmt::format("{} does not hold what its shape says", column.file.name));
    return column;
}

// ---- agents

ordered_json json_of(const run_file::Timing& timing) {
    ordered_json entry{{"every", timing.every}, {"from", timing.from}};
    if (timing.until) entry["until"] = *timing.until;
    return entry;
}
run_file::Timing timing_of(const json& from) {
    run_file::Timing timing{step_number(from, "every"), step_number(from, "from"), {}};
    if (timing.every == 0) refuse("its \"every\" is 0");
    if (from.contains("until")) timing.until = step_number(from, "until");
    return timing;
}

ordered_json json_of(const AgentsRecord& agents) {
    const auto& counts = agents.past.counters;
    auto births = ordered_json::array();
    for (const auto& timing : agents.births) births.push_back(json_of(timing));
    return {{"name", agents.past.collection},
            {"first", agents.past.first},
            {"born", counts.born},
            {"died", counts.died},
            {"moved", counts.moved},
            {"refused_moves", counts.refused_moves},
            {"refused_births", counts.refused_births},
            {"room", agents.room},
            {"stand_on", agents.ground},
            {"in_space", agents.in_space},
            {"most_on_place", agents.most_on_place},
            {"births", births}};
}

AgentsRecord agents_of(const json& from) {
    AgentsRecord agents;
    auto& [collection, first, counters] = agents.past;
    collection = from.at("name").get<std::string>();
    first = whole_number(from, "first", most_agents);
    counters.born = whole_number(from, "born", most_events);
    counters.died = whole_number(from, "died", first + counters.born);
    counters.moved = whole_number(from, "moved", most_events);
    counters.refused_moves = whole_number(from, "refused_moves", most_events);
    counters.refused_births = whole_number(from, "refused_births", most_events);
    agents.room = whole_number(from, "room", most_room);
    if (!from.contains("stand_on")) return agents; // of an earlier version, which can be resumed
    agents.ground = from.at("stand_on").get<std::string>();
    agents.in_space = from.at("in_space").get<bool>();
    agents.most_on_place = whole_number(from, "most_on_place", INT32_MAX);
    for (const auto& timing : from.at("births")) agents.births.push_back(timing_of(timing));
    return agents;
}

// ---- outputs

ordered_json json_of(const OutputPosition& output) {
    ordered_json entry{{"file", output.file}, {"continued", output.continued}};
    if (output.written_at) entry["written_at"] = *output.written_at;
    if (const auto& table = output.table)
        entry["table"] = {
            {"name", table->name}, {"is_file", table->is_file}, {"bytes", table->size}, {"xxh3_of_end", hash_text(table->end_hash)}};
    return entry;
}

constexpr std::uint64_t most_continued = 1'000'000;

// A file that an output may have written, or the name of one in a run file.
std::string output_file(const json& name) {
    try {
        return run_file::FileName::parse({name.get<std::string>(), {}}).text();
    } catch (const Error& error) {
        refuse(std::string(error.problem()));
    }
}

OutputPosition output_of(const json& from) {
    OutputPosition output{output_file(from.at("file")), static_cast<int>(whole_number(from, "continued", most_continued)), {}, {}};
    if (from.contains("written_at")) output.written_at = step_number(from, "written_at");
    if (from.contains("table")) {
        const auto& table = from.at("table");
        output.table = TablePosition{output_file(table.at("name")), table.at("is_file").get<bool>(), whole_number(table, "bytes"),
                                     number_of(table.at("xxh3_of_end").get<std::string>())};
    }
    return output;
}

// ---- what was counted so far

ordered_json sums_of(const RunReport& report) {
    auto phases = ordered_json::array(), hooks = ordered_json::array(), edits = ordered_json::array(), resumed = ordered_json::array();
    for (const auto& phase : report.phases)
        phases.push_back({{"phase", phase.name},
                          {"runs", phase.runs},
                          {"samples", phase.samples},
                          {"sampled_seconds", phase.sampled_seconds},
                          {"steps_without_yes", phase.unresolved}});
    for (const auto& hook : report.hooks) hooks.push_back({{"name", hook.name}, {"calls", hook.calls}});
    for (const auto& edit : report.edits) {
        edits.push_back(as_json(edit));
        edits.back()["files"] = edit.files;
    }
    for (const auto& each : report.resumed) resumed.push_back({{"step", each.step}, {"when", each.when}, {"devices", each.devices}});
    ordered_json sums{{"compile_seconds", report.compile_seconds},
                      {"initialise_seconds", report.initialise_seconds},
                      {"first_step_seconds", report.first_step_seconds},
                      {"step_seconds", report.step_seconds},
                      {"output_seconds", report.output_seconds},
                      {"checkpoint_seconds", report.checkpoint_seconds},
                      {"writing_seconds", report.writing_seconds},
                      {"hook_seconds", report.hook_seconds},
                      {"earlier_seconds", report.earlier_seconds},
                      {"fused_steps", report.fused.steps},
                      {"stopped_by", report.stopped_by},
                      {"phases", phases},
                      {"hooks", hooks},
                      {"edits", edits},
                      {"resumed", resumed}};
    if (const auto& started = report.started)
        sums["start"] = {{"checkpoint", started->checkpoint}, {"step", started->step}, {"xxh3", hash_text(started->hash)}};
    return sums;
}

Edit edit_of(const json& from) { // of as_json(edit), and its files
    Edit edit{step_number(from, "step"), "", from.at("files").get<std::vector<std::string>>()};
    for (const auto& file : edit.files)
        if (!why_no_plain_name(file).empty() || !file.starts_with("edits/")) refuse(fmt::format("\"{}\" is no file of edits", file));
    if (from.contains("parameters")) {
        for (const auto& [name, value] : from.at("parameters").items()) edit.given.emplace_back(name, value.get<std::string>());
        return edit;
    }
    edit.folder = from.at("folder").get<std::string>();
    if (!why_no_plain_name(edit.folder).empty()) refuse(fmt::format("\"{}\" is no folder of edits", edit.folder));
    if (!from.contains("values")) return edit;
    edit.member = from.at("values").get<std::string>();
    edit.element = whole_int(from, "element");
    edit.corner = from.at("corner").get<std::array<std::int64_t, 3>>();
    return edit;
}

RunReport report_of(const json& from) {
    const auto seconds = [&](const char* key) { return from.at(key).get<double>(); };
    RunReport report;
    report.compile_seconds = seconds("compile_seconds");
    report.initialise_seconds = seconds("initialise_seconds");
    report.first_step_seconds = seconds("first_step_seconds");
    report.step_seconds = seconds("step_seconds");
    report.output_seconds = seconds("output_seconds");
    report.checkpoint_seconds = seconds("checkpoint_seconds");
    report.writing_seconds = from.value("writing_seconds", 0.0); // of a later version than the format
    report.hook_seconds = seconds("hook_seconds");
    report.earlier_seconds = seconds("earlier_seconds");
    report.fused.steps = whole_number(from, "fused_steps");
    report.stopped_by = from.at("stopped_by").get<std::string>();
    for (const auto& each : from.at("phases")) {
        PhaseTiming phase;
        phase.name = each.at("phase").get<std::string>();
        phase.runs = whole_number(each, "runs");
        phase.samples = whole_number(each, "samples");
        phase.sampled_seconds = each.at("sampled_seconds").get<double>();
        phase.unresolved = whole_number(each, "steps_without_yes");
        report.phases.push_back(phase);
    }
    for (const auto& each : from.at("hooks"))
        report.hooks.push_back({each.at("name").get<std::string>(), "", whole_number(each, "calls"), false});
    for (const auto& each : from.at("edits")) report.edits.push_back(edit_of(each));
    for (const auto& each : from.at("resumed"))
        report.resumed.push_back(
            {step_number(each, "step"), each.at("when").get<std::string>(), each.at("devices").get<std::vector<std::string>>()});
    if (from.contains("start")) {
        const auto& start = from.at("start");
        report.started = RunReport::Started{start.at("checkpoint").get<std::string>(), step_number(start, "step"),
                                            number_of(start.at("xxh3").get<std::string>())};
    }
    return report;
}

Record record_of(const json& from) {
    Record record;
    record.run = number_of(from.at("run").get<std::string>());
    record.step = step_number(from, "step");
    record.run_file = file_of(from.at("run_file"));
    record.on_one_cpu = from.at("on_one_cpu").get<bool>();
    for (const auto& column : from.at("columns")) record.columns.push_back(column_of(column));
    for (const auto& agents : from.at("agents")) record.agents.push_back(agents_of(agents));
    for (const auto& output : from.at("outputs")) record.outputs.outputs.push_back(output_of(output));
    for (const auto& file : from.at("files")) record.outputs.files.push_back({output_file(file.at("name")), whole_number(file, "bytes")});
    record.report = report_of(from.at("sums"));
    for (const auto& edit : record.report.edits)
        if (edit.step > record.step)
            refuse(fmt::format("it has an edit of step {}, and the state is that after step {}", edit.step, record.step));
    return record;
}

} // namespace

std::string sealed(std::string json) {
    while (!json.empty() && (json.back() == '}' || json.back() == '\n' || json.back() == ' ')) { // of the object itself
        const bool is_end = json.back() == '}';
        json.pop_back();
        if (is_end) break;
    }
    while (!json.empty() && json.back() == '\n') json.pop_back();
    json += ",\n";
    return json + fmt::format("\"{}\": \"{}\"}}\n", seal_key, hash_text(hash_of(json)));
}

bool is_sealed(const std::string& text) {
    if (text.empty() || text.back() != '\n') return false;
    const auto last = text.rfind('\n', text.size() - 2) + 1;
    return text.substr(last) == fmt::format("\"{}\": \"{}\"}}\n", seal_key, hash_text(hash_of({text.data(), last})));
}

std::string to_text(const Record& record) {
    const bool is_packed =
        std::any_of(record.columns.begin(), record.columns.end(), [](const auto& each) { return each.packing.has_value(); });
    ordered_json all{{"format", is_packed ? format_of_packed : format_number},
                     {"tessera", version()},
                     {"result_epoch", TESSERA_RESULT_EPOCH},
                     {"run", hash_text(record.run)},
                     {"step", record.step},
                     {"run_file", json_of(record.run_file)},
                     {"on_one_cpu", record.on_one_cpu}};
    for (const auto* key : {"columns", "agents", "outputs", "files"}) all[key] = ordered_json::array();
    for (const auto& column : record.columns) all["columns"].push_back(json_of(column));
    for (const auto& agents : record.agents) all["agents"].push_back(json_of(agents));
    for (const auto& output : record.outputs.outputs) all["outputs"].push_back(json_of(output));
    for (const auto& file : record.outputs.files) all["files"].push_back({{"name", file.name}, {"bytes", file.size}});
    all["sums"] = sums_of(record.report);
    return sealed(all.dump(1, ' ', false, ordered_json::error_handler_t::replace));
}

Record parse_record(const std::string& text) {
    if (!is_sealed(text)) refuse(fmt::format("{} is not what was written", record_name));
    const auto all = json::parse(text, nullptr, false);
    try {
        if (const auto format = all.at("format").get<int>(); format != format_number && format != format_of_packed)
            refuse(fmt::format("it has the format {}, and this program reads {} and {}", format, format_number, format_of_packed));
        if (const auto epoch = all.at("result_epoch").get<int>(); epoch != TESSERA_RESULT_EPOCH)
            refuse(fmt::format("it has result_epoch {}, and this program has {}", epoch, TESSERA_RESULT_EPOCH),
                   fmt::format("use tessera {}", all.at("tessera").get<std::string>()));
        return record_of(all);
    } catch (const json::exception& wrong) {
        refuse(fmt::format("{} lacks something: {}", record_name, wrong.what()));
    }
}

} // namespace tessera::checkpoint
