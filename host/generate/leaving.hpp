// Functions of agents that most agents leave at once, as by `if (self.content) return;`: what their text says of who does.
#pragma once

#include "host/setup/setup.hpp"

#include <optional>
#include <string>

namespace tessera {

// An expression of `self` that is true only of agents whose call of the function does nothing. It names members of the agent, parameters
// and constants alone, and calls and changes nothing. It is taken from the function's text: of `if (A || B) return;` in front, those of A
// and B that are such expressions, up to the first that is none; of a body that is nothing but `if (A && B) ...`, that one of them is
// false. Nothing where the text is neither, where a call that returns at once changes something, and where the function minds its own agent
// alone, so that compilers take several agents at once in any case.
[[nodiscard]] std::optional<std::string> leaving_condition(const Setup& setup, const KernelSetup& kernel);

// A type in the model's namespace that has this condition, and its name; empty where there is none.
struct LeavingSource {
    std::string text, type;
};
[[nodiscard]] LeavingSource leaving_source(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
