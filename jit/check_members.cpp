#include "jit/check_members.hpp"

#include "device_runtime/error.hpp"
#include "jit/brackets.hpp"
#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

// Most compilers say nothing of these mistakes, or nothing that an author can use.
namespace tessera::jit {
namespace {

constexpr std::size_t most_members = 356; // what TESSERA_EACH can go through (sdk/include/tessera/detail/macros.hpp)

bool is(const Tokens& tokens, std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; }

// A file of the model, looked through.
struct Text {
    explicit Text(const SourceFile& of) : file(of), tokens(tokens_of(of.text)), brackets(tokens), outline(outline_of(of.text)) {}

    const SourceFile& file;
    Tokens tokens;
    Brackets brackets;
    Outline outline;
};

// ---- how many members a row may have

void check_number(const Text& text) {
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (tokens[i].in_directive || tokens[i].text != "TESSERA_PLACE" || tokens[i + 1].text != "(") continue;
        const auto end = text.brackets.other(i + 1);
        std::size_t members = 0, first_beyond = 0;
        for (auto at = i + 2; at < end; ++at)
            if (tokens[at].text == "," && ++members == most_members + 1) first_beyond = std::min(at + 1, end);
        if (members > most_members)
            refuse(text.file, tokens[first_beyond], fmt::format("{} has {} members", tokens[i + 2].text, members),
                   fmt::format("a row has at most {}", most_members),
                   "make arrays of members that belong together, or move some to a second row");
        i = end - 1;
    }
}

// ---- what a row is called

// Words that the SDK's classes for rows and their functions have as names of their own, in whose scope the author's words stand too.
void check_name(const Text& text) {
    static const std::set<std::string_view> taken = {"row",        "row_members", "where", "name", "find",   "member_count",
                                                     "pointer_to", "access",      "call",  "text", "header", "Self"};
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool declares = is(tokens, i, "TESSERA_PLACE") || is(tokens, i, "TESSERA_AGENT") || is(tokens, i, "TESSERA_LINK");
        if (declares && !tokens[i].in_directive && is(tokens, i + 1, "(") && taken.count(tokens[i + 2].text) != 0)
            refuse(text.file, tokens[i + 2], fmt::format("no row can be called `{}`", tokens[i + 2].text),
                   "the SDK has another meaning for the word", "rename the struct");
    }
}

// ---- what links join, and where agents stand

// TESSERA_LINK(Road, length), TESSERA_LINK(Road, between<Town, City>), whose comma would be one of the macro.
void check_where(const Text& text) {
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
        const bool links = is(tokens, i, "TESSERA_LINK");
        if (tokens[i].in_directive || (!links && !is(tokens, i, "TESSERA_AGENT")) || !is(tokens, i + 1, "(") || !is(tokens, i + 3, ","))
            continue;
        const auto end = std::min(text.brackets.other(i + 1), tokens.size());
        auto at = i + 4;
        if (is(tokens, at, "tessera") && is(tokens, at + 1, ":")) at += 3;
        const auto& row = tokens[i + 2].text;
        if (links && is(tokens, at, "between") && is(tokens, at + 1, "<")) {
            while (at < end && !is(tokens, at, ">") && !is(tokens, at, ",")) ++at;
            if (is(tokens, at, ","))
                refuse(text.file, tokens[at], fmt::format("{} is between two types of places", row),
                       "between<ROW> joins places of one type, and both ends are alike",
                       "for links from one type to another write from<ROW>::to<ROW>");
        } else if (links && !is(tokens, at, "from"))
            refuse(text.file, tokens[i + 4], fmt::format("TESSERA_LINK({}, ...) does not say what is joined", row),
                   "its second argument is between<ROW>, or from<ROW>::to<ROW>", "write it in front of the members");
        else if (!links && (end == i + 4 || is(tokens, i + 5, ",") || i + 5 == end) && text.outline.find_row(tokens[i + 4].text) == nullptr)
            refuse(text.file, tokens[i + 4], fmt::format("TESSERA_AGENT({}, ...) does not say where they are", row),
                   "its second argument is on<ROW>, or in<ROW>", "write it in front of the members");
        i = end - 1;
    }
}

// ---- lists of links and agents in round brackets

// `links(Friend)` for `links<Friend>`.
void check_lists(const Text& text) {
    static constexpr std::array<std::string_view, 4> lists = {"links", "in_links", "out_links", "agents"};
    const auto& tokens = text.tokens;
    for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
        if (tokens[i].in_directive || is(tokens, i - 1, ".") || !is(tokens, i + 1, "(") || !is(tokens, i + 3, ")") ||
            std::find(lists.begin(), lists.end(), tokens[i].text) == lists.end() || text.outline.find_row(tokens[i + 2].text) == nullptr)
            continue;
        refuse(text.file, tokens[i + 1], fmt::format("{} has round brackets", tokens[i].text), "its type stands between < and >",
               fmt::format("write {}<{}>", tokens[i].text, tokens[i + 2].text));
    }
}

// ---- access lists in round brackets

// `writes(&Cell::heat)` for `writes<&Cell::heat>`.
void check_access(const Text& text) {
    static constexpr std::array<std::string_view, 11> entries = {"reads", "around", "writes", "sets",   "adds", "least",
                                                                 "most",  "counts", "meets",  "spawns", "moves"};
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].in_directive || !tokens[i].text.starts_with("TESSERA_") || !is(tokens, i + 1, "(")) continue;
        const auto end = text.brackets.other(i + 1);
        if (!is(tokens, end + 1, "{")) continue; // no function
        for (auto at = i + 2; at < end; ++at) {
            if (std::find(entries.begin(), entries.end(), tokens[at].text) == entries.end() || !is(tokens, at + 1, "(")) continue;
            std::string inside;
            for (auto part = at + 2; part < text.brackets.other(at + 1); ++part)
                inside += (is(tokens, part - 1, ",") ? " " : "") + tokens[part].text;
            refuse(text.file, tokens[at + 1], fmt::format("{} has round brackets", tokens[at].text),
                   "the names of an access list stand between < and >", fmt::format("write {}<{}>", tokens[at].text, inside));
        }
        i = end;
    }
}

// ---- functions without a body

// TESSERA_CALL(Cell, tick, writes<&Cell::heat>); as if it were declared first.
void check_bodies(const Text& text) {
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
        if (tokens[i].in_directive || (!is(tokens, i, "TESSERA_CALL") && !is(tokens, i, "TESSERA_INIT")) || !is(tokens, i + 1, "("))
            continue;
        const auto end = text.brackets.other(i + 1);
        if (end >= tokens.size() || tokens[i + 2].kind != Token::Kind::identifier) continue;
        const bool another = end + 1 < tokens.size() && tokens[end + 1].text.starts_with("TESSERA_") && is(tokens, end + 2, "(");
        if (end + 1 < tokens.size() && !another && !is(tokens, end + 1, ";") && !is(tokens, end + 1, "}")) continue;
        refuse(text.file, tokens[i], fmt::format("{}({}, {}, ...) has no body", tokens[i].text, tokens[i + 2].text, tokens[i + 4].text),
               "the function's body has to follow, between { and }", "write it there, without a ; before it");
    }
}

// ---- names of parameters

// Whether what a TESSERA_PARAM takes is limited: range(0, 1).
bool has_ranges(const Text& text) {
    for (std::size_t i = 0; i + 1 < text.tokens.size(); ++i)
        if (is(text.tokens, i, "range") && is(text.tokens, i + 1, "(")) return true;
    return false;
}

// What a parameter, or a value of a step, cannot be called; empty for what it can.
std::string why_no_name(const std::string& name, const std::vector<Text>& texts) {
    static const std::set<std::string> functions = {"abs",   "atan",  "atan2", "ceil", "clamp", "cos",  "exp",    "floor",
                                                    "fma",   "fmod",  "isnan", "log",  "max",   "min",  "pow",    "isfinite",
                                                    "isinf", "round", "sin",   "sqrt", "tan",   "tanh", "to_int", "trunc"};
    static const std::set<std::string> words = {
        "bool",  "char",     "class",  "const", "double", "else",   "enum",   "false",   "float",    "for",   "if",       "int",
        "long",  "register", "return", "short", "signed", "sizeof", "struct", "switch",  "this",     "true",  "typename", "unsigned",
        "using", "void",     "while",  "auto",  "break",  "case",   "do",     "default", "operator", "union", "friend",   "continue"};
    if (functions.count(name) != 0) return "a function of the SDK has that name";
    if (name == "range" && std::any_of(texts.begin(), texts.end(), has_ranges)) return "range(low, high) would be no range";
    if (words.count(name) != 0) return "it is a word of C++";
    if (name == "self") return "functions have a `self`, the place or agent itself";
    for (const auto& text : texts)
        if (text.outline.find_row(name) != nullptr) return "a row has that name";
    return {};
}

void check_parameter_names(const Text& text, const std::vector<Text>& texts) {
    const auto& tokens = text.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const bool parameter = is(tokens, i, "TESSERA_PARAM");
        const bool declares = parameter || is(tokens, i, "TESSERA_GLOBAL") || is(tokens, i, "TESSERA_UNIFORM");
        if (tokens[i].in_directive || !declares || !is(tokens, i + 1, "(")) continue;
        const auto end = std::min(text.brackets.other(i + 1), tokens.size());
        auto name = i + 2;
        while (name < end && !is(tokens, name, ",")) ++name;
        if (++name >= end) continue;
        if (const auto why = why_no_name(tokens[name].text, texts); !why.empty())
            refuse(text.file, tokens[name],
                   fmt::format("a {} cannot be called {}", parameter ? "parameter" : "value of a step", tokens[name].text), why,
                   "rename it");
    }
}

// ---- types of the standard library

// `std::string name;` in a row's struct: compilers do not know the type, and then not the member.
void check_types(const Text& text, const std::string& row, std::size_t brace) {
    const auto& tokens = text.tokens;
    const auto end = text.brackets.other(brace);
    for (auto at = brace + 1; at + 3 < end; ++at) {
        const bool begins = is(tokens, at - 1, "{") || is(tokens, at - 1, ";") || is(tokens, at - 1, "}");
        const auto& type = tokens[at + 3].text;
        if (begins && is(tokens, at, "std") && is(tokens, at + 1, ":") && is(tokens, at + 2, ":") && !type.ends_with("_t"))
            refuse(text.file, tokens[at], fmt::format("std::{} cannot be a member of {}", type, row),
                   "a member is bool, an integer of 8 to 64 bits, float, double, or a fixed array of these", "choose one of them");
        if (is(tokens, at, "{") || is(tokens, at, "(")) at = std::min(text.brackets.other(at), end);
    }
}

// ---- defaults of members

std::set<std::string> parameters_of(const std::vector<Text>& texts) {
    std::set<std::string> parameters;
    for (const auto& text : texts)
        for (std::size_t i = 0; i + 1 < text.tokens.size(); ++i) {
            if (text.tokens[i].in_directive || text.tokens[i].text != "TESSERA_PARAM" || text.tokens[i + 1].text != "(") continue;
            const auto end = text.brackets.other(i + 1);
            for (auto at = i + 2; at + 1 < end; ++at)
                if (text.tokens[at].text == ",") {
                    parameters.insert(text.tokens[at + 1].text);
                    break;
                }
        }
    return parameters;
}

// The default is worked out once, with what the parameter is by itself: what a run file sets would not be in it.
void check_default(const Text& text, const std::string& row, std::size_t first, std::size_t end, const std::set<std::string>& parameters) {
    const auto& tokens = text.tokens;
    for (auto i = first; i < end; ++i)
        if (parameters.count(tokens[i].text) != 0 && !is(tokens, i - 1, ".") && !is(tokens, i - 1, ">"))
            refuse(text.file, tokens[i], fmt::format("a member of {} has the parameter {} as its default", row, tokens[i].text),
                   "a default is a constant, which a run file's [params] do not change",
                   fmt::format("set it in a TESSERA_INIT function of {}", row));
}

void check_defaults(const Text& text, const std::string& row, std::size_t brace, const std::set<std::string>& parameters) {
    const auto& tokens = text.tokens;
    const auto end = std::min(text.brackets.other(brace), tokens.size());
    for (auto i = brace + 1; i < end; ++i) {
        if (is(tokens, i, "=")) {
            const auto first = i;
            while (i < end && !is(tokens, i, ";")) ++i;
            check_default(text, row, first + 1, i, parameters);
        } else if (is(tokens, i, "{")) {
            const auto close = std::min(text.brackets.other(i), end);
            const bool is_body = !is(tokens, i - 1, "]") && tokens[i - 1].kind != Token::Kind::identifier;
            if (!is_body) check_default(text, row, i + 1, close, parameters);
            i = close;
        } else if (is(tokens, i, "("))
            i = text.brackets.other(i);
    }
}

// `visit(text, row, brace)` for each struct of a row.
template<class Visit> void for_each_row(const std::vector<Text>& texts, const Visit& visit) {
    std::set<std::string> rows;
    for (const auto& text : texts)
        for (const auto& row : text.outline.rows) rows.insert(row.row);
    for (const auto& text : texts)
        for (std::size_t i = 0; i + 2 < text.tokens.size(); ++i)
            if (is(text.tokens, i, "struct") && rows.count(text.tokens[i + 1].text) != 0 && is(text.tokens, i + 2, "{")) {
                const auto brace = i + 2;
                if (text.brackets.other(brace) >= text.tokens.size()) continue; // never closed, or in the other branch of an #if
                visit(text, text.tokens[i + 1].text, brace);
                i = text.brackets.other(brace);
            }
}

// ---- indexes of array members

// The extents of a struct's array members, as far as they can be told from the text.
using Extents = std::map<std::string, std::int64_t>;

Extents extents_in(const Text& text, std::size_t brace, const Constants& constants) {
    Extents extents;
    const auto& tokens = text.tokens;
    const auto end = text.brackets.other(brace);
    for (auto i = brace + 1; i < end; ++i) {
        if (is(tokens, i, "{") || is(tokens, i, "(")) i = text.brackets.other(i);
        if (!is(tokens, i, "[") || tokens[i - 1].kind != Token::Kind::identifier) continue;
        const auto behind = text.brackets.other(i);
        if (const auto value = constants.value(
                {tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(std::min(behind, end))}))
            extents[tokens[i - 1].text] = *value;
        i = behind;
    }
    return extents;
}

class Indexes {
public:
    Indexes(const std::vector<Text>& texts, const Constants& constants) : constants_(constants) {
        for_each_row(texts, [&](const Text& text, const std::string& row, std::size_t brace) {
            extents_[row] = extents_in(text, brace, constants_);
        });
    }

    void check(const Text& text) const {
        const auto& tokens = text.tokens;
        const auto neighbours = visited(text);
        for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
            if (!is(tokens, i - 1, ".") || !is(tokens, i + 1, "[") || tokens[i].kind != Token::Kind::identifier) continue;
            const auto* const function = text.outline.function_at(tokens[i].line);
            const auto known = neighbours.find(function);
            if (!names_a_place(text, i - 2, known == neighbours.end() ? std::set<std::string>() : known->second)) continue;
            check_one(text, i, function == nullptr ? std::string() : function->row);
        }
    }

private:
    // What a lambda that is given to `self.each` calls its argument, in each function, as far as one that is given to `self.meet` there
    // calls none so.
    static std::map<const void*, std::set<std::string>> visited(const Text& text) {
        const auto& tokens = text.tokens;
        std::map<const void*, std::set<std::string>> names, met;
        auto lambda = tokens.size(); // the arguments of the first one from `i` on
        for (auto i = tokens.size(); i-- > 2;) {
            if (is(tokens, i, "(") && is(tokens, i - 1, "]")) lambda = i;
            const bool meets = is(tokens, i, "meet");
            if ((!meets && !is(tokens, i, "each")) || !is(tokens, i - 1, ".") || !is(tokens, i - 2, "self") || !is(tokens, i + 1, "("))
                continue;
            if (lambda >= text.brackets.other(i + 1)) continue;
            const auto last = text.brackets.other(lambda);
            if (tokens[last - 1].kind == Token::Kind::identifier)
                (meets ? met : names)[text.outline.function_at(tokens[i].line)].insert(tokens[last - 1].text);
        }
        for (const auto& [function, others] : met)
            for (const auto& other : others) names[function].erase(other);
        return names;
    }

    // Whether what ends at `i` is `self`, `self.at(...)` or a visited neighbour.
    static bool names_a_place(const Text& text, std::size_t i, const std::set<std::string>& neighbours) {
        const auto& tokens = text.tokens;
        if (is(tokens, i, "self")) return true;
        if (neighbours.count(tokens[i].text) != 0) return i == 0 || !is(tokens, i - 1, ".");
        if (!is(tokens, i, ")")) return false;
        const auto open = text.brackets.other(i);
        return open > 3 && open < i && is(tokens, open - 1, "at") && is(tokens, open - 2, ".") && is(tokens, open - 3, "self");
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

    void check_one(const Text& text, std::size_t member, const std::string& row) const {
        constexpr std::size_t longest = 500; // tokens of an index that is worked out
        const auto& tokens = text.tokens;
        const auto extent = extent_of(row, tokens[member].text);
        const auto end = text.brackets.other(member + 1);
        if (!extent || end >= tokens.size() || end - member > longest) return;
        const auto index =
            constants_.value({tokens.begin() + static_cast<std::ptrdiff_t>(member) + 2, tokens.begin() + static_cast<std::ptrdiff_t>(end)});
        if (!index || (*index >= 0 && *index < extent->second)) return;
        refuse(text.file, tokens[member + 2], fmt::format("{}::{} has no element {}", extent->first, tokens[member].text, *index),
               extent->second == 1 ? std::string("its only element is 0")
                                   : fmt::format("its {} elements are 0 to {}", extent->second, extent->second - 1),
               "use one of these");
    }

    const Constants& constants_;
    std::map<std::string, Extents> extents_;
};

} // namespace

void check_members(const ModelSource& model) {
    std::vector<Text> texts;
    texts.emplace_back(model.main);
    for (const auto& header : model.headers) texts.emplace_back(header);
    for (const auto& text : texts) {
        check_number(text);
        check_name(text);
        check_where(text);
        check_lists(text);
        check_access(text);
        check_bodies(text);
        check_parameter_names(text, texts);
    }
    const auto parameters = parameters_of(texts);
    for_each_row(texts, [&](const Text& text, const std::string& row, std::size_t brace) {
        check_types(text, row, brace);
        check_defaults(text, row, brace, parameters);
    });
    std::vector<Tokens> tokens;
    for (const auto& text : texts) tokens.push_back(text.tokens);
    const Constants constants(tokens);
    const Indexes indexes(texts, constants);
    for (const auto& text : texts) {
        indexes.check(text);
        check_draw_bounds(text.file, text.tokens, constants);
        check_values(text.file, text.tokens, constants);
        check_sets(text.file, text.tokens, text.outline);
        check_answers(text.file, text.tokens);
    }
}

} // namespace tessera::jit
