// Slips: what is usual in other languages, and small things of C++ that are easy to forget.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tessera::jit {
namespace {

// The lambda around the line, by its `[`: the last that begins on the line or above it in the function.
std::optional<std::size_t> lambda_around(const Passage& passage, const std::function<bool(std::size_t)>& wanted) {
    if (passage.function == nullptr) return std::nullopt;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < passage.tokens->size(); ++i) {
        const auto& token = (*passage.tokens)[i];
        if (token.line < passage.function->first_line || token.line > passage.line) continue;
        const auto& before = text_at(passage, i - 1);
        if (token.text == "[" && (before == "," || before == "(" || before == "=") && wanted(i)) found = i;
    }
    return found;
}

std::optional<std::size_t> nearest_word(const Passage& passage, const char* word) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == word; });
    return found.empty() ? std::nullopt : std::optional(found.front());
}

} // namespace

// `self.each(moore, [](const auto& other) { sum += other.heat; })`
std::optional<Wording> uncaptured(const Captures&, const Passage& passage) {
    const auto lambda = lambda_around(passage, [&](std::size_t i) { return text_at(passage, i + 1) == "]"; });
    if (!lambda) return std::nullopt;
    return at_token("this function uses a variable of the function around it, and [] captures nothing write [&]", passage, lambda);
}

// `break` in what `each` calls.
std::optional<Wording> left_a_visit(const Captures& statement, const Passage& passage) {
    const auto token = nearest_word(passage, statement[1].c_str());
    if (!token || !lambda_around(passage, [](std::size_t) { return true; })) return std::nullopt;
    return at_token(
        fmt::format("{} stands in no loop (the function is called for each that is visited, and all are visited) write return to "
                    "pass over this one, and keep in a bool of your own whether to pass over the rest",
                    statement[1]),
        passage, token);
}

std::optional<Wording> returned_value(const Captures&, const Passage& passage) {
    const auto token = nearest_word(passage, "return");
    if (!token || passage.function == nullptr) return std::nullopt;
    return at_token(
        "a function of the model returns nothing (it changes members of self) write self.MEMBER = ...; a return without a value "
        "ends the function",
        passage, token);
}

std::optional<Wording> without_this(const Captures&, const Passage& passage) {
    const auto token = nearest_word(passage, "this");
    if (!token || passage.function == nullptr) return std::nullopt;
    return at_token(
        "there is no `this` in a function of the model (self is the place, agent or link that it is called for) write self, with "
        "a dot",
        passage, token);
}

// `self->heat`
std::optional<Wording> no_pointer(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "-" && text_at(passage, i + 1) == ">"; });
    if (found.empty() || !is_word(passage, found.front() - 1)) return std::nullopt;
    const auto& name = text_at(passage, found.front() - 1);
    return at_token(fmt::format("{0} is no pointer write {0}.{1}", name, text_at(passage, found.front() + 2)), passage, found.front() - 1);
}

// `self.heat ^ 2`, `self.heat % 2`
std::optional<Wording> operator_of_integers(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "^" || text_at(passage, i) == "%"; });
    if (found.empty()) return std::nullopt;
    return at_token(text_at(passage, found.front()) == "^"
                        ? "^ is for integers (it combines their bits) write x * x, or pow(x, y) for a power"
                        : "% is for integers write fmod(x, y) for the remainder of numbers that are none",
                    passage, found.front());
}

// `float(total)` of TESSERA_GLOBAL(double, total).
std::optional<Wording> value_by_its_name(const Captures& value, const Passage& passage) {
    if (passage.function == nullptr) return std::nullopt;
    const auto found = nearest_tokens(passage, [&](std::size_t i) { // in the body, and not in `reads<total>`
        return text_at(passage, i) == value[1] && (*passage.tokens)[i].offset > passage.function->body;
    });
    if (found.empty()) return std::nullopt;
    return at_token(fmt::format("{0} stands for a value of the step, and is not its number write self.get({0})", value[1]), passage,
                    found.front());
}

} // namespace tessera::jit
