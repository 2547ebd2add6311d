// The headers of the SDK: their licence, that each compiles by itself, and that docs/sdk.md has what authors may use of them.
// sanitizers: none
// optimise: yes
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::headers_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SdkHeaders : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = test_source("sdk/include");
        if (!fs::exists(folder_)) GTEST_SKIP() << "the source tree that the tests were built from is not here";
        for (const auto& entry : fs::recursive_directory_iterator(folder_))
            if (entry.is_regular_file()) headers_.push_back(entry.path());
        std::sort(headers_.begin(), headers_.end());
        ASSERT_GT(headers_.size(), 30U);
    }

    fs::path folder_;
    std::vector<fs::path> headers_;
};

TEST_F(SdkHeaders, SayTheirLicence) {
    for (const auto& header : headers_)
        EXPECT_TRUE(testing::text_of(header).starts_with("// SPDX-License-Identifier: Apache-2.0\n")) << header;
}

// NVRTC writes `?` for it.
TEST_F(SdkHeaders, HaveNoBackticksInWhatCompilersSay) {
    const std::regex assertion(R"(static_assert\([^;]*;)");
    int seen = 0;
    for (const auto& header : headers_) {
        const auto text = testing::text_of(header);
        for (std::sregex_iterator match(text.begin(), text.end(), assertion), end; match != end; ++match, ++seen)
            EXPECT_EQ(match->str().find('`'), std::string::npos) << header << ": " << match->str();
    }
    EXPECT_GT(seen, 50);
}

// ---- each by itself

class SdkHeadersOf : public SdkHeaders, public ::testing::WithParamInterface<const char*> {};

TEST_P(SdkHeadersOf, CompileAlone) {
    const auto shell = [](const std::string& line) { return testing::run({"/bin/sh", {"-c", line}, "/", {}, {}}); };
    const std::string compiler = GetParam();
    if (shell("command -v " + compiler).status != 0) GTEST_SKIP() << compiler << " is not on $PATH";
    for (const auto& header : headers_) {
        const auto name = header.lexically_relative(folder_).string();
        // Twice, for an author may: by way of another header, say.
        const auto outcome =
            shell("printf '#include <" + name + ">\\n#include <" + name + ">\\n' | " + compiler +
                  " -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas -I '" + folder_.string() + "' -x c++ -");
        EXPECT_EQ(outcome.status, 0) << name << "\n" << outcome.err.substr(0, 2000);
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SdkHeadersOf, ::testing::Values("g++", "clang++"),
                         [](const auto& tested) { return std::string(tested.param).substr(0, std::string(tested.param).find('+')); });

// ---- what authors may use

// A header of tessera/ without comments, bodies of functions, all but the first line of macros, and what is private.
std::string public_part(const std::string& text) {
    std::string result, end_of_body;
    bool is_private = false, goes_on = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool is_within_macro = goes_on, is_within_body = !end_of_body.empty();
        goes_on = !line.empty() && line.back() == '\\';
        if (line == "private:") is_private = true;
        if (line.starts_with("};")) is_private = false;
        if (line == end_of_body) end_of_body.clear();
        if (is_private || is_within_macro || is_within_body) continue;
        line = line.substr(0, line.find("//"));
        result += line + "\n";
        if (line.ends_with(") {") || line.ends_with("const {")) end_of_body = std::string(line.find_first_not_of(' '), ' ') + "}";
    }
    return result;
}

void add_names(std::set<std::string>& names, const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) names.insert((*match)[1]);
}

// What the public headers declare: macros, constants and templates of constants, functions, members of what authors hold, types.
std::set<std::string> public_names(const std::string& text) {
    const auto shown = public_part(text);
    std::set<std::string> names;
    add_names(names, shown, R"(#define (TESSERA_\w+))");
    add_names(names, shown, R"((?:inline constexpr [^;{}]*?|\n\} )(\w+)(?: = [^;{}]*|\{\});)");
    add_names(names, shown, R"((?:TESSERA_FN|\[\[nodiscard\]\])[^;{}()]*[ &*](\w+)\()");
    add_names(names, shown, R"(\n    (?:template<[^\n]*> )?void (\w+)\()");
    add_names(names, shown, R"(\n    (?:const )?(?:[\w:]+(?:<[^;(){}]*>)?|decltype\([^;{}]*\)) (\w+)(?: = [^;{}]*)?;)");
    add_names(names, shown, R"(\n(?:template<[^\n]*> )?struct (?:TESSERA_OF_THIS_LIBRARY )?(\w+))");
    return names;
}

// What macros make of members.
const std::set<std::string> made_by_macros = {"sum", "lower_to", "raise_to"};

// Public for the engine's sake, and no author's.
const std::set<std::string> not_for_authors = {
    // types of names that authors write, or of what they are handed
    "place_position", "place", "site", "ground", "met_agent", "met_in_space", "among_agents", "agent_in_space", "agent", "place_of_agents",
    "agents_type", "anywhere_type", "moved_type", "refused_type", "refused_births_type", "space_point", "length", "within_type",
    "drawn_below", "random_stream", "Corner", "Every", "source", "target", "numbered_place", "linked_place", "other_end", "given_end",
    "linked_site", "linked_agent", "numbered_ground", "located_agent", "place_among_agents", "TESSERA_FAR_TYPE", "TESSERA_FAR_BASE",
    "TESSERA_FAR_INIT", "TESSERA_FAR_MEMBERS", "TESSERA_LINK_SUM", "joined_place", "joining_link",
    // how they are made
    "value", "AddedHook", "TESSERA_SUM", "TESSERA_OF_THIS_LIBRARY"};

// The words in code of a page: in blocks and between backticks.
std::set<std::string> words_in_code(const std::string& page) {
    std::set<std::string> words;
    const std::regex code("```[^`]*```|`[^`\n]+`"), word(R"(\w+)");
    for (std::sregex_iterator part(page.begin(), page.end(), code), end; part != end; ++part) {
        const auto text = part->str();
        for (std::sregex_iterator each(text.begin(), text.end(), word); each != end; ++each) words.insert(each->str());
    }
    return words;
}

TEST_F(SdkHeaders, HaveNothingForAuthorsThatThePageLacks) {
    const auto page = words_in_code(testing::text_of(test_source("docs/sdk.md")));
    std::set<std::string> seen;
    for (const auto& header : headers_) {
        if (header.parent_path().filename() == "detail") continue;
        for (const auto& name : public_names(testing::text_of(header))) {
            seen.insert(name);
            if (name.starts_with("tessera_") || not_for_authors.contains(name)) continue;
            EXPECT_TRUE(page.contains(name)) << header.filename() << " has `" << name << "`, which docs/sdk.md does not";
        }
    }
    for (const auto& name : made_by_macros) EXPECT_TRUE(page.contains(name)) << name;
    EXPECT_THAT(seen, ::testing::IsSupersetOf({"TESSERA_CALL", "TESSERA_ASSERT", "TESSERA_HOOK",   "moore",     "with_here", "offsets",
                                               "within",       "anywhere",       "reads",          "spawns",    "dies",      "each",
                                               "at",           "migrate_to",     "refused_births", "position",  "away",      "bernoulli",
                                               "atan2",        "pi_v",           "select",         "parameter", "extents",   "stop",
                                               "log",          "every",          "at_end"}));
    for (const auto& name : not_for_authors) EXPECT_TRUE(seen.contains(name)) << "there is no `" << name << "` any more";
}

} // namespace
} // namespace tessera::headers_test
