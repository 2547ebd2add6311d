#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace tessera::jit {

void check_draw_bounds(const SourceFile& file, const Tokens& tokens, const Constants& constants) {
    constexpr std::int64_t most = 0xffffffff;
    constexpr std::size_t longest = 500; // tokens of an n that is worked out
    const Brackets brackets(tokens);
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (tokens[i].text != "below" || tokens[i - 1].text != "." || tokens[i + 1].text != "(") continue;
        const auto end = brackets.other(i + 1);
        if (end >= tokens.size() || end - i > longest) continue;
        const auto n =
            constants.value({tokens.begin() + static_cast<std::ptrdiff_t>(i) + 2, tokens.begin() + static_cast<std::ptrdiff_t>(end)});
        if (n && (*n < 1 || *n > most))
            refuse(file, tokens[i + 2], fmt::format("below({}) cannot be drawn", *n),
                   fmt::format("below(n) gives 0 to n - 1, for an n from 1 to {}", most), "use an n within that");
    }
}

} // namespace tessera::jit
