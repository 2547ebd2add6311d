// The table of all keys of run files: it is what the manual has, and what readers do.
#include "device_runtime/error.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/run_file.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

namespace tessera::run_file {
namespace {

// A run file that has all sections with what they need.
std::string usual_run_file() {
    return "model = \"m\"\nrun.steps = 5\nplaces.cell = { size = [8, 6] }\nagents.ant = { on = \"cell\", count = 0 }\nschedule = "
           "{}\nplugins = {}\n";
}

// The run with a key of a section set to a value, or as it is.
RunFile run_with(const std::string& heading, const std::string& key, const std::string& value) {
    auto path = std::regex_replace(heading, std::regex("\\[|\\]"), "");
    path = std::regex_replace(path, std::regex("NAME"), heading == "[places.NAME]" ? "cell" : "ant");
    return parse_run_file(usual_run_file(), "r.toml", {(path.empty() ? "" : path + ".") + key + "=" + value});
}
bool is_refused(const std::string& heading, const std::string& key, const std::string& value) {
    try {
        (void)run_with(heading, key, value);
        return false;
    } catch (const Error&) {
        return true;
    }
}
// "2^32 - 1" as a number.
std::int64_t number_in(const std::string& text) {
    static const std::regex power(R"(2\^(\d+)( - 1)?)");
    std::smatch match;
    if (!std::regex_match(text, match, power)) return std::stoll(text);
    const auto value = std::uint64_t{1} << std::stoi(match[1]);
    return static_cast<std::int64_t>(match[2].matched ? value - 1 : value);
}
template<class Visit> void for_each_key(Visit visit) {
    for (const auto& section : all_keys())
        for (const auto& key : section.keys) visit(section.heading, key);
}

TEST(Keys, StandInTheManual) {
    EXPECT_THAT(testing::text_of(test_source("docs/manual.md")), ::testing::HasSubstr("\n\n" + table_of_keys() + "\n"))
        << "`tessera docs --run-file` writes the table";
}

TEST(Keys, OfIntegersHaveTheirRanges) {
    static const std::regex range(R"x(integer, (\S+( - 1)?) to ([^,]+)(, or `"(\S+)"`)?)x");
    int seen = 0;
    for_each_key([&](const std::string& heading, const Key& key) {
        std::smatch match;
        if (!std::regex_match(key.type, match, range)) return;
        ++seen;
        const auto low = number_in(match[1]), high = number_in(match[3]);
        EXPECT_FALSE(is_refused(heading, key.name, std::to_string(low))) << key.name;
        EXPECT_FALSE(is_refused(heading, key.name, std::to_string(high))) << key.name;
        EXPECT_TRUE(is_refused(heading, key.name, std::to_string(low - 1))) << key.name;
        if (high < std::numeric_limits<std::int64_t>::max()) {
            EXPECT_TRUE(is_refused(heading, key.name, std::to_string(high + 1))) << key.name;
        }
        if (match[5].matched) {
            EXPECT_FALSE(is_refused(heading, key.name, "\"" + match[5].str() + "\"")) << key.name;
        }
    });
    EXPECT_GT(seen, 3);
}

TEST(Keys, OfChoicesTakeEachOfThem) {
    static const std::regex choices(R"x((`"\w+"`(, )?)+)x"), choice(R"x(`("\w+")`)x");
    int seen = 0;
    for_each_key([&](const std::string& heading, const Key& key) {
        if (!std::regex_match(key.type, choices)) return;
        ++seen;
        for (std::sregex_iterator at(key.type.begin(), key.type.end(), choice), end; at != end; ++at)
            EXPECT_FALSE(is_refused(heading, key.name, (*at)[1])) << key.name << " = " << (*at)[1];
        EXPECT_TRUE(is_refused(heading, key.name, "\"something else\"")) << key.name;
    });
    EXPECT_GT(seen, 5);
}

TEST(Keys, HaveTheDefaultsThatAreSaid) {
    static const std::regex value(R"(`(".*"|true|false|-?[0-9.]+|\[\])`)");
    const auto usual = parse_run_file(usual_run_file(), "r.toml");
    int seen = 0;
    for_each_key([&](const std::string& heading, const Key& key) {
        std::smatch match;
        if (!std::regex_match(key.standard, match, value)) return;
        ++seen;
        EXPECT_EQ(resolved_toml(run_with(heading, key.name, match[1])), resolved_toml(usual)) << heading << " " << key.name;
    });
    EXPECT_GT(seen, 10);
}

} // namespace
} // namespace tessera::run_file
