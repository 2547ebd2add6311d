// The tokens of a C++ text, enough to look at what an author wrote without compiling it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

struct Token {
    enum class Kind { identifier, number, string, character, header_name, punctuation };
    Kind kind;
    std::string text;       // as written; line splices (backslash, newline) are taken out
    int line, column;       // of its first character, from 1; columns count bytes
    bool starts_line;       // nothing but blanks and comments stand before it on its line
    bool in_directive;      // part of a preprocessor directive
    std::size_t offset = 0; // of its first character in the text
};

// Comments are skipped; a string, also a raw one, is one token; punctuation is one character each. The header name of an `#include` is
// one token, with its quotes or brackets. Never fails: what a comment, a string or a character leaves open ends with the text or line.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

} // namespace tessera::jit
