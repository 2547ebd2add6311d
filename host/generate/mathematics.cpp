#include "host/generate/mathematics.hpp"

#include "jit/lexer.hpp"
#include "jit/source.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera {
namespace {

// What math.hpp declares in namespace tessera, the namespace with the rest of it, and the member of self.random that needs it.
constexpr std::array<std::string_view, 28> functions_by_name = {
    "abs", "atan", "atan2", "ceil",  "clamp", "cos",  "exp", "floor", "fma",    "fmod",  "isfinite",    "isinf",  "isnan", "log",
    "max", "min",  "pow",   "round", "sin",   "sqrt", "tan", "tanh",  "to_int", "trunc", "math_detail", "normal", "pi",    "pi_v"};

bool names_mathematics(const jit::SourceFile& file) {
    const auto tokens = jit::tokens_of(file.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& text = tokens[i].text;
        const bool pastes =
            i > 0 && (text == "#" || text == "%:") && tokens[i - 1].text == text;          // punctuation is one character each, and `%:`
        const bool of_the_sdk = text.starts_with("TESSERA_CAT") || text == "TESSERA_RARE"; // its own macros, which no model needs
        if (pastes || of_the_sdk || std::find(functions_by_name.begin(), functions_by_name.end(), text) != functions_by_name.end())
            return true;
    }
    return false;
}

} // namespace

bool may_use_mathematics(const jit::ModelSource& model) {
    return names_mathematics(model.main) || std::any_of(model.headers.begin(), model.headers.end(), names_mathematics);
}

} // namespace tessera
