#include "jit/outline.hpp"

#include "jit/brackets.hpp"
#include "jit/lexer.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::jit {
namespace {

using Tokens = std::vector<Token>;

struct Range {
    std::size_t begin, end;
};

// The arguments of a macro whose opening parenthesis is at `open`, split at the commas that stand in no bracket.
std::vector<Range> arguments(const Tokens& tokens, std::size_t open, std::size_t past) {
    std::vector<Range> result;
    int depth = 0;
    std::size_t begin = open + 1;
    for (auto i = open + 1; i < past; ++i) {
        const auto& text = tokens[i].text;
        const bool ends = i + 1 == past;
        if (text == "(" || text == "[" || text == "{") ++depth;
        if (!ends && (text == ")" || text == "]" || text == "}")) --depth;
        if (ends || (depth == 0 && text == ",")) {
            result.push_back({begin, i});
            begin = i + 1;
        }
    }
    return result;
}

bool is_word(const Token& token) { return token.kind == Token::Kind::identifier || token.kind == Token::Kind::number; }

// One spelling whatever the blanks: "around<moore, &Cell::alive>".
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
    std::string text;
    for (auto i = begin; i < end; ++i) {
        const bool apart = i > begin && (tokens[i - 1].text == "," || (is_word(tokens[i - 1]) && is_word(tokens[i])));
        if (apart) text += ' ';
        text += tokens[i].text;
    }
    return text;
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : tokens_(tokens_of(text)), brackets_(tokens_, Directives::skipped) {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].in_directive) directives_.push_back(i);
    }

    Outline run() {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            const auto& token = tokens_[i];
            if (token.in_directive || !token.text.starts_with("TESSERA_") || tokens_[i + 1].text != "(") continue;
            const auto past = past_closing(i + 1);
            const bool has_body = past < tokens_.size() && tokens_[past].text == "{";
            const bool is_row = token.text == "TESSERA_PLACE" || token.text == "TESSERA_AGENT" || token.text == "TESSERA_LINK";
            if (!has_body && !is_row) continue;
            const auto given = arguments(tokens_, i + 1, past);
            if (has_body && given.size() >= 2)
                function(i, past, given);
            else if (is_row)
                row(given);
            i = past - 1; // nothing is declared within what a macro is given
        }
        return std::move(outline_);
    }

private:
    // Past the bracket that closes the one at `open`; the end when none does.
    [[nodiscard]] std::size_t past_closing(std::size_t open) const { return std::min(brackets_.other(open) + 1, tokens_.size()); }

    void function(std::size_t name, std::size_t brace, const std::vector<Range>& given) {
        const auto end = past_closing(brace);
        CallSite site;
        site.row = joined(tokens_, given[0].begin, given[0].end);
        site.function = joined(tokens_, given[1].begin, given[1].end);
        if (given.size() > 2) site.access = joined(tokens_, given[2].begin, given.back().end);
        site.first_line = tokens_[name].line;
        site.last_line = tokens_[end - 1].line;
        site.body = tokens_[brace].offset;
        site.body_end = tokens_[end - 1].offset + tokens_[end - 1].text.size();
        const auto directive = std::lower_bound(directives_.begin(), directives_.end(), brace);
        site.has_directives = directive != directives_.end() && *directive < end;
        outline_.functions.push_back(std::move(site));
    }

    void row(const std::vector<Range>& given) {
        RowDeclaration declaration;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const auto text = joined(tokens_, given[i].begin, given[i].end);
            if (i == 0)
                declaration.row = text;
            else if (i == 1 && tokens_[given[i].begin].text == "on" && given[i].end > given[i].begin + 2)
                declaration.ground = tokens_[given[i].end - 2].text; // before the `>`
            else if (given[i].end == given[i].begin + 1 && tokens_[given[i].begin].kind == Token::Kind::identifier)
                declaration.members.push_back(text);
        }
        outline_.rows.push_back(std::move(declaration));
    }

    Tokens tokens_;
    Brackets brackets_;
    std::vector<std::size_t> directives_; // which tokens stand in one
    Outline outline_;
};

} // namespace

const CallSite* Outline::function_at(int line) const noexcept {
    for (const auto& function : functions)
        if (function.first_line <= line && line <= function.last_line) return &function;
    return nullptr;
}

const RowDeclaration* Outline::find_row(std::string_view row) const noexcept {
    for (const auto& each : rows)
        if (each.row == row) return &each;
    return nullptr;
}

Outline outline_of(std::string_view text) { return Scanner(text).run(); }

std::vector<std::string> access_entries(std::string_view access) {
    std::vector<std::string> result;
    int depth = 0;
    std::string entry;
    for (const char c : access) {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c == ',' && depth == 0) {
            result.push_back(std::move(entry));
            entry.clear();
        } else if (c != ' ' || !entry.empty()) {
            entry += c;
        }
    }
    if (!entry.empty()) result.push_back(std::move(entry));
    return result;
}

} // namespace tessera::jit
