#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

[[noreturn]] void refuse_variable(const SourceFile& file, const Token& name) {
    refuse(file, name, fmt::format("{} is a variable that all places share", name.text), "what changes in a run is in rows alone",
           "make it constexpr, a member of the row, or a TESSERA_PARAM");
}

bool is_word(const Token& token) { return token.kind == Token::Kind::identifier; }

// Looks for variables that outlive a call: where namespaces are open, and behind `static` anywhere. A declaration that it cannot tell to be
// one is left to the compilers.
class Variables {
public:
    Variables(const SourceFile& file, const Tokens& tokens) : file_(file) {
        for (const auto& token : tokens)
            if (!token.in_directive)
                tokens_.push_back(token);
            else
                branches_ |= token.text == "else" || token.text == "elif";
    }

    void check() {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (is_word(tokens_[i]) && tokens_[i].text == "static") check_declaration(i);
        if (branches_ || !balanced()) return; // which namespace a line stands in cannot be told
        for (std::size_t i = 0; i < tokens_.size();) i = check_at_namespace(i);
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }

    [[nodiscard]] bool balanced() const {
        int depth = 0;
        for (std::size_t i = 0; i < tokens_.size() && depth >= 0; ++i) depth += is(i, "{") ? 1 : is(i, "}") ? -1 : 0;
        return depth == 0;
    }

    // The token behind the bracket that closes the one at `i`.
    [[nodiscard]] std::size_t behind(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            depth += is(i, "{") || is(i, "(") || is(i, "[") ? 1 : is(i, "}") || is(i, ")") || is(i, "]") ? -1 : 0;
            if (depth == 0) return i + 1;
        }
        return i;
    }

    // Looks at what begins at `i` between declarations of a namespace; returns where the next begins.
    std::size_t check_at_namespace(std::size_t i) {
        if (is(i, "}") || is(i, ";")) return i + 1;
        check_declaration(i);
        for (auto end = i; end < tokens_.size();) {
            if (is(end, ";")) return end + 1;
            if (is(end, "{")) return opens_namespace(i, end) ? end + 1 : behind(end); // what is left of `struct A {} a;` begins anew
            end = is(end, "(") || is(end, "[") ? behind(end) : end + 1;
        }
        return tokens_.size();
    }

    [[nodiscard]] bool opens_namespace(std::size_t begin, std::size_t brace) const {
        for (auto i = begin; i < brace; ++i)
            if (is(i, "namespace")) return true;
        return is(begin, "extern") && brace == begin + 2; // extern "C" {
    }

    // `float x = 1;`, `static Cell cells[3];`: words, then a name, then what only a variable has there.
    void check_declaration(std::size_t begin) const {
        static constexpr std::array<std::string_view, 14> others = {"constexpr", "const",    "using",  "typedef", "template",
                                                                    "struct",    "class",    "union",  "enum",    "namespace",
                                                                    "friend",    "operator", "return", "extern"};
        auto end = begin;
        for (int angles = 0; end < tokens_.size(); ++end) {
            const auto& text = tokens_[end].text;
            if (is_word(tokens_[end]) && std::find(others.begin(), others.end(), text) != others.end()) return;
            if (text == "<")
                ++angles;
            else if (text == ">")
                --angles;
            else if (angles == 0 && !is_word(tokens_[end]) && text != ":" && text != "*" && text != "&")
                break;
        }
        if (end < begin + 2 || end >= tokens_.size() || !is_word(tokens_[end - 1])) return;
        const bool behind_a_type = is_word(tokens_[end - 2]) || is(end - 2, ">") || is(end - 2, "*") || is(end - 2, "&");
        const bool comparison = is(end, "=") && is(end + 1, "=");
        const bool ends_as_variable = is(end, "=") || is(end, ";") || is(end, ",") || is(end, "[") || (is(end, "{") && !is_body(end));
        if (behind_a_type && ends_as_variable && !comparison) refuse_variable(file_, tokens_[end - 1]);
    }

    [[nodiscard]] bool is_body(std::size_t brace) const {
        const auto end = behind(brace);
        for (auto i = brace; i < end; ++i)
            if (is(i, ";")) return true;
        return false;
    }

    const SourceFile& file_;
    Tokens tokens_; // outside of directives
    bool branches_ = false;
};

} // namespace

void check_variables(const SourceFile& file, const Tokens& tokens) { Variables(file, tokens).check(); }

} // namespace tessera::jit
