#include "host/viewer/about.hpp"

#include "host/generate/kernel_source.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace tessera::viewer {
namespace {

using Json = nlohmann::ordered_json;

std::string short_name(Scalar type) {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::f32: return "f32";
    case Scalar::f64: return "f64";
    default: break;
    }
    const bool is_unsigned = type == Scalar::u8 || type == Scalar::u16 || type == Scalar::u32 || type == Scalar::u64;
    return fmt::format("{}{}", is_unsigned ? 'u' : 'i', 8 * size_of(type));
}

Json members_json(const model::Row& row) {
    auto members = Json::array();
    for (const auto& member : row.members) {
        Json one{{"name", member.name}, {"type", short_name(member.type)}, {"elements", member.elements}, {"doc", member.doc}};
        for (const auto& value : member.values) one["values"].push_back(Json::array({std::to_string(value.code), value.name}));
        members.push_back(std::move(one));
    }
    return members;
}

std::string base64(const std::vector<unsigned char>& bytes) { // whole groups of three
    static constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        const unsigned three = static_cast<unsigned>(bytes[i]) << 16 | static_cast<unsigned>(bytes[i + 1]) << 8 | bytes[i + 2];
        for (const int shift : {18, 12, 6, 0}) text += digits[three >> shift & 63];
    }
    return text;
}

Json colours_json() {
    Json maps;
    for (const auto name : colour_map_names()) {
        std::vector<unsigned char> bytes;
        for (const auto& entry : colour_map(name).entries) bytes.insert(bytes.end(), {entry.red, entry.green, entry.blue});
        maps[std::string(name)] = base64(bytes);
    }
    return maps;
}

Json categorical_json() {
    auto names = Json::array();
    for (const auto name : colour_map_names())
        if (colour_map(name).categorical) names.push_back(std::string(name));
    return names;
}

std::string hex(const Colour& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

// As the run file draws them; null: it does not.
const run_file::OverlayStyle* drawn_style(const Setup& setup, CollectionId agents) {
    for (const auto& output : setup.agenda.outputs)
        if (const auto* png = std::get_if<run_file::Png>(&output->content))
            for (const auto& [name, style] : png->overlay)
                if (*name == setup.collections[agents].name) return &style;
    return nullptr;
}

// As the run file draws them first, else of colours that are seen on any map.
std::string colour_of(const Setup& setup, CollectionId agents, std::size_t number) {
    const auto* const style = drawn_style(setup, agents);
    if (style != nullptr && style->colour) return hex(*named_colour(**style->colour));
    static const char* const others[] = {"#ffffff", "#ff7a2f", "#4db8ff", "#ffd23f", "#d07bff", "#2fd18c", "#ff5d73", "#9be15d"};
    return others[number % std::size(others)];
}

// Of a category whose values have names, as many colours.
std::string usual_colours(const model::Member& member) {
    constexpr std::int64_t most = 255;
    const auto has_colour = [](const model::NamedValue& value) { return value.code >= 0 && value.code < most; };
    if (!member.values.empty() && std::all_of(member.values.begin(), member.values.end(), has_colour)) return "categories";
    return member.type == Scalar::boolean ? "grey" : "viridis";
}

Json places_json(const Setup& setup) {
    auto all = Json::array();
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.are_places() || !collection.has_shape()) continue;
        all.push_back({{"name", collection.name},
                       {"size", collection.size},
                       {"dims", collection.dimensions},
                       {"members", members_json(setup.row_of(collection))}});
    }
    return all;
}

// Of what no picture is drawn, and why.
Json unseen_json(const Setup& setup) {
    auto all = Json::array();
    for (const auto& collection : setup.collections) {
        if (collection.links)
            all.push_back(collection.are_changing_links()
                              ? fmt::format("There is no picture of the links of {}.", collection.name)
                              : fmt::format("There is no picture of the {} links of {}.", collection.places(), collection.name));
        if (collection.are_places() && !collection.has_shape())
            all.push_back(fmt::format("There is no picture of the {} places of {}: they have a count and no shape.", collection.places(),
                                      collection.name));
        if (collection.agents && !setup.collections[collection.agents->ground].has_shape())
            all.push_back(
                fmt::format("There is no picture of {}: these agents stand on places that have a count and no shape.", collection.name));
    }
    return all;
}

Json agents_json(const Setup& setup) {
    auto all = Json::array();
    const auto agents = agents_in(setup);
    for (std::size_t k = 0; k < agents.size(); ++k) {
        const auto& collection = setup.collections[agents[k]];
        Json one{{"name", collection.name},
                 {"places", setup.collections[collection.agents->ground].name},
                 {"in_space", collection.agents->space.has_value()},
                 {"colour", colour_of(setup, agents[k], k)},
                 {"members", members_json(setup.row_of(collection))}};
        const auto* const style = drawn_style(setup, agents[k]);
        if (style != nullptr && style->member) one["shade"] = **style->member;
        for (const auto& shade : shades_of(setup))
            if (shade.places == collection.name) one["colours"][shade.member] = shade.colours;
        all.push_back(std::move(one));
    }
    return all;
}

Json parameters_json(const CurrentRun& run) {
    const auto& setup = run.setup();
    auto all = Json::array();
    const auto& parameters = setup.description().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto& parameter = parameters[i];
        Json one{{"name", parameter.name},
                 {"doc", parameter.doc},
                 {"type", short_name(parameter.type)},
                 {"value", readable(parameter.type, run.run().parameters()[i].bytes.data())},
                 {"default", readable(parameter.type, parameter.initial.data())},
                 {"takes", is_baked(setup, parameter) ? "compiles" : "at once"}};
        if (parameter.range) {
            one["low"] = readable(parameter.type, (*parameter.range)[0]);
            one["high"] = readable(parameter.type, (*parameter.range)[1]);
        }
        all.push_back(std::move(one));
    }
    return all;
}

Json layers_json(const CurrentRun& run) {
    auto all = Json::array();
    for (const auto& layer : layers_of(run)) {
        Json one{{"layer", layer.name()}, {"element", layer.element}, {"colours", layer.colours}, {"agents", layer.agents}};
        if (layer.low) one["low"] = fmt::format("{}", *layer.low);
        if (layer.high) one["high"] = fmt::format("{}", *layer.high);
        all.push_back(std::move(one));
    }
    return all;
}

// Those that stand on the places.
std::vector<std::string> agents_on(const Setup& setup, const std::string& places) {
    std::vector<std::string> names;
    for (const auto id : agents_in(setup))
        if (setup.collections[setup.collections[id].agents->ground].name == places) names.push_back(setup.collections[id].name);
    return names;
}

Layer drawn(const Setup& setup, const run_file::Png& png) {
    Layer layer{(*png.attribute)->collection,
                (*png.attribute)->member,
                *png.colours,
                png.element ? static_cast<int>(**png.element) : 0,
                {},
                {},
                {}};
    if (png.low) layer.low = **png.low;
    if (png.high) layer.high = **png.high;
    for (const auto& [name, style] : png.overlay) layer.agents.push_back(*name);
    if (layer.agents.empty()) layer.agents = agents_on(setup, layer.places);
    return layer;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace

std::vector<Layer> layers_of(const CurrentRun& run) {
    const auto& setup = run.setup();
    std::vector<Layer> layers;
    std::set<std::string> known;
    for (const auto& output : setup.agenda.outputs)
        if (const auto* png = std::get_if<run_file::Png>(&output->content); png != nullptr && png->attribute) {
            auto layer = drawn(setup, *png);
            if (known.insert(layer.name()).second) layers.push_back(std::move(layer));
        }
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.are_places() || !collection.has_shape()) continue;
        for (const auto& member : setup.row_of(collection).members) {
            Layer layer{collection.name, member.name, usual_colours(member), 0, {}, {}, agents_on(setup, collection.name)};
            if (member.type == Scalar::boolean) layer.low = 0, layer.high = 1;
            if (known.insert(layer.name()).second) layers.push_back(std::move(layer));
        }
    }
    return layers;
}

std::vector<Layer> shades_of(const Setup& setup) {
    std::vector<Layer> shades;
    for (const auto id : agents_in(setup)) {
        const auto& collection = setup.collections[id];
        const auto* const style = drawn_style(setup, id);
        for (const auto& member : setup.row_of(collection).members) {
            Layer shade{collection.name, member.name, usual_colours(member), 0, {}, {}, {}};
            if (member.type == Scalar::boolean) shade.low = 0, shade.high = 1;
            if (style != nullptr && style->member && **style->member == member.name) {
                shade.colours = *style->colours;
                if (style->low) shade.low = **style->low;
                if (style->high) shade.high = **style->high;
            }
            shades.push_back(std::move(shade));
        }
    }
    return shades;
}

std::vector<CollectionId> agents_in(const Setup& setup) {
    std::vector<CollectionId> all;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].agents && setup.collections[setup.ground_of(id)].has_shape()) all.push_back(id);
    return all;
}

std::optional<std::uint64_t> last_step_of(const Setup& setup) {
    const auto& steps = setup.agenda.steps;
    return steps && **steps != endless ? std::optional(**steps) : std::nullopt;
}

std::string about(const CurrentRun& run, const std::string& name) {
    const auto& setup = run.setup();
    const auto end = last_step_of(setup);
    std::string devices;
    for (const auto& device : run.report().devices) devices += (devices.empty() ? "" : ", ") + device.name;
    Json told{{"model", setup.description().name},
              {"doc", setup.description().doc},
              {"name", name},
              {"device", devices},
              {"results", run.folder().path().string()},
              {"file", run.run().run_file().path},
              {"seed", std::to_string(setup.values.seed)},
              {"steps", end ? Json(*end) : Json(nullptr)},
              {"places", places_json(setup)},
              {"unseen", unseen_json(setup)},
              {"agents", agents_json(setup)},
              {"parameters", parameters_json(run)},
              {"layers", layers_json(run)},
              {"colours", colours_json()},
              {"categorical", categorical_json()}};
    return dumped({{"about", std::move(told)}});
}

std::string parameters_of(const CurrentRun& run) {
    auto all = Json::array();
    for (const auto& one : parameters_json(run))
        all.push_back({{"name", one["name"]}, {"value", one["value"]}, {"step", std::to_string(run.step())}});
    return dumped({{"parameters", std::move(all)}});
}

} // namespace tessera::viewer
