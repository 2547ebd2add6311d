// Warnings of the three compilers. Each says what another says, with other words and at another place of the same line.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <regex>

namespace tessera::jit {
namespace {

// `=` by itself, and no part of another operator.
bool is_assignment(const Passage& passage, std::size_t i) {
    static const std::string others = "=!<>+-*/%&|^";
    const auto part = [&](const std::string& text) { return text.size() == 1 && others.find(text) != std::string::npos; };
    return text_at(passage, i) == "=" && (i == 0 || !part(text_at(passage, i - 1))) && text_at(passage, i + 1) != "=";
}

std::optional<std::size_t> nearest(const Passage& passage, const std::function<bool(std::size_t)>& wanted) {
    const auto found = nearest_tokens(passage, wanted);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::optional<Wording> condition_that_assigns(const Captures&, const Passage& passage) {
    return at_token("this condition sets a value and compares nothing (it is written with =) write == to compare", passage,
                    nearest(passage, [&](std::size_t i) { return is_assignment(passage, i); }));
}

std::optional<Wording> end_without_return(const Captures&, const Passage& passage) {
    return at_token("this function may end without returning a value (its result is then undefined) return a value here", passage,
                    nearest(passage, [&](std::size_t i) { return text_at(passage, i) == "}"; }));
}

std::optional<Wording> without_value(const Captures& name, const Passage& passage) {
    return at_token(
        fmt::format("{} is used before it has a value (its value is undefined until then) give it a value where it is declared", name[1]),
        passage, token_named(passage, name[1], false));
}

std::optional<Wording> never_used(const Captures& name, const Passage& passage) {
    return at_token(fmt::format("{} is never used (nothing reads it) delete it, or use the variable that is meant", name[1]), passage,
                    token_named(passage, name[1], false));
}

std::optional<Wording> without_effect(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0; // some point at its operator
    return at_token("this statement has no effect (nothing reads its value) write = to set something", passage, first_of_statement(line));
}

std::optional<Wording> divided_by_zero(const Captures&, const Passage& passage) {
    return at_token("this divides by zero (the result is undefined) divide by something else", passage,
                    nearest(passage, [&](std::size_t i) { return text_at(passage, i) == "/" || text_at(passage, i) == "%"; }));
}

std::optional<Wording> does_not_fit(const Captures&, const Passage& passage) { return number_that_does_not_fit(passage); }

// ---- conversions: those of 64 bits to fewer are always told, the others in a checked run

constexpr const char* left_out = "";

bool is_real(const std::string& type) { return type == "float" || type == "double"; }
bool is_unsigned(const std::string& type) { return type.find("unsigned") != std::string::npos; }
bool is_wide(const std::string& type) { return type.find("long") != std::string::npos; } // of integers
bool is_narrow(const std::string& type) {
    return type == "signed char" || type == "unsigned char" || type == "char" || type == "short" || type == "short int" ||
           type == "unsigned short" || type == "short unsigned int";
}

// A type as compilers write it, with what it stands for behind it: "'own_k::tessera_held' {aka 'int'}" is "int".
std::string meant_by(const std::string& type) {
    static const std::regex alias(R"~(.*\baka '([^']*)'.*)~"), plain(R"~(\s*'([^']*)'.*)~");
    std::smatch found;
    return std::regex_match(type, found, alias) || std::regex_match(type, found, plain) ? found[1].str() : type;
}

// Whether the statement has a token like that.
bool has_in_statement(const Passage& passage, const std::string& wanted) {
    const auto on_line = nearest_tokens(passage, [](std::size_t) { return true; });
    if (on_line.empty()) return false;
    const auto ends = [&](std::size_t i) {
        const auto& text = text_at(passage, i);
        return text.empty() || text == ";" || text == "{" || text == "}";
    };
    auto first = on_line.front();
    while (first > 0 && !ends(first - 1)) --first;
    for (auto i = first; !ends(i); ++i)
        if (text_at(passage, i) == wanted) return true;
    return false;
}

// `self.cell = self.id % 100`: the rest of a division is as small as the divisor.
bool takes_a_rest(const Passage& passage) { return has_in_statement(passage, "%"); }

std::optional<Wording> wide_that_is_cut(const Captures&, const Passage& passage) {
    if (takes_a_rest(passage)) return Wording{left_out};
    auto value = nearest(passage, [&](std::size_t i) { return is_assignment(passage, i); }); // compilers point at different parts of it
    if (value) ++*value;
    return at_token("an integer of 64 bits becomes a narrower one here (what does not fit is cut off, and the ids of agents differ there) "
                    "keep it in std::int64_t, an id of an agent in std::uint64_t, or write the static_cast that is meant",
                    passage, value);
}

// NVRTC tells of casts too, where a class such as self.size becomes a number first.
std::optional<Wording> wide_that_is_cut_without_a_cast(const Captures& types, const Passage& passage) {
    return has_in_statement(passage, "static_cast") ? Wording{left_out} : wide_that_is_cut(types, passage);
}

// [1] the type before, and [2] that after.
std::optional<Wording> float_that_is_cut(const Captures& types, const Passage& passage) {
    const auto before = meant_by(types[1]), after = meant_by(types[2]);
    if (is_wide(before) && !is_wide(after) && !is_real(after)) return wide_that_is_cut(types, passage); // g++ has one text for both
    if (!is_real(before) || is_real(after)) return Wording{left_out};
    return at_token("a floating-point number becomes an integer here (its decimals are lost) write to_int<...>() around it if "
                    "that is meant",
                    passage, std::nullopt);
}

bool subtracts(const Passage& passage, std::size_t i) { return text_at(passage, i) == "-" && text_at(passage, i + 1) != ">"; }

std::optional<Wording> unsigned_that_may_wrap(const Captures& types, const Passage& passage) {
    const auto before = meant_by(types[1]), after = meant_by(types[2]);
    const auto minus = nearest(passage, [&](std::size_t i) { return subtracts(passage, i); });
    if (!is_unsigned(before) || is_unsigned(after) || !minus) return Wording{left_out};
    return at_token(fmt::format("an unsigned number becomes {} here, and is large if the difference is below 0 (unsigned numbers "
                                "have no sign) compute in int or std::int64_t, or write the cast that is meant",
                                is_real(after) ? "a floating-point one" : "one with a sign"),
                    passage, std::nullopt);
}
std::optional<Wording> sign_that_changes(const Captures& types, const Passage& passage) {
    return unsigned_that_may_wrap({types[0], types[2], types[1]}, passage); // g++ names them the other way around
}

std::optional<Wording> bits_that_are_lost(const Captures& types, const Passage& passage) {
    const auto before = meant_by(types[1]), after = meant_by(types[2]);
    if (is_wide(before) && !is_real(after)) return wide_that_is_cut(types, passage);
    if (!is_narrow(after)) return Wording{left_out};
    return at_token("an integer may not fit into its narrower type here (it is then cut off) use a wider type, or write the "
                    "static_cast that is meant",
                    passage, std::nullopt);
}

struct Rule {
    const char* pattern; // of the whole message
    std::optional<Wording> (*put)(const Captures&, const Passage&);
};

constexpr Rule rules[] = {
    {R"~(suggest parentheses around assignment used as truth value)~", condition_that_assigns},            // g++
    {R"~(using the result of an assignment as a condition without parentheses)~", condition_that_assigns}, // clang
    {R"~(use of "=" where "==" may have been intended)~", condition_that_assigns},                         // NVRTC
    {R"~((?:control reaches end of|no return statement in function returning) non-void.*)~", end_without_return},
    {R"~(non-void (?:function|lambda) does not return a value.*)~", end_without_return},
    {R"~(missing return statement at end of non-void function.*)~", end_without_return},
    {R"~('(?:.*\W)?(\w+)' (?:is|may be) used uninitialized)~", without_value},
    {R"~(variable '(\w+)' (?:is|may be) (?:uninitialized when used|used uninitialized).*)~", without_value},
    {R"~(variable "(\w+)" (?:is|may be) used before its value is set)~", without_value},
    {R"~(unused variable '(\w+)'|variable '(\w+)' set but not used)~", never_used},
    {R"~(variable "(\w+)" was (?:declared but never referenced|set but never used))~", never_used},
    {R"~(statement has no effect|value computed is not used)~", without_effect},
    {R"~((?:.* comparison|expression) result unused)~", without_effect},
    {R"~(expression has no effect)~", without_effect},
    {R"~(conversion from ('.*) to ('.*) may change value)~", float_that_is_cut},                                          // g++
    {R"~(conversion to ('.*) from ('.*) may change the sign of the result)~", sign_that_changes},                         // g++
    {R"~(implicit conversion turns floating-point number into integer: ('.*) to ('.*))~", float_that_is_cut},             // clang
    {R"~(implicit conversion changes signedness: ('.*) to ('.*))~", unsigned_that_may_wrap},                              // clang
    {R"~(implicit conversion from ('.*) to ('.*) may lose precision)~", unsigned_that_may_wrap},                          // clang
    {R"~(implicit conversion loses (?:integer|floating-point) precision: ('.*) to ('.*))~", bits_that_are_lost},          // clang
    {R"~(implicit conversion of a 64-bit integral type to a smaller integral type.*)~", wide_that_is_cut_without_a_cast}, // NVRTC
    {R"~(conversion from ('(?:float|double)'.*) to ('.*) changes value from .*)~", float_that_is_cut},                    // g++
    {R"~((?:unsigned conversion|overflow in conversion|conversion) from '.* changes value from .*)~", does_not_fit},      // g++
    {R"~(implicit conversion from '.* changes value from .*)~", does_not_fit},                                            // clang
    {R"~(integer conversion resulted in (?:truncation|a change of sign))~", does_not_fit},                                // NVRTC
    {R"~((?:division|remainder|modulo) by zero(?: is undefined)?)~", divided_by_zero},
};

// [0] the whole, then what has matched of the groups.
Captures captures_of(const std::smatch& found) {
    Captures captures;
    for (const auto& each : found)
        if (each.matched) captures.push_back(each.str());
    return captures;
}

} // namespace

std::optional<Wording> warning_in_our_words(const CompilerMessage& message, const Passage& passage) {
    for (const auto& rule : rules) {
        std::smatch found;
        if (!std::regex_match(message.text, found, std::regex(rule.pattern))) continue;
        if (auto wording = rule.put(captures_of(found), passage)) return wording;
    }
    return std::nullopt;
}

} // namespace tessera::jit
