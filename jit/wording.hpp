// The rules that put a compiler's message into our words. To teach it a message: add a row to the table in wording.cpp, a rule for it in
// wording/ if none fits, and a golden test.
#pragma once

#include "jit/compiler_log.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

// Where in the author's text a message stands, and what is known lexically about that text.
struct Passage {
    const Outline* outline;           // of all of the author's files together
    const CallSite* function;         // around the line; nullptr outside of functions
    const std::vector<Token>* tokens; // of the file
    int line, column;                 // as the compiler says; column 0 when it does not
};

struct Wording {
    std::string message;
    int line = 0, column = 0;      // a better place than the compiler's; 0: the compiler's
    bool has_consequences = false; // what compilers say after it differs and helps nobody
};

// Nothing when no rule fits: the compiler's own text is shown then.
[[nodiscard]] std::optional<Wording> in_our_words(const CompilerMessage& message, Toolchain toolchain, const Passage& passage);

// The same for warnings (wording/warnings.cpp). An empty message: it is left out.
[[nodiscard]] std::optional<Wording> warning_in_our_words(const CompilerMessage& message, const Passage& passage);

// `self.sum(moore, &Cell::heat)` of a member that no around<...> declares, found without a message: NVRTC 13 makes an invalid program of a
// consteval constructor that fails, and names no line.
[[nodiscard]] std::optional<Wording> undeclared_in_a_sum(const Outline& everything, const Outline& file, const std::vector<Token>& tokens);

// `moore_of<17>`: g++ names no line of the author's, and the others the first of the macro that it stands in.
[[nodiscard]] std::optional<Wording> radius_out_of_range(const Outline& everything, const std::vector<Token>& tokens);

// Macros that are misspelt, or given too few arguments; access lists with a `>` or a comma too few, and what else is written wrongly in
// them. Found without a message, once a compiler has refused the text.
[[nodiscard]] std::vector<Wording> wrong_macros(const Outline& everything, const std::vector<Token>& tokens);
[[nodiscard]] std::vector<Wording> wrong_access_lists(const Outline& everything, const Outline& file, const std::vector<Token>& tokens);

} // namespace tessera::jit
