#include "host/run_file/keys.hpp"

#include "host/run_file/key_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tessera::run_file {
namespace {

std::string starting_places() {
    const auto table_with = [](const std::string& key, const std::string& value) {
        return fmt::format(R"({{"type":"object","properties":{{"{0}":{1}}},"required":["{0}"],"additionalProperties":false}})", key, value);
    };
    return schema::any_of(
        {schema::names({"random", "each"}), table_with("box", schema::defined("corners")), table_with("file", schema::some_text)});
}

// Long: a table of all keys but those of tables with kinds (keys_of_tables.cpp), in the order of the manual.
std::vector<Section> make_keys() {
    const auto device = schema::text_like("^(cpu|cuda:[0-9]{1,4})$");
    const auto devices = schema::any_of({device, schema::array_of(device, 1)});
    return {
        {"",
         {"", "", ""},
         {{"model",
           {"string", schema::some_text},
           "-",
           "the name of a model, or a path: a path has a `/`, or ends in `.cu`. A folder stands for the `.cu` of "
           "the same name in it"}}},
        {"[run]",
         {"", "", ""},
         {{"steps", integer(0, largest_step) | Type{R"(`"+5000"`)", schema::text_like(R"(^\+[0-9]{1,10}$)")}, "-",
           "the number of steps; may be left out if `stop` is given. In a run with a `start`, `\"+5000\"` counts from there"},
          {"seed", integer(0, largest_integer), "`1`", "the seed of all random numbers"},
          {"devices",
           {R"(`"auto"`, `"cpu"`, `"cuda:0"`, or an array of the latter two)", schema::any_of({schema::names({"auto"}), devices})},
           R"(`"auto"`)",
           R"(the devices of the run. `"auto"`: the first GPU, or as many equal GPUs as the grid can keep busy; without )"
           "a GPU the CPU. See [several devices](#several-devices)"},
          {"weights",
           {"positive numbers, one for each device", schema::array_of(schema::positive, 1)},
           "equal",
           "the share of each grid that a device makes"},
          {"memory", one_of(memory_models), R"(`"auto"`)",
           R"(for several devices: one range of addresses for all, or memory of their own; `"auto"`: one range, if all )"
           "reach each other's memory. See [several devices](#several-devices)"},
          {"transport", one_of(transports), R"(`"auto"`)",
           R"(how rows go between devices with memory of their own. `"auto"`: directly if a device reaches the other's )"
           R"(memory, else by way of the host; `"host"`: always by way of the host)"},
          {"inject_latency",
           {R"(a time, such as `"100us"`)", schema::text_like(R"(^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?(us|ms|s)$)")},
           "",
           "for experiments: the delay of rows that come from other CPUs"},
          {"threads", integer(1, 65536) | one_of({"auto"}), R"(`"auto"`)",
           R"(threads of the CPU; `"auto"`: all that there are, but at most one for each 32768 places of the largest )"
           "collection, since more gain nothing"},
          {"stop", {"condition", schema::text}, "", "ends the run when it is true, see [expressions](#expressions)"},
          {"stop_every", integer(1, largest_step), "`1`", "`stop` is checked every so many steps"},
          {"out", {"path", schema::some_text}, "", "the result folder, see [results](#results)"},
          {"float", one_of(float_modes), R"(`"exact"`)",
           R"(`"fast"` lets the compilers fuse `a * b + c`; bits may then differ between devices and compilers)"},
          {"bake", boolean(), "`true`",
           "parameters become constants of the compiled code. With `false` they are passed to it at the start: "
           "another value needs no new compilation"},
          {"output_memory", amount_of_memory(), R"(`"256 MiB"`)",
           R"(host memory for what files of outputs need until they are written, while the run goes on. `"0 MiB"`: the run waits for )"
           "its files and checkpoints, see [outputs](#outputs)"},
          {"output_threads", integer(1, most_output_threads), "4 beside a GPU, 1 on a CPU", "threads that make and write these files"},
          {"checkpoint",
           {"`{ every = 10000, keep = 2 }`", schema::defined("checkpoint")},
           "none",
           "keeps the state now and then, so that a run which ended early can be resumed, see [checkpoints](#checkpoints)"},
          {"start",
           {"`{ checkpoint = \"results/spinup\" }`", schema::defined("start")},
           "none",
           "a kept state in place of first values, see [a state as a beginning](#a-state-as-a-beginning)"}}},
        {"[schedule]",
         {"", "", ""},
         {{"exchange", one_of(exchange_modes), R"(`"explicit"`)", R"(`"auto"`: no `exchangeAll` phases are needed, see [phases](#phases))"},
          {"view", one_of(views), R"(`"auto"`)", "how a function becomes a kernel; for measurements: the bits are the same"},
          {"tune", one_of(tunings) | Type{R"(a way, such as `"pipeline:4x2x16"`)", schema::text_like(":")}, R"(`"quick"`)",
           R"(the search for faster ways of making the same steps, in a run of some seconds or more. `"full"` tries )"
           "more ways. A way that is named is used from the start, for measurements. See [fused steps](#fused-steps)"},
          {"halo", integer(1, 1024) | one_of({"auto"}), R"(`"auto"`)",
           "the number of steps from one exchange of rows to the next, if devices have memory of their own. See "
           "[several devices](#several-devices)"}}},
        {"[places.NAME]",
         {"", "", "a collection of places; there may be several"},
         {{"type", {"string", schema::name}, "`NAME`", "the model's type of place, as `tessera info` shows it"},
          {"size",
           {"1 to 3 integers", schema::one_an_extent(schema::integer(1, most_places))},
           "-",
           "the extents in x, y, z; fewer than 2^40 places"},
          {"count", integer(1, most_numbered), "", "instead of `size`: the number of places that have no shape, see [links](#links)"},
          {"extent",
           {"as many numbers above 0 as `size` has", schema::one_an_extent(schema::positive)},
           "`size`",
           "the length of space along each axis, in any unit, for [agents in space](sdk.md#agents-in-space)"},
          {"devices", {"as in `[run]`, some of the devices named there", devices}, "all of them", "the devices that make this collection"},
          {"cuts",
           {R"(rows in rising order, one for each device but the first, or `"measured"`)",
            schema::any_of({schema::array_of(schema::integer(0)), schema::names({"measured"})})},
           "by `weights`",
           R"(where the stripes of the devices begin; `"measured"`: such that all devices take the same time for the first steps)"},
          {"boundary", one_of(boundaries) | Type{"one for each extent", schema::one_an_extent(one_of(boundaries).schema)}, R"(`"torus"`)",
           "see [boundaries](#boundaries)"},
          {"outside.MEMBER",
           {"number, boolean, or an array of these", schema::defined("constant")},
           "the member's default",
           R"(what is read beyond a `"fixed"` boundary)"},
          {"init.MEMBER",
           {"see [initial values](#initial-values)", schema::defined("init")},
           "the model's init functions, else the member's default",
           ""}}},
        {"[links.NAME]",
         {"", "", "a collection of links; see [links](#links)"},
         {{"type", {"string", schema::name}, "`NAME`", "the model's type of link, as `tessera info` shows it"},
          {"from",
           {"a collection of places", schema::name},
           "the only collection of their type of place",
           "the places at which they begin"},
          {"to", {"a collection of places", schema::name}, "the only collection of their type of place", "the places to which they lead"},
          {"file",
           {"path", schema::some_text},
           "",
           "a [table of the links](#links-from-a-table), `.csv`, `.txt`, `.mtx`, `.graph` or `.npy`, instead of `generate`"},
          {"generate",
           {R"(`{ rule = "regular", degree = 8 }`)", schema::defined("generate")},
           "-",
           "a [rule](#rules-for-links) that makes the links, by the seed"},
          {"parallel", boolean(), "`false`", "whether two links may have the same ends"},
          {"loops", boolean(), "`false`", "whether a link may lead from a place to itself"},
          {"delays", integer(1, 65536), "`64`",
           "what is sent along them [later](#what-is-sent-along-links) is there fewer steps later than this"},
          {"init.MEMBER",
           {"a constant, or a random value", schema::defined("init_of_agents")},
           "what the file has, else the member's default",
           ""}}},
        {"[agents.NAME]",
         {"", "", "a collection of agents; see [agents](#agents)"},
         {{"type", {"string", schema::name}, "`NAME`", "the model's type of agents, as `tessera info` shows it"},
          {"on", {"a collection of places", schema::name}, "the only collection of their type of place", "the places on which they stand"},
          {"count", integer(0, most_places), "none", R"(the number of agents at the start; not together with `"each"` or a file)"},
          {"place",
           {R"(`"random"`, `"each"`, `{ box = [[x, y], [x, y]] }`, `{ file = "ants.csv" }`)", starting_places()},
           R"(`"random"`)",
           R"(the places on which they start; in space, anywhere in the box or, with `"each"`, at the centre of each )"
           "place. With a file, [a table](#agents-from-a-table) that has all agents"},
          {"capacity", integer(1, 8) | one_of({"unlimited"}), "`1`",
           "how many of these agents may stand on one place; unlimited for agents in space"},
          {"reserve", integer(1, std::int64_t{1} << 30), "`count`, or eight times `count` if they have children",
           "for unlimited capacity: the number of agents for which there is memory at first. The memory grows with them"},
          {"priority", one_of(priorities), R"(`"random"`)", R"(which agent comes first if there is no room for all; `"id"`: the lower id)"},
          {"on_edge", one_of(edge_rules), R"(`"error"`)",
           "a move beyond the edge of a grid that is no torus, or a birth there: it ends the run with an error, or "
           "it is refused"},
          {"init.MEMBER",
           {"a constant, or a random value", schema::defined("init_of_agents")},
           "the model's init functions, else the member's default",
           ""}}},
        {"[params]",
         {"", "", ""},
         {{"NAME",
           {"number or boolean", schema::any_of({schema::number, schema::boolean})},
           "the parameter's default",
           "a parameter of the model"}}},
        {"[plugins]",
         {"", "", ""},
         {{"path", {"list of folders", schema::array_of(schema::some_text)}, "`[]`", "further folders in which models are looked for"}}},
        {"[[phase]]", {"", "every function once", "see [phases](#phases)"}, {}},
        {"[[output]]", {"", "", "see [outputs](#outputs)"}, {}},
    };
}

std::string row(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const auto& cell : cells) text += cell.empty() ? " |" : fmt::format(" {} |", cell);
    return text + "\n";
}
std::string in_code(const std::string& name) { return fmt::format("`{}`", name); }

// What stands in the column `of`: nothing of a key by which a kind is known.
std::string kinds_text(const Key& key) {
    if (key.of == std::vector{key.name}) return {};
    std::string text;
    for (const auto& kind : key.of) text += (text.empty() ? "" : ", ") + in_code(kind);
    return text.empty() ? "all" : text;
}

const Section& section(const std::string& heading) {
    for (const auto* sections : {&keys_of_tables(), &all_keys()})
        for (const auto& each : *sections)
            if (each.heading == heading) return each;
    throw std::logic_error("a run file has no section " + heading);
}

} // namespace

const std::vector<Section>& all_keys() {
    static const auto all = make_keys();
    return all;
}

std::vector<std::string> keys_of(const std::string& heading, const std::string& kind) {
    std::vector<std::string> names;
    for (const auto& key : section(heading).keys)
        if (kind.empty() || key.of.empty() || std::find(key.of.begin(), key.of.end(), kind) != key.of.end())
            names.push_back(first_name(key.name));
    return names;
}

std::vector<std::string> kinds_of(const std::string& heading) {
    std::vector<std::string> kinds;
    for (const auto& key : section(heading).keys)
        for (const auto& kind : key.of)
            if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    return kinds;
}

std::vector<std::string> keys_at_top() {
    auto names = keys_of("");
    for (const auto& each : all_keys())
        if (!each.heading.empty()) names.push_back(first_name(each.heading));
    return names;
}

std::string table_of_keys() {
    auto text = row({"key", "type", "default", "meaning"}) + row({"---", "---", "---", "---"});
    for (const auto& [heading, meaning, keys] : all_keys()) {
        if (!heading.empty()) text += row({in_code(heading), meaning.type, meaning.standard, meaning.text});
        for (const auto& key : keys) text += row({in_code(key.name), key.type.text, key.standard, key.text});
    }
    return text;
}

std::string table_of_keys(const std::string& heading) {
    const bool has_kinds = !kinds_of(heading).empty();
    const auto line = [&](const std::string& name, const std::string& kinds, const Meaning& meaning) {
        return has_kinds ? row({name, kinds, meaning.type, meaning.standard, meaning.text})
                         : row({name, meaning.type, meaning.standard, meaning.text});
    };
    auto text = line("key", "of", {"type", "default", "meaning"}) + line("---", "---", {"---", "---", "---"});
    for (const auto& key : section(heading).keys) text += line(in_code(key.name), kinds_text(key), {key.type.text, key.standard, key.text});
    return text;
}

} // namespace tessera::run_file
