#include "host/viewer/page_message.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <climits>
#include <cmath>
#include <cstdint>
#include <exception>

namespace tessera::viewer {

std::string text_of(const nlohmann::json& message, const char* key) {
    const auto found = message.find(key);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}
std::int64_t number_of(const nlohmann::json& message, const char* key, std::int64_t otherwise) {
    const auto found = message.find(key);
    if (found == message.end() || !found->is_number()) return otherwise;
    const double value = found->get<double>();
    return std::abs(value) < 1e15 ? static_cast<std::int64_t>(value) : otherwise;
}
std::optional<double> end_of(const nlohmann::json& message, const char* key) {
    const auto text = text_of(message, key);
    try {
        const double value = std::stod(text);
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

namespace {

// A whole number that has its place in 64 bits with a sign.
bool is_whole(const nlohmann::json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
    return value.is_number_integer();
}

// -1, which no member has, for what is none.
int element_of(const nlohmann::json& message) {
    const auto element = number_of(message, "element");
    return element >= 0 && element <= INT_MAX ? static_cast<int>(element) : -1;
}

bool flag_of(const nlohmann::json& message, const char* key) {
    const auto found = message.find(key);
    return found != message.end() && found->is_boolean() && found->get<bool>();
}

std::vector<ShadeLook> shades_of(const nlohmann::json& message) {
    std::vector<ShadeLook> all;
    if (const auto shades = message.find("shades"); shades != message.end() && shades->is_array())
        for (const auto& each : *shades)
            if (each.is_object())
                all.push_back({text_of(each, "collection"), text_of(each, "member"), text_of(each, "colours"), element_of(each)});
    return all;
}

[[noreturn]] void refuse_stroke(const Look& look, const std::string& what) {
    throw Error(Failure::input, fmt::format("{}.{} cannot be painted", look.places, look.member), what + " no whole number");
}

// Of a stroke, which paints nothing where one of its numbers is none.
std::int64_t whole_of(const Look& look, const nlohmann::json& message, const char* key, std::int64_t otherwise) {
    const auto found = message.find(key);
    if (found == message.end()) return otherwise;
    if (!is_whole(*found)) refuse_stroke(look, fmt::format("its {} is", key));
    return found->get<std::int64_t>();
}

} // namespace

Look look_of(const nlohmann::json& message) {
    Look look;
    const auto layer = text_of(message, "layer");
    const auto dot = layer.find('.');
    look.places = dot == std::string::npos ? text_of(message, "places") : layer.substr(0, dot);
    if (dot != std::string::npos) look.member = layer.substr(dot + 1);
    look.element = element_of(message);
    look.number = static_cast<std::uint32_t>(number_of(message, "look"));
    look.plane = number_of(message, "plane", number_of(message, "z"));
    const auto axis = text_of(message, "axis"), by = text_of(message, "by");
    look.axis = axis == "x" ? 0 : axis == "y" ? 1 : 2;
    look.by = by == "nearest"    ? frame_reduction::nearest
              : by == "largest"  ? frame_reduction::largest
              : by == "smallest" ? frame_reduction::smallest
                                 : frame_reduction::mean;
    look.is_through = flag_of(message, "through");
    look.is_volume = flag_of(message, "volume");
    look.shades = shades_of(message);
    if (look.is_through && look.by == frame_reduction::nearest) look.by = frame_reduction::largest;
    look.fine = number_of(message, "fine", 1);
    look.x = number_of(message, "x"), look.y = number_of(message, "y");
    look.across = number_of(message, "across", 1);
    look.width = number_of(message, "width"), look.height = number_of(message, "height");
    if (const auto agents = message.find("agents"); agents != message.end() && agents->is_array())
        for (const auto& each : *agents)
            if (each.is_string()) look.agents.push_back(each.get<std::string>());
    return look;
}

Stroke stroke_of(const nlohmann::json& message) {
    Stroke stroke;
    const auto look = look_of(message);
    stroke.places = look.places, stroke.member = look.member;
    (void)whole_of(look, message, "element", 0);
    stroke.element = look.element;
    stroke.plane = whole_of(look, message, "plane", whole_of(look, message, "z", 0));
    const auto shape = text_of(message, "shape");
    stroke.shape = shape == "box" ? Stroke::Shape::box : shape == "fill" ? Stroke::Shape::fill : Stroke::Shape::brush;
    stroke.size = whole_of(look, message, "size", 1);
    stroke.value = text_of(message, "value");
    const auto path = message.find("path");
    if (path == message.end() || !path->is_array()) return stroke;
    for (const auto& point : *path) {
        if (!point.is_array() || point.size() != 2 || !is_whole(point[0]) || !is_whole(point[1]))
            refuse_stroke(look, "a place of its path is not two numbers, or one of them is");
        stroke.path.push_back({point[0].get<std::int64_t>(), point[1].get<std::int64_t>()});
    }
    return stroke;
}

} // namespace tessera::viewer
