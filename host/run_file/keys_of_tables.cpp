// Keys of tables of which each is one of several kinds, or that are values of keys.
#include "host/run_file/keys.hpp"
#include "host/run_file/sections.hpp"

namespace tessera::run_file {
namespace {

// What phases and outputs know of when they are: integers as `read_timing` takes them.
constexpr const char* any_step = "integer, 0 to 2^32 - 1";
constexpr const char* later_step = "integer, 1 to 2^32 - 1";

Section phases() {
    return {
        "[[phase]]",
        {},
        {{"callAll",
          R"(`"plate.diffuse"`)",
          "",
          "runs the function once for every place, or every agent. What it reads of its neighbours is their state before the phase",
          {"callAll"}},
         {"exchangeAll",
          R"(`"plate"`, or `"*"` for all)",
          "",
          "makes what was written since the last exchange readable by neighbours",
          {"exchangeAll"}},
         {"manageAll",
          R"(`"ant"`, `["sheep", "wolf"]`, or `"*"` for all)",
          "",
          "carries out what these [agents](#agents) have asked for: who is dying goes, then who wants to go elsewhere does, if there is "
          "room, then children are born, if there is room",
          {"manageAll"}},
         {"rotate",
          R"(`["wave.now", "wave.before"]`)",
          "",
          "exchanges members by name, without moving anything: each takes the values of the one before it in the list, the first those "
          "of the last",
          {"rotate"}},
         {"reduce",
          R"x(`{ total = "sum(ant.sugar)", alive = "count(ant)" }`)x",
          "",
          "makes [values of the step](#values-of-a-step) of all places or agents, which functions after it read",
          {"reduce"}},
         {"repeat",
          R"(`{ phases = [{ callAll = "ant.look" }, { manageAll = "ant" }], times = 3 }`)",
          "",
          "these phases, several times one after the other, see below",
          {"repeat"}},
         {"every", later_step, "`1`", "it runs in every so many steps"},
         {"from", any_step, "`0`", "the first step in which it runs"},
         {"until", later_step, "", "the first step in which it no longer does; above `from`"}}};
}

Section repeats() {
    return {"repeat",
            {},
            {{"phases", "list of phases", "-", "what is made in each round"},
             {"times", "integer, 1 to 4096", "-", "how many rounds", {"times"}},
             {"until", "condition", "-", "no more rounds once it holds, see [below](#until-something-holds)", {"until"}},
             {"most", "integer, 1 to 2047", "-", "how many rounds at most", {"until"}}}};
}

Section outputs() {
    return {
        "[[output]]",
        {},
        {{"csv", "file name", "-", "a table; a row for each state written", {"csv"}},
         {"npy",
          "file name with `{step}`",
          "-",
          "the values of a member as a NumPy array, shape `(ny, nx)`; a last axis for an array member",
          {"npy"}},
         {"png", "file name with `{step}`", "-", "a picture: x to the right, y downward", {"png"}},
         {"agents",
          "file name with `{step}`, ending in `.csv` or `.npy`",
          "-",
          "a row an agent in the order of their ids: `id`, `x`, `y` (and `z`) of the place, or of the position in space, and their "
          "members",
          {"agents"}},
         {"columns",
          "table",
          "-",
          "the names of the columns and their [expressions](#expressions). A first column `step` is added unless there is one",
          {"csv"}},
         {"attribute", R"(`"plate.heat"`)", "-", "the member, of places", {"npy"}},
         {"attribute", R"(`"plate.heat"`)", "with an `overlay` none: white", "the member, of places", {"png"}},
         {"attribute", R"(`"ant"`)", "-", "the collection", {"agents"}},
         {"colours",
          R"(`"grey"`, `"viridis"`, `"inferno"`, `"magma"`, `"hot"`, `"heat"`, `"coolwarm"`, `"categories"`)",
          R"(`"grey"`)",
          R"(`"heat"` is `"hot"`; `"categories"`: a colour for each whole number)",
          {"png"}},
         {"low",
          "number",
          "smallest value of the state",
          "what the lower end of the colours stands for. Without it, each picture has its own scale",
          {"png"}},
         {"high", "number", "largest value of the state", "likewise the upper end", {"png"}},
         {"scale", "integer, 1 to 256", "`1`", "pixels a place", {"png"}},
         {"slice", "integer, 0 or more", "the first", "which z of a grid of three dimensions", {"png"}},
         {"element", "integer, 0 or more", "the first", "which element of an array member", {"png"}},
         {"overlay",
          R"(`{ ant = "black" }`)",
          "",
          "agents in a colour over the places: `black`, `white`, `grey`, `red`, `green`, `blue`, `yellow`, `orange`, `purple`, `brown`, "
          R"(`pink`, `cyan`, or `"#ff8000"`; later ones over earlier ones. Or by a member, with a table of its own. In space as dots, )"
          "an eighth of a place wide",
          {"png"}},
         {"every", later_step, "-", "steps from one writing to the next"},
         {"from", any_step, "`0`", "the first state that is written"},
         {"until", later_step, "", "the first state that is no longer written; above `from`"}}};
}

Section overlays() {
    return {"overlay",
            {},
            {{"attribute", R"(`"sugar"`)", "-", "the member, of these agents"},
             {"colours", "as of the picture", R"(`"viridis"`)", ""},
             {"low", "number", "smallest value of the state", "as of the picture"},
             {"high", "number", "largest value of the state", ""}}};
}

Section initial_values() {
    return {"init",
            {},
            {{"value", "number, boolean, or an array of these", "-", "as without a table", {"value"}},
             {"box", "`[[x, y], [x, y]]`", "everywhere", "from the first corner up to the second, which is excluded; of places", {"value"}},
             {"random", "number, 0 to 1", "-", "1 with this probability, else 0", {"probability"}},
             {"random", one_of(draws), "-", "what is drawn", {"uniform", "bernoulli", "below", "normal"}},
             {"low", "number", "-", "the smallest value", {"uniform"}},
             {"high", "number", "-", "a value above all others", {"uniform"}},
             {"p", "number, 0 to 1", "-", "the probability of a 1, else it is 0", {"bernoulli"}},
             {"n", "integer, 1 or more", "-", "how many values there are, from `plus` on; below 2^32", {"below"}},
             {"plus", "integer, -2^52 to 2^52", "`0`", "the first of them", {"below"}},
             {"mean", "number", "-", "the mean value", {"normal"}},
             {"deviation", "number, 0 or more", "-", "the standard deviation", {"normal"}},
             {"file", "path", "-", "of places", {"file"}},
             {"at",
              "one integer for each extent",
              "the first place",
              "where the first value goes; the data have to fit into the grid",
              {"file"}},
             {"nodata", "number", "an error", "what a cell without data of an ESRI grid becomes", {"file"}},
             {"rule", "string", R"(Life's, `"B3/S23"`)", "the rule that an RLE pattern has to be for", {"file"}},
             {"element", "integer, 0 or more", "all", "the element of an array member that the file is for", {"file"}}}};
}

} // namespace

const std::vector<Section>& keys_of_tables() {
    static const std::vector<Section> all{phases(), repeats(), outputs(), overlays(), initial_values()};
    return all;
}

} // namespace tessera::run_file
