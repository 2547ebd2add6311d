// What is chosen or counted through when a model runs, and has to be known, or is no list at all.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

bool is_direction(const Passage& passage, std::size_t i) {
    static constexpr std::array<std::string_view, 8> directions = {"west", "east", "north", "south", "above", "below", "here", "offset"};
    return std::find(directions.begin(), directions.end(), text_at(passage, i)) != directions.end();
}

// `? east : west`, by its question mark: what stands behind it and behind the colon.
bool chooses_a_direction(const Passage& passage, std::size_t i) {
    if (text_at(passage, i) != "?" || !is_direction(passage, i + 1)) return false;
    auto colon = i + 2;
    while (colon < passage.tokens->size() && text_at(passage, colon) != ":" && text_at(passage, colon) != ";") ++colon;
    return text_at(passage, colon) == ":" && is_direction(passage, colon + 1);
}

// "agents<Ant>[3]", "for (auto& other : links<Friend>)", by the first word.
bool is_taken_for_a_list(const Passage& passage, std::size_t i) {
    if (text_at(passage, i + 1) != "<" || text_at(passage, i + 3) != ">") return false;
    const bool ranged = i >= 2 && text_at(passage, i - 1) == ":" && text_at(passage, i - 2) != ":";
    return text_at(passage, i + 4) == "[" || ranged;
}

// What has to be known, and is not: a parameter, or else the name that is written where it has to be.
std::optional<std::size_t> unknown_number(const Passage& passage) {
    const auto parameters =
        nearest_tokens(passage, [&](std::size_t i) { return is_word(passage, i) && is_parameter(passage, text_at(passage, i)); });
    if (!parameters.empty()) return parameters.front();
    const auto sizes = nearest_tokens(passage, [&](std::size_t i) { // `float q[n]`
        return is_word(passage, i) && text_at(passage, i - 1) == "[" && is_word(passage, i - 2) && is_word(passage, i - 3);
    });
    return sizes.empty() ? std::nullopt : std::optional(sizes.front());
}

} // namespace

std::optional<Wording> agents_as_a_list(const Captures&, const Passage& passage) {
    const auto found =
        nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "agents" && is_taken_for_a_list(passage, i); });
    if (found.empty()) return std::nullopt;
    return at_token(fmt::format("agents<{0}> is not a list (it names a type of agents, and agents are reached by their places) write "
                                "self.meet(here, agents<{0}>, [&](const auto& other) {{ ... }}) for each of them, or self.count(here, "
                                "agents<{0}>) for their number, say",
                                text_at(passage, found.front() + 2)),
                    passage, found.front());
}

std::optional<Wording> links_as_a_list(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return names_links(passage, i) && is_taken_for_a_list(passage, i); });
    if (found.empty()) return std::nullopt;
    return at_token(
        fmt::format("{0}<{1}> is not a list (it says which links of a place are meant) write self.each({0}<{1}>, [&](const auto& "
                    "other) {{ ... }}) for each of them",
                    text_at(passage, found.front()), text_at(passage, found.front() + 2)),
        passage, found.front());
}

std::optional<Wording> directions_that_differ(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return chooses_a_direction(passage, i); });
    if (found.empty()) return std::nullopt;
    auto wording = at_token("a direction cannot be chosen when the model runs (each direction is another type, since the compiler has to "
                            "know what a place sees) choose between the values, as in `go_east ? self.at(east).heat : self.at(west).heat`",
                            passage, found.front());
    wording.has_consequences =
        !nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "auto"; }).empty(); // it has no type
    return wording;
}

std::optional<Wording> different_types(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    const auto found = nearest_tokens(line, [&](std::size_t i) { return text_at(passage, i) == "?"; });
    if (found.empty()) return std::nullopt;
    return at_token("the values on both sides of the colon are of types that have nothing in common (one of them is the result) make them "
                    "of one type, or write if and else",
                    passage, found.front());
}

// `float q[r]`, with a parameter that is set when the run begins.
std::optional<Wording> not_constant(const Captures&, const Passage& passage) {
    const auto found = unknown_number(passage);
    if (!found) return std::nullopt;
    const auto& name = text_at(passage, *found);
    if (!is_parameter(passage, name))
        return at_token(
            fmt::format(
                "{} is not known when the model is compiled (an array's size has to be known) write a number, or a constexpr of one", name),
            passage, found);
    return at_token(fmt::format("the parameter {} is not known when the model is compiled, and a constant is needed here (run.bake = false "
                                "leaves the parameter to the run) write a number here, or leave out run.bake = false",
                                name),
                    passage, found);
}

// TESSERA_PARAM(float, heat, 0.5f, 0, 1)
std::optional<Wording> wrong_parameter(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "TESSERA_PARAM"; });
    if (found.empty()) return std::nullopt;
    return at_token(
        "TESSERA_PARAM cannot be used like this (it takes a type, a name and a default, and then a range and a text, each of which "
        "may be left out) write TESSERA_PARAM(float, warmth, 0.5f, range(0, 10), \"what it is\"), say",
        passage, found.front());
}

} // namespace tessera::jit
