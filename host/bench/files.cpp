#include "host/bench/files.hpp"

#include "host/bench/plot.hpp"
#include "host/bench/scaling.hpp"
#include "host/bench/table.hpp"
#include "host/outputs/manifest.hpp"
#include "host/outputs/output_file.hpp"
#include "host/version.hpp"

#include <nlohmann/json.hpp>

namespace tessera::bench {
namespace {

using nlohmann::ordered_json;

void write(const FilePlace& place, const std::string& text) {
    OutputFile file(place);
    file.write(text.data(), text.size());
    file.commit();
}

std::string manifest_of(const Report& report, const std::string& status, const std::vector<std::string>& files) {
    auto devices = ordered_json::array();
    for (const auto& device : report.devices) {
        devices.push_back({{"name", device.name}, {"description", device.description}, {"architecture", device.architecture}});
        if (!report.driver.empty()) devices.back()["driver"] = report.driver;
    }
    const ordered_json manifest{{"tessera", version()},
                                {"status", status},
                                {"command", report.command},
                                {"model", report.model},
                                {"model_path", report.model_path},
                                {"devices", devices},
                                {"threads", report.threads},
                                {"compiler", report.compiler},
                                {"copy_bytes_a_second", report.copy_bandwidth},
                                {"bytes_a_place", report.bytes_a_place},
                                {"by_hand", report.reference},
                                {"samples", report.samples},
                                {"injected_latency_microseconds", report.injected_latency * 1e6},
                                {"files", files},
                                {"written", utc_now()}};
    return manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace

void write_running(const ResultFolder& folder, const Report& report) {
    write(folder.place(manifest_name), manifest_of(report, "running", {"bench.csv", "bench.svg", "scaling.svg"}));
}

void write_files(const ResultFolder& folder, const Report& report) {
    std::vector<std::string> files{"bench.csv"};
    write(folder.place(files.back()), csv_table(report));
    if (const auto plot = plot_of(report)) {
        files.emplace_back("bench.svg");
        write(folder.place(files.back()), svg(*plot));
    }
    if (const auto plot = scaling_plot(report, scaling_of(report))) {
        files.emplace_back("scaling.svg");
        write(folder.place(files.back()), svg(*plot));
    }
    write(folder.place(manifest_name), manifest_of(report, report.status, files));
}

} // namespace tessera::bench
