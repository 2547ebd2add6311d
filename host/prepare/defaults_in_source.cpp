#include "host/prepare/defaults_in_source.hpp"

#include "jit/brackets.hpp"
#include "jit/lexer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {
namespace {

// What a string stands for, and how far behind its token's first column that begins; nothing for escapes that a run file has no use for.
struct Content {
    std::string text;
    std::size_t offset;
};
std::optional<Content> content_of(const std::string& literal) {
    if (literal.starts_with("R\"")) {
        const auto open = literal.find('(');
        if (open == std::string::npos || literal.size() < 2 * open + 1) return std::nullopt; // as many behind it: ), the word, "
        return Content{literal.substr(open + 1, literal.size() - 2 * open - 1), open + 1};
    }
    if (literal.size() < 2 || literal.front() != '"') return std::nullopt;
    Content content{{}, 1};
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
        if (literal[i] != '\\') {
            content.text += literal[i];
            continue;
        }
        const auto escaped = literal[++i];
        if (std::string_view("nt\"\\'").find(escaped) == std::string_view::npos) return std::nullopt;
        content.text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    return content;
}

// Writes texts at the lines and columns where they are in a file.
class Placed {
public:
    // False where that would be another text.
    [[nodiscard]] bool add(const jit::Token& token, bool is_first) {
        const auto content = content_of(token.text);
        if (!content || (is_first ? token.line <= last_line_ || token.line < line_ : token.line != line_)) return false;
        if (is_first) begin_at(token.line, static_cast<std::size_t>(token.column) - 1 + content->offset);
        const auto end = content->text.find('\n');
        if (!token.text.starts_with("R") && end != std::string::npos && end + 1 < content->text.size()) return false; // lines within one
        all_ += content->text;
        given_ += content->text;
        line_ += static_cast<int>(std::count(content->text.begin(), content->text.end(), '\n'));
        return true;
    }
    // A TESSERA_DEFAULTS ends a line.
    void end_one() {
        given_ += '\n';
        last_line_ = line_;
    }

    [[nodiscard]] const std::string& all() const noexcept { return all_; }
    [[nodiscard]] const std::string& given() const noexcept { return given_; }

private:
    void begin_at(int line, std::size_t column) {
        all_.append(static_cast<std::size_t>(line - line_), '\n').append(column, ' ');
        line_ = line;
    }

    std::string all_, given_;
    int line_ = 1, last_line_ = 0;
};

} // namespace

std::optional<DefaultsInSource> defaults_in_source(const model::Model& model) {
    if (model.library || model.description.defaults.empty()) return std::nullopt;
    const auto& file = model.source.main;
    const auto tokens = jit::tokens_of(file.text);
    const jit::Brackets brackets(tokens);
    Placed placed;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (tokens[i].in_directive || tokens[i].text != "TESSERA_DEFAULTS" || tokens[i + 1].text != "(") continue;
        const auto end = std::min(brackets.other(i + 1), tokens.size());
        for (auto at = i + 2; at < end; ++at)
            if (tokens[at].kind != jit::Token::Kind::string || !placed.add(tokens[at], at == i + 2)) return std::nullopt;
        i = end;
        placed.end_one();
    }
    if (placed.given() != model.description.defaults) return std::nullopt;
    return DefaultsInSource{file.path, placed.all() + "\n"};
}

} // namespace tessera
