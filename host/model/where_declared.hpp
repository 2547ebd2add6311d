// Where in a model's source something is declared, for errors about what its records say.
#pragma once

#include "jit/source.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::model {

class WhereDeclared {
public:
    // `path` names the model where the source does not say more, as of a library that has none.
    WhereDeclared(const jit::ModelSource& source, std::string path) : source_(source), path_(std::move(path)) {}

    // Of the last macro of one of these names that declares the first of these words and has the others, in this order, behind it:
    // "model.cu:4:23", of the last word. The path where there is none.
    [[nodiscard]] std::string in_macro(const std::vector<std::string_view>& macros, const std::vector<std::string>& words) const;

private:
    const jit::ModelSource& source_;
    std::string path_;
};

} // namespace tessera::model
