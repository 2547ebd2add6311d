// Which functions of a model draw random numbers.
#pragma once

#include "host/setup/setup.hpp"
#include "jit/source.hpp"

#include <set>
#include <string>
#include <utility>

namespace tessera {

// The functions whose text names `random`, or a helper whose text does, or one that such a helper is called by. All of them, where
// something else of the model names it: a macro, a type, a name made by pasting.
class DrawingFunctions {
public:
    explicit DrawingFunctions(const jit::ModelSource& model);
    [[nodiscard]] bool include(const std::string& row, const std::string& function) const;

private:
    std::set<std::pair<std::string, std::string>> functions_; // row, name
    bool all_ = false;
};

// For the kernels (kernels/launch/draws.hpp): says of each function whose text draws nothing that its kernels need not make first
// draws for several places at once. Where the text leaves it open, nothing is said; the numbers do not depend on it.
[[nodiscard]] std::string draws_source(const Setup& setup);

} // namespace tessera
