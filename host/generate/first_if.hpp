// What the text of a function's body says of calls that do nothing: a look at the `if` with which it begins.
#pragma once

#include "host/model/description.hpp"
#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera {

// What expressions of a model's functions may name without being anything else than values.
class KnownValues {
public:
    // `files` are the model's, the main one first.
    KnownValues(const model::Description& description, const std::vector<std::vector<jit::Token>>& files);

    [[nodiscard]] bool is_macro(const std::string& name) const { return macros_.count(name) != 0 || forgotten_.count(name) != 0; }
    // Whether a name is a constant or a parameter, and nothing else.
    [[nodiscard]] bool have(const jit::Token& name) const;

private:
    jit::Constants constants_;
    std::set<std::string> parameters_, macros_, forgotten_;
};

// An expression of `self` that is true only where a body does nothing. It names these members, and values; it calls and changes nothing. Of
// `if (A || B) return;` in front, those of A and B that are such expressions, up to the first that is none; of a body that is nothing but
// `if (A && B) ...`, that one of them is false. Nothing where the body is neither. `body` has the tokens between its braces.
[[nodiscard]] std::optional<std::string> condition_to_do_nothing(std::vector<jit::Token> body, const KnownValues& values,
                                                                 const std::set<std::string>& members);

} // namespace tessera
