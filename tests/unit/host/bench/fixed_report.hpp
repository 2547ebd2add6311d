// A report with figures that were made up, for what is written of it.
#pragma once

#include "host/bench/report.hpp"

namespace tessera::bench {

inline Row row(std::int64_t n, const std::string& kind, const std::string& view, double microseconds) {
    Row result;
    result.size = {n, n};
    result.places = n * n;
    result.kind = kind;
    result.view = view;
    result.step_seconds = Quartiles{microseconds * 0.9e-6, microseconds * 1e-6, microseconds * 1.25e-6};
    result.state = "same";
    return result;
}

inline Report fixed_report() {
    Report report;
    report.command = "tessera bench heat --sizes 100,1000";
    report.model = "heat";
    report.devices = {{"cuda:0", DeviceKind::cuda, "GPU <fast> & \"large\"", "sm_90"}};
    report.driver = "driver for CUDA 13.0";
    report.compiler = "NVRTC 13.0";
    report.copy_bandwidth = 4e12;
    report.bytes_a_place = 8;
    report.reference = "heat/reference.toml";
    report.samples = 9;
    report.rows = {row(100, "by hand", "by hand, vector.cu", 2),  row(100, "by hand", "by hand, simple.cu", 4),
                   row(100, "window", "window, 4 x 1", 1.5),      row(100, "direct", "direct", 1.25),
                   row(1000, "by hand", "by hand, vector.cu", 8), row(1000, "window", "window, 4 x 8", 10),
                   row(1000, "window", "window, 2 x 8", 5),       row(1000, "pipeline", "pipeline, 4 steps", 1)};
    report.rows[0].ratio = 1;
    report.rows[2].ratio = 0.75;
    report.rows[6].estimate = 4.2e-6;
    report.rows[7].state = "differs";
    report.rows[7].step_seconds.reset();
    auto& missing = report.rows.emplace_back(row(1000, "pipeline", "pipeline, 8 steps", 1));
    missing.step_seconds.reset();
    missing.state.clear();
    missing.why_not = "model.cu:3:1: no, \"not\" so\n    second line";
    mark_fastest(report.rows);
    return report;
}

} // namespace tessera::bench
