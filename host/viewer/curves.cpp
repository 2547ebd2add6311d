#include "host/viewer/curves.hpp"

#include "host/viewer/about.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace tessera::viewer {
namespace {

using Json = nlohmann::ordered_json;

double number_of(const expression::Value& value) {
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

// What cannot be computed at this state is no number: a table of the run says why.
Curve curve_of(std::string plot, std::string name, expression::Expression expression) {
    return {std::move(plot), std::move(name), [expression = std::move(expression)](CurrentRun& run) {
                try {
                    return number_of(run.run().view().evaluate(expression));
                } catch (const Error&) {
                    return std::numeric_limits<double>::quiet_NaN();
                }
            }};
}

std::vector<Curve> curves_of_tables(const Setup& setup) {
    std::vector<Curve> curves;
    for (const auto& output : setup.agenda.outputs) {
        const auto* const csv = std::get_if<run_file::Csv>(&output->content);
        if (csv == nullptr) continue;
        const auto plot = std::filesystem::path(output->file->at_step(0)).stem().string();
        for (const auto& [name, value] : csv->columns) curves.push_back(curve_of(plot, *name, *value));
    }
    return curves;
}

std::vector<Curve> usual_curves(const Setup& setup) {
    constexpr std::size_t most_means = 3;
    std::vector<Curve> curves;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].agents)
            curves.push_back({"agents", setup.collections[id].name,
                              [id](CurrentRun& run) { return static_cast<double>(run.run().simulation().population(id)); }});
    std::size_t means = 0;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.are_places()) continue;
        for (const auto& member : setup.row_of(collection).members)
            if (member.elements == 1 && means++ < most_means) {
                const auto name = collection.name + "." + member.name;
                curves.push_back(curve_of("mean of " + name, name, expression::parse("mean(" + name + ")")));
            }
    }
    return curves;
}

Json point_json(std::uint64_t step, const std::vector<double>& values) {
    auto point = Json::array();
    point.push_back(step);
    for (const double value : values) point.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    return point;
}

} // namespace

void Curves::follow(const CurrentRun& run) {
    auto next = curves_of_tables(run.setup());
    if (next.empty()) next = usual_curves(run.setup());
    const auto same = [](const Curve& a, const Curve& b) { return a.plot == b.plot && a.name == b.name; };
    if (!std::equal(next.begin(), next.end(), curves_.begin(), curves_.end(), same)) points_.clear(), stride_ = 1, skipped_ = 0;
    curves_ = std::move(next);
}

bool Curves::add(CurrentRun& run) {
    if (!points_.empty() && (points_.back().step >= run.step() || ++skipped_ < stride_)) return false;
    skipped_ = 0;
    Point point{run.step(), {}};
    for (const auto& curve : curves_) point.values.push_back(curve.value(run));
    points_.push_back(std::move(point));
    if (points_.size() <= most_points) return true;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = std::move(points_[2 * i]);
    points_.resize((points_.size() + 1) / 2);
    stride_ *= 2;
    return true;
}

std::string Curves::all() const {
    auto curves = Json::array(), points = Json::array();
    for (const auto& curve : curves_) curves.push_back({{"plot", curve.plot}, {"name", curve.name}});
    for (const auto& point : points_) points.push_back(point_json(point.step, point.values));
    return Json{{"plots", {{"reset", true}, {"curves", std::move(curves)}, {"points", std::move(points)}}}}.dump();
}

std::string Curves::newest() const {
    auto points = Json::array();
    if (!points_.empty()) points.push_back(point_json(points_.back().step, points_.back().values));
    return Json{{"plots", {{"points", std::move(points)}}}}.dump();
}

} // namespace tessera::viewer
