// Offsets and neighbourhoods that are not known, or too large, when a model is compiled.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace tessera::jit {

// `self.at(offset<d, 0>)`: the first name within the brackets.
std::optional<Wording> variable_offset(const Captures&, const Passage& passage) {
    const auto found =
        nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "offset" && text_at(passage, i + 1) == "<"; });
    for (const auto offset : found)
        for (auto i = offset + 2; i < passage.tokens->size() && text_at(passage, i) != ">" && text_at(passage, i) != ";"; ++i)
            if (is_word(passage, i))
                return at_token(
                    fmt::format("{} is not known when the model is compiled (an offset has to be known: it decides what a place sees) "
                                "write the offsets one by one, or use self.each(moore, ...)",
                                text_at(passage, i)),
                    passage, offset);
    const auto radii =
        nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "within" && text_at(passage, i + 1) == "<"; });
    for (const auto radius : radii)
        for (auto i = radius + 2; i < passage.tokens->size() && text_at(passage, i) != ">" && text_at(passage, i) != ";"; ++i)
            if (is_word(passage, i))
                return at_token(
                    fmt::format(
                        "{} is not known when the model is compiled (a radius has to be known: it decides which agents are seen) write a "
                        "number, or a TESSERA_PARAM that the access list names too",
                        text_at(passage, i)),
                    passage, radius);
    return std::nullopt;
}

// `writes<Cell::heat>`
std::optional<Wording> member_without_address(const Captures&, const Passage& passage) {
    const auto first = passage.function != nullptr ? passage.function->first_line : passage.line;
    const auto last = passage.function != nullptr ? passage.function->last_line : passage.line;
    for (std::size_t i = 1; i + 3 < passage.tokens->size(); ++i) {
        const auto& token = (*passage.tokens)[i];
        const auto& before = text_at(passage, i - 1);
        if (token.line < first || token.line > last || (before != "<" && before != "," && before != "(")) continue;
        const auto& member = text_at(passage, i + 3);
        if (text_at(passage, i + 1) != ":" || text_at(passage, i + 2) != ":" || !has_member(passage.outline->find_row(token.text), member))
            continue;
        auto wording =
            at_token(fmt::format("{0}::{1} is not a value here (an access list names members, not the value at one place) write &{0}::{1}",
                                 token.text, member),
                     passage, i);
        wording.has_consequences = true;
        return wording;
    }
    return std::nullopt;
}

std::optional<Wording> radius_out_of_range(const Outline& everything, const std::vector<Token>& tokens) {
    const Passage passage{&everything, nullptr, &tokens, 0, 0};
    std::optional<std::size_t> by_name; // which may stand for anything
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if ((tokens[i].text != "moore_of" && tokens[i].text != "von_neumann_of") || tokens[i + 1].text != "<") continue;
        const int radius = std::atoi(tokens[i + 2].text.c_str());
        const bool is_name = is_word(passage, i + 2);
        if (!is_name && (radius < 1 || radius > 16)) return at_token("a neighbourhood's radius must be 1 to 16", passage, i);
        if (is_name && !by_name) by_name = i;
    }
    if (!by_name) return std::nullopt;
    return at_token("a neighbourhood's radius must be 1 to 16", passage, by_name);
}

} // namespace tessera::jit
