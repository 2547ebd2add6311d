#include "host/run_file/keys.hpp"

#include "host/run_file/key_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tessera::run_file {
namespace {

constexpr std::int64_t most_places = (std::int64_t{1} << 40) - 1;

std::string starting_places() {
    const auto table_with = [](const std::string& key, const std::string& value) {
        return fmt::format(R"({{"type":"object","properties":{{"{0}":{1}}},"required":["{0}"],"additionalProperties":false}})", key, value);
    };
    return schema::any_of(
        {schema::names({"random", "each"}), table_with("box", schema::defined("corners")), table_with("file", schema::some_text)});
}

std::vector<Section> make_keys() {
    const auto device = schema::text_like("^(cpu|cuda:[0-9]{1,4})$");
    const auto devices = schema::any_of({device, schema::array_of(device, 1)});
    return {
        {"",
         {"", "", ""},
         {{"model",
           {"string", schema::some_text},
           "-",
           "the name of a model, or a path: with a `/`, or ending in `.cu`; a folder stands for the `.cu` of "
           "its name in it"}}},
        {"[run]",
         {"", "", ""},
         {{"steps", integer(0, largest_step), "-", "how many steps; may be left out where `stop` is given"},
          {"seed", integer(0, largest_integer), "`1`", "of all random numbers"},
          {"devices",
           {R"(`"auto"`, `"cpu"`, `"cuda:0"`, or an array of the latter two)", schema::any_of({schema::names({"auto"}), devices})},
           R"(`"auto"`)",
           "the first GPU, or as many equal ones as are busy with the grid, else the CPU; see [several "
           "devices](#several-devices)"},
          {"weights",
           {"positive numbers, one a device", schema::array_of(schema::positive, 1)},
           "equal",
           "how much of each grid a device makes"},
          {"memory", one_of(memory_models), R"(`"auto"`)",
           R"(of several devices: one range of addresses, or each its own; `"auto"`: one, if all reach each )"
           "other's memory. See [several devices](#several-devices)"},
          {"transport", one_of(transports), R"(`"auto"`)",
           "of rows between devices with memory of their own: directly where a device reaches the other's "
           "memory, else, or always, by way of the host"},
          {"inject_latency",
           {R"(a time, as `"100us"`)", schema::text_like(R"(^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?(us|ms|s)$)")},
           "",
           "for experiments: rows of other CPUs come so much later"},
          {"threads", integer(1, 65536) | one_of({"auto"}), R"(`"auto"`)",
           R"(of the CPU; `"auto"`: as many as there are, but one for each 32768 places of the largest collection )"
           "at most, since more gain nothing there"},
          {"stop", {"condition", schema::text}, "", "ends the run when it holds, see [expressions](#expressions)"},
          {"stop_every", integer(1, largest_step), "`1`", "looks at `stop` in every so many steps"},
          {"out", {"path", schema::some_text}, "", "the result folder, see [results](#results)"},
          {"float", one_of(float_modes), R"(`"exact"`)",
           R"(`"fast"` lets the compilers fuse `a * b + c`; bits may then differ between devices and compilers)"},
          {"bake", boolean(), "`true`",
           "parameters become constants of the compiled code. With `false` they are handed over at the start: "
           "another value needs no new compilation"}}},
        {"[schedule]",
         {"", "", ""},
         {{"exchange", one_of(exchange_modes), R"(`"explicit"`)", R"(`"auto"`: no `exchangeAll` phases are needed, see [phases](#phases))"},
          {"view", one_of(views), R"(`"auto"`)", "how a function is turned into a kernel; for measurements, the bits are the same"},
          {"tune", one_of(tunings) | Type{R"(a way, as `"pipeline:4x2x16"`)", schema::text_like(":")}, R"(`"quick"`)",
           R"(looks for faster ways of making the same steps while a run of some seconds goes on; `"full"` tries )"
           "more of them; a way is used from the start, for measurements"},
          {"halo", integer(1, 1024) | one_of({"auto"}), R"(`"auto"`)",
           "steps from one exchange of rows to the next, where devices have memory of their own, see [several "
           "devices](#several-devices)"}}},
        {"[places.NAME]",
         {"", "", "a collection of places; there may be several"},
         {{"type", {"string", schema::name}, "`NAME`", "the model's type of place, as `tessera info` shows it"},
          {"size",
           {"1 to 3 integers", schema::one_an_extent(schema::integer(1, most_places))},
           "-",
           "extents: x, y, z; fewer than 2^40 places"},
          {"extent",
           {"as many numbers above 0 as `size` has", schema::one_an_extent(schema::positive)},
           "`size`",
           "where space ends along each axis, for [agents in space](sdk.md#agents-in-space); in any unit"},
          {"devices", {"as in `[run]`, of those named there", devices}, "all of them", "the devices that make this collection"},
          {"cuts",
           {R"(rows in rising order, one for each device but the first, or `"measured"`)",
            schema::any_of({schema::array_of(schema::integer(0)), schema::names({"measured"})})},
           "by `weights`",
           R"(where the stripes of the devices begin; `"measured"`: so that each takes as long for the first steps)"},
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
        {"[agents.NAME]",
         {"", "", "a collection of agents; see [agents](#agents)"},
         {{"type", {"string", schema::name}, "`NAME`", "the model's type of agents, as `tessera info` shows it"},
          {"on", {"a collection of places", schema::name}, "the only one of the type that they stand on", "where they live"},
          {"count", integer(0, most_places), "none", R"(how many there are at the start; not beside `"each"` or a file)"},
          {"place",
           {R"(`"random"`, `"each"`, `{ box = [[x, y], [x, y]] }`, `{ file = "ants.csv" }`)", starting_places()},
           R"(`"random"`)",
           "on which places they start; in space anywhere in the box, or at the centre of each. Or a "
           "[table](#agents-from-a-table) that has them all"},
          {"capacity", integer(1, 8) | one_of({"unlimited"}), "`1`",
           "how many of them may stand on one place; of agents in space unlimited"},
          {"room", integer(1, std::int64_t{1} << 30), "`count`, eight times of it where they have children",
           "for how many of them there is memory at first, of unlimited capacity; it grows with them"},
          {"priority", one_of(priorities), R"(`"random"`)", R"(who is served first where not all find room; `"id"`: the lower)"},
          {"on_edge", one_of(edge_rules), R"(`"error"`)",
           "what becomes of an agent that wants to go beyond the edge of a grid that is no torus, and of a "
           "child that is wanted there"},
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
         {{"path", {"list of folders", schema::array_of(schema::some_text)}, "`[]`", "further folders to look for models in"}}},
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
