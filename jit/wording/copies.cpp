// Copies of what has to be one: `self`, and its random numbers.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

namespace tessera::jit {
namespace {

// Compilers point to the copy, to what is copied, or to the end of a lambda: it is the line's `[=]`, or else `self` or `random` by itself.
std::optional<std::size_t> what_is_copied(const Passage& passage, const char* name) {
    Passage line = passage;
    line.column = 0;
    const auto captures =
        nearest_tokens(line, [&](std::size_t i) { return text_at(passage, i) == "=" && i > 0 && text_at(passage, i - 1) == "["; });
    if (!captures.empty()) return captures.front();
    const auto whole = nearest_tokens(line, [&](std::size_t i) {
        const auto& next = text_at(passage, i + 1);
        return text_at(passage, i) == name && next != "." && next != "(";
    });
    return whole.empty() ? std::nullopt : std::optional(whole.front());
}

} // namespace

std::optional<Wording> copied_place(const Captures&, const Passage& passage) {
    return at_token(
        "self cannot be copied (what is written to a copy would be lost) take it by reference: `Self& self`, `auto& me = self`, [&]",
        passage, what_is_copied(passage, "self"));
}

// `[&](auto wolf)`: compilers say the line of the call, or that where the function ends.
std::optional<Wording> copied_other(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    return at_token(
        "an agent that is met cannot be copied (what is written to a copy would be lost) take it by reference: `const auto& other`",
        passage, first_of_statement(line));
}

namespace {

// `auto best = site;` below the line where `site` is visited: some compilers say that line too.
std::optional<std::size_t> copy_of_what_is_visited(const Passage& passage) {
    const auto visits = nearest_tokens(passage, [&](std::size_t i) {
        return is_word(passage, i) && text_at(passage, i - 1) == "&" && text_at(passage, i - 2) == "auto" && text_at(passage, i + 1) == ")";
    });
    if (visits.empty() || passage.function == nullptr) return std::nullopt;
    for (auto i = visits.front(); i < passage.tokens->size() && (*passage.tokens)[i].line <= passage.function->last_line; ++i) {
        if (text_at(passage, i) != text_at(passage, visits.front()) || text_at(passage, i - 1) != "=" || text_at(passage, i + 1) != ";")
            continue;
        Passage copy = passage;
        copy.line = (*passage.tokens)[i].line;
        return first_of_statement(copy);
    }
    return std::nullopt;
}

} // namespace

// `[&](auto other)` of links.
std::optional<Wording> copied_end(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    const auto copy = copy_of_what_is_visited(line);
    const bool goes = passage.function != nullptr && passage.function->access.find("moves<") != std::string::npos;
    return at_token(goes ? "what is visited along links cannot be copied (a site is there while it is visited) take it by reference, "
                           "`const auto& site`, keep of it what is compared, such as site.id, and call self.migrate(site) for each that "
                           "is better: the last call counts"
                         : "what is visited along links cannot be copied take it by reference: `const auto& other`",
                    passage, copy ? copy : first_of_statement(line));
}

// `auto visits = self.place.visits` of what the access list adds to: the value itself would have to be read.
std::optional<Wording> copied_sum(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    const auto below = nearest_tokens(line, [&](std::size_t i) { return is_of_ground(passage, i) && is_word(passage, i); });
    return at_token("a member of adds<...>, least<...> or most<...> cannot be copied (what is added to a copy would be lost) to read its "
                    "value, add reads<...> to the access list and write the value's type instead of `auto`",
                    passage, below.empty() ? std::nullopt : std::optional(below.front()));
}

std::optional<Wording> copied_stream(const Captures&, const Passage& passage) {
    return at_token(
        "self.random cannot be copied (a copy would draw the same numbers again) take it by reference: `auto& random = self.random`",
        passage, what_is_copied(passage, "random"));
}

} // namespace tessera::jit
