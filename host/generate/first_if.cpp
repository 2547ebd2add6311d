#include "host/generate/first_if.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

using Tokens = std::vector<jit::Token>;
// Some tokens that follow each other: from `begin` up to `end`.
struct Span {
    std::size_t begin = 0, end = 0;
};

bool is_open(const std::string& text) { return text == "(" || text == "[" || text == "{"; }
bool is_close(const std::string& text) { return text == ")" || text == "]" || text == "}"; }

// The body of a function: its tokens, between its braces.
class Body {
public:
    Body(Tokens tokens, const KnownValues& values, const std::set<std::string>& members)
        : tokens_(std::move(tokens)), values_(values), members_(members) {}

    [[nodiscard]] std::optional<std::string> condition() const {
        if (!is(0, "if") || !is(1, "(")) return std::nullopt;
        const auto close = matching(1);
        const Span asked{2, close};
        if (binds_looser(asked)) return std::nullopt;
        if (returns(close + 1)) return any_of(leading(asked, "|"), "");
        if (end_of_statement(close + 1) != tokens_.size() || has_between(asked, "|")) return std::nullopt;
        return any_of(leading(asked, "&"), "!");
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
    // Two marks that are one operator: written without anything between them.
    [[nodiscard]] bool is_pair(std::size_t i, std::string_view first, std::string_view second) const {
        return is(i, first) && is(i + 1, second) && tokens_[i].offset + 1 == tokens_[i + 1].offset;
    }
    // Of a bracket the one that closes it; the end where there is none.
    [[nodiscard]] std::size_t matching(std::size_t i) const {
        for (int depth = 0; i < tokens_.size(); ++i) {
            depth += is_open(tokens_[i].text) ? 1 : is_close(tokens_[i].text) ? -1 : 0;
            if (depth == 0) return i;
        }
        return i;
    }
    [[nodiscard]] bool returns(std::size_t i) const {
        if (is(i, "{")) return is(i + 1, "return") && is(i + 2, ";") && is(i + 3, "}") && !is(i + 4, "else");
        return is(i, "return") && is(i + 1, ";") && !is(i + 2, "else");
    }
    // Behind a block, or a statement that is an expression of `self`; 0: it is neither.
    [[nodiscard]] std::size_t end_of_statement(std::size_t i) const {
        if (is(i, "{")) return matching(i) + 1;
        if (!is(i, "self") || !is(i + 1, ".")) return 0;
        for (; i < tokens_.size(); ++i) {
            if (is(i, "{") || values_.is_macro(tokens_[i].text)) return 0;
            if (is_open(tokens_[i].text)) i = matching(i);
            if (is(i, ";")) return i + 1;
        }
        return 0;
    }
    // Whether something stands outside of brackets that binds less than `||` and `&&`, or is another word for them.
    [[nodiscard]] bool binds_looser(const Span& span) const {
        static const std::set<std::string> marks = {"?", ":", ",", ";", "or", "and", "throw", "co_yield", "co_await"};
        for (auto i = span.begin; i < span.end; ++i) {
            if (is_open(tokens_[i].text)) i = matching(i);
            const bool compares = is_pair(i, "=", "=") || is_pair(i, "!", "=") || is_pair(i, "<", "=") || is_pair(i, ">", "=");
            if (compares)
                ++i;
            else if (is(i, "=") || (i < span.end && marks.count(tokens_[i].text) != 0))
                return true;
        }
        return false;
    }
    // Whether an operator of these two marks stands outside of brackets.
    [[nodiscard]] bool has_between(const Span& span, std::string_view mark) const { return operands(span, mark).size() > 1; }

    [[nodiscard]] std::vector<Span> operands(const Span& span, std::string_view mark) const {
        std::vector<Span> result{{span.begin, span.begin}};
        for (auto i = span.begin; i < span.end; ++i) {
            if (is_open(tokens_[i].text)) i = matching(i);
            if (!is_pair(i, mark, mark)) continue;
            result.back().end = i++;
            result.push_back({i + 1, i + 1});
        }
        result.back().end = span.end;
        return result;
    }
    // The operands up to the first that is not of values alone.
    [[nodiscard]] std::vector<Span> leading(const Span& span, std::string_view mark) const {
        auto result = operands(span, mark);
        result.erase(std::find_if(result.begin(), result.end(), [&](const Span& each) { return !is_of_values(each); }), result.end());
        return result;
    }
    [[nodiscard]] bool is_of_values(const Span& span) const {
        for (auto i = span.begin; i < span.end;) {
            const auto length = length_of_value_or_mark(i, span.end);
            if (length == 0) return false;
            i += length;
        }
        return span.begin < span.end;
    }
    // How many tokens a value or an operator has that changes nothing; 0: it is neither.
    [[nodiscard]] std::size_t length_of_value_or_mark(std::size_t i, std::size_t end) const {
        const auto& token = tokens_[i];
        if (token.kind == jit::Token::Kind::number) return 1;
        if (token.kind == jit::Token::Kind::identifier) {
            const bool is_called = i + 1 < end && (is(i + 1, "(") || is(i + 1, "{"));
            if (token.text != "self") return values_.have(token) && !is_called ? 1 : 0;
            const bool is_member =
                i + 2 < end && is(i + 1, ".") && members_.count(tokens_[i + 2].text) != 0 && !values_.is_macro(tokens_[i + 2].text);
            const bool goes_on = i + 3 < end && (is(i + 3, ".") || is(i + 3, "(") || is(i + 3, "["));
            return is_member && !goes_on ? 3 : 0;
        }
        if (token.kind != jit::Token::Kind::punctuation) return 0;
        for (const std::string_view first : {"=", "!", "<", ">"})
            if (is_pair(i, first, "=")) return is_pair(i + 1, "=", ">") ? 0 : 2; // <=> is no truth
        for (const std::string_view one : {"&", "|"})
            if (is_pair(i, one, one)) return 2;
        static constexpr std::string_view alone = "!<>+-*/%()";
        if (token.text.size() != 1 || alone.find(token.text[0]) == std::string_view::npos) return 0;
        const bool changes = is_pair(i, token.text, "=") ||
                             (token.text != "!" && token.text != "(" && token.text != ")" && is_pair(i, token.text, token.text));
        return changes ? 0 : 1;
    }
    [[nodiscard]] std::optional<std::string> any_of(const std::vector<Span>& operands, const char* before) const {
        if (operands.empty()) return std::nullopt;
        std::string text;
        for (const auto& operand : operands) {
            text += (text.empty() ? "" : " || ") + std::string(before) + "(";
            for (auto i = operand.begin; i < operand.end; ++i) {
                const bool is_beside = i > operand.begin && tokens_[i - 1].offset + tokens_[i - 1].text.size() == tokens_[i].offset;
                text += (i == operand.begin || is_beside ? "" : " ") + tokens_[i].text;
            }
            text += ")";
        }
        return text;
    }

    Tokens tokens_;
    const KnownValues& values_;
    const std::set<std::string>& members_;
};

} // namespace

KnownValues::KnownValues(const model::Description& description, const std::vector<Tokens>& files) : constants_(files) {
    for (const auto& parameter : description.parameters)
        if (parameter.scope.empty()) parameters_.insert(parameter.name);
    for (const auto& tokens : files)
        for (std::size_t i = 1; i < tokens.size(); ++i)
            if (tokens[i].in_directive && tokens[i - 1].text == "define")
                macros_.insert(tokens[i].text);
            else if (tokens[i].in_directive && tokens[i - 1].text == "undef")
                forgotten_.insert(tokens[i].text);
}

bool KnownValues::have(const jit::Token& name) const {
    if (name.text == "true" || name.text == "false") return true;
    if (forgotten_.count(name.text) != 0) return false;
    return constants_.value({name}) || (parameters_.count(name.text) != 0 && !is_macro(name.text));
}

std::optional<std::string> condition_to_do_nothing(Tokens body, const KnownValues& values, const std::set<std::string>& members) {
    return Body(std::move(body), values, members).condition();
}

} // namespace tessera
