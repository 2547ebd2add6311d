// The JSON schema of run files: it takes what readers take, knows every key, and refuses what is no key and what has another type.
#include "device_runtime/error.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/run_file/document.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/run_file.hpp"
#include "host/run_file/schema.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"
#include "tests/unit/host/run_file/schema_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tessera::run_file::schema_test {
namespace {

namespace fs = std::filesystem;
using testing::Json;

const Json& the_schema() {
    static const auto schema = Json::parse(schema_of_run_files());
    return schema;
}

// As an editor sees it.
Json in_json(const Node& node) {
    switch (node.kind) {
    case Node::Kind::integer: return node.integer;
    case Node::Kind::number: return node.number;
    case Node::Kind::boolean: return node.boolean;
    case Node::Kind::text: return node.text;
    case Node::Kind::date: return "1979-05-27";
    case Node::Kind::array: {
        auto array = Json::array();
        for (const auto& item : node.items) array.push_back(in_json(item));
        return array;
    }
    case Node::Kind::table: break;
    }
    auto table = Json::object();
    for (const auto& item : node.items) table[item.key] = in_json(item);
    return table;
}

// What the schema has against it; empty: nothing.
std::string fault_of(const std::string& text) { return testing::fault_of(in_json(parse_document(text, "r.toml", "")), the_schema()); }

bool is_read(const std::string& text) {
    try {
        (void)parse_run_file(text, "r.toml");
        return true;
    } catch (const Error&) {
        return false;
    }
}

const std::string usual = "model = \"m\"\nrun.steps = 5\n";

// A run file with a value at each place where a key can stand.
std::string with_key(const std::string& heading, const std::string& kind, const std::string& key, const std::string& value) {
    static const std::map<std::string, std::string> needed{{"callAll", "callAll = \"cell.tick\""},
                                                           {"exchangeAll", "exchangeAll = \"cell\""},
                                                           {"manageAll", "manageAll = \"ant\""},
                                                           {"rotate", "rotate = [\"cell.a\", \"cell.b\"]"},
                                                           {"reduce", "reduce = { total = \"sum(cell.a)\" }"},
                                                           {"repeat", "repeat = { phases = [{ callAll = \"cell.tick\" }], times = 2 }"},
                                                           {"times", "phases = [{ callAll = \"cell.tick\" }]\ntimes = 2"},
                                                           {"until", "phases = [{ exchangeAll = \"*\" }]\nuntil = \"step > 3\"\nmost = 2"},
                                                           {"csv", "csv = \"a.csv\"\nevery = 1\ncolumns = { a = \"step\" }"},
                                                           {"npy", "npy = \"{step}.npy\"\nevery = 1\nattribute = \"cell.a\""},
                                                           {"png", "png = \"{step}.png\"\nevery = 1\nattribute = \"cell.a\""},
                                                           {"agents", "agents = \"{step}.csv\"\nevery = 1\nattribute = \"ant\""},
                                                           {"links", "links = \"{step}.csv\"\nevery = 1\nattribute = \"road\""},
                                                           {"value", "value = 1"},
                                                           {"probability", "random = 0.5"},
                                                           {"uniform", "random = \"uniform\"\nlow = -1000000\nhigh = 1000000"},
                                                           {"bernoulli", "random = \"bernoulli\"\np = 0.5"},
                                                           {"below", "random = \"below\"\nn = 6"},
                                                           {"normal", "random = \"normal\"\nmean = 1\ndeviation = 1"},
                                                           {"file", "file = \"a.npy\""},
                                                           {"ring", "rule = \"ring\"\ndegree = 8"},
                                                           {"regular", "rule = \"regular\"\ndegree = 8"},
                                                           {"small_world", "rule = \"small_world\"\ndegree = 8\nrewire = 0.5"},
                                                           {"preferential", "rule = \"preferential\"\ndegree = 8"},
                                                           {"grid", "rule = \"grid\""},
                                                           {"blocks", "rule = \"blocks\"\nsizes = [48]\nchances = [[0.5]]"},
                                                           {"degrees", "rule = \"degrees\"\nfile = \"a.txt\""},
                                                           {"random", "rule = \"random\"\nchance = 0.5"}};
    static const std::map<std::string, std::string> tables{
        {"", ""},
        {"[places.NAME]", "[places.cell]\n"},
        {"[agents.NAME]", "[agents.ant]\n"},
        {"[links.NAME]", "[links.road]\n"},
        {"generate", "[links.road]\n[links.road.generate]\n"},
        {"repeat", "[[phase]]\n[phase.repeat]\n"},
        {"overlay", "[[output]]\npng = \"{step}.png\"\nevery = 1\n[output.overlay.ant]\n"},
        {"checkpoint", "[run.checkpoint]\n"},
        {"start", "[run.start]\n"},
        {"init", "[places.cell]\nsize = [8, 6]\n[places.cell.init.a]\n"}};
    auto lines = heading == "[places.NAME]"  ? "size = [8, 6]"
                 : heading == "[links.NAME]" ? "generate = { rule = \"complete\" }"
                 : heading == "overlay"      ? "attribute = \"fat\""
                 : heading == "checkpoint"   ? "every = 5"
                 : heading == "start"        ? "checkpoint = \"kept\""
                 : heading == "[run]"        ? "steps = 5"
                                             : "";
    std::map<std::string, std::string> entries;
    std::istringstream all(kind.empty() ? lines : needed.at(kind));
    for (std::string line; std::getline(all, line);) entries[line.substr(0, line.find(' '))] = line;
    entries[key] = key + " = " + value;
    std::string text = heading == "[run]" ? "model = \"m\"\n" : heading.empty() && key == "model" ? "run.steps = 5\n" : usual;
    text += tables.contains(heading) ? tables.at(heading) : heading + "\n";
    for (const auto& [name, line] : entries) text += line + "\n";
    return text;
}

// `visit(heading, kind, key)` for each key of each table of each kind.
template<class Visit> void for_each_key(const Visit& visit) {
    for (const auto* sections : {&all_keys(), &keys_of_tables()})
        for (const auto& section : *sections)
            for (const auto& key : section.keys) {
                const auto kinds = kinds_of(section.heading);
                for (const auto& kind : kinds.empty() ? std::vector<std::string>{""} : key.of.empty() ? kinds : key.of)
                    visit(section.heading, kind, key);
            }
}
std::string name_of(const Key& key) { return key.name == "NAME" ? "a" : key.name; }

const std::vector<std::string> values{"-1",
                                      "0",
                                      "1",
                                      "3",
                                      "2000000",
                                      "9000000000000",
                                      "-0.5",
                                      "0.5",
                                      "2.0",
                                      "inf",
                                      "true",
                                      "1979-05-27",
                                      "\"\"",
                                      "\"a\"",
                                      "\"a.b\"",
                                      "\"a-b\"",
                                      "\"*\"",
                                      "\"step > 3\"",
                                      "\"auto\"",
                                      "\"cpu\"",
                                      "\"cuda:0\"",
                                      "\"own\"",
                                      "\"100us\"",
                                      "\".5ms\"",
                                      "\"1e-3s\"",
                                      "\"pipeline:4x2x16\"",
                                      "\"full\"",
                                      "\"torus\"",
                                      "\"measured\"",
                                      "\"random\"",
                                      "\"each\"",
                                      "\"unlimited\"",
                                      "\"uniform\"",
                                      "\"id\"",
                                      "\"refuse\"",
                                      "\"black\"",
                                      "\"x/{step:06}.npy\"",
                                      "\"{step}.csv\"",
                                      "[]",
                                      "[1]",
                                      "[1, 2]",
                                      "[8, 6, 2]",
                                      "[1, 2, 3, 4]",
                                      "[0.5, 2.5]",
                                      "[true, 1]",
                                      "[\"a\"]",
                                      "[\"a.b\", \"a.c\"]",
                                      "[\"cpu\", \"cuda:1\"]",
                                      "[\"open\", \"torus\"]",
                                      "[[0, 0], [4, 4]]",
                                      "[{ value = 1 }, { random = 0.5 }]",
                                      "[{ callAll = \"a.b\" }, { reduce = { a = \"sum(a.b)\" } }]",
                                      "{}",
                                      "{ a = \"step\" }",
                                      "{ a = \"black\" }",
                                      "{ a = { attribute = \"fat\" } }",
                                      "{ box = [[0, 0], [4, 4]] }",
                                      "{ file = \"a.csv\" }",
                                      "{ value = 1 }",
                                      "{ value = [1, 2], box = [[0, 0], [1, 1]] }",
                                      "{ random = 0.5 }",
                                      "{ random = \"below\", n = 3 }",
                                      "{ file = \"a.npy\", at = [1, 1], element = 1 }",
                                      "{ phases = [{ callAll = \"a.b\" }], times = 2 }",
                                      "{ phases = [{ callAll = \"a.b\" }], until = \"step > 2\", most = 3 }",
                                      "{ nonsense = 1 }"};

TEST(Schema, TakesWhatIsRead) {
    int seen = 0;
    for_each_key([&](const std::string& heading, const std::string& kind, const Key& key) {
        // Names of colours are looked up later than a run file is read.
        if (key.name == "colours" || key.name == "overlay") return;
        for (const auto& value : values) {
            const auto text = with_key(heading, kind, name_of(key), value);
            if (!is_read(text)) continue;
            ++seen;
            EXPECT_EQ(fault_of(text), "") << text;
        }
    });
    EXPECT_GT(seen, 500);
}

// Of what is not read for the type of one value, without looking at others: the few things that a schema cannot say, or does not.
TEST(Schema, RefusesWhatHasAnotherType) {
    int refused = 0;
    for_each_key([&](const std::string& heading, const std::string& kind, const Key& key) {
        int taken = 0;
        for (const auto& value : {"true", "-7.5", "{ nonsense = 1 }", "[[[true]]]"})
            if (fault_of(with_key(heading, kind, name_of(key), value)).empty())
                ++taken;
            else
                ++refused;
        EXPECT_LE(taken, 2) << heading << " " << kind << " " << key.name;
        EXPECT_FALSE(fault_of(with_key(heading, kind, name_of(key), "{ nonsense = 1 }")).empty()) << heading << " " << key.name;
    });
    EXPECT_GT(refused, 300);
    for (const auto* text : {"steps = \"5\"", "steps = 5.5", "steps = -1", "steps = 4294967296", "bake = 1", "float = \"fats\"",
                             "threads = 0", "devices = \"gpu\"", "weights = [0]", "inject_latency = \"3 weeks\""})
        EXPECT_NE(fault_of("model = \"m\"\n[run]\n" + std::string(text)), "") << text;
}

TEST(Schema, HasEveryKeyWithWhatItMeans) {
    const auto& schema = the_schema();
    int seen = 0;
    const std::function<bool(const Json&, const std::string&)> has = [&](const Json& in, const std::string& name) {
        if (in.is_object() && in.contains("properties") && in["properties"].contains(name)) return true;
        return std::any_of(in.begin(), in.end(), [&](const Json& inner) { return inner.is_structured() && has(inner, name); });
    };
    for_each_key([&](const std::string& heading, const std::string&, const Key& key) {
        ++seen;
        const auto section = heading.substr(0, heading.find_first_of(".]", 2));
        const auto name = section.substr(section.find_first_not_of('[') == std::string::npos ? 0 : section.find_first_not_of('['));
        const auto& in = heading.empty()                                          ? schema
                         : heading.starts_with("[[") || !heading.starts_with("[") ? schema["definitions"]
                                                                                  : schema["properties"][name];
        if (key.name != "NAME") {
            EXPECT_TRUE(has(in, key.name.substr(0, key.name.find('.')))) << heading << " " << key.name;
        }
    });
    EXPECT_GT(seen, 100);
    EXPECT_EQ(schema["properties"]["run"]["properties"]["stop_every"]["description"],
              "`stop` is checked every so many steps. Default: `1`");
    EXPECT_EQ(schema["properties"]["run"]["properties"]["stop_every"]["default"], 1);
    EXPECT_EQ(schema["properties"]["run"]["properties"]["devices"]["default"], "auto");
}

TEST(Schema, RefusesKeysThatAreNone) {
    int seen = 0;
    for_each_key([&](const std::string& heading, const std::string& kind, const Key&) {
        if (heading == "[params]") return; // whose keys are the model's
        ++seen;
        EXPECT_NE(fault_of(with_key(heading, kind, "nonsense", "1")), "") << heading << " " << kind;
    });
    EXPECT_GT(seen, 100);
}

// In a table of the file's own; the model's defaults may have what a section lacks.
TEST(Schema, MissesWhatATableHasToHave) {
    for (const auto* text : {"output = [{ csv = \"a.csv\", columns = { a = \"step\" } }]", "phase = [{ every = 2 }]",
                             "phase = [{ repeat = { phases = [{ callAll = \"a.b\" }], until = \"step > 2\" } }]",
                             "places.cell.init.a = { random = \"below\" }"})
        EXPECT_NE(fault_of(usual + text), "") << text;
    EXPECT_EQ(fault_of("model = \"m\"\nplaces.cell.boundary = \"open\""), "");
}

TEST(Schema, KnowsTheColoursThatThereAre) {
    for (const auto& name : colour_map_names())
        EXPECT_EQ(fault_of(with_key("[[output]]", "png", "colours", '"' + std::string(name) + '"')), "") << name;
    for (const auto& name : colour_names())
        EXPECT_EQ(fault_of(with_key("[[output]]", "png", "overlay", "{ ant = \"" + name + "\" }")), "") << name;
    EXPECT_EQ(fault_of(with_key("[[output]]", "png", "overlay", "{ ant = \"#ff8000\" }")), "");
    EXPECT_NE(fault_of(with_key("[[output]]", "png", "colours", "\"blak\"")), "");
    EXPECT_NE(fault_of(with_key("[[output]]", "png", "overlay", "{ ant = \"blak\" }")), "");
}

std::vector<fs::path> run_files_below(const fs::path& folder) {
    std::vector<fs::path> found;
    if (!fs::exists(folder)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().extension() == ".toml") found.push_back(entry.path());
    return found;
}

TEST(Schema, TakesTheExamples) {
    int seen = 0;
    for (const auto& file : run_files_below(test_shipped("examples"))) {
        ++seen;
        EXPECT_EQ(fault_of(testing::text_of(file)), "") << file;
    }
    EXPECT_GT(seen, 10);
}

// Those of the mistakes that tests/golden has, where a model is needed to find them, are run files like any other. Of the rest the schema
// finds most.
TEST(Schema, TakesTheRunFilesOfTestsThatAreRead) {
    int taken = 0, found = 0, missed = 0;
    for (const auto& file : run_files_below(test_data("golden"))) {
        const auto text = testing::text_of(file);
        if (file.parent_path().string().find("_of_unknown_colour") != std::string::npos ||
            file.parent_path().filename() == "unknown_colours")
            continue; // names that are looked up later
        std::string fault;
        try {
            fault = fault_of(text);
        } catch (const Error&) {
            continue; // no TOML
        }
        if (is_read(text)) {
            ++taken;
            EXPECT_EQ(fault, "") << file;
        } else {
            ++(fault.empty() ? missed : found);
        }
    }
    EXPECT_GT(taken, 150);
    EXPECT_GT(found, 60);
    EXPECT_LT(missed, found);
}

TEST(Schema, MayBeNamedInTheFirstLine) { EXPECT_TRUE(is_read("#:schema /usr/local/share/tessera/run.schema.json\n" + usual)); }

TEST(Schema, IsWrittenByTheProgramAndLiesWhereItIsInstalled) {
    const auto written = testing::run({test_program(), {"docs", "--schema"}, fs::temp_directory_path(), {}, {}});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, schema_of_run_files());
    EXPECT_EQ(testing::text_of(test_program().parent_path() / "../share/tessera/run.schema.json"), written.out);
    const auto refused = testing::run({test_program(), {"docs", "--schema", "--run-file"}, fs::temp_directory_path(), {}, {}});
    EXPECT_NE(refused.status, 0);
}

} // namespace
} // namespace tessera::run_file::schema_test
