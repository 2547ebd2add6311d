// Functions that most agents leave at once, as by `if (self.content) return;`: the condition for that, read from the function's text.
#pragma once

#include "host/setup/setup.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tessera {

// Of one setup, which must outlive it. The model's text is looked through once.
class LeavingConditions {
public:
    explicit LeavingConditions(const Setup& setup);
    ~LeavingConditions();
    LeavingConditions(const LeavingConditions&) = delete;
    LeavingConditions& operator=(const LeavingConditions&) = delete;

    // An expression of `self` that is true only of agents for which a call of the kernel's function does nothing (first_if.hpp). Nothing
    // where the text says none or may mean something else, where a call that returns at once changes something, and where the function
    // minds its own agent alone, so that compilers take several agents at once in any case.
    [[nodiscard]] std::optional<std::string> of(const KernelSetup& kernel) const;

private:
    struct Text;
    const Setup& setup_;
    std::unique_ptr<const Text> text_;
};

// For the kernels (kernels/agents/leaving.hpp): these conditions of all functions of agents that one CPU has in the order of their ids.
// Nothing for runs under a debugger and checked runs, which call each function for all. It stands in front of the kernels.
[[nodiscard]] std::string leaving_source(const Setup& setup);

} // namespace tessera
