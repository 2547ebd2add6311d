#include "jit/lexer.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::jit {
namespace {

bool begins_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_identifier(char c) { return begins_identifier(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

class Lexer {
public:
    explicit Lexer(std::string_view text) : source_(text) { splice(text); }

    std::vector<Token> run() {
        while (next_ < text_.size()) step();
        return std::move(tokens_);
    }

private:
    // Takes out the line splices, as translation phase 2 does, and remembers where every character came from.
    void splice(std::string_view text) {
        int line = 1, column = 1;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const std::size_t newline = text.compare(i, 3, "\\\r\n") == 0 ? 3 : text.compare(i, 2, "\\\n") == 0 ? 2 : 0;
            if (newline != 0) {
                i += newline - 1;
                ++line;
                column = 1;
                continue;
            }
            text_ += text[i];
            origin_.push_back({line, column++, i});
            if (text[i] == '\n') {
                ++line;
                column = 1;
            }
        }
    }

    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    void step() {
        const char c = text_[next_];
        if (c == '\n') {
            ++next_;
            fresh_line_ = true;
            in_directive_ = false;
        } else if (is_blank(c)) {
            ++next_;
        } else if (c == '/' && at(next_ + 1) == '/') {
            next_ = std::min(text_.find('\n', next_), text_.size());
        } else if (c == '/' && at(next_ + 1) == '*') {
            skip_block_comment();
        } else {
            token();
        }
    }

    void skip_block_comment() {
        const auto end = text_.find("*/", next_ + 2);
        next_ = end == std::string::npos ? text_.size() : end + 2;
    }

    void token() {
        const char c = text_[next_];
        if (expects_header_name() && (c == '<' || c == '"')) return header_name(c == '<' ? '>' : '"');
        if (begins_identifier(c)) return word();
        if (is_digit(c) || (c == '.' && is_digit(at(next_ + 1)))) return number();
        if (c == '"') return emit(Token::Kind::string, end_of_literal(next_, '"'));
        if (c == '\'') return emit(Token::Kind::character, end_of_literal(next_, '\''));
        if (fresh_line_ && (c == '#' || (c == '%' && at(next_ + 1) == ':'))) in_directive_ = true;
        emit(Token::Kind::punctuation, next_ + (c == '%' && at(next_ + 1) == ':' ? 2 : 1));
    }

    [[nodiscard]] bool expects_header_name() const {
        const auto n = tokens_.size();
        return in_directive_ && n >= 2 && tokens_[n - 2].starts_line && (tokens_[n - 2].text == "#" || tokens_[n - 2].text == "%:") &&
               tokens_[n - 1].text == "include";
    }

    void header_name(char close) {
        auto end = next_ + 1;
        while (end < text_.size() && text_[end] != close && text_[end] != '\n') ++end;
        emit(Token::Kind::header_name, at(end) == close ? end + 1 : end);
    }

    void word() {
        auto end = next_;
        while (end < text_.size() && continues_identifier(text_[end])) ++end;
        const std::string_view prefix(text_.data() + next_, end - next_);
        if (at(end) == '"' && (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R"))
            return raw_string(end);
        const bool encoding = prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8";
        if (encoding && at(end) == '"') return emit(Token::Kind::string, end_of_literal(end, '"'));
        if (encoding && at(end) == '\'') return emit(Token::Kind::character, end_of_literal(end, '\''));
        emit(Token::Kind::identifier, end);
    }

    void number() {
        auto end = next_ + 1;
        for (; end < text_.size(); ++end) {
            const char c = text_[end], before = text_[end - 1];
            const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
            const bool separator = c == '\'' && continues_identifier(at(end + 1));
            if (!continues_identifier(c) && c != '.' && !sign && !separator) break;
        }
        emit(Token::Kind::number, end);
    }

    [[nodiscard]] std::size_t end_of_literal(std::size_t begin, char quote) const {
        auto end = begin + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
        end = std::min(end, text_.size());
        return at(end) == quote ? end + 1 : end;
    }

    // Between its quotes nothing is spliced: it ends where it does in the text as written.
    void raw_string(std::size_t quote) {
        const auto from = origin_[quote].offset;
        const auto open = source_.find('(', from);
        if (open == std::string::npos || open - from > 17) // no raw string: its delimiter is too long
            return emit(Token::Kind::string, end_of_literal(quote, '"'));
        std::string close(1, ')');
        close.append(source_, from + 1, open - from - 1) += '"';
        const auto found = source_.find(close, open);
        const auto to = found == std::string_view::npos ? source_.size() : found + close.size();
        const auto next = std::lower_bound(origin_.begin(), origin_.end(), to,
                                           [](const Origin& origin, std::size_t offset) { return origin.offset < offset; });
        const auto prefix = text_.substr(next_, quote - next_);
        emit(Token::Kind::string, static_cast<std::size_t>(next - origin_.begin()));
        tokens_.back().text = prefix + std::string(source_.substr(from, to - from));
    }

    void emit(Token::Kind kind, std::size_t end) {
        const auto& origin = origin_[next_];
        tokens_.push_back({kind, text_.substr(next_, end - next_), origin.line, origin.column, fresh_line_, in_directive_, origin.offset});
        fresh_line_ = false;
        next_ = end;
    }

    struct Origin {
        int line, column;
        std::size_t offset; // in source_
    };
    std::string_view source_;
    std::string text_; // spliced
    std::vector<Origin> origin_;
    std::size_t next_ = 0;
    bool fresh_line_ = true, in_directive_ = false;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).run(); }

} // namespace tessera::jit
