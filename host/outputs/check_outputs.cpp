#include "host/outputs/check_outputs.hpp"

#include "host/outputs/colour_map.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/expressions.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

void check_colours(const run_file::Located<std::string>& colours) {
    const auto names = colour_map_names();
    const std::vector<std::string> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), *colours) == known.end())
        run_file::fail_at(colours.where, fmt::format("there is no colour map `{}`", *colours), "there are " + listed(known),
                          did_you_mean(*colours, known));
}

const char* kind_of(const CollectionSetup& collection) {
    return collection.agents  ? "it is a collection of agents"
           : collection.links ? "it is a collection of links"
                              : "it is a collection of places";
}

CollectionId require_agents(const Setup& setup, const run_file::Located<std::string>& name) {
    const auto id = require_collection(setup, *name, name.where);
    const auto& collection = setup.collections[id];
    if (!collection.agents)
        run_file::fail_at(name.where, fmt::format("{} are not agents", *name), kind_of(collection), "name a collection of agents");
    return id;
}

void require_links(const Setup& setup, const run_file::Located<std::string>& name) {
    const auto& collection = setup.collections[require_collection(setup, *name, name.where)];
    if (!collection.links)
        run_file::fail_at(name.where, fmt::format("{} are not links", *name), kind_of(collection), "name a collection of links");
}

// Arrays and pictures are of places.
void require_places(const Setup& setup, const run_file::Located<run_file::QualifiedName>& attribute) {
    const auto column = require_column(setup, attribute);
    if (setup.collections[setup.columns[column].collection].agents)
        run_file::fail_at(attribute.where, fmt::format("{} is a member of agents, and has no value for each place", setup.name_of(column)),
                          "arrays and pictures are for places",
                          fmt::format("write agents = \"{0}-{{step}}.csv\", attribute = \"{0}\", or draw them over a picture by `overlay`",
                                      attribute->collection));
    if (setup.collections[setup.columns[column].collection].links)
        run_file::fail_at(attribute.where, fmt::format("{} is a member of links, and has no value for each place", setup.name_of(column)),
                          "arrays and pictures are for places",
                          fmt::format("write links = \"{0}-{{step}}.csv\", attribute = \"{0}\", or a csv with an expression of it",
                                      attribute->collection));
}

void require_shape(const run_file::Where& where, const CollectionSetup& places) {
    if (!places.has_shape())
        run_file::fail_at(where, fmt::format("there is no picture of {}", places.name),
                          fmt::format("places.{} has a `count` and no `size`, and so no shape", places.name),
                          "write a csv of expressions, or an npy of all values");
}

void check_overlay(const Setup& setup, const run_file::Png& png, CollectionId places) {
    for (const auto& [name, style] : png.overlay) {
        const auto agents = require_agents(setup, name);
        if (setup.collections[agents].agents->ground != places)
            run_file::fail_at(name.where, fmt::format("{} do not stand on {}", *name, setup.collections[places].name),
                              fmt::format("they stand on {}", setup.collections[setup.collections[agents].agents->ground].name));
        if (style.member) {
            check_colours(style.colours);
            const auto& row = setup.row_of(setup.collections[agents]);
            if (row.members[require_member(row, **style.member, style.member->where)].elements > 1)
                run_file::fail_at(style.member->where, fmt::format("{} is an array", **style.member), "an agent has one colour",
                                  "name a member with one value");
        } else if (!named_colour(**style.colour))
            run_file::fail_at(style.colour->where, fmt::format("there is no colour `{}`", **style.colour),
                              "there are " + listed(colour_names()) + ", and \"#rrggbb\"", did_you_mean(**style.colour, colour_names()));
    }
}

void check_element(const Setup& setup, const run_file::Png& png) {
    if (!png.element) return;
    const int elements = setup.member_of(require_column(setup, *png.attribute)).elements;
    if (static_cast<std::int64_t>(**png.element) >= elements)
        run_file::fail_at(png.element->where, fmt::format("there is no element {}", **png.element),
                          fmt::format("{} has {}", png.attribute->value.member, elements));
}

void check_picture(const Setup& setup, const run_file::Png& png) {
    check_colours(png.colours);
    if (png.attribute) require_places(setup, *png.attribute);
    if (png.overlay.empty() && !png.attribute) run_file::fail_at(png.colours.where, "there is nothing to draw", "`overlay` is empty");
    const auto places = places_of_picture(setup, png);
    check_overlay(setup, png, places);
    const auto& collection = setup.collections[places];
    require_shape(png.attribute ? png.attribute->where : png.colours.where, collection);
    if (png.slice && static_cast<std::int64_t>(**png.slice) >= collection.size[2])
        run_file::fail_at(png.slice->where, fmt::format("there is no slice {}", **png.slice),
                          fmt::format("{} has {} on z", collection.name, collection.size[2]));
    check_element(setup, png);
}

} // namespace

CollectionId places_of_picture(const Setup& setup, const run_file::Png& png) {
    if (png.attribute) return setup.columns[require_column(setup, *png.attribute)].collection;
    return setup.collections[require_agents(setup, png.overlay.front().name)].agents->ground;
}

void check_outputs(const Setup& setup) {
    if (setup.agenda.stop) check_expression(setup, *setup.agenda.stop);
    for (const auto& output : setup.agenda.outputs) {
        if (const auto* csv = std::get_if<run_file::Csv>(&output->content))
            for (const auto& column : csv->columns) check_expression(setup, column.value);
        if (const auto* npy = std::get_if<run_file::Npy>(&output->content)) require_places(setup, npy->attribute);
        if (const auto* png = std::get_if<run_file::Png>(&output->content)) check_picture(setup, *png);
        if (const auto* agents = std::get_if<run_file::AgentRows>(&output->content)) (void)require_agents(setup, agents->collection);
        if (const auto* links = std::get_if<run_file::LinkRows>(&output->content)) require_links(setup, links->collection);
    }
}

} // namespace tessera
