// The integer constants of a text, found without compiling it.
#pragma once

#include "jit/lexer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::jit {

// Knows `constexpr int last = 3;`, `const int last = 3;`, `#define LAST 3` and enumerators of enumerations without `class`. A name that
// may mean something else too, anywhere in the text, is none.
class Constants {
public:
    explicit Constants(const std::vector<std::vector<Token>>& files);

    // What an expression of whole numbers, + - * / % and parentheses, and known names comes to. Nothing for any other expression, for a
    // division by zero, and for what 64 bits do not hold.
    [[nodiscard]] std::optional<std::int64_t> value(const std::vector<Token>& expression) const;

private:
    void read_definitions(const std::vector<Token>& tokens);
    void read_enumerators(const std::vector<Token>& tokens, std::size_t brace);
    void define(const std::string& name, std::optional<std::int64_t> value);

    std::map<std::string, std::int64_t> values_;
    std::set<std::string> ambiguous_;
};

} // namespace tessera::jit
