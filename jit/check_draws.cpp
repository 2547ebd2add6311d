#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

// Looks for calls of which two arguments draw random numbers: which of them draws first is left to compilers, and they differ.
class Draws {
public:
    Draws(const SourceFile& file, const Tokens& tokens) : file_(file), tokens_(tokens), brackets_(tokens) {
        for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
            if (is(i, "random") && is(i + 1, ";") && is(i - 1, ".")) find_name_of(i); // auto& dice = self.random;
            if (is(i, "&") && is(i - 1, "random_stream")) names_.insert(tokens_[i + 1].text);
        }
    }

    void check() const {
        for (std::size_t i = 1; i < tokens_.size(); ++i)
            if (is(i, "(") && !tokens_[i].in_directive && is_call(i)) check_arguments(i);
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }

    void find_name_of(std::size_t random) {
        auto i = random;
        while (i > 1 && !is(i, "=") && !is(i, ";") && !is(i, "{")) --i;
        if (is(i, "=")) names_.insert(tokens_[i - 1].text);
    }

    [[nodiscard]] bool is_call(std::size_t open) const {
        static constexpr std::array<std::string_view, 5> others = {"if", "for", "while", "switch", "return"};
        const auto& before = tokens_[open - 1];
        if (before.kind != Token::Kind::identifier) return before.text == ">";
        return std::find(others.begin(), others.end(), before.text) == others.end() && !before.text.starts_with("TESSERA_");
    }

    [[nodiscard]] bool draws(std::size_t i) const {
        if (is(i, "random")) return is(i - 1, ".") && (is(i + 1, ".") || is(i + 1, ")") || is(i + 1, ","));
        return names_.count(tokens_[i].text) != 0 && is(i + 1, ".") && !is(i - 1, ".");
    }
    // Of a lambda, whose body runs when it is called.
    [[nodiscard]] bool is_body(std::size_t brace) const { return is(brace - 1, ")") || is(brace - 1, "]") || is(brace - 1, "mutable"); }

    void check_arguments(std::size_t open) const {
        const auto end = std::min(brackets_.other(open), tokens_.size());
        bool drawn = false, drawn_before = false; // in this argument, and in one before it
        int depth = 0;
        for (auto i = open + 1; i < end; ++i) {
            if (is(i, "{") && is_body(i)) {
                i = std::min(brackets_.other(i), end);
                continue;
            }
            depth += is(i, "(") || is(i, "{") || is(i, "[") ? 1 : is(i, ")") || is(i, "}") || is(i, "]") ? -1 : 0;
            if (is(i, ",") && depth == 0) drawn_before |= std::exchange(drawn, false);
            if (!draws(i)) continue;
            if (drawn_before)
                refuse(file_, tokens_[i], "two arguments of one call draw random numbers",
                       "which of them draws first differs between compilers, and so would the results",
                       "draw into variables first: const float x = self.random.uniform();");
            drawn = true;
        }
    }

    const SourceFile& file_;
    const Tokens& tokens_;
    Brackets brackets_;
    std::set<std::string> names_; // of what else draws
};

} // namespace

void check_draws(const SourceFile& file, const Tokens& tokens) { Draws(file, tokens).check(); }

} // namespace tessera::jit
