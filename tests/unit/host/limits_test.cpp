// The limits of CONTRIBUTING.md on functions, read from the sources as clang-format writes them.
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace tessera::limits_test {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_lines = 60, most_parameters = 7;

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Where the definition begins that the line of a brace alone ends: with the next line above that is indented no further, and is neither
// empty nor for the preprocessor, nor goes on with the same definition ("} catch").
std::size_t begin_of(const std::vector<std::string>& lines, std::size_t last) {
    const auto goes_on = [&](const std::string& line) {
        return indent_of(line) > indent_of(lines[last]) || line.find_first_not_of(" }#") != indent_of(line);
    };
    auto first = last;
    while (first > 0 && goes_on(lines[--first])) continue;
    return first;
}

// Whether the comment above says why: "// Long: a table."
bool says_why(const std::vector<std::string>& lines, std::size_t first) {
    const auto is_above = [&](const std::string& line) { return line.compare(indent_of(line), 8, "template") == 0; };
    if (first > 0 && is_above(lines[first - 1])) --first;
    for (auto i = first; i-- > 0 && lines[i].compare(indent_of(lines[i]), 2, "//") == 0;)
        if (lines[i].find("Long: ") != std::string::npos) return true;
    return false;
}

// How many parameters the parentheses hold that open before `at`; 0 if they are few, or if they are not types with names: arguments, say.
std::size_t parameters_at(const std::string& text, std::size_t at) {
    static const std::regex type_and_name(R"(\s*[A-Za-z_][^=+/?"]*[ &*]\(?&?\w+[^=+/?"]*( = .*)?)");
    constexpr std::size_t few = 4, longest = 1000;
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const auto end = std::min(text.size(), at + longest); at < end; ++at) {
        const char c = text[at];
        if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '}' || (c == '>' && text[at - 1] != '-')) --depth;
        if (depth < 0) break;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c == '\n' ? ' ' : c;
    }
    const auto is_parameter = [&](const std::string& part) { return std::regex_match(part, type_and_name); };
    return parts.size() > few && std::all_of(parts.begin(), parts.end(), is_parameter) ? parts.size() : 0;
}

// Calls `visit(name, lines)` for each of our sources.
template<class Visit> void for_each_source(const std::vector<std::string>& folders, const Visit& visit) {
    for (const auto& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(test_source(folder))) {
            const auto ending = entry.path().extension();
            if (ending != ".cpp" && ending != ".hpp" && ending != ".cu") continue;
            std::vector<std::string> lines;
            std::ifstream file(entry.path());
            for (std::string line; std::getline(file, line);) lines.push_back(line);
            visit(entry.path().lexically_relative(test_source(".")).string(), lines);
        }
}

class Limits : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(test_source("host"))) GTEST_SKIP() << "the source tree that the tests were built from is not here";
    }
};

TEST_F(Limits, OfLinesAreKeptOrTheCommentSaysWhyNot) {
    std::size_t seen = 0;
    for_each_source({"host", "jit", "device_runtime", "sdk", "kernels", "bench", "plugins"}, [&](const auto& name, const auto& lines) {
        for (std::size_t last = 0; last < lines.size(); ++last) {
            if (lines[last].empty() || lines[last].find_first_not_of(' ') != lines[last].size() - 1 || lines[last].back() != '}') continue;
            const auto first = begin_of(lines, last);
            EXPECT_TRUE(last - first < most_lines || says_why(lines, first))
                << name << ":" << first + 1 << ": a function of " << last - first + 1 << " lines (at most " << most_lines
                << ") take it apart by subject, or say in its comment why not: `// Long: a table.`";
            ++seen;
        }
    });
    EXPECT_GT(seen, 3000u);
}

// The parameters of what is written by hand in bench/reference are those by which `tessera bench` calls it.
TEST_F(Limits, OfParametersAreKept) {
    static const std::regex literal(R"~("([^"\\]|\\.)*")~"), comment(" *//.*");
    std::size_t seen = 0;
    for_each_source({"host", "jit", "device_runtime", "sdk", "kernels", "plugins"}, [&](const auto& name, const auto& lines) {
        std::string text;
        for (const std::string& line : lines) {
            const bool is_code = line.find('"') == std::string::npos && line.find("//") == std::string::npos;
            text += (is_code ? line : std::regex_replace(std::regex_replace(line, literal, "_"), comment, "")) + "\n";
        }
        for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
            const auto count = parameters_at(text, at + 1);
            EXPECT_LE(count, most_parameters) << name << ":"
                                              << std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
            seen += count > 0 ? 1 : 0;
        }
    });
    EXPECT_GT(seen, 100u);
}

} // namespace
} // namespace tessera::limits_test
