#include "jit/brackets.hpp"

#include <string_view>

namespace tessera::jit {

Brackets::Brackets(const std::vector<Token>& tokens, Directives directives) : other_(tokens.size(), tokens.size()) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& [kind, text, line, column, starts_line, in_directive, offset] = tokens[i];
        if (kind != Token::Kind::punctuation || (in_directive && directives == Directives::skipped)) continue;
        if (std::string_view("([{").find(text) != std::string_view::npos) {
            open.push_back(i);
        } else if (std::string_view(")]}").find(text) != std::string_view::npos && !open.empty()) {
            other_[i] = open.back();
            other_[open.back()] = i;
            open.pop_back();
        }
    }
}

} // namespace tessera::jit
