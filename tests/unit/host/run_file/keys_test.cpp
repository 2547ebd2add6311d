// The tables of all keys of run files: they are what the manual has, and what readers do.
#include "device_runtime/error.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/run_file.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <utility>

namespace tessera::run_file::keys_test {
namespace {

// What a table has, in TOML.
using Entries = std::map<std::string, std::string>;
// A section, and of which kind its table is: one row of `usual`.
using Table = std::pair<std::string, std::string>;

// Tables of each kind that have what they need and nothing else.
const std::map<Table, Entries> usual{
    {{"", ""}, {{"model", R"("m")"}}},
    {{"[run]", ""}, {{"steps", "5"}, {"start", R"({ checkpoint = "kept" })"}}},
    {{"[schedule]", ""}, {}},
    {{"[places.NAME]", ""}, {{"size", "[8, 6]"}}},
    {{"[links.NAME]", ""}, {{"generate", R"({ rule = "complete" })"}}},
    {{"[agents.NAME]", ""}, {{"on", R"("cell")"}}},
    {{"[params]", ""}, {}},
    {{"[plugins]", ""}, {}},
    {{"[[phase]]", "callAll"}, {{"callAll", R"("cell.tick")"}}},
    {{"[[phase]]", "exchangeAll"}, {{"exchangeAll", R"("cell")"}}},
    {{"[[phase]]", "manageAll"}, {{"manageAll", R"("ant")"}}},
    {{"[[phase]]", "rotate"}, {{"rotate", R"(["cell.a", "cell.b"])"}}},
    {{"[[phase]]", "reduce"}, {{"reduce", R"x({ total = "sum(cell.a)" })x"}}},
    {{"[[phase]]", "repeat"}, {{"repeat", R"({ phases = [{ callAll = "cell.tick" }], times = 2 })"}}},
    {{"repeat", "times"}, {{"phases", R"x([{ callAll = "cell.tick" }])x"}, {"times", "2"}}},
    {{"repeat", "until"}, {{"phases", R"([{ exchangeAll = "*" }])"}, {"until", R"("step > 3")"}, {"most", "2"}}},
    {{"[[output]]", "csv"}, {{"csv", R"("a.csv")"}, {"every", "1"}, {"columns", R"({ a = "step" })"}}},
    {{"[[output]]", "npy"}, {{"npy", R"("{step}.npy")"}, {"every", "1"}, {"attribute", R"("cell.a")"}}},
    {{"[[output]]", "png"},
     {{"png", R"("{step}.png")"}, {"every", "1"}, {"attribute", R"("cell.a")"}, {"overlay", R"({ ant = "black" })"}}},
    {{"[[output]]", "agents"}, {{"agents", R"("{step}.csv")"}, {"every", "1"}, {"attribute", R"("ant")"}}},
    {{"[[output]]", "links"}, {{"links", R"("{step}.csv")"}, {"every", "1"}, {"attribute", R"("road")"}}},
    {{"overlay", ""}, {{"attribute", R"("fat")"}}},
    {{"generate", "ring"}, {{"rule", R"("ring")"}, {"degree", "2"}}},
    {{"generate", "regular"}, {{"rule", R"("regular")"}, {"degree", "2"}}},
    {{"generate", "small_world"}, {{"rule", R"("small_world")"}, {"degree", "2"}, {"rewire", "0.5"}}},
    {{"generate", "preferential"}, {{"rule", R"("preferential")"}, {"degree", "2"}}},
    {{"generate", "grid"}, {{"rule", R"("grid")"}, {"size", "[8, 6]"}}},
    {{"generate", "random"}, {{"rule", R"("random")"}, {"chance", "0.5"}}},
    {{"generate", "blocks"}, {{"rule", R"("blocks")"}, {"sizes", "[48]"}, {"chances", "[[0.5]]"}}},
    {{"generate", "degrees"}, {{"rule", R"("degrees")"}, {"file", R"("a.txt")"}}},
    {{"init", "value"}, {{"value", "1"}}},
    {{"init", "probability"}, {{"random", "0.5"}}},
    {{"init", "uniform"}, {{"random", R"("uniform")"}, {"low", "-1000000"}, {"high", "1000000"}}},
    {{"init", "bernoulli"}, {{"random", R"("bernoulli")"}, {"p", "0.5"}}},
    {{"init", "below"}, {{"random", R"("below")"}, {"n", "6"}}},
    {{"init", "normal"}, {{"random", R"("normal")"}, {"mean", "1"}, {"deviation", "1"}}},
    {{"init", "file"}, {{"file", R"("a.npy")"}}},
};

// What a key takes the place of.
const std::map<std::pair<std::string, std::string>, std::string> instead_of{{{"[places.NAME]", "count"}, "size"},
                                                                            {{"[links.NAME]", "file"}, "generate"},
                                                                            {{"generate", "links"}, "chance"},
                                                                            {{"generate", "counts"}, "chances"}};

std::string inline_table(const Entries& entries) {
    std::string text;
    for (const auto& [key, value] : entries) text += (text.empty() ? "" : ", ") + key + " = " + value;
    return "{ " + text + " }";
}

// A run file in which all sections have what they need, and one table is another.
std::string run_file_with(const Table& table, const Entries& entries) {
    const auto section = [&](const std::string& heading) {
        const Table key{heading, ""};
        return table == key ? entries : usual.at(key);
    };
    auto places = section("[places.NAME]");
    std::string text, more;
    if (table.first == "init") places["init"] = "{ a = " + inline_table(entries) + " }";
    if (table.first == "[[phase]]") more = "phase = [" + inline_table(entries) + "]\n";
    if (table.first == "repeat") more = "phase = [{ repeat = " + inline_table(entries) + " }]\n";
    if (table.first == "[[output]]") more = "output = [" + inline_table(entries) + "]\n";
    if (table.first == "overlay")
        more = "output = [{ png = \"{step}.png\", every = 1, overlay = { ant = " + inline_table(entries) + " } }]\n";
    for (const auto& [key, value] : section("")) text += key + " = " + value + "\n";
    for (const std::string name : {"run", "schedule", "params", "plugins"})
        text += name + " = " + inline_table(section("[" + name + "]")) + "\n";
    auto links = section("[links.NAME]");
    if (table.first == "generate") links["generate"] = inline_table(entries);
    text += "links.way = " + inline_table(links) + "\n";
    return text + "places.cell = " + inline_table(places) + "\nagents.ant = " + inline_table(section("[agents.NAME]")) + "\n" + more;
}

// A key of a table of a kind that may have it; `path` is how it is written: "init.MEMBER".
struct KeyOfKind {
    Table table;
    Key key;
};
std::vector<KeyOfKind> keys_of_kinds() {
    std::vector<KeyOfKind> all;
    for (const auto* sections : {&all_keys(), &keys_of_tables()})
        for (const auto& section : *sections)
            for (const auto& [table, entries] : usual)
                for (const auto& key : section.keys)
                    if (table.first == section.heading &&
                        (key.of.empty() || std::find(key.of.begin(), key.of.end(), table.second) != key.of.end()))
                        all.push_back({table, key});
    return all;
}
std::string name_of(const KeyOfKind& of) { return of.table.first + " " + of.table.second + " " + of.key.name; }

// The run with a key of a table set to a value, or without it.
RunFile run_with(const KeyOfKind& of, const std::optional<std::string>& value) {
    auto entries = usual.at(of.table);
    entries.erase(of.key.name);
    if (const auto other = instead_of.find({of.table.first, of.key.name}); value && other != instead_of.end()) entries.erase(other->second);
    if (value) entries[of.key.name] = *value;
    return parse_run_file(run_file_with(of.table, entries), "r.toml");
}
bool is_refused(const KeyOfKind& of, const std::optional<std::string>& value) {
    try {
        (void)run_with(of, value);
        return false;
    } catch (const Error&) {
        return true;
    }
}
// "2^32 - 1" as a number.
std::int64_t number_in(const std::string& text) {
    static const std::regex power(R"((-?)2\^(\d+)( - 1)?)");
    std::smatch match;
    if (!std::regex_match(text, match, power)) return std::stoll(text);
    const auto value = std::uint64_t{1} << std::stoi(match[2]);
    return static_cast<std::int64_t>(match[3].matched ? value - 1 : value) * (match[1].length() > 0 ? -1 : 1);
}

TEST(Keys, StandInTheManual) {
    const auto manual = testing::text_of(test_source("docs/manual.md"));
    EXPECT_THAT(manual, ::testing::HasSubstr("\n\n" + table_of_keys() + "\n")) << "`tessera docs --run-file` writes the table";
    for (const auto& section : keys_of_tables())
        EXPECT_THAT(manual, ::testing::HasSubstr("\n\n" + table_of_keys(section.heading) + "\n")) << "`tessera docs --run-file` writes it";
}

TEST(Keys, OfEachKindAreTriedHere) {
    for (const auto* sections : {&all_keys(), &keys_of_tables()})
        for (const auto& section : *sections)
            for (const auto& kind : kinds_of(section.heading)) EXPECT_TRUE(usual.contains({section.heading, kind})) << kind;
    for (const auto& [table, entries] : usual) EXPECT_NO_THROW((void)parse_run_file(run_file_with(table, entries), "r.toml"));
}

// No key takes a date, so that one which nobody reads would show.
TEST(Keys, AreAllRead) {
    for (const auto& key : keys_of_kinds()) EXPECT_TRUE(is_refused(key, "1979-05-27")) << name_of(key);
}

TEST(Keys, ThatHaveToBeGivenAreMissedAndNoOthers) {
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        if (key.key.name == key.table.second || key.key.name.find('.') != std::string::npos) continue; // by which the kind is known
        const bool is_kind = key.table.first == "init" && key.key.name == "random";
        if (is_kind) continue;
        ++seen;
        EXPECT_EQ(is_refused(key, std::nullopt), key.key.standard == "-") << name_of(key);
    }
    EXPECT_GT(seen, 60);
}

TEST(Keys, OfOtherKindsAreRefused) {
    int seen = 0;
    for (const auto& section : keys_of_tables())
        for (const auto& key : section.keys)
            for (const auto& [table, entries] : usual) {
                const auto known = keys_of(table.first, table.second);
                if (table.first != section.heading || std::find(known.begin(), known.end(), key.name) != known.end()) continue;
                ++seen;
                EXPECT_TRUE(is_refused({table, key}, "1")) << table.second << " " << key.name;
            }
    EXPECT_GT(seen, 60);
}

TEST(Keys, OfIntegersHaveTheirRanges) {
    static const std::regex range(R"x(integer, (\S+( - 1)?) (to ([^,]+)|or more)(, or `"(\S+)"`)?)x");
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        std::smatch match;
        if (!std::regex_match(key.key.type.text, match, range)) continue;
        ++seen;
        const auto low = number_in(match[1]), high = match[4].matched ? number_in(match[4]) : std::numeric_limits<std::int64_t>::max();
        EXPECT_FALSE(is_refused(key, std::to_string(low))) << name_of(key);
        EXPECT_FALSE(is_refused(key, std::to_string(high))) << name_of(key);
        EXPECT_TRUE(is_refused(key, std::to_string(low - 1))) << name_of(key);
        if (high < std::numeric_limits<std::int64_t>::max()) {
            EXPECT_TRUE(is_refused(key, std::to_string(high + 1))) << name_of(key);
        }
        if (match[6].matched) {
            EXPECT_FALSE(is_refused(key, "\"" + match[6].str() + "\"")) << name_of(key);
        }
    }
    EXPECT_GT(seen, 40);
}

TEST(Keys, OfNumbersHaveTheirRanges) {
    static const std::regex range(R"x(number, (\S+) (to (\S+)|or more))x");
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        std::smatch match;
        if (!std::regex_match(key.key.type.text, match, range)) continue;
        ++seen;
        EXPECT_FALSE(is_refused(key, match[1])) << name_of(key);
        EXPECT_TRUE(is_refused(key, std::to_string(std::stod(match[1]) - 0.001))) << name_of(key);
        if (!match[3].matched) continue;
        EXPECT_FALSE(is_refused(key, match[3])) << name_of(key);
        EXPECT_TRUE(is_refused(key, std::to_string(std::stod(match[3]) + 0.001))) << name_of(key);
    }
    EXPECT_GT(seen, 2);
}

TEST(Keys, OfChoicesTakeEachOfThem) {
    static const std::regex choices(R"x((`"\w+"`(, )?)+(, or one for each extent)?)x"), choice(R"x(`("\w+")`)x");
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        if (!std::regex_match(key.key.type.text, choices) || key.key.type.text.find("`, `") == std::string::npos) continue;
        if (key.key.name == "random" || key.key.name == "colours" || key.key.name == "rule")
            continue; // kinds; and names that are not known here
        ++seen;
        for (std::sregex_iterator at(key.key.type.text.begin(), key.key.type.text.end(), choice), end; at != end; ++at)
            EXPECT_FALSE(is_refused(key, (*at)[1])) << name_of(key) << " = " << (*at)[1];
        EXPECT_TRUE(is_refused(key, "\"something else\"")) << name_of(key);
    }
    EXPECT_GT(seen, 5);
}

TEST(Keys, OfColoursNameThoseThatThereAre) {
    const auto in_code = [](const std::string& text) {
        static const std::regex name(R"x(`"?(\w+)"?`)x");
        std::vector<std::string> names;
        for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.push_back((*at)[1]);
        return names;
    };
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        if (key.table == Table{"[[output]]", "png"} && key.key.name == "colours") {
            const auto names = colour_map_names();
            EXPECT_THAT(in_code(key.key.type.text), ::testing::ElementsAreArray(names.begin(), names.end()));
            ++seen;
        } else if (key.table.first == "[[output]]" && key.key.name == "overlay") {
            EXPECT_THAT(in_code(key.key.text), ::testing::ElementsAreArray(colour_names()));
            ++seen;
        }
    }
    EXPECT_EQ(seen, 2);
}

TEST(Keys, HaveTheDefaultsThatAreSaid) {
    static const std::regex value(R"(`(".*"|true|false|-?[0-9.]+|\[\])`)");
    int seen = 0;
    for (const auto& key : keys_of_kinds()) {
        std::smatch match;
        if (!std::regex_match(key.key.standard, match, value)) continue;
        ++seen;
        EXPECT_EQ(resolved_toml(run_with(key, match[1])), resolved_toml(run_with(key, std::nullopt))) << name_of(key);
    }
    EXPECT_GT(seen, 25);
}

// Boundaries have a table in which each is explained.
TEST(Keys, OfBoundariesAreAllExplained) {
    const auto manual = testing::text_of(test_source("docs/manual.md"));
    static const std::regex name(R"x(`"(\w+)"`)x");
    for (const auto& key : keys_of_kinds())
        if (key.key.name == "boundary") {
            for (std::sregex_iterator at(key.key.type.text.begin(), key.key.type.text.end(), name), end; at != end; ++at)
                EXPECT_THAT(manual, ::testing::HasSubstr("\n| `" + (*at)[1].str() + "` | ")) << (*at)[1];
        }
}

} // namespace
} // namespace tessera::run_file::keys_test
