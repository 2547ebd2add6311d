#include "jit/integer_constants.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace tessera::jit {
namespace {

using Tokens = std::vector<Token>;
using Number = std::optional<std::int64_t>;

bool is(const Tokens& tokens, std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; }
bool is_name(const Tokens& tokens, std::size_t i) { return i < tokens.size() && tokens[i].kind == Token::Kind::identifier; }

Number number_of(std::string text) {
    std::erase(text, '\'');
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.pop_back();
    int base = 10;
    std::size_t from = 0;
    if (text.size() > 1 && text[0] == '0') {
        base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
        from = base == 8 ? 1 : 2;
    }
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + from, end, value, base);
    return error == std::errc() && stopped == end ? Number(value) : std::nullopt;
}

Number combined(const std::string& by, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    const bool beyond = by == "+"   ? __builtin_add_overflow(a, b, &result)
                        : by == "-" ? __builtin_sub_overflow(a, b, &result)
                                    : by == "*" && __builtin_mul_overflow(a, b, &result);
    if (by == "/" || by == "%") {
        if (b == 0 || b == -1) return b == 0 ? std::nullopt : by == "%" ? Number(0) : combined("-", 0, a);
        result = by == "/" ? a / b : a % b;
    }
    return beyond ? std::nullopt : Number(result);
}

constexpr int most_nested = 100;         // signs and parentheses of an expression that is worked out
constexpr std::size_t most_tokens = 500; // of it

class Expression {
public:
    Expression(const Tokens& tokens, const std::map<std::string, std::int64_t>& values) : tokens_(tokens), values_(values) {}

    Number whole() {
        const auto result = sum();
        return at_ == tokens_.size() ? result : std::nullopt;
    }

private:
    Number sum() {
        return chain({"+", "-"}, [this] { return product(); });
    }
    Number product() {
        return chain({"*", "/", "%"}, [this] { return factor(); });
    }
    template<class Next> Number chain(const std::vector<std::string>& operators, Next&& next) {
        auto result = next();
        while (result && at_ < tokens_.size() && std::find(operators.begin(), operators.end(), tokens_[at_].text) != operators.end()) {
            const auto by = tokens_[at_++].text;
            const auto other = next();
            result = other ? combined(by, *result, *other) : std::nullopt;
        }
        return result;
    }
    Number factor() {
        ++depth_;
        const auto result = depth_ <= most_nested ? factor_within() : std::nullopt;
        --depth_;
        return result;
    }
    Number factor_within() {
        if (at_ >= tokens_.size()) return std::nullopt;
        const auto& token = tokens_[at_++];
        if (token.text == "+") return factor();
        if (token.text == "-") {
            const auto value = factor();
            return value ? combined("-", 0, *value) : std::nullopt;
        }
        if (token.text == "(") {
            const auto value = sum();
            return is(tokens_, at_++, ")") ? value : std::nullopt;
        }
        if (token.kind == Token::Kind::number) return number_of(token.text);
        const auto known = values_.find(token.text);
        return known == values_.end() || token.kind != Token::Kind::identifier ? std::nullopt : Number(known->second);
    }

    const Tokens& tokens_;
    const std::map<std::string, std::int64_t>& values_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

// The tokens from `begin` to the first of the marks that stands in no bracket; none, where they are too many to be worked out.
Tokens until(const Tokens& tokens, std::size_t begin, std::string_view marks) {
    Tokens result;
    int depth = 0;
    for (auto i = begin; i < tokens.size(); ++i) {
        const auto& text = tokens[i].text;
        if (depth == 0 && text.size() == 1 && marks.find(text[0]) != std::string_view::npos) break;
        depth += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
        if (result.size() == most_tokens) return {};
        result.push_back(tokens[i]);
    }
    return result;
}

// Whether the name at `i` may be what is declared there: `int last =`, `auto& last)`.
bool looks_declared(const Tokens& tokens, std::size_t i) {
    static constexpr std::array<std::string_view, 4> no_types = {"return", "case", "else", "do"};
    if (i == 0 || i + 1 >= tokens.size() || tokens[i].in_directive) return false;
    const auto& before = tokens[i - 1];
    const bool behind_type =
        (before.kind == Token::Kind::identifier && std::find(no_types.begin(), no_types.end(), before.text) == no_types.end()) ||
        before.text == "&" || before.text == "*" || before.text == ">";
    static constexpr std::string_view after = "=;,){[:(";
    const bool comparison = is(tokens, i + 1, "=") && is(tokens, i + 2, "=");
    return behind_type && !comparison && tokens[i + 1].text.size() == 1 && after.find(tokens[i + 1].text[0]) != std::string_view::npos;
}

} // namespace

Constants::Constants(const std::vector<std::vector<Token>>& files) {
    for (const auto& tokens : files) read_definitions(tokens);
    std::map<std::string, int> declared;
    for (const auto& tokens : files)
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (is_name(tokens, i) && values_.count(tokens[i].text) != 0 && looks_declared(tokens, i)) ++declared[tokens[i].text];
    for (const auto& [name, times] : declared)
        if (times > 1) ambiguous_.insert(name);
    for (const auto& name : ambiguous_) values_.erase(name);
}

std::optional<std::int64_t> Constants::value(const std::vector<Token>& expression) const { return Expression(expression, values_).whole(); }

void Constants::read_definitions(const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool constant = is(tokens, i, "constexpr") || is(tokens, i, "const");
        if (is(tokens, i, "define") && tokens[i].in_directive && is_name(tokens, i + 1)) {
            Tokens meaning;
            for (auto at = i + 2; at < tokens.size() && !tokens[at].starts_line; ++at) meaning.push_back(tokens[at]);
            define(tokens[i + 1].text, value(meaning));
        } else if (is(tokens, i, "enum")) {
            auto brace = i + 1;
            while (brace < tokens.size() && (is_name(tokens, brace) || is(tokens, brace, ":"))) ++brace;
            const bool scoped = is(tokens, i + 1, "class") || is(tokens, i + 1, "struct");
            if (!scoped && is(tokens, brace, "{")) read_enumerators(tokens, brace);
        } else if (constant) {
            auto end = i + 1;
            while (is_name(tokens, end) || is(tokens, end, ":")) ++end;
            if (end < i + 3 || !is_name(tokens, end - 1) || !(is(tokens, end, "=") || is(tokens, end, "{"))) continue;
            const bool real = is(tokens, end - 2, "float") || is(tokens, end - 2, "double");
            define(tokens[end - 1].text, real ? std::nullopt : value(until(tokens, end + 1, ";,}")));
            i = end - 1;
        }
    }
}

void Constants::read_enumerators(const std::vector<Token>& tokens, std::size_t brace) {
    Number next = 0;
    for (auto i = brace + 1; i < tokens.size() && !is(tokens, i, "}");) {
        const auto item = until(tokens, i, ",}");
        if (item.empty()) return;
        if (item.size() > 2 && item[1].text == "=") next = value({item.begin() + 2, item.end()});
        define(item.front().text, next);
        if (next) next = combined("+", *next, 1);
        i += item.size() + (is(tokens, i + item.size(), ",") ? 1 : 0);
    }
}

void Constants::define(const std::string& name, std::optional<std::int64_t> value) {
    if (!value || values_.count(name) != 0)
        ambiguous_.insert(name);
    else
        values_[name] = *value;
}

} // namespace tessera::jit
