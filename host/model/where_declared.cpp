#include "host/model/where_declared.hpp"

#include "jit/brackets.hpp"
#include "jit/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tessera::model {
namespace {

using Tokens = std::vector<jit::Token>;

// TESSERA_PARAM, TESSERA_GLOBAL and TESSERA_UNIFORM say a type first.
std::size_t first_name(const Tokens& tokens, std::size_t macro, std::size_t end) {
    auto at = macro + 2;
    if (tokens[macro].text == "TESSERA_PARAM" || tokens[macro].text == "TESSERA_GLOBAL" || tokens[macro].text == "TESSERA_UNIFORM")
        while (at < end && tokens[at++].text != ",") {}
    return at;
}

// The last of the words, if the first stands at `first`, and the others follow.
const jit::Token* last_of(const std::vector<std::string>& words, const Tokens& tokens, std::size_t first, std::size_t end) {
    if (words.empty() || first >= end || tokens[first].text != words.front()) return nullptr;
    const jit::Token* last = nullptr;
    auto at = first;
    for (const auto& word : words) {
        while (at < end && tokens[at].text != word) ++at;
        if (at >= end) return nullptr;
        last = &tokens[at++];
    }
    return last;
}

std::optional<std::string> found_in(const jit::SourceFile& file, const std::vector<std::string_view>& macros,
                                    const std::vector<std::string>& words) {
    const auto tokens = jit::tokens_of(file.text);
    const jit::Brackets brackets(tokens);
    std::optional<std::string> found;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].in_directive || tokens[i + 1].text != "(" || std::find(macros.begin(), macros.end(), tokens[i].text) == macros.end())
            continue;
        const auto end = std::min(brackets.other(i + 1), tokens.size());
        if (const auto* const token = last_of(words, tokens, first_name(tokens, i, end), end))
            found = fmt::format("{}:{}:{}", file.path, token->line, token->column);
    }
    return found;
}

} // namespace

std::string WhereDeclared::in_macro(const std::vector<std::string_view>& macros, const std::vector<std::string>& words) const {
    if (const auto found = found_in(source_.main, macros, words)) return *found;
    for (const auto& header : source_.headers)
        if (const auto found = found_in(header, macros, words)) return *found;
    return path_;
}

} // namespace tessera::model
