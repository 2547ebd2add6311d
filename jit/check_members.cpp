#include "jit/check_members.hpp"

#include "device_runtime/error.hpp"
#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

// Most compilers say nothing of these mistakes, or nothing that an author can use.
namespace tessera::jit {
namespace {

using Tokens = std::vector<Token>;

constexpr std::size_t most_members = 356; // what TESSERA_EACH can go through (sdk/include/tessera/detail/macros.hpp)

[[noreturn]] void refuse(const SourceFile& file, const Token& token, const std::string& what, const std::string& why,
                         const std::string& suggestion) {
    throw Error(Failure::compile, fmt::format("{}:{}:{}: {}", file.path, token.line, token.column, what), why, suggestion);
}

bool is(const Tokens& tokens, std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; }

// The bracket that belongs to the one at `i`, forwards from an opening one; the end when there is none.
std::size_t closing(const Tokens& tokens, std::size_t i) {
    int depth = 0;
    for (; i < tokens.size(); ++i) {
        depth += is(tokens, i, "{") || is(tokens, i, "(") || is(tokens, i, "[")   ? 1
                 : is(tokens, i, "}") || is(tokens, i, ")") || is(tokens, i, "]") ? -1
                                                                                  : 0;
        if (depth == 0) return i;
    }
    return i;
}

// ---- how many members a row may have

void check_number(const SourceFile& file, const Tokens& tokens) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (tokens[i].in_directive || tokens[i].text != "TESSERA_PLACE" || tokens[i + 1].text != "(") continue;
        const auto end = closing(tokens, i + 1);
        std::size_t members = 0, first_beyond = 0;
        for (auto at = i + 2; at < end; ++at)
            if (tokens[at].text == "," && ++members == most_members + 1) first_beyond = std::min(at + 1, end);
        if (members > most_members)
            refuse(file, tokens[first_beyond], fmt::format("{} has {} members", tokens[i + 2].text, members),
                   fmt::format("a row has at most {}", most_members),
                   "make arrays of members that belong together, or a second row of some");
    }
}

// ---- indexes of array members

// The extents of a struct's array members, as far as they can be told from the text.
using Extents = std::map<std::string, std::int64_t>;

Extents extents_in(const Tokens& tokens, std::size_t brace, const Constants& constants) {
    Extents extents;
    const auto end = closing(tokens, brace);
    for (auto i = brace + 1; i < end; ++i) {
        if (is(tokens, i, "{") || is(tokens, i, "(")) i = closing(tokens, i);
        if (!is(tokens, i, "[") || tokens[i - 1].kind != Token::Kind::identifier) continue;
        const auto behind = closing(tokens, i);
        if (const auto value = constants.value(
                {tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(std::min(behind, end))}))
            extents[tokens[i - 1].text] = *value;
        i = behind;
    }
    return extents;
}

class Indexes {
public:
    Indexes(const std::vector<const SourceFile*>& files, const std::vector<Tokens>& tokens) : constants_(tokens) {
        for (std::size_t f = 0; f < files.size(); ++f) {
            const auto outline = outline_of(files[f]->text);
            rows_.insert(rows_.end(), outline.rows.begin(), outline.rows.end());
        }
        for (const auto& text : tokens)
            for (std::size_t i = 0; i + 2 < text.size(); ++i)
                if (is(text, i, "struct") && is_row(text[i + 1].text) && is(text, i + 2, "{"))
                    extents_[text[i + 1].text] = extents_in(text, i + 2, constants_);
    }

    void check(const SourceFile& file, const Tokens& tokens) const {
        const auto outline = outline_of(file.text);
        const auto neighbours = visited(tokens);
        for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
            if (!is(tokens, i - 1, ".") || !is(tokens, i + 1, "[") || tokens[i].kind != Token::Kind::identifier) continue;
            if (!names_a_place(tokens, i - 2, neighbours)) continue;
            const auto* const function = outline.function_at(tokens[i].line);
            check_one(file, tokens, i, function == nullptr ? std::string() : function->row);
        }
    }

private:
    [[nodiscard]] bool is_row(const std::string& name) const {
        return std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.row == name; });
    }

    // What a lambda that is given to `self.each` calls its argument, as far as nothing else is called so.
    static std::set<std::string> visited(const Tokens& tokens) {
        std::set<std::string> names;
        for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
            if (!is(tokens, i, "each") || !is(tokens, i - 1, ".") || !is(tokens, i - 2, "self") || !is(tokens, i + 1, "(")) continue;
            const auto end = closing(tokens, i + 1);
            for (auto at = i + 2; at + 1 < end; ++at)
                if (is(tokens, at, "]") && is(tokens, at + 1, "(")) {
                    const auto last = closing(tokens, at + 1);
                    if (tokens[last - 1].kind == Token::Kind::identifier) names.insert(tokens[last - 1].text);
                    break;
                }
        }
        return names;
    }

    // Whether what ends at `i` is `self`, `self.at(...)` or a visited neighbour.
    static bool names_a_place(const Tokens& tokens, std::size_t i, const std::set<std::string>& neighbours) {
        if (is(tokens, i, "self")) return true;
        if (neighbours.count(tokens[i].text) != 0) return i == 0 || !is(tokens, i - 1, ".");
        if (!is(tokens, i, ")")) return false;
        int depth = 0;
        for (; i > 3; --i) {
            depth += is(tokens, i, ")") ? 1 : is(tokens, i, "(") ? -1 : 0;
            if (depth == 0) return is(tokens, i - 1, "at") && is(tokens, i - 2, ".") && is(tokens, i - 3, "self");
        }
        return false;
    }

    // The extent of a member of the row; in a helper, where no row is known, the largest that it may have.
    [[nodiscard]] std::optional<std::pair<std::string, std::int64_t>> extent_of(const std::string& row, const std::string& member) const {
        std::optional<std::pair<std::string, std::int64_t>> largest;
        for (const auto& [name, extents] : extents_) {
            if (!row.empty() && name != row) continue;
            const auto found = extents.find(member);
            if (found != extents.end() && (!largest || found->second > largest->second)) largest = {name, found->second};
        }
        return largest;
    }

    void check_one(const SourceFile& file, const Tokens& tokens, std::size_t member, const std::string& row) const {
        const auto extent = extent_of(row, tokens[member].text);
        const auto end = closing(tokens, member + 1);
        if (!extent || end >= tokens.size()) return;
        const auto index =
            constants_.value({tokens.begin() + static_cast<std::ptrdiff_t>(member) + 2, tokens.begin() + static_cast<std::ptrdiff_t>(end)});
        if (!index || (*index >= 0 && *index < extent->second)) return;
        refuse(file, tokens[member + 2], fmt::format("{}::{} has no element {}", extent->first, tokens[member].text, *index),
               extent->second == 1 ? std::string("its only one is 0")
                                   : fmt::format("its {} elements are 0 to {}", extent->second, extent->second - 1),
               "use one of these");
    }

    Constants constants_;
    std::vector<RowDeclaration> rows_;
    std::map<std::string, Extents> extents_;
};

} // namespace

void check_members(const ModelSource& model) {
    std::vector<const SourceFile*> files{&model.main};
    for (const auto& header : model.headers) files.push_back(&header);
    std::vector<Tokens> tokens;
    for (const auto* file : files) tokens.push_back(tokens_of(file->text));
    for (std::size_t f = 0; f < files.size(); ++f) check_number(*files[f], tokens[f]);
    const Indexes indexes(files, tokens);
    for (std::size_t f = 0; f < files.size(); ++f) indexes.check(*files[f], tokens[f]);
}

} // namespace tessera::jit
