#include "host/bench/table.hpp"

#include "host/bench/scaling.hpp"
#include "host/outputs/csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tessera::bench {
namespace {

constexpr std::size_t columns = 11, devices = 2, estimate = 6;
using Cells = std::array<std::string, columns>;

const Cells heading = {"", "size", "devices", "view", "us a step", "quartiles", "estimate", "Gplaces/s", "of the copy", "ratio", "state"};
constexpr std::array<bool, columns> right_aligned = {false, false, true, false, true, true, true, true, true, true, false};

std::string microseconds(double seconds) {
    const double value = seconds * 1e6;
    return fmt::format(fmt::runtime(value < 100 ? "{:.2f}" : value < 10000 ? "{:.1f}" : "{:.0f}"), value);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Cells cells_of(const Report& report, const Row& row) {
    Cells cells{row.fastest ? "*" : "",
                to_string(row.size),
                fmt::format("{}", row.devices),
                row.view,
                "-",
                "-",
                "-",
                "-",
                "-",
                "-",
                row.state.empty() ? "-" : row.state};
    if (!row.step_seconds) {
        if (!row.why_not.empty()) cells[columns - 1] = (row.state.empty() ? "" : row.state + ": ") + first_line(row.why_not);
        return cells;
    }
    cells[4] = microseconds(row.step_seconds->median);
    cells[5] = microseconds(row.step_seconds->low) + " - " + microseconds(row.step_seconds->high);
    if (row.estimate) cells[estimate] = microseconds(*row.estimate);
    cells[7] = fmt::format("{:.3f}", row.places_a_second() / 1e9);
    cells[8] = fmt::format("{:.0f} %", 100 * report.share_of_copy(row));
    if (row.ratio) cells[9] = fmt::format("{:.2f}", *row.ratio);
    return cells;
}

std::string aligned(const std::vector<Cells>& lines, bool with_devices, bool with_estimates) {
    std::array<std::size_t, columns> widths{};
    for (const auto& line : lines)
        for (std::size_t c = 0; c + 1 < columns; ++c) widths[c] = std::max(widths[c], line[c].size());
    std::string text;
    for (const auto& line : lines) {
        std::string out;
        for (std::size_t c = 0; c < columns; ++c)
            if ((c != estimate || with_estimates) && (c != devices || with_devices))
                out += fmt::format(fmt::runtime(right_aligned[c] ? "{}{:>{}}" : "{}{:<{}}"),
                                   c == 0   ? ""
                                   : c == 1 ? " "
                                            : "  ",
                                   line[c], widths[c]);
        text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

} // namespace

std::string text_table(const Report& report) {
    std::vector<Cells> lines{heading};
    for (const auto& row : report.rows) lines.push_back(cells_of(report, row));
    const bool on_cpu = report.device().kind == DeviceKind::cpu;
    const bool with_estimates =
        std::any_of(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.step_seconds && row.estimate; });
    std::string on;
    for (const auto& device : report.devices) on += fmt::format("{}{} ({})", on.empty() ? "" : ", ", device.name, device.description);
    const auto scaling = scaling_table(scaling_of(report));
    return fmt::format("{} on {}, models compiled by {}\n", report.model, on, report.compiler) +
           (report.driver.empty() ? "" : report.driver + "\n") +
           fmt::format("a copy of memory moves {:.4g} GB/s, read and written{}\n", report.copy_bandwidth / 1e9,
                       on_cpu ? fmt::format(", by {} thread{}", report.threads, report.threads == 1 ? "" : "s") : "") +
           (report.injected_latency > 0
                ? fmt::format("an experiment: rows of other devices are delayed by {:g} us\n", report.injected_latency * 1e6)
                : "") +
           fmt::format("kernels by hand: {}\n\n", report.reference) + aligned(lines, report.devices.size() > 1, with_estimates) +
           fmt::format("\n*            the fastest view of its size\n"
                       "us a step    the median of {} samples, and their quartiles\n"
                       "{}"
                       "of the copy  {:g} bytes a place: each member that a step reads, and each that it writes; above 100 % a cache holds "
                       "them, or steps "
                       "share them\n"
                       "ratio        of the time to that of the first kernel by hand, in samples taken by turns; below 1 is faster. Fused "
                       "steps are compared\n"
                       "             with the first that makes several steps in a launch, if there is one\n"
                       "state        after some steps, beside that of single steps: the same bits, or not\n",
                       report.samples, with_estimates ? "estimate     of the time of a step, by which a run chooses what it tries\n" : "",
                       report.bytes_a_place) +
           (scaling.empty() ? "" : "\n" + scaling);
}

std::string csv_table(const Report& report) {
    std::string text =
        "model,device,devices,size,places,kind,view,fastest,microseconds_a_step,lower_quartile,upper_quartile,estimate,places_a_"
        "second,bytes_a_place,"
        "share_of_copy,ratio,state,why_not\n";
    for (const auto& row : report.rows) {
        std::vector<std::string> fields{report.model,
                                        report.device().name,
                                        fmt::format("{}", row.devices),
                                        fmt::format("{}", fmt::join(row.size, "x")),
                                        fmt::format("{}", row.places),
                                        row.kind,
                                        row.view,
                                        row.fastest ? "1" : "0"};
        const auto add = [&](std::optional<double> value) { fields.push_back(value ? fmt::format("{:.6g}", *value) : ""); };
        const auto& time = row.step_seconds;
        add(time ? std::optional(time->median * 1e6) : std::nullopt);
        add(time ? std::optional(time->low * 1e6) : std::nullopt);
        add(time ? std::optional(time->high * 1e6) : std::nullopt);
        add(row.estimate ? std::optional(*row.estimate * 1e6) : std::nullopt);
        add(time ? std::optional(row.places_a_second()) : std::nullopt);
        add(report.bytes_a_place);
        add(time ? std::optional(report.share_of_copy(row)) : std::nullopt);
        add(row.ratio);
        fields.insert(fields.end(), {row.state, row.why_not});
        for (auto& field : fields) field = csv_field(field);
        text += fmt::format("{}\n", fmt::join(fields, ","));
    }
    return text;
}

} // namespace tessera::bench
