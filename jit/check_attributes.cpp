#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

constexpr std::array<std::string_view, 8> of_the_language = {"deprecated", "fallthrough",       "likely",  "maybe_unused", "nodiscard",
                                                             "noreturn",   "no_unique_address", "unlikely"};

// The list from `i` to `end`. Arguments stand in brackets of their own.
void check_list(const SourceFile& file, const Tokens& tokens, const Brackets& brackets, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
        const auto& text = tokens[i].text;
        if (text == "(" || text == "[" || text == "{") i = brackets.other(i);
        if (i >= end || tokens[i].kind != Token::Kind::identifier) continue;
        const bool scoped = i + 3 < tokens.size() && tokens[i + 1].text == ":" && tokens[i + 2].text == ":";
        const bool known = std::find(of_the_language.begin(), of_the_language.end(), text) != of_the_language.end();
        if (scoped || !known)
            refuse_as_of_one_compiler(file, tokens[i], fmt::format("the attribute {}{}", text, scoped ? "::" + tokens[i + 3].text : ""));
    }
}

} // namespace

void check_attributes(const SourceFile& file, const Tokens& tokens) {
    const Brackets brackets(tokens);
    std::size_t open = tokens.size(); // the first list that nothing closes goes to the end
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].text != "[" || tokens[i + 1].text != "[") continue;
        const auto end = brackets.other(i + 1);
        if (end < tokens.size() || i < open) check_list(file, tokens, brackets, i + 2, end);
        if (end == tokens.size()) open = std::min(open, i);
    }
}

} // namespace tessera::jit
