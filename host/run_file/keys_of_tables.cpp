// Keys of tables of which each is one of several kinds, or that are values of keys.
#include "host/run_file/key_types.hpp"

#include <fmt/format.h>

namespace tessera::run_file {
namespace {

// What phases and outputs know of when they are: integers as `read_timing` takes them.
const Type any_step = integer(0, largest_step), later_step = integer(1, largest_step);

const char* const a_step = R"(\{step(:0[0-9]{1,2})?\})"; // a pattern

const std::vector<std::string> colour_maps{"grey", "viridis", "inferno", "magma", "hot", "heat", "coolwarm", "categories"};
const std::vector<std::string> known_colours{"black",  "white",  "grey",   "red",   "green", "blue",
                                             "yellow", "orange", "purple", "brown", "pink",  "cyan"};

Section phases() {
    return {
        "[[phase]]",
        {},
        {{"callAll",
          {R"(`"plate.diffuse"`)", schema::qualified_name},
          "",
          "runs the function once for every place, or every agent. It reads the state that its neighbours had before the phase",
          {"callAll"}},
         {"exchangeAll",
          {R"(`"plate"`, or `"*"` for all)", schema::name_or_all},
          "",
          "lets neighbours read what was written since the last exchange",
          {"exchangeAll"}},
         {"manageAll",
          {R"(`"ant"`, `["sheep", "wolf"]`, or `"*"` for all)", schema::any_of({schema::name_or_all, schema::array_of(schema::name, 1)})},
          "",
          "carries out the requests of these [agents](#agents): first dying agents are removed, then agents move if there is room, then "
          "children are born if there is room; or those of [links](#links-that-change)",
          {"manageAll"}},
         {"rotate",
          {R"(`["wave.now", "wave.before"]`)", schema::array_of(schema::qualified_name, 2)},
          "",
          "exchanges members by name, without moving any values: each member takes the values of the one before it in the list, the "
          "first takes those of the last",
          {"rotate"}},
         {"reduce",
          {R"x(`{ total = "sum(ant.sugar)", alive = "count(ant)" }`)x", schema::table_of(schema::text, 1)},
          "",
          "computes [values of the step](#values-of-a-step) over all places or agents, for the functions after it",
          {"reduce"}},
         {"repeat",
          {R"(`{ phases = [{ callAll = "ant.look" }, { manageAll = "ant" }], times = 3 }`)", schema::defined("repeat")},
          "",
          "makes these phases several times, one round after the other, see below",
          {"repeat"}},
         {"every", later_step, "`1`", "the phase runs in every so many steps"},
         {"from", any_step, "`0`", "the first step in which the phase runs"},
         {"until", later_step, "", "the first step in which the phase no longer runs; above `from`"}}};
}

Section repeats() {
    return {"repeat",
            {},
            {{"phases", {"list of phases", schema::array_of(schema::defined("phase_to_repeat"), 1)}, "-", "the phases of each round"},
             {"times", integer(1, 4096), "-", "the number of rounds", {"times"}},
             {"until",
              {"condition", schema::text},
              "-",
              "there are no more rounds once it is true, see [below](#repeats-with-a-condition)",
              {"until"}},
             {"most", integer(1, 2047), "-", "the maximum number of rounds", {"until"}}}};
}

Section outputs() {
    return {
        "[[output]]",
        {},
        {{"csv", {"file name", schema::some_text}, "-", "a table with a row for each state written", {"csv"}},
         {"npy",
          {"file name with `{step}`", schema::text_like(a_step)},
          "-",
          "the values of a member as a NumPy array of shape `(ny, nx)`; an array member adds a last axis",
          {"npy"}},
         {"png", {"file name with `{step}`", schema::text_like(a_step)}, "-", "a picture: x to the right, y downward", {"png"}},
         {"agents",
          {"file name with `{step}`, ending in `.csv` or `.npy`", schema::text_like(std::string(a_step) + ".*\\.(csv|npy)$")},
          "-",
          "a row for each agent, in the order of their ids: `id`; `x`, `y` (and `z`) of the place, or of the position in space, or "
          "`place`, its number, where places have a `count`; and the agent's members",
          {"agents"}},
         {"links",
          {"file name with `{step}`, ending in `.csv` or `.npy`", schema::text_like(std::string(a_step) + ".*\\.(csv|npy)$")},
          "-",
          "a row for each link, in their [order](#links-that-change): `from` and `to`, the numbers of the places; and the link's members. "
          "A `.csv` is a [table](#links-from-a-table) that a run can begin with",
          {"links"}},
         {"columns",
          {"table", schema::table_of(schema::text, 1)},
          "-",
          "the names of the columns and their [expressions](#expressions). A first column `step` is added unless there is one",
          {"csv"}},
         {"attribute", {R"(`"plate.heat"`)", schema::qualified_name}, "-", "the member of places", {"npy"}},
         {"attribute", {R"(`"plate.heat"`)", schema::qualified_name}, "with an `overlay` none: white", "the member of places", {"png"}},
         {"attribute", {R"(`"ant"`)", schema::name}, "-", "the collection of agents", {"agents"}},
         {"attribute", {R"(`"contact"`)", schema::name}, "-", "the collection of links", {"links"}},
         {"colours",
          one_of(colour_maps),
          R"(`"grey"`)",
          R"(`"heat"` is `"hot"`; `"categories"` has a colour for each whole number)",
          {"png"}},
         {"low",
          number(),
          "smallest value of the state",
          "the value at the lower end of the colours. Without it, each picture has its own scale",
          {"png"}},
         {"high", number(), "largest value of the state", "the value at the upper end, likewise", {"png"}},
         {"scale", integer(1, 256), "`1`", "pixels along each side of a place", {"png"}},
         {"slice", integer_from(0), "the first", "the z that is shown of a grid of three dimensions", {"png"}},
         {"element", integer_from(0), "the first", "the element that is shown of an array member", {"png"}},
         {"overlay",
          {R"(`{ ant = "black" }`)", schema::table_of(schema::any_of({schema::names(known_colours), schema::text_like("^#[0-9a-fA-F]{6}$"),
                                                                      schema::defined("overlay")}))},
          "",
          fmt::format("agents in a colour over the places: `{}`, ", fmt::join(known_colours, "`, `")) +
              R"(or `"#ff8000"`; later agents are drawn over earlier ones. Or agents in colours by a member, with a table of )"
              "its own. Agents in space are dots, an eighth of a place wide",
          {"png"}},
         {"every", later_step, "-", "the number of steps from one written state to the next"},
         {"from", any_step, "`0`", "the first state that is written"},
         {"until", later_step, "", "the first state that is no longer written; above `from`"}}};
}

Section overlays() {
    return {"overlay",
            {},
            {{"attribute", {R"(`"sugar"`)", schema::name}, "-", "the member of these agents"},
             {"colours", {"as for the picture", schema::names(colour_maps)}, R"(`"viridis"`)", ""},
             {"low", number(), "smallest value of the state", "as for the picture"},
             {"high", number(), "largest value of the state", ""}}};
}

Section starts() {
    return {"start",
            {},
            {{"checkpoint",
              {"path", schema::some_text},
              "-",
              "the folder of one, or the results of a run that keeps them: then it is the last one"}}};
}

Section checkpoints() {
    return {"checkpoint",
            {},
            {{"every",
              later_step |
                  Type{R"(a time, such as `"10 min"`)", schema::text_like("^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *(s|min|h)$")},
              "none", "the number of steps, or the time, from one checkpoint to the next"},
             {"keep", integer(1, 1000), "`2`", "the number of checkpoints that stay; older ones are removed once a new one is on the disk"},
             {"at_end", boolean(), "`false`", "a checkpoint of the last state too"},
             {"memory", amount_of_memory(), "a quarter of what is free when the run begins",
              R"(host memory for a state until it is written, while the run goes on. Where it is less than a state needs, the run waits)"},
             {"compress", one_of(compressions), R"(`"none"`)",
              R"(`"zstd"`: arrays are compressed, for slow or small disks, see [below](#compressed-checkpoints))"}}};
}

Section initial_values() {
    return {
        "init",
        {},
        {{"value", {"number, boolean, or an array of these", schema::defined("constant")}, "-", "the value, as without a table", {"value"}},
         {"box",
          {"`[[x, y], [x, y]]`", schema::defined("corners")},
          "everywhere",
          "from the first corner up to the second, which is excluded; for places only",
          {"value"}},
         {"random", number(0, 1), "-", "1 with this probability, else 0", {"probability"}},
         {"random", one_of(draws), "-", "what is drawn", {"uniform", "bernoulli", "below", "normal"}},
         {"low", number(), "-", "the smallest value", {"uniform"}},
         {"high", number(), "-", "a value above all others", {"uniform"}},
         {"p", number(0, 1), "-", "the probability of a 1; else the value is 0", {"bernoulli"}},
         {"n", integer_from(1), "-", "the number of different values, from `plus` on; below 2^32", {"below"}},
         {"plus", integer(-(std::int64_t{1} << 52), std::int64_t{1} << 52), "`0`", "the first of these values", {"below"}},
         {"mean", number(), "-", "the mean value", {"normal"}},
         {"deviation", number_from(0), "-", "the standard deviation", {"normal"}},
         {"file", {"path", schema::some_text}, "-", "a file with the values; for places only", {"file"}},
         {"at",
          {"one integer for each extent", schema::one_an_extent(R"({"type":"integer"})")},
          "the first place",
          "the place of the first value; the data have to fit into the grid",
          {"file"}},
         {"nodata", number(), "an error", "the value for cells without data of an ESRI grid", {"file"}},
         {"rule",
          {"string", schema::text},
          R"(Life's, `"B3/S23"`)",
          "the rule that an RLE file has to have; another rule is an error",
          {"file"}},
         {"element", integer_from(0), "all", "the element of an array member to which the file belongs", {"file"}}}};
}

Section link_rule_keys() {
    return {
        "generate",
        {"", "", ""},
        {{"rule", one_of(link_rules), "-", "which places are joined"},
         {"degree",
          integer(1, most_numbered),
          "-",
          "the number of links of a place; of `preferential`, of those that it brings",
          {"ring", "regular", "small_world", "preferential"}},
         {"chance", number(0, 1), "-", "the probability that two places are joined; not needed with `links`", {"random"}},
         {"links", integer(1, most_numbered), "", "how many links there are", {"random"}},
         {"rewire", number(0, 1), "-", "the probability that a link's second end is moved", {"small_world"}},
         {"size",
          {"1 to 3 integers", schema::array_of(schema::integer(1, most_numbered))},
          "that of the places",
          "the extents of the grid whose neighbours are joined: needed where places have a `count`",
          {"grid"}},
         {"torus", boolean(), "`false`", "whether the grid's edges are joined", {"grid"}},
         {"sizes",
          {"integers", schema::array_of(schema::integer(1, most_numbered), 1)},
          "-",
          "how many places each range has, in the order of their numbers",
          {"blocks"}},
         {"to_sizes",
          {"integers", schema::array_of(schema::integer(1, most_numbered), 1)},
          "`sizes`",
          "those of the places to which links lead, where they are others",
          {"blocks"}},
         {"chances",
          {"lists of numbers", schema::array_of(schema::array_of(number(0, 1).schema))},
          "-",
          "for each range a list: the probability that one of its places is joined to one of each range; not needed with `counts`",
          {"blocks"}},
         {"counts",
          {"lists of integers", schema::array_of(schema::array_of(schema::integer(0, most_numbered)))},
          "",
          "likewise how many links there are",
          {"blocks"}},
         {"file",
          {"path", schema::some_text},
          "-",
          "a `.txt`, `.csv` or `.npy` with a number for each place: how many links it has; if links have a direction, how many begin there",
          {"degrees"}},
         {"to_file", {"path", schema::some_text}, "as even as can be", "likewise how many links lead to each place", {"degrees"}}}};
}

} // namespace

const std::vector<Section>& keys_of_tables() {
    static const std::vector<Section> all{phases(),      repeats(), outputs(),        overlays(),
                                          checkpoints(), starts(),  link_rule_keys(), initial_values()};
    return all;
}

} // namespace tessera::run_file
