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
// one is left to the compilers. No token is looked at more than a few times, however long the text is and whatever it leaves open.
class Variables {
public:
    Variables(const SourceFile& file, const Tokens& tokens) : file_(file) {
        for (const auto& token : tokens)
            if (!token.in_directive)
                tokens_.push_back(token);
            else
                branches_ |= token.text == "else" || token.text == "elif";
        find_brackets();
    }

    void check() {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (is_static(i)) check_declaration(i);
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

    [[nodiscard]] bool is_static(std::size_t i) const { return is_word(tokens_[i]) && is(i, "static"); }
    [[nodiscard]] bool opens(std::size_t i) const { return is(i, "{") || is(i, "(") || is(i, "["); }
    [[nodiscard]] bool closes(std::size_t i) const { return is(i, "}") || is(i, ")") || is(i, "]"); }

    void find_brackets() {
        behind_.assign(tokens_.size(), tokens_.size());
        semicolons_before_.assign(tokens_.size() + 1, 0);
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            semicolons_before_[i + 1] = semicolons_before_[i] + (is(i, ";") ? 1 : 0);
            if (opens(i)) open.push_back(i);
            if (!closes(i) || open.empty()) continue;
            behind_[open.back()] = i + 1;
            open.pop_back();
        }
    }

    // Looks at what begins at `i` between declarations of a namespace; returns where the next begins.
    std::size_t check_at_namespace(std::size_t i) {
        if (is(i, "}") || is(i, ";")) return i + 1;
        for (auto end = check_declaration(i); end < tokens_.size();) {
            if (is(end, ";")) return end + 1;
            if (is(end, "{")) return opens_namespace(i, end) ? end + 1 : behind_[end]; // what is left of `struct A {} a;` begins anew
            end = is(end, "(") || is(end, "[") ? behind_[end] : end + 1;
        }
        return tokens_.size();
    }

    [[nodiscard]] bool opens_namespace(std::size_t begin, std::size_t brace) const {
        for (auto i = begin; i < brace; ++i)
            if (is(i, "namespace")) return true;
        return is(begin, "extern") && brace == begin + 2; // extern "C" {
    }

    // `float x = 1;`, `static Cell cells[3];`: words, then a name, then what only a variable has there. Returns up to where it looked.
    std::size_t check_declaration(std::size_t begin) const {
        const auto end = end_of_words(begin);
        if (end < begin + 2 || end >= tokens_.size() || !is_word(tokens_[end - 1])) return end;
        const bool behind_a_type = is_word(tokens_[end - 2]) || is(end - 2, ">") || is(end - 2, "*") || is(end - 2, "&");
        const bool comparison = is(end, "=") && is(end + 1, "=");
        const bool ends_as_variable = is(end, "=") || is(end, ";") || is(end, ",") || is(end, "[") || (is(end, "{") && !is_body(end));
        if (behind_a_type && ends_as_variable && !comparison) refuse_variable(file_, tokens_[end - 1]);
        return end;
    }

    // From `begin` past words, and types' arguments between < and >. Ends early, at a word, where this is nothing that it can tell to be a
    // variable, or where `static` begins what is looked at by itself.
    [[nodiscard]] std::size_t end_of_words(std::size_t begin) const {
        static constexpr std::array<std::string_view, 14> others = {"constexpr", "const",    "using",  "typedef", "template",
                                                                    "struct",    "class",    "union",  "enum",    "namespace",
                                                                    "friend",    "operator", "return", "extern"};
        int angles = 0;
        auto end = begin;
        while (end < tokens_.size()) {
            const auto& text = tokens_[end].text;
            const bool word = is_word(tokens_[end]);
            if (word && std::find(others.begin(), others.end(), text) != others.end()) break;
            if (is_static(end) && end != begin) break;
            if (angles > 0 ? text == ";" || closes(end) : !word && text != "<" && text != ":" && text != "*" && text != "&") break;
            angles += text == "<" ? 1 : text == ">" ? -1 : 0;
            end = angles > 0 && opens(end) ? behind_[end] : end + 1;
        }
        return end;
    }

    [[nodiscard]] bool is_body(std::size_t brace) const { return semicolons_before_[behind_[brace]] != semicolons_before_[brace]; }

    const SourceFile& file_;
    Tokens tokens_;                              // outside of directives
    std::vector<std::size_t> behind_;            // for a bracket that opens: the token behind the one that closes it, or the end
    std::vector<std::size_t> semicolons_before_; // among the tokens before each
    bool branches_ = false;
};

} // namespace

void check_variables(const SourceFile& file, const Tokens& tokens) { Variables(file, tokens).check(); }

} // namespace tessera::jit
