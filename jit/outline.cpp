#include "jit/outline.hpp"

#include "jit/lexer.hpp"

#include <cstddef>

namespace tessera::jit {
namespace {

using Tokens = std::vector<Token>;

// Past the bracket that closes the one at `open`; the end when none does.
std::size_t past_closing(const Tokens& tokens, std::size_t open, std::string_view opening, std::string_view closing) {
    int depth = 0;
    for (auto i = open; i < tokens.size(); ++i) {
        if (tokens[i].in_directive) continue;
        if (tokens[i].text == opening) ++depth;
        if (tokens[i].text == closing && --depth == 0) return i + 1;
    }
    return tokens.size();
}

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
    explicit Scanner(std::string_view text) : tokens_(tokens_of(text)) {}

    Outline run() {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            const auto& token = tokens_[i];
            if (token.in_directive || !token.text.starts_with("TESSERA_") || tokens_[i + 1].text != "(") continue;
            const auto past = past_closing(tokens_, i + 1, "(", ")");
            const auto given = arguments(tokens_, i + 1, past);
            if (past < tokens_.size() && tokens_[past].text == "{" && given.size() >= 2)
                function(i, past, given);
            else if (token.text == "TESSERA_PLACE" || token.text == "TESSERA_AGENT")
                row(given);
        }
        return std::move(outline_);
    }

private:
    void function(std::size_t name, std::size_t brace, const std::vector<Range>& given) {
        const auto end = past_closing(tokens_, brace, "{", "}");
        CallSite site;
        site.row = joined(tokens_, given[0].begin, given[0].end);
        site.function = joined(tokens_, given[1].begin, given[1].end);
        if (given.size() > 2) site.access = joined(tokens_, given[2].begin, given.back().end);
        site.first_line = tokens_[name].line;
        site.last_line = tokens_[end - 1].line;
        outline_.functions.push_back(std::move(site));
    }

    void row(const std::vector<Range>& given) {
        RowDeclaration declaration;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const auto text = joined(tokens_, given[i].begin, given[i].end);
            if (i == 0)
                declaration.row = text;
            else if (given[i].end == given[i].begin + 1 && tokens_[given[i].begin].kind == Token::Kind::identifier)
                declaration.members.push_back(text);
        }
        outline_.rows.push_back(std::move(declaration));
    }

    Tokens tokens_;
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
