// Which brackets of a text belong together: all of them found in one pass, for texts may open any number and close none.
#pragma once

#include "jit/lexer.hpp"

#include <cstddef>
#include <vector>

namespace tessera::jit {

enum class Directives { counted, skipped };

class Brackets {
public:
    // Of ( ), [ ] and { }. What closes belongs to what was opened last, whichever kind it is: a text where they differ does not compile.
    explicit Brackets(const std::vector<Token>& tokens, Directives directives = Directives::counted);

    // The token that belongs to this one; the number of tokens where there is none.
    [[nodiscard]] std::size_t other(std::size_t bracket) const { return bracket < other_.size() ? other_[bracket] : other_.size(); }

private:
    std::vector<std::size_t> other_;
};

} // namespace tessera::jit
