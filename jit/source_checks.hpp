// What check_source is made of. All throw Error (Failure::compile) with path:line:column.
#pragma once

#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"
#include "jit/source.hpp"

#include <string>
#include <vector>

namespace tessera::jit {

using Tokens = std::vector<Token>;

[[noreturn]] void refuse(const SourceFile& file, const Token& token, const std::string& problem, const std::string& why,
                         const std::string& suggestion);
[[noreturn]] void refuse_as_of_one_compiler(const SourceFile& file, const Token& token, const std::string& what);

// Whether a model may not have a word that begins like this.
[[nodiscard]] bool begins_forbidden_word(const std::string& text);

// Directives, pasted tokens, and spellings that hide what a text says: check_preprocessing.cpp.
void check_preprocessing(const SourceFile& file, const Tokens& tokens);

// Attributes that are not the language's own: check_attributes.cpp.
void check_attributes(const SourceFile& file, const Tokens& tokens);

// Calls whose arguments draw random numbers in an order that nobody knows: check_draws.cpp.
void check_draws(const SourceFile& file, const Tokens& tokens);

// self.random.below(n) with a constant n that is not 1 to 2^32 - 1: check_draw_bounds.cpp.
void check_draw_bounds(const SourceFile& file, const Tokens& tokens, const Constants& constants);

// Members that a function `sets`, and reads before it assigns them: check_sets.cpp.
void check_sets(const SourceFile& file, const Tokens& tokens, const Outline& outline);

// Functions that are given to self.count(links<Road>, ...) and the like, and change something: check_answers.cpp.
void check_answers(const SourceFile& file, const Tokens& tokens);

// Names in TESSERA_VALUES that are constants of the text, and have other numbers there: check_values.cpp.
void check_values(const SourceFile& file, const Tokens& tokens, const Constants& constants);

// Variables that outlive a call: check_variables.cpp.
void check_variables(const SourceFile& file, const Tokens& tokens);

} // namespace tessera::jit
