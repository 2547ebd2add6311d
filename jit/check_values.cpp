#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tessera::jit {

// TESSERA_VALUES(Cell::kind, bare, tree = 5): what is no list of names is left to those who read it (host/model/member_values.cpp).
void check_values(const SourceFile& file, const Tokens& tokens, const Constants& constants) {
    const Brackets brackets(tokens);
    const auto is = [&](std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; };
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].in_directive || !is(i, "TESSERA_VALUES") || !is(i + 1, "(")) continue;
        const auto end = std::min(brackets.other(i + 1), tokens.size());
        auto at = std::min(i + 2, end);
        while (at < end && !is(at, ",")) ++at;
        const auto what = tokens[i + 2].text + (is(i + 3, ":") && i + 5 < end ? "::" + tokens[i + 5].text : "");
        for (std::int64_t value = 0; at + 1 < end && is(at, ","); ++value) {
            const auto& name = tokens[++at];
            if (is(at + 1, "=") && at + 2 < end) {
                const auto& number = tokens[at + 2].text;
                const auto [stopped, error] = std::from_chars(number.data(), number.data() + number.size(), value);
                if (error != std::errc() || stopped != number.data() + number.size()) break;
                at += 2;
            }
            const auto in_code = name.kind == Token::Kind::identifier ? constants.value({name}) : std::nullopt;
            if (in_code && *in_code != value)
                refuse(file, name,
                       fmt::format("TESSERA_VALUES({}, ...) calls {} {}, which is {} in the code", what, value, name.text, *in_code),
                       "a name without a number is one more than the name before it, and the first is 0",
                       fmt::format("write {} = {}, or name all values in their order", name.text, *in_code));
            ++at;
        }
        i = std::max(i, end - 1);
    }
}

} // namespace tessera::jit
