#include "jit/arrays.hpp"

#include "jit/lexer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

// After these words a bracket begins a lambda, or names the parts of a value.
bool comes_before_a_lambda(const Token& token) {
    constexpr std::array<std::string_view, 9> words = {"return", "auto", "else", "do", "and", "or", "not", "case", "throw"};
    return std::find(words.begin(), words.end(), token.text) != words.end();
}

bool ends_a_value(const Token& token) {
    if (token.kind == Token::Kind::punctuation) return token.text == ")" || token.text == "]" || token.text == "}" || token.text == ">";
    return !comes_before_a_lambda(token);
}

bool has_arrays(const SourceFile& file) {
    const auto tokens = tokens_of(file.text);
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i].text == "[" && tokens[i].kind == Token::Kind::punctuation && ends_a_value(tokens[i - 1])) return true;
    return false;
}

} // namespace

bool has_arrays(const ModelSource& model) {
    return has_arrays(model.main) ||
           std::any_of(model.headers.begin(), model.headers.end(), [](const SourceFile& header) { return has_arrays(header); });
}

} // namespace tessera::jit
