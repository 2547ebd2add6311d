#include "jit/doubtful_arithmetic.hpp"

#include "jit/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace tessera::jit {
namespace {

using Tokens = std::vector<Token>;
using Names = std::set<std::string>;

const std::string& text_at(const Tokens& tokens, std::size_t i) {
    static const std::string none;
    return i < tokens.size() ? tokens[i].text : none;
}
bool is_name(const Tokens& tokens, std::size_t i) { return i < tokens.size() && tokens[i].kind == Token::Kind::identifier; }

template<std::size_t N> bool is_one_of(const std::string& text, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 2> real{"float", "double"};
constexpr std::array<std::string_view, 2> unsigned_32{"uint32_t", "unsigned"};
constexpr std::array<std::string_view, 4> wide{"int64_t", "uint64_t", "double", "long"};
constexpr std::array<std::string_view, 4> with_sign{"int", "int32_t", "int16_t", "int8_t"};
constexpr std::array<std::string_view, 2> narrow_unsigned{"uint16_t", "uint8_t"};

// What is declared with one of these types: `float a = 1, b;`, `const double& c`.
template<std::size_t N> void add_declared(const Tokens& tokens, const std::array<std::string_view, N>& types, Names& names) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!is_name(tokens, i) || !is_one_of(tokens[i].text, types)) continue;
        auto at = i + 1;
        while (text_at(tokens, at) == "int" || text_at(tokens, at) == "&") ++at; // unsigned int; a reference
        while (is_name(tokens, at)) {
            names.insert(tokens[at].text);
            int depth = 0;
            for (++at; at < tokens.size(); ++at) { // over what it begins with
                const auto& text = tokens[at].text;
                depth += text == "(" || text == "{" || text == "[" ? 1 : text == ")" || text == "}" || text == "]" ? -1 : 0;
                if (depth < 0 || (depth == 0 && (text == "," || text == ";"))) break;
            }
            if (text_at(tokens, at) != "," || !is_name(tokens, ++at)) break;
        }
    }
}

struct Declared {
    Names reals, unsigneds, wides;
    Names with_signs; // and wider ones, and reals
};

Declared declared_in(const std::vector<Tokens>& files) {
    Declared declared;
    Names narrow;
    for (const auto& tokens : files) {
        add_declared(tokens, real, declared.reals);
        add_declared(tokens, unsigned_32, declared.unsigneds);
        add_declared(tokens, wide, declared.wides);
        add_declared(tokens, with_sign, declared.with_signs);
        add_declared(tokens, narrow_unsigned, narrow);
    }
    declared.with_signs.insert(declared.reals.begin(), declared.reals.end());
    declared.with_signs.insert(declared.wides.begin(), declared.wides.end());
    for (const auto* more : {&declared.with_signs, &narrow}) // of two things of one name it is not known which is meant
        for (const auto& name : *more) declared.unsigneds.erase(name);
    for (const auto& name : narrow) declared.with_signs.erase(name);
    return declared;
}

// -1: it is none.
std::int64_t whole_number(const Token& token) {
    std::int64_t value = -1;
    const auto& text = token.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return token.kind == Token::Kind::number && error == std::errc() && end == text.data() + text.size() ? value : -1;
}
bool is_real_number(const Token& token) {
    return token.kind == Token::Kind::number && !token.text.starts_with("0x") && token.text.find_first_of(".eEfF") != std::string::npos;
}

// The tokens of a statement, from its first to behind its last.
struct Statement {
    std::size_t first, end;
};
std::vector<Statement> statements_of(const Tokens& tokens) {
    std::vector<Statement> statements;
    std::size_t first = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i].text == ";" || tokens[i].text == "{" || tokens[i].text == "}") {
            if (i > first && !tokens[first].in_directive) statements.push_back({first, i});
            first = i + 1;
        }
    return statements;
}

bool has_reals(const Tokens& tokens, const Statement& in, const Declared& declared) {
    for (auto i = in.first; i < in.end; ++i)
        if (is_real_number(tokens[i]) ||
            (is_name(tokens, i) && (is_one_of(tokens[i].text, real) || declared.reals.count(tokens[i].text) != 0)))
            return true;
    return false;
}
bool declares_an_integer(const Tokens& tokens, const Statement& in) {
    for (auto i = in.first; i < in.end && text_at(tokens, i) != "="; ++i)
        if (is_one_of(tokens[i].text, with_sign) || is_one_of(tokens[i].text, narrow_unsigned) || is_one_of(tokens[i].text, unsigned_32) ||
            tokens[i].text == "int64_t")
            return true;
    return false;
}

// `1 / 3`, with no operator before it that comes first.
std::optional<std::size_t> division_with_a_rest(const Tokens& tokens, const Statement& in) {
    for (auto i = in.first; i + 2 < in.end; ++i) {
        if (tokens[i + 1].text != "/") continue;
        const auto over = whole_number(tokens[i]), under = whole_number(tokens[i + 2]);
        const auto& before = i > in.first ? tokens[i - 1].text : std::string();
        if (over > 0 && under > 0 && over % under != 0 && before != "*" && before != "/" && before != "%") return i;
    }
    return std::nullopt;
}

// `self.wide = self.small - 1`: where the right side begins.
std::optional<std::size_t> difference_in_a_wider_member(const Tokens& tokens, const Statement& in, const Declared& declared) {
    auto at = in.first;
    while (at + 3 < in.end && !(tokens[at].text == "self" && tokens[at + 1].text == "." && declared.wides.count(tokens[at + 2].text) != 0 &&
                                (tokens[at + 3].text == "=" || tokens[at + 4].text == "=")))
        ++at;
    if (at + 4 >= in.end) return std::nullopt;
    const auto first = tokens[at + 3].text == "=" ? at + 4 : at + 5;
    bool has_unsigned = false, has_minus = false;
    for (auto i = first; i < in.end; ++i) {
        static constexpr std::array<std::string_view, 6> fine{"self", ".", "+", "*", "(", ")"};
        const bool is_unsigned = declared.unsigneds.count(tokens[i].text) != 0;
        has_unsigned |= is_unsigned;
        has_minus |= tokens[i].text == "-";
        if (!is_unsigned && tokens[i].text != "-" && !is_one_of(tokens[i].text, fine) && whole_number(tokens[i]) < 0) return std::nullopt;
    }
    return has_unsigned && has_minus ? std::optional(first) : std::nullopt;
}

// Behind the `=` of `self.wide = ...`, `self.wide += ...`; the end if the statement sets no member of these.
std::size_t behind_assignment(const Tokens& tokens, const Statement& in, const Names& members) {
    static constexpr std::array<std::string_view, 5> operators{"+", "-", "*", "/", "%"};
    for (auto at = in.first; at + 4 < in.end; ++at) {
        if (tokens[at].text != "self" || tokens[at + 1].text != "." || members.count(tokens[at + 2].text) == 0) continue;
        if (tokens[at + 3].text == "=" && tokens[at + 4].text != "=") return at + 4;
        if (is_one_of(tokens[at + 3].text, operators) && tokens[at + 4].text == "=") return at + 5;
    }
    return in.end;
}

// `self.wide = self.small * self.other`, also as a part of a sum: the product, where both are unsigned of 32 bits. What goes into such a
// number too is nobody's mistake.
std::optional<std::size_t> product_that_may_wrap(const Tokens& tokens, const Statement& in, const Declared& declared) {
    static constexpr std::array<std::string_view, 4> binds_closer{".", "*", "/", "%"};
    const auto operand = [&](std::size_t i) { return text_at(tokens, i) == "self" && text_at(tokens, i + 1) == "." ? i + 2 : i; };
    const auto is_unsigned = [&](std::size_t i) {
        const auto& next = text_at(tokens, i + 1);
        return i < in.end && declared.unsigneds.count(tokens[i].text) != 0 && next != "[" && next != "." && next != "(";
    };
    int depth = 0; // within brackets it may be anything's argument
    for (auto i = behind_assignment(tokens, in, declared.with_signs); i < in.end; ++i) {
        const auto& text = tokens[i].text;
        depth += text == "(" || text == "[" ? 1 : text == ")" || text == "]" ? -1 : 0;
        if (depth > 0 || is_one_of(tokens[i - 1].text, binds_closer)) continue;
        const auto left = operand(i);
        if (is_unsigned(left) && text_at(tokens, left + 1) == "*" && is_unsigned(operand(left + 2))) return i;
    }
    return std::nullopt;
}

std::string line_of(const std::string& text, int line) {
    std::size_t at = 0;
    for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
    return text.substr(at, text.find('\n', at) - at);
}

Diagnostic at_token(const SourceFile& file, const Token& token, std::string message) {
    return {file.path, token.line, token.column, std::move(message), line_of(file.text, token.line), true};
}

void look_at(const SourceFile& file, const Tokens& tokens, const Declared& declared, std::vector<Diagnostic>& found) {
    for (const auto& statement : statements_of(tokens)) {
        const auto division = division_with_a_rest(tokens, statement);
        if (division && has_reals(tokens, statement, declared) && !declares_an_integer(tokens, statement)) {
            const auto over = tokens[*division].text, under = tokens[*division + 2].text;
            found.push_back(at_token(file, tokens[*division],
                                     over + " / " + under + " is " +
                                         std::to_string(whole_number(tokens[*division]) / whole_number(tokens[*division + 2])) +
                                         " here (whole numbers are divided without decimals) write " + over + ".0f / " + under));
        }
        if (const auto product = product_that_may_wrap(tokens, statement, declared))
            found.push_back(
                at_token(file, tokens[*product],
                         "a product of unsigned numbers becomes another number here, and has lost what is beyond 32 bits (it is "
                         "computed without them) write static_cast<std::int64_t>(...) around one of the two"));
        if (const auto difference = difference_in_a_wider_member(tokens, statement, declared))
            found.push_back(at_token(file, tokens[*difference],
                                     "an unsigned number becomes a wider one here, and is a large one where the difference is below 0 "
                                     "(unsigned numbers have no sign) compute in int or std::int64_t, or write the cast that is meant"));
    }
}

} // namespace

std::vector<Diagnostic> doubtful_arithmetic(const ModelSource& model) {
    std::vector<const SourceFile*> files{&model.main};
    for (const auto& header : model.headers) files.push_back(&header);
    std::vector<Tokens> tokens;
    for (const auto* file : files) tokens.push_back(tokens_of(file->text));
    const auto declared = declared_in(tokens);
    std::vector<Diagnostic> found;
    for (std::size_t i = 0; i < files.size(); ++i) look_at(*files[i], tokens[i], declared, found);
    return found;
}

} // namespace tessera::jit
