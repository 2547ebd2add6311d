// A macro or a line may be written so that it does not show what the compilers make of it. What cannot be told from the text is refused.
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

constexpr std::array<std::string_view, 11> directives = {"define", "undef", "include", "if",    "ifdef", "ifndef",
                                                         "elif",   "else",  "endif",   "error", "pragma"};

// ---- spellings

// Compilers differ in whether such a line goes on with the next one, and so in what is a comment and what is code.
void check_ends_of_lines(const SourceFile& file) {
    int line = 1;
    std::size_t begin = 0;
    while (begin < file.text.size()) {
        const auto end = std::min(file.text.find('\n', begin), file.text.size());
        const auto text = std::string_view(file.text).substr(begin, end - begin);
        const auto last = text.find_last_not_of(" \t\f\v\r");
        if (last != std::string_view::npos && last + 1 < text.size() && text[last] == '\\')
            refuse(file, {Token::Kind::punctuation, "\\", line, static_cast<int>(last) + 1, false, false},
                   "blanks follow the \\ at the end of this line", "compilers differ in what that means", "delete them");
        begin = end + 1;
        ++line;
    }
}

bool follows_at_once(const Token& a, const Token& b) { return b.line == a.line && b.column == a.column + static_cast<int>(a.text.size()); }

// `<::` is `<` and `::`, unless another `:` or `>` follows.
bool is_template_of_global(const Tokens& tokens, std::size_t i) {
    const auto text = [&](std::size_t at) { return at < tokens.size() ? std::string_view(tokens[at].text) : std::string_view(); };
    return text(i) == "<" && text(i + 1) == ":" && text(i + 2) == ":" && text(i + 3) != ":" && text(i + 3) != ">";
}

void check_spelling(const SourceFile& file, const Tokens& tokens) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> digraphs = {
        {{"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}}};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& token = tokens[i];
        if (token.kind != Token::Kind::punctuation) continue;
        if (token.text == "\\") refuse(file, token, "a \\ stands alone here", "only strings and ends of lines have one", "delete it");
        if (token.text == "%:") refuse(file, token, "%: cannot be used in a model", "it is another spelling of #", "write #");
        if (i + 1 == tokens.size() || !follows_at_once(token, tokens[i + 1]) || is_template_of_global(tokens, i)) continue;
        const auto both = token.text + tokens[i + 1].text;
        for (const auto& [digraph, meaning] : digraphs)
            if (both == digraph)
                refuse(file, token, fmt::format("{} cannot be used in a model", digraph),
                       fmt::format("it is another spelling of {}", meaning), fmt::format("write {}", meaning));
    }
}

// ---- directives

// From `#` to the last token of the directive.
struct Directive {
    std::size_t begin, end;
};

std::vector<Directive> directives_in(const Tokens& tokens) {
    std::vector<Directive> result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].text != "#" || !tokens[i].starts_line) continue;
        auto end = i + 1;
        while (end < tokens.size() && tokens[end].in_directive && !tokens[end].starts_line) ++end;
        result.push_back({i, end});
    }
    return result;
}

void check_directive(const SourceFile& file, const Tokens& tokens, const Directive& directive) {
    if (directive.begin + 1 == directive.end) return; // a lone # does nothing
    const auto& name = tokens[directive.begin + 1];
    const bool once = directive.begin + 3 == directive.end && tokens[directive.begin + 2].text == "once";
    if (name.text == "line" || name.kind == Token::Kind::number)
        refuse(file, name, "#line cannot be used in a model", "messages name the lines as they stand in the file", "delete it");
    const bool known = std::find(directives.begin(), directives.end(), name.text) != directives.end();
    if (!known || (name.text == "pragma" && !once)) refuse_as_of_one_compiler(file, name, fmt::format("#{}", name.text));
    for (auto i = directive.begin; i < directive.end; ++i)
        if (tokens[i].kind == Token::Kind::string && tokens[i].text.find('\n') != std::string::npos)
            refuse(file, tokens[i], "this string goes on in the next line", "compilers differ in what that means in a directive",
                   "end each line with a \\, or put the string elsewhere");
}

// ---- pasted tokens

std::vector<std::string> parameters_of_macro(const Tokens& tokens, const Directive& define) {
    std::vector<std::string> result;
    const auto open = define.begin + 3; // # define NAME (
    if (open >= define.end || tokens[open].text != "(" || !follows_at_once(tokens[open - 1], tokens[open])) return result;
    for (auto i = open + 1; i < define.end && tokens[i].text != ")"; ++i) result.push_back(tokens[i].text);
    return result;
}

// The word that comes of `a ## b` begins with `a`: only if that is known, and the beginning of nothing forbidden, so is the word harmless.
void check_pasting(const SourceFile& file, const Tokens& tokens, const Directive& define) {
    const auto parameters = parameters_of_macro(tokens, define);
    for (auto i = define.begin + 3; i + 1 < define.end; ++i) {
        if (tokens[i].text != "#" || tokens[i + 1].text != "#" || !follows_at_once(tokens[i], tokens[i + 1])) continue;
        const auto& left = tokens[i - 1];
        const bool known = left.kind == Token::Kind::identifier && left.text.front() != '_' &&
                           std::find(parameters.begin(), parameters.end(), left.text) == parameters.end();
        if (!known || begins_forbidden_word(left.text))
            refuse(file, tokens[i], "this ## may make a word that no model can have", "the beginning of that word cannot be known here",
                   "write its beginning on the left of the ##, such as value_##x");
        ++i;
    }
}

} // namespace

void check_preprocessing(const SourceFile& file, const Tokens& tokens) {
    check_ends_of_lines(file);
    check_spelling(file, tokens);
    for (const auto& directive : directives_in(tokens)) {
        check_directive(file, tokens, directive);
        if (directive.begin + 1 < directive.end && tokens[directive.begin + 1].text == "define") check_pasting(file, tokens, directive);
    }
}

} // namespace tessera::jit
