// Functions of which each call draws, as by `const int way = self.random.below(8);` in front: their numbers are made for many agents before
// they are called. Only speed depends on it: what is drawn is the same in any case.
#pragma once

#include "host/setup/setup.hpp"

#include <memory>
#include <string>

namespace tessera {

class SureDraws {
public:
    explicit SureDraws(const jit::ModelSource& model);
    ~SureDraws();
    SureDraws(const SureDraws&) = delete;
    SureDraws& operator=(const SureDraws&) = delete;

    // How many numbers the function draws before its text branches, leaves or does what is not read here; 0 of one that is not in the text.
    // Helpers are followed.
    [[nodiscard]] int of(const std::string& row, const std::string& function) const;

private:
    struct Text;
    std::unique_ptr<const Text> text_;
};

// For the kernels (kernels/agents/first_draws.hpp): these functions of agents that one CPU has in the order of their ids. It stands in
// front of them.
[[nodiscard]] std::string sure_draws_source(const Setup& setup);

} // namespace tessera
