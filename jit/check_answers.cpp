#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace tessera::jit {
namespace {

template<std::size_t N> bool is_one_of(const std::string& text, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

// Of a lambda that is given to self.count(links<Road>, ...) and the like: it runs in any order, and on a GPU by several threads at a time.
class Answer {
public:
    Answer(const SourceFile& file, const Tokens& tokens, const Brackets& brackets, std::size_t call)
        : file_(file), tokens_(tokens), brackets_(brackets), call_(call) {}

    // `capture`: the lambda's first token.
    void check(std::size_t capture, std::size_t end) const {
        auto body = brackets_.other(capture) + 1;
        while (body < end && !is(body, "{")) body = is(body, "(") ? brackets_.other(body) + 1 : body + 1;
        const auto last = std::min(brackets_.other(body), end);
        const auto own = declared_in(capture, last);
        for (auto i = body + 1; i < last; ++i) {
            if (is(i, "random") && is(i - 1, ".") && is(i + 1, "."))
                refuse_at(i, "draws a random number", "draw before the call, or in self.each(...), which goes in order");
            if (asks(i)) refuse_at(i, fmt::format("asks for something by {}(...)", tokens_[i].text), "ask in self.each(...)");
            const bool steps = is_step(i);
            const auto changed = steps ? stepped_at(i) : assigned_at(i);
            if (changed && own.count(tokens_[*changed].text) == 0)
                refuse_at(*changed, fmt::format("changes {}", whole_name(*changed)),
                          "return a value, or change it in self.each(...), which goes in order");
            if (steps) ++i;
        }
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
    [[nodiscard]] bool is_name(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::identifier; }

    // self.kill()
    [[nodiscard]] bool asks(std::size_t i) const {
        static constexpr std::array<std::string_view, 6> requests = {"migrate", "migrate_to", "move_to", "kill", "spawn", "send"};
        return is(i - 1, ".") && is(i - 2, "self") && is(i + 1, "(") && is_one_of(tokens_[i].text, requests);
    }

    // Names of the lambda's own: its arguments, and the variables within.
    [[nodiscard]] std::set<std::string> declared_in(std::size_t first, std::size_t last) const {
        static constexpr std::array<std::string_view, 3> no_types = {"return", "else", "do"};
        std::set<std::string> names;
        for (auto i = brackets_.other(first) + 1; i < last; ++i) {
            const bool behind_type = (is_name(i - 1) && !is_one_of(tokens_[i - 1].text, no_types)) || is(i - 1, "&") || is(i - 1, ">");
            const bool ends =
                is(i + 1, "=") || is(i + 1, ";") || is(i + 1, ")") || is(i + 1, ",") || is(i + 1, "{") || is(i + 1, ":") || is(i + 1, "[");
            if (is_name(i) && behind_type && ends) names.insert(tokens_[i].text);
        }
        return names;
    }

    // The first token of what is assigned at `i`, as `total` of `total += 1`, `self` of `self.n = 1`. Not where a variable begins.
    [[nodiscard]] std::optional<std::size_t> assigned_at(std::size_t i) const {
        static constexpr std::array<std::string_view, 8> compound = {"+", "-", "*", "/", "%", "&", "|", "^"};
        if (!is(i, "=") || is(i + 1, "=")) return std::nullopt;
        const bool shifts = (is(i - 1, "<") && is(i - 2, "<")) || (is(i - 1, ">") && is(i - 2, ">"));
        const bool changes = shifts || is_one_of(tokens_[i - 1].text, compound);
        const auto last = i - (shifts ? 3 : changes ? 2 : 1);
        if (!is_name(last) && !is(last, "]")) return std::nullopt;
        const auto first = first_of(last);
        const bool begins = !changes && (is_name(first - 1) || is(first - 1, "&") || is(first - 1, ">") || is(first, "auto"));
        return begins ? std::nullopt : std::optional(first);
    }
    // ++ and --
    [[nodiscard]] bool is_step(std::size_t i) const { return (is(i, "+") && is(i + 1, "+")) || (is(i, "-") && is(i + 1, "-")); }
    [[nodiscard]] std::optional<std::size_t> stepped_at(std::size_t i) const {
        if (is_name(i - 1) || is(i - 1, "]")) return first_of(i - 1);
        return is_name(i + 2) ? std::optional(i + 2) : std::nullopt;
    }
    // `self` of `self.flow[2]`, at whose last token `i` stands.
    [[nodiscard]] std::size_t first_of(std::size_t i) const {
        for (;;) {
            while (is(i, "]") && brackets_.other(i) < i) i = brackets_.other(i) - 1;
            if (i < 2 || !is(i - 1, ".")) return i;
            i -= 2;
        }
    }
    [[nodiscard]] std::string whole_name(std::size_t i) const {
        auto name = tokens_[i].text;
        for (; is(i + 1, ".") && is_name(i + 2); i += 2) name += "." + tokens_[i + 2].text;
        return name;
    }

    [[noreturn]] void refuse_at(std::size_t i, const std::string& what, const std::string& suggestion) const {
        const auto& function = tokens_[call_].text;
        refuse(file_, tokens_[i], fmt::format("the function that is given to self.{}(...) {}", function, what),
               "it is called in any order, and by several threads at a time", suggestion);
    }

    const SourceFile& file_;
    const Tokens& tokens_;
    const Brackets& brackets_;
    std::size_t call_; // the token `count` of self.count(...)
};

} // namespace

void check_answers(const SourceFile& file, const Tokens& tokens) {
    static constexpr std::array<std::string_view, 6> calls = {"count", "any", "sum", "least", "most", "send"};
    const Brackets brackets(tokens, Directives::skipped);
    for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
        if (tokens[i].in_directive || !is_one_of(tokens[i].text, calls) || tokens[i - 1].text != "." || tokens[i - 2].text != "self" ||
            tokens[i + 1].text != "(")
            continue;
        const auto end = brackets.other(i + 1);
        if (end >= tokens.size()) continue; // never closed
        for (auto at = i + 2; at < end; ++at)
            if (tokens[at].text == "[" && tokens[at - 1].text == "," && brackets.other(at) < end) {
                Answer(file, tokens, brackets, i).check(at, end);
                break;
            }
    }
}

} // namespace tessera::jit
