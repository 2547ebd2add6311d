#include "jit/wording/passage.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tessera::jit {

// Indices of the tokens on the line; the one nearest to the compiler's column first.
std::vector<std::size_t> nearest_tokens(const Passage& passage, const std::function<bool(std::size_t)>& wanted) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < passage.tokens->size(); ++i)
        if ((*passage.tokens)[i].line == passage.line && wanted(i)) found.push_back(i);
    if (passage.column > 0)
        std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
            return std::abs((*passage.tokens)[a].column - passage.column) < std::abs((*passage.tokens)[b].column - passage.column);
        });
    return found;
}

const std::string& text_at(const Passage& passage, std::size_t i) {
    static const std::string none;
    return i < passage.tokens->size() ? (*passage.tokens)[i].text : none;
}

bool is_word(const Passage& passage, std::size_t i) {
    return i < passage.tokens->size() && (*passage.tokens)[i].kind == Token::Kind::identifier;
}

Wording at_token(std::string message, const Passage& passage, std::optional<std::size_t> token) {
    if (!token) return {std::move(message), passage.line, passage.column, false};
    const auto& found = (*passage.tokens)[*token];
    return {std::move(message), found.line, found.column, false};
}

bool declares_a_row(const Passage& passage, std::size_t i) {
    const auto& text = text_at(passage, i);
    return text == "TESSERA_PLACE" || text == "TESSERA_AGENT" || text == "TESSERA_LINK";
}

std::string macro_of(const Passage& passage, const std::string& row) {
    for (std::size_t i = 0; i < passage.tokens->size(); ++i)
        if (declares_a_row(passage, i) && text_at(passage, i + 2) == row) return text_at(passage, i);
    return "TESSERA_PLACE";
}

// The name on the line, or after it: what stands in a macro's arguments is told at the macro's name, some lines above.
std::optional<std::size_t> token_named(const Passage& passage, const std::string& name, bool as_member) {
    const auto wanted = [&](std::size_t i) {
        const bool member = i > 0 && (text_at(passage, i - 1) == "." || text_at(passage, i - 1) == ">" || text_at(passage, i - 1) == ":");
        return text_at(passage, i) == name && (!as_member || member);
    };
    if (const auto found = nearest_tokens(passage, wanted); !found.empty()) return found.front();
    const int last_line = passage.function != nullptr ? passage.function->last_line : passage.line + 20;
    for (std::size_t i = 0; i < passage.tokens->size(); ++i)
        if (const int line = (*passage.tokens)[i].line; line > passage.line && line <= last_line && wanted(i)) return i;
    return std::nullopt;
}

// Whether the member at token `i` is one of `self`, and not of a neighbour.
bool is_own(const Passage& passage, std::size_t i) { return i >= 2 && text_at(passage, i - 1) == "." && text_at(passage, i - 2) == "self"; }

// The member `name` of `self`, or of a neighbour; compilers point at different ones where a line has both.
std::optional<std::size_t> member_named(const Passage& passage, const std::string& name, bool own) {
    const auto found = nearest_tokens(
        passage, [&](std::size_t i) { return text_at(passage, i) == name && text_at(passage, i - 1) == "." && is_own(passage, i) == own; });
    return found.empty() ? token_named(passage, name, true) : std::optional(found.front());
}

bool has_member(const RowDeclaration* row, const std::string& member) {
    return row != nullptr && std::find(row->members.begin(), row->members.end(), member) != row->members.end();
}

// The row that a member belongs to: the function's own, else the only one that has it.
const RowDeclaration* row_with(const Passage& passage, const std::string& member) {
    if (passage.function != nullptr)
        if (const auto* own = passage.outline->find_row(passage.function->row); has_member(own, member)) return own;
    const RowDeclaration* only = nullptr;
    for (const auto& row : passage.outline->rows)
        if (has_member(&row, member)) {
            if (only != nullptr) return nullptr;
            only = &row;
        }
    return only;
}

const RowDeclaration* ground_row(const Passage& passage) {
    const auto* own = passage.function == nullptr ? nullptr : passage.outline->find_row(passage.function->row);
    return own == nullptr || own->ground.empty() ? nullptr : passage.outline->find_row(own->ground);
}

bool is_of_ground(const Passage& passage, std::size_t i) {
    return i >= 4 && text_at(passage, i - 1) == "." && text_at(passage, i - 2) == "place" && is_own(passage, i - 2);
}

bool is_of_an_end(const Passage& passage, std::size_t i) {
    return i >= 4 && text_at(passage, i - 1) == "." && (text_at(passage, i - 2) == "from" || text_at(passage, i - 2) == "to") &&
           is_own(passage, i - 2);
}

bool names_links(const Passage& passage, std::size_t i) {
    const auto& list = text_at(passage, i);
    return list == "links" || list == "in_links" || list == "out_links";
}

std::string links_argument(const Passage& passage, std::size_t i) {
    if (text_at(passage, i + 1) != "(" || !names_links(passage, i + 2) || text_at(passage, i + 3) != "<" || text_at(passage, i + 5) != ">")
        return {};
    return text_at(passage, i + 2) + "<" + text_at(passage, i + 4) + ">";
}

const RowDeclaration* met_row(const Passage& passage, std::size_t i) {
    if (i < 2 || text_at(passage, i - 1) != ".") return nullptr;
    const auto visited = text_at(passage, i - 2);
    auto at = i - 2;
    while (at > 0 && !(text_at(passage, at) == visited && text_at(passage, at + 1) == ")" && text_at(passage, at - 1) == "&")) --at;
    for (; at > 2 && text_at(passage, at) != ";" && text_at(passage, at) != "{"; --at)
        if (text_at(passage, at) == ">" && text_at(passage, at + 1) == "," && text_at(passage, at + 2) == "[" &&
            text_at(passage, at - 2) == "<" && text_at(passage, at - 3) == "agents")
            return passage.outline->find_row(text_at(passage, at - 1));
    return nullptr;
}

// The first token of the line; if that closes a bracket, of the line where it was opened. Compilers point at different ones.
std::optional<std::size_t> first_of_statement(Passage passage) {
    const auto any = [](std::size_t) { return true; };
    const auto found = nearest_tokens(passage, any);
    if (found.empty()) return std::nullopt;
    const auto closes = [](const std::string& text) { return text == ")" || text == "}" || text == "]"; };
    const auto opens = [](const std::string& text) { return text == "(" || text == "{" || text == "["; };
    if (!closes(text_at(passage, found.front()))) return found.front();
    int depth = 0;
    for (auto i = found.back() + 1; i-- > 0;) {
        if (closes(text_at(passage, i))) ++depth;
        if (opens(text_at(passage, i)) && --depth == 0) {
            passage.line = (*passage.tokens)[i].line;
            return nearest_tokens(passage, any).front();
        }
    }
    return found.front();
}

bool is_parameter(const Passage& passage, const std::string& name) { // TESSERA_PARAM(float, name
    for (std::size_t i = 0; i + 4 < passage.tokens->size(); ++i) {
        if (text_at(passage, i) != "TESSERA_PARAM") continue;
        auto comma = i + 2;
        while (comma < passage.tokens->size() && text_at(passage, comma) != ",") ++comma;
        if (text_at(passage, comma + 1) == name) return true;
    }
    return false;
}

} // namespace tessera::jit
