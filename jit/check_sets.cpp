#include "jit/brackets.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace tessera::jit {
namespace {

// The members of an entry of an access list, "sets<&Cell::a, &model::Cell::b>": {"Cell", "a"}, {"Cell", "b"}.
std::set<std::pair<std::string, std::string>> members_in(const std::string& entry) {
    std::set<std::pair<std::string, std::string>> members;
    const auto tokens = tokens_of(entry);
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i)
        if (tokens[i + 1].text == ":" && tokens[i + 2].text == ":" && (i + 4 >= tokens.size() || tokens[i + 4].text != ":"))
            members.emplace(tokens[i].text, tokens[i + 3].text);
    return members;
}

// The members of its own row that a function sets and does not read.
std::set<std::string> set_alone(const CallSite& function) {
    std::set<std::string> set, read;
    for (const auto& entry : access_entries(function.access)) {
        const bool sets = entry.starts_with("sets<"), reads = entry.starts_with("reads<") || entry.starts_with("writes<");
        if (!sets && !reads && !entry.starts_with("around<")) continue;
        for (const auto& [row, member] : members_in(entry))
            if (row == function.row) (sets ? set : read).insert(member);
    }
    for (const auto& member : read) set.erase(member);
    return set;
}

// Goes through a function as it runs. `State` has the members that may have been assigned so far: what only one of two branches assigns
// may have been. Where the text does not say whether something assigns, it may have.
class Body {
public:
    Body(const SourceFile& file, const Tokens& tokens, const Brackets& brackets, const CallSite& function, std::set<std::string> members)
        : file_(file), tokens_(tokens), brackets_(brackets), function_(function), members_(std::move(members)) {}

    void check(std::size_t first, std::size_t end) const {
        State assigned;
        walk(first, end, assigned, 0);
    }

private:
    using State = std::set<std::string>;
    static constexpr int most_nested = 100; // what is nested more deeply is gone through in the order of the text

    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
    [[nodiscard]] bool is_name(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::identifier; }
    [[nodiscard]] std::size_t behind(std::size_t bracket, std::size_t end) const { return std::min(brackets_.other(bracket), end - 1) + 1; }

    void walk(std::size_t i, std::size_t end, State& assigned, int depth) const {
        while (i < end) {
            if (tokens_[i].in_directive)
                ++i;
            else if (is(i, "if") && depth < most_nested)
                i = walk_if(i, end, assigned, depth);
            else if (is_repeated(i) && depth < most_nested)
                i = walk_repeated(i, end, assigned, depth);
            else if (is_stored_lambda(i))
                i = skip_lambda(i, end, assigned);
            else if (is(i, "self") && !is(i - 1, "."))
                i = look_at(i, end, assigned, depth);
            else
                ++i;
        }
    }

    // Behind the statement that begins at `i`, an `if` with its else.
    [[nodiscard]] std::size_t behind_statement(std::size_t i, std::size_t end, int depth) const {
        while (is(i, "if") || is(i, "for") || is(i, "while") || is(i, "switch")) {
            const bool branches = is(i, "if");
            while (i < end && !is(i, "(")) ++i;
            if (i >= end) return end;
            i = behind(i, end);
            if (!branches) continue;
            if (depth >= most_nested) break;
            i = behind_statement(i, end, depth + 1);
            if (i >= end || !is(i, "else")) return i;
            ++i;
        }
        for (; i < end; ++i) {
            if (is(i, "{")) return behind(i, end);
            if (is(i, ";")) return i + 1;
            if (is(i, "(") || is(i, "[")) i = behind(i, end) - 1;
        }
        return end;
    }

    std::size_t walk_if(std::size_t i, std::size_t end, State& assigned, int depth) const {
        while (i < end && !is(i, "(")) ++i;
        if (i >= end) return end;
        const auto then = behind(i, end);
        walk(i + 1, then, assigned, depth + 1);
        assigned.insert(repeated_.begin(), repeated_.end());
        const auto otherwise = behind_statement(then, end, depth + 1);
        State after = assigned;
        walk(then, otherwise, after, depth + 1);
        if (otherwise >= end || !is(otherwise, "else")) {
            assigned = std::move(after);
            return otherwise;
        }
        const auto last = behind_statement(otherwise + 1, end, depth + 1);
        walk(otherwise + 1, last, assigned, depth + 1);
        assigned.insert(after.begin(), after.end());
        return last;
    }

    // The body of a loop, or of a lambda that self.each(...) calls. What stands under an `if` there may come after any of it.
    [[nodiscard]] bool is_repeated(std::size_t i) const {
        return (is(i, "{") && (is(i - 1, ")") || is(i - 1, "]") || is(i - 1, "do")) && is_of_loop(i)) || is(i, "for") || is(i, "while");
    }
    [[nodiscard]] bool is_of_loop(std::size_t brace) const {
        if (!is(brace - 1, ")")) return true;
        const auto open = brackets_.other(brace - 1);
        return open > 0 && open < brace && is(open - 1, "]");
    }
    std::size_t walk_repeated(std::size_t i, std::size_t end, State& assigned, int depth) const {
        auto first = i;
        if (!is(i, "{")) { // what the head of a loop does
            while (first < end && !is(first, "(")) ++first;
            if (first >= end) return end;
            const auto body = behind(first, end);
            walk(first + 1, body, assigned, depth + 1);
            first = body;
        }
        const auto last = behind_statement(first, end, depth + 1);
        const auto before = repeated_;
        for (auto at = first; at < last; ++at)
            if (is(at, "self") && is(at + 1, ".") && members_.count(text(at + 2)) != 0) repeated_.insert(text(at + 2));
        walk(is(first, "{") ? first + 1 : first, last, assigned, depth + 1);
        repeated_ = before;
        return std::max(last, i + 1);
    }

    // `auto cool = [&] { ... }`, which runs later.
    [[nodiscard]] bool is_stored_lambda(std::size_t i) const { return is(i, "=") && is(i + 1, "["); }
    std::size_t skip_lambda(std::size_t i, std::size_t end, State& assigned) const {
        while (i < end && !is(i, "{") && !is(i, ";")) ++i;
        if (!is(i, "{")) return i;
        const auto last = behind(i, end);
        for (; i < last; ++i)
            if (is(i, "self") && is(i + 1, ".") && members_.count(text(i + 2)) != 0) assigned.insert(text(i + 2));
        return last;
    }

    // `self`, at `i`. Returns where to go on.
    std::size_t look_at(std::size_t i, std::size_t end, State& assigned, int depth) const {
        if (!is(i + 1, ".")) { // given to a helper
            assigned.insert(members_.begin(), members_.end());
            return i + 1;
        }
        const auto member = i + 2;
        if (members_.count(text(member)) == 0) return member;
        auto next = member + 1;
        if (depth >= most_nested && is(next, "[")) {
            assigned.insert(text(member));
            return next;
        }
        while (next < end && is(next, "[")) {
            walk(next + 1, behind(next, end) - 1, assigned, depth + 1);
            next = behind(next, end);
        }
        if (is(next, "=") && !is(next + 1, "=")) {
            const auto last = depth < most_nested ? behind_value(next, end) : next + 1;
            walk(next + 1, last, assigned, depth + 1);
            assigned.insert(text(member));
            return last;
        }
        if (is_kept(i, next))
            assigned.insert(text(member));
        else if (assigned.count(text(member)) == 0 && !is_only_named(i))
            refuse_at(member);
        return next;
    }

    // Behind the value of an assignment whose `=` is at `i`.
    [[nodiscard]] std::size_t behind_value(std::size_t i, std::size_t end) const {
        for (++i; i < end; ++i) {
            if (is(i, ";") || is(i, ",") || is(i, ")") || is(i, "}")) return i;
            if (is(i, "(") || is(i, "[") || is(i, "{")) i = behind(i, end) - 1;
        }
        return end;
    }

    // Whether something else may assign it from here on: a reference, or a function that takes one.
    [[nodiscard]] bool is_kept(std::size_t self, std::size_t next) const {
        if (is(next, ".")) return true;                                                                        // self.flow.begin()
        const bool bound = (is(self - 1, "=") || is(self - 1, ":")) && is_name(self - 2) && is(self - 3, "&"); // auto& x = self.flow
        const bool pointed = is(self - 1, "&") && !is_name(self - 2) && !is(self - 2, ")") && !is(self - 2, "&");
        const bool argument = (is(self - 1, "(") || is(self - 1, ",")) && (is(next, ")") || is(next, ","));
        return bound || pointed || (argument && takes_references(self - 1));
    }
    // Whether the call that `i`, a comma or a bracket within its arguments, belongs to is one of a function of the model.
    [[nodiscard]] bool takes_references(std::size_t i) const {
        for (; i > 0 && !is(i, "("); --i) {
            if (is(i, ")") || is(i, "]") || is(i, "}")) i = brackets_.other(i) < i ? brackets_.other(i) : i;
            if (is(i, ";") || is(i, "{")) return false;
        }
        static const std::set<std::string_view> by_value = {"if",    "while",  "switch",         "return",  "for",   "sizeof", "decltype",
                                                            "abs",   "atan",   "atan2",          "ceil",    "clamp", "cos",    "exp",
                                                            "floor", "fma",    "fmod",           "isnan",   "log",   "max",    "min",
                                                            "pow",   "isinf",  "round",          "sin",     "sqrt",  "tan",    "tanh",
                                                            "trunc", "int",    "float",          "double",  "bool",  "char",   "long",
                                                            "short", "select", "TESSERA_ASSERT", "unsigned"};
        if (i < 2) return false;
        if (is(i - 1, ">")) { // static_cast<int>(...), to_int<int>(...)
            auto open = i - 1;
            while (open > 0 && !is(open, "<") && !is(open, ";")) --open;
            return !text(open - 1).ends_with("_cast") && text(open - 1) != "to_int" && text(open - 1) != "fixed_array";
        }
        return is_name(i - 1) && !is(i - 2, ".") && !text(i - 1).ends_with("_t") && by_value.count(text(i - 1)) == 0;
    }
    // sizeof(self.n)
    [[nodiscard]] bool is_only_named(std::size_t self) const {
        return is(self - 1, "(") && (is(self - 2, "sizeof") || is(self - 2, "decltype"));
    }

    [[nodiscard]] const std::string& text(std::size_t i) const {
        static const std::string none;
        return i < tokens_.size() ? tokens_[i].text : none;
    }
    [[noreturn]] void refuse_at(std::size_t member) const {
        const auto name = function_.row + "::" + text(member);
        refuse(file_, tokens_[member], fmt::format("{} is read before it is assigned", name),
               fmt::format("sets<&{}> does not load its value, so it would be the member's default here", name),
               fmt::format("assign it first, or write writes<&{}> in the access list to go on from its value", name));
    }

    const SourceFile& file_;
    const Tokens& tokens_;
    const Brackets& brackets_;
    const CallSite& function_;
    std::set<std::string> members_;
    mutable State repeated_; // what the loops around this place in the text may have assigned
};

} // namespace

void check_sets(const SourceFile& file, const Tokens& tokens, const Outline& outline) {
    const Brackets brackets(tokens, Directives::skipped);
    const auto at = [&](std::size_t offset) {
        return static_cast<std::size_t>(std::lower_bound(tokens.begin(), tokens.end(), offset,
                                                         [](const Token& token, std::size_t value) { return token.offset < value; }) -
                                        tokens.begin());
    };
    for (const auto& function : outline.functions) {
        auto members = set_alone(function);
        if (!members.empty() && function.body_end > function.body)
            Body(file, tokens, brackets, function, std::move(members)).check(at(function.body) + 1, at(function.body_end));
    }
}

} // namespace tessera::jit
