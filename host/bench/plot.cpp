#include "host/bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tessera::bench {
namespace {

constexpr double page_width = 860, height = 480, frame_left = 80, frame_right = 640, top = 50,
                 bottom = 410; // pixels; the frame of the axes
constexpr std::array<const char*, 9> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#444444", // Okabe and Ito
                                                "#8c564b", "#7f7fff"};

// A logarithmic axis from pixel `begin` to `end`.
struct Axis {
    double low, high, begin, end;
    [[nodiscard]] double at(double value) const {
        return begin + (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (end - begin);
    }
};

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

std::string label(double x, double y, const std::string& text, const char* anchor, const char* more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string with_prefix(double value) { // 5e8 -> "500 M"
    for (const auto& [unit, prefix] : {std::pair(1e12, "T"), {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
        if (value >= unit * 0.999) return fmt::format("{:g} {}", value / unit, prefix);
    return fmt::format("{:g}", value);
}

// 1, 2 and 5 times powers of ten within [low, high]; powers alone where there are many.
std::vector<double> ticks_between(double low, double high) {
    const bool few = high / low < 2000;
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
        for (const int factor : {1, 2, 5})
            if (const double tick = factor * std::pow(10, power); (few || factor == 1) && tick >= low && tick <= high)
                ticks.push_back(tick);
    return ticks;
}

Axis x_axis(const Plot& plot) {
    const double low = plot.x_ticks.front().at, high = plot.x_ticks.back().at, margin = std::max(std::pow(high / low, 0.06), 1.1);
    return {low / margin, high * margin, frame_left, frame_right};
}

Axis y_axis(const Plot& plot) {
    double low = INFINITY, high = 0;
    const auto include = [&](double y) { low = std::min(low, y), high = std::max(high, y); };
    for (const auto& series : plot.series)
        for (const auto& [x, y] : series.points) include(y);
    if (plot.level) include(plot.level->y);
    const double margin = std::max(std::pow(high / low, 0.06), 1.3);
    return {low / margin, high * margin, bottom, top};
}

std::string frame(const Plot& plot, const Axis& x, const Axis& y) {
    std::string text;
    for (const double tick : ticks_between(y.low, y.high))
        text += line(frame_left, y.at(tick), frame_right, y.at(tick), "stroke=\"#dddddd\"") +
                label(frame_left - 8, y.at(tick) + 4, with_prefix(tick), "end");
    for (const auto& tick : plot.x_ticks)
        text +=
            line(x.at(tick.at), top, x.at(tick.at), bottom, "stroke=\"#eeeeee\"") + label(x.at(tick.at), bottom + 18, tick.label, "middle");
    text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888888\"/>\n", frame_left, top,
                        frame_right - frame_left, bottom - top);
    text += label((frame_left + frame_right) / 2, 26, plot.title, "middle", " font-size=\"15\"") +
            label((frame_left + frame_right) / 2, bottom + 44, plot.x_label, "middle");
    return text + label(16, top - 12, plot.y_label, "start");
}

std::string curve(const Plot::Series& series, const Axis& x, const Axis& y, const char* colour) {
    std::string points, circles;
    for (const auto& [at, value] : series.points) {
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x.at(at), y.at(value));
        circles += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x.at(at), y.at(value), colour);
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}", points, colour, circles);
}

} // namespace

std::optional<Plot> plot_of(const Report& report) {
    Plot plot;
    plot.title = fmt::format("{} on {}", report.model, report.device().description);
    plot.x_label = "places";
    plot.y_label = "places a second";
    if (report.bytes_a_place > 0) plot.level = Plot::Level{"as a copy of memory", report.copy_bandwidth / report.bytes_a_place};
    std::map<double, std::string> sizes;
    std::vector<std::pair<std::string, std::map<double, double>>> fastest; // by kind, in the order of the rows
    std::map<std::string, std::string> by_hand;                            // the first of each kind
    for (const auto& row : report.rows) {
        if (!row.step_seconds || row.state == "differs") continue;
        if (row.by_hand() && by_hand.emplace(row.kind, row.view).first->second != row.view) continue;
        const auto places = static_cast<double>(row.places);
        sizes[places] = to_string(row.size);
        auto found = std::find_if(fastest.begin(), fastest.end(), [&](const auto& each) { return each.first == row.kind; });
        if (found == fastest.end()) found = fastest.insert(fastest.end(), {row.kind, {}});
        auto& best = found->second[places];
        best = std::max(best, row.places_a_second());
    }
    if (sizes.empty()) return {};
    for (const auto& [places, text] : sizes) plot.x_ticks.push_back({places, text});
    for (const auto& [kind, points] : fastest) plot.series.push_back({kind, {points.begin(), points.end()}});
    return plot;
}

std::string svg(const Plot& plot) {
    const Axis x = x_axis(plot), y = y_axis(plot);
    std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                                   "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\" stroke=\"none\">\n<rect width=\"{0}\" "
                                   "height=\"{1}\" fill=\"#ffffff\"/>\n",
                                   page_width, height);
    text += frame(plot, x, y);
    double legend = top + 10;
    if (plot.level) {
        const char* style = "stroke=\"#222222\" stroke-dasharray=\"6 4\"";
        text += line(frame_left, y.at(plot.level->y), frame_right, y.at(plot.level->y), style) +
                line(frame_right + 16, legend, frame_right + 42, legend, style);
        text += label(frame_right + 50, legend + 4, plot.level->name, "start");
        legend += 22;
    }
    for (std::size_t i = 0; i < plot.series.size(); ++i, legend += 22) {
        const char* colour = colours[i % colours.size()];
        const auto style = fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour);
        text += curve(plot.series[i], x, y, colour) + line(frame_right + 16, legend, frame_right + 42, legend, style.c_str());
        text += label(frame_right + 50, legend + 4, plot.series[i].name, "start");
    }
    return text + "</svg>\n";
}

} // namespace tessera::bench
