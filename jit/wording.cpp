#include "jit/wording.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tessera::jit {
namespace {

using Captures = std::vector<std::string>; // [0] the whole message
using Put = std::optional<Wording> (*)(const Captures&, const Passage&);

// ---- looking at the author's text ----

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
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return text_at(passage, i) == name && text_at(passage, i - 1) == "." && is_own(passage, i) == own;
    });
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

// ---- words ----

int distance(const std::string& a, const std::string& b) { // Levenshtein's
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = std::exchange(row[0], static_cast<int>(i));
        for (std::size_t j = 1; j <= b.size(); ++j)
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)}));
    }
    return row.back();
}

std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& names) {
    std::string best;
    int nearest = wrong.size() < 4 ? 2 : 3;
    for (const auto& name : names)
        if (name != wrong)
            if (const int away = distance(wrong, name); away < nearest) {
                nearest = away;
                best = name;
            }
    return best.empty() ? std::string() : fmt::format(" did you mean {}?", best);
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string without_model_namespace(std::string text) {
    constexpr std::string_view inner = "tessera_model::";
    for (auto at = text.find(inner); at != std::string::npos; at = text.find(inner)) text.erase(at, inner.size());
    return text;
}

// The entry of an access list that names the member.
std::optional<std::string> entry_with(const CallSite& function, const std::string& full_name) {
    const std::regex pattern("&" + full_name + "\\b");
    for (const auto& entry : access_entries(function.access))
        if (std::regex_search(entry, pattern)) return entry;
    return std::nullopt;
}

std::string around_entry(const CallSite& function, const std::string& full_name) {
    for (const auto& entry : access_entries(function.access))
        if (entry.starts_with("around<")) return fmt::format("{}, &{}>", entry.substr(0, entry.find_first_of(",>")), full_name);
    return fmt::format("around<moore, &{}>", full_name);
}

std::string declares(const CallSite& function) {
    return function.access.empty() ? function.function + " declares nothing" : fmt::format("{} declares {}", function.function, function.access);
}

// ---- the rules' right-hand sides ----

std::string undeclared(const CallSite& function, const std::string& name, bool own) {
    const auto entry = entry_with(function, name);
    if (own)
        return fmt::format("{} is not in {}'s access list ({}) add reads<&{}> to read it or writes<&{}> to change it", name, function.function,
                           declares(function), name, name);
    if (entry && entry->starts_with("around<"))
        return fmt::format("a neighbour's {} is read beyond the offsets of {}'s access list ({}) widen its around<...>", name, function.function,
                           declares(function));
    return fmt::format("a neighbour's {} is not in {}'s access list ({}) add {} to read it", name, function.function, declares(function),
                       around_entry(function, name));
}

// TESSERA_PLACE lists what the struct does not have.
std::optional<Wording> listed_and_absent(const RowDeclaration& row, const std::string& member, const Passage& passage) {
    const auto token = token_named(passage, member, false);
    if (!token) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& each : *passage.tokens)
        if (each.kind == Token::Kind::identifier && !has_member(&row, each.text)) names.push_back(each.text);
    auto wording = at_token(fmt::format("{} has no member {}, which its TESSERA_PLACE lists{}", row.row, member, did_you_mean(member, names)), passage, token);
    wording.has_consequences = true;
    return wording;
}

std::optional<Wording> absent_from(std::string type, const std::string& member, const Passage& passage) {
    const bool of_the_sdk = type.starts_with("tessera::"), neighbour = type.starts_with("tessera::neighbour");
    if (const auto* row = passage.outline->find_row(without_model_namespace(type)); has_member(row, member)) return listed_and_absent(*row, member, passage);
    const auto token = of_the_sdk ? member_named(passage, member, !neighbour) : token_named(passage, member, true);
    if (!token) return std::nullopt; // the author did not write it: a consequence within the SDK
    const bool called = text_at(passage, *token + 1) == "(" || text_at(passage, *token + 1) == "<";
    type = without_model_namespace(type);
    if (of_the_sdk) {
        const auto* row = row_with(passage, member);
        if (row != nullptr && passage.function != nullptr)
            return at_token(undeclared(*passage.function, row->row + "::" + member, !neighbour), passage, token);
        const auto* own = passage.function == nullptr ? nullptr : passage.outline->find_row(passage.function->row);
        if (called)
            return at_token(fmt::format("{} has no function {}", neighbour ? "a neighbour" : "self", member), passage, token);
        if (own == nullptr) return std::nullopt;
        if (entry_with(*passage.function, own->row + "::" + member)) // else there would be no such struct member to declare
            return at_token(fmt::format("{}::{} is not listed in its TESSERA_PLACE (only what is listed is stored) add it there", own->row, member), passage, token);
        return at_token(fmt::format("{} has no member {} (its members are {}){}", own->row, member, list_of(own->members),
                                    did_you_mean(member, own->members)),
                        passage, token);
    }
    if (const auto* row = passage.outline->find_row(type)) {
        auto wording = at_token(fmt::format("{} has no member {} (its members are {}){}", type, member, list_of(row->members),
                                            did_you_mean(member, row->members)),
                                passage, token);
        wording.has_consequences = text_at(passage, *token - 1) == ":"; // without an access list, nothing is declared
        return wording;
    }
    return at_token(fmt::format("{} has no member {}", type, member), passage, token);
}

std::optional<Wording> absent_member(const Captures& found, const Passage& passage) { return absent_from(found[1], found[2], passage); }
std::optional<Wording> member_absent(const Captures& found, const Passage& passage) { return absent_from(found[2], found[1], passage); }

bool is_sdk_function(const std::string& name) {
    static constexpr std::array<std::string_view, 15> functions = {"abs", "min", "max", "clamp", "floor", "fmod", "sqrt", "exp",
                                                                   "log", "sin", "cos", "tan",   "atan2", "pow",  "tanh"};
    return std::find(functions.begin(), functions.end(), name) != functions.end();
}

// "sinf", "fabs" -> "sin", "abs"; nothing for what is no function of <cmath> that the SDK has.
std::optional<std::string> sdk_function_for(std::string name) {
    if (name == "fabs" || name == "fabsf") name = "abs";
    if (name == "fmin" || name == "fminf") name = "min";
    if (name == "fmax" || name == "fmaxf") name = "max";
    if (!is_sdk_function(name) && name.ends_with('f')) name.pop_back();
    return is_sdk_function(name) ? std::optional(name) : std::nullopt;
}

std::optional<Wording> absent_from_namespace(const std::string& space, const std::string& name, const Passage& passage) {
    const auto token = token_named(passage, name, false);
    const auto instead = space == "std" ? sdk_function_for(name) : std::nullopt;
    if (instead)
        return at_token(fmt::format("std::{} is not part of the SDK (models see the SDK alone) use tessera::{}, which gives the same bits on every "
                                    "device",
                                    name, *instead),
                        passage, token);
    if (space == "std")
        return at_token(fmt::format("std::{} is not part of the SDK (models see the SDK alone, so that they mean the same on every device)", name),
                        passage, token);
    return at_token(fmt::format("{} has no member {}", without_model_namespace(space), name), passage, token);
}

std::optional<Wording> name_absent_from(const Captures& found, const Passage& passage) {
    const auto& space = found[2];
    const auto token = token_named(passage, found[1], false);
    const bool qualified_std = token && *token >= 3 && text_at(passage, *token - 3) == "std";
    return space == "std" || qualified_std ? absent_from_namespace("std", found[1], passage) : absent_from(space, found[1], passage);
}
std::optional<Wording> namespace_lacks(const Captures& found, const Passage& passage) {
    return absent_from_namespace(found[1], found[2], passage);
}

std::optional<Wording> unknown_name(const Captures& found, const Passage& passage) {
    const auto& name = found[1];
    const auto token = token_named(passage, name, false);
    if (!token) return std::nullopt; // made by a macro of the SDK
    if (const auto instead = sdk_function_for(name); instead && *instead != name)
        return at_token(fmt::format("{} is not known here (models see the SDK alone) use {}, which gives the same bits on every device", name, *instead),
                        passage, token);
    std::vector<std::string> names;
    if (passage.function != nullptr) names.emplace_back("self");
    for (const auto& each : *passage.tokens)
        if (each.kind == Token::Kind::identifier && !each.in_directive) names.push_back(each.text);
    return at_token(fmt::format("{} is not known here{}", name, did_you_mean(name, names)), passage, token);
}

// A name that one compiler knows and the SDK hides: `sinf`, `threadIdx`. The message names it, or stands at it, or just behind it.
std::optional<Wording> hidden_name(const Captures&, const Passage& passage) {
    static constexpr std::array<std::string_view, 5> of_a_gpu = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return std::find(of_a_gpu.begin(), of_a_gpu.end(), text_at(passage, i)) != of_a_gpu.end();
    });
    if (found.empty()) return std::nullopt;
    return at_token(fmt::format("{} is not known here (a function of the model runs for one place, on any device) use self.position",
                                text_at(passage, found.front())),
                    passage, found.front());
}

// What the line assigns to, by its token: `x.heat = 1`, `x.heat[2] += 1`, `++x.heat`; `rate = 2`.
bool is_assigned(const Passage& passage, std::size_t i) {
    if (!is_word(passage, i) || i < 1) return false;
    const bool member = text_at(passage, i - 1) == ".";
    auto next = i + 1;
    for (int depth = 0; text_at(passage, next) == "[" || depth > 0; ++next) {
        if (next >= passage.tokens->size()) return false;
        if (text_at(passage, next) == "[") ++depth;
        if (text_at(passage, next) == "]") --depth;
    }
    const auto first = text_at(passage, next), second = text_at(passage, next + 1), third = text_at(passage, next + 2);
    const bool compound = first.size() == 1 && std::string_view("+-*/%&|^").find(first[0]) != std::string_view::npos && second == "=";
    const bool shift = (first == "<" || first == ">") && second == first && third == "=";
    const bool counted = (first == "+" || first == "-") && second == first;
    const auto before = member ? i - 2 : i; // `++self.heat`, `++rate`
    const bool counted_before = before >= 2 && (text_at(passage, before - 1) == "+" || text_at(passage, before - 1) == "-") &&
                                text_at(passage, before - 2) == text_at(passage, before - 1);
    return (first == "=" && second != "=") || compound || shift || counted || counted_before;
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

std::optional<Wording> read_only(const Captures&, const Passage& passage) {
    const auto written = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i - 1) == "." && is_assigned(passage, i); });
    for (const auto i : written) {
        const auto& member = text_at(passage, i);
        const auto* row = row_with(passage, member);
        if (row == nullptr || passage.function == nullptr) continue;
        const auto name = row->row + "::" + member;
        const auto& function = *passage.function;
        if (!is_own(passage, i))
            return at_token(fmt::format("a neighbour's {} cannot be changed in {} (a function changes its own place alone)", name, function.function),
                            passage, i);
        const auto entry = entry_with(function, name);
        if (!entry || entry->starts_with("writes<") || entry->starts_with("sets<")) continue;
        return at_token(fmt::format("{} is only read in {} (its access list says {}) use writes<&{}> to change it", name, function.function, *entry, name),
                        passage, i);
    }
    if (!written.empty()) return at_token("what is const cannot be changed", passage, written.front());
    const auto named = nearest_tokens(passage, [&](std::size_t i) { return is_assigned(passage, i); });
    if (named.empty()) return at_token("what is const cannot be changed", passage, std::nullopt);
    const auto& name = text_at(passage, named.front());
    if (is_parameter(passage, name))
        return at_token(fmt::format("the parameter {} cannot be changed by the model (run files set it)", name), passage, named.front());
    return at_token(fmt::format("{} is const and cannot be changed", name), passage, named.front());
}

// `self.sum(moore, &Cell::heat)`: the member is named by its pointer.
std::optional<Wording> undeclared_summand(const Captures&, const Passage& passage) {
    if (passage.function == nullptr) return std::nullopt;
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return is_word(passage, i) && i >= 4 && text_at(passage, i - 1) == ":" && text_at(passage, i - 2) == ":" && text_at(passage, i - 4) == "&";
    });
    for (const auto i : found) {
        const auto* row = passage.outline->find_row(text_at(passage, i - 3));
        if (!has_member(row, text_at(passage, i))) continue;
        return at_token(undeclared(*passage.function, row->row + "::" + text_at(passage, i), false), passage, i);
    }
    return std::nullopt;
}

// Compilers disagree on the place: it is the end of the last token before the one that they stumble over.
std::optional<Wording> missing_semicolon(const Captures&, const Passage& passage) {
    const Token* before = nullptr;
    for (const auto& token : *passage.tokens)
        if (!token.in_directive && (token.line < passage.line || (token.line == passage.line && (passage.column == 0 || token.column < passage.column))))
            before = &token;
    if (before == nullptr) return std::nullopt;
    return Wording{"a ; is missing here", before->line, before->column + static_cast<int>(before->text.size()), true};
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

std::optional<Wording> its_own_text(const Captures& found, const Passage& passage) {
    std::string text; // clang shows the quotes within as they are written
    for (std::size_t i = 0; i < found[1].size(); ++i) {
        if (found[1][i] == '\\' && i + 1 < found[1].size() && (found[1][i + 1] == '"' || found[1][i + 1] == '\\')) ++i;
        text += found[1][i];
    }
    Passage line = passage;
    line.column = 0;
    const auto assertion = nearest_tokens(line, [&](std::size_t i) { return text_at(passage, i) == "static_assert"; });
    return at_token(text, passage, assertion.empty() ? first_of_statement(line) : assertion.front());
}

Wording with_consequences(Wording wording) {
    wording.has_consequences = true;
    return wording;
}

// What a macro of the SDK defines goes by names of its own; the author sees the macro twice.
std::optional<Wording> declared_twice(const std::string& name, const Passage& passage) {
    for (const auto& site : passage.outline->functions)
        if (site.row + "_" + site.function == name)
            return at_token(fmt::format("{} has a function called {} already, at line {} (run files call functions by their names) rename one", site.row,
                                        site.function, site.first_line),
                            passage, token_named(passage, site.function, false));
    if (name == "tessera_record_model")
        return at_token("this is the second TESSERA_MODEL (a file is one model) remove one", passage, token_named(passage, "TESSERA_MODEL", false));
    if (const std::string members = "tessera_members_of_"; name.starts_with(members))
        return at_token(fmt::format("{} has a TESSERA_PLACE already", name.substr(members.size())), passage, token_named(passage, "TESSERA_PLACE", false));
    const std::string index = "index_"; // of what TESSERA_PLACE makes for each member; it lists them by their own names too
    const auto member = name.starts_with(index) ? name.substr(index.size()) : name;
    const auto places = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "TESSERA_PLACE"; });
    auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == member; });
    if (!places.empty() && found.size() > 1)
        return at_token(fmt::format("{} is listed twice", member), passage, *std::max_element(found.begin(), found.end()));
    return std::nullopt;
}

// TESSERA_PLACE takes the struct apart by all the names that it is given.
std::optional<Wording> not_all_listed(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "TESSERA_PLACE"; });
    if (found.empty()) return std::nullopt;
    return with_consequences(at_token(fmt::format("{} has members that its TESSERA_PLACE does not list (only what is listed is stored) list every member",
                                                  text_at(passage, found.front() + 2)),
                                      passage, found.front()));
}

std::optional<Wording> defined_twice(const Captures& found, const Passage& passage) {
    if (auto declared = declared_twice(found[1], passage)) return with_consequences(*declared);
    const auto token = token_named(passage, found[1], false);
    if (!token) return std::nullopt;
    return with_consequences(at_token(fmt::format("{} is defined already", found[1]), passage, token));
}

// `self.at(moore)`: the function is there, and takes something else.
std::optional<Wording> wrong_arguments(const Captures& found, const Passage& passage) {
    static const std::array<std::array<const char*, 3>, 4> functions = {{
        {"at", "takes one offset", "write self.at(west) or self.at(offset<2, 0>), say"},
        {"exists", "takes one offset", "write self.exists(west) or self.exists(offset<2, 0>), say"},
        {"each", "takes a neighbourhood and a function", "write self.each(moore, [&](const auto& neighbour) { ... }), say"},
        {"sum", "takes a neighbourhood and a member that is no array", "write self.sum(moore, &Row::member), say"},
    }};
    for (const auto& [name, takes, example] : functions)
        if (found[1] == name)
            if (const auto token = token_named(passage, name, true))
                return at_token(fmt::format("self.{} cannot be called like this (it {}) {}", name, takes, example), passage, token);
    return std::nullopt;
}

// Compilers spell and place the value differently; what it should become is the same.
std::optional<Wording> no_conversion(const Captures& found, const Passage& passage) {
    static const std::regex plain(R"~(.*\(aka ['"](.+)['"]\).*|.*\{aka '(.+)'\}.*)~");
    std::smatch aka;
    std::string type = found[1];
    if (std::regex_match(found[0], aka, plain)) type = aka[1].matched ? aka[1].str() : aka[2].str();
    Passage line = passage;
    line.column = 0;
    return at_token(fmt::format("a value of another type cannot become a {} here", without_model_namespace(type)), passage, first_of_statement(line));
}

// ---- the table ----

struct Rule {
    Toolchain toolchain;
    const char* pattern; // of the whole message; of `anywhere`: plain words in the message or in the notes below it
    Put put;
    bool anywhere = false;
};

constexpr Rule rules[] = {
    {Toolchain::gcc, "member_is_not_in_the_access_list", undeclared_summand, true},
    {Toolchain::clang, "member_is_not_in_the_access_list", undeclared_summand, true},
    {Toolchain::nvrtc, "member_is_not_in_the_access_list", undeclared_summand, true},

    {Toolchain::gcc, R"~(static assertion failed: (.*))~", its_own_text},
    {Toolchain::clang, R"~(static_assert failed(?: due to requirement '.*')? "(.*)")~", its_own_text},
    {Toolchain::clang, R"~(static assertion failed(?: due to requirement '.*')?: (.*))~", its_own_text},
    {Toolchain::nvrtc, R"~(static assertion failed with "(.*)")~", its_own_text},

    {Toolchain::gcc, R"~('(?:const )?(?:(?:struct|class|union) )?(.+)' has no member named '(\w+)'.*)~", absent_member},
    {Toolchain::gcc, R"~('(\w+)' is not a member of '(?:const )?(.+?)'.*)~", name_absent_from},
    {Toolchain::clang, R"~(no member named '(\w+)' in namespace '(.+?)'.*)~", name_absent_from},
    {Toolchain::clang, R"~(no member named '(\w+)' in '(?:const )?(.+?)'.*)~", member_absent},
    {Toolchain::clang, R"~(no (?:template|type) named '(\w+)' in (?:namespace )?'(.+?)'.*)~", name_absent_from},
    {Toolchain::nvrtc, R"~(namespace "(.+)" has no member "(\w+)")~", namespace_lacks},
    {Toolchain::nvrtc, R"~((?:class|struct|union) "(?:const )?(.+)" has no member "(\w+)")~", absent_member},

    {Toolchain::gcc, R"~((?:assignment|increment|decrement) of (?:read-only|member|constant|element of read-only).*)~", read_only},
    {Toolchain::clang, R"~(cannot assign to .*)~", read_only},
    {Toolchain::clang, R"~(read-only variable is not assignable)~", read_only},
    {Toolchain::clang, R"~(expression is not assignable)~", read_only},
    {Toolchain::nvrtc, R"~(expression must be a modifiable lvalue.*)~", read_only},

    {Toolchain::gcc, R"~('(\w+)' was not declared in this scope.*)~", unknown_name},
    {Toolchain::gcc, R"~(there are no arguments to '(\w+)' that depend on a template parameter.*)~", unknown_name},
    {Toolchain::gcc, R"~('(\w+)' does not name a type.*)~", unknown_name},
    {Toolchain::gcc, R"~('(\w+)' has not been declared.*)~", unknown_name},
    {Toolchain::clang, R"~(use of undeclared identifier '(\w+)'.*)~", unknown_name},
    {Toolchain::clang, R"~(unknown type name '(\w+)'.*)~", unknown_name},
    {Toolchain::nvrtc, R"~(identifier "(\w+)" is undefined.*)~", unknown_name},

    {Toolchain::gcc, R"~(invalid use of incomplete type '(?:struct )?tessera_model::(\w+)'.*)~", unknown_name},
    {Toolchain::clang, R"~('tessera_model::(\w+)' is an incomplete type)~", unknown_name},
    {Toolchain::clang, R"~((?:invalid use of|variable has) incomplete type '(?:const )?tessera_model::(\w+)')~", unknown_name},
    {Toolchain::nvrtc, R"~(incomplete type "(?:const )?tessera_model::(\w+)" is not allowed)~", unknown_name},
    {Toolchain::gcc, R"~(expected (?:primary-expression|unqualified-id) before .*)~", hidden_name},
    {Toolchain::clang, R"~('\w+' does not refer to a value)~", hidden_name},
    {Toolchain::nvrtc, R"~(type name is not allowed)~", hidden_name},

    {Toolchain::gcc, R"~((?:redefinition of|redeclaration of|conflicting declaration) '(?:.*[ :*&])?(\w+)(?:\(.*\))?'.*)~", defined_twice},
    {Toolchain::clang, R"~((?:redefinition|redeclaration) of (?:enumerator )?'(\w+)'.*)~", defined_twice},
    {Toolchain::nvrtc, R"~((?:(?:class|struct|function|variable|enum) )?"(?:.*[ :*&])?(\w+)(?:\(.*\))?".* has already been (?:defined|declared).*)~", defined_twice},
    {Toolchain::nvrtc, R"~(declaration is incompatible with ".*[ :*&](\w+)".*)~", defined_twice},

    {Toolchain::gcc, R"~(only \d+ names? provided for structured binding)~", not_all_listed},
    {Toolchain::clang, R"~(type '.+' decomposes into \d+ elements, but only \d+ names? (?:was|were) provided)~", not_all_listed},
    {Toolchain::nvrtc, R"~(there are more elements than there are binding names)~", not_all_listed},

    {Toolchain::gcc, R"~(no matching function for call to 'tessera::place<.*>::(\w+)(?:<.*>)?\(.*\)')~", wrong_arguments},
    {Toolchain::clang, R"~(no matching member function for call to '(\w+)')~", wrong_arguments},
    {Toolchain::nvrtc, R"~(no instance of (?:overloaded )?function(?: template)? "tessera::place<Function, View>::(\w+).*" matches the argument list.*)~", wrong_arguments},

    {Toolchain::gcc, R"~(cannot convert '.+' to '(.+?)'.* in .*)~", no_conversion},
    {Toolchain::gcc, R"~(invalid conversion from '.+' to '(.+?)'.*)~", no_conversion},
    {Toolchain::clang, R"~(assigning to '(.+?)'.* from incompatible type .*)~", no_conversion},
    {Toolchain::clang, R"~(cannot initialize a variable of type '(.+?)'.* with an .*)~", no_conversion},
    {Toolchain::nvrtc, R"~(a value of type ".+" cannot be (?:assigned to|used to initialize) an entity of type "(.+?)".*)~", no_conversion},

    {Toolchain::gcc, R"~(expected (?:',' or )?';'.*)~", missing_semicolon},
    {Toolchain::clang, R"~(expected ';'.*)~", missing_semicolon},
    {Toolchain::nvrtc, R"~(expected a ";".*)~", missing_semicolon},
};

const std::vector<std::regex>& patterns() {
    static const std::vector<std::regex> compiled = [] {
        std::vector<std::regex> result;
        for (const auto& rule : rules) result.emplace_back(rule.pattern, std::regex::ECMAScript | std::regex::optimize);
        return result;
    }();
    return compiled;
}

std::optional<Captures> match(const Rule& rule, const std::regex& pattern, const CompilerMessage& message) {
    if (rule.anywhere) {
        const auto has = [&](const std::string& text) { return text.find(rule.pattern) != std::string::npos; };
        const bool found = has(message.text) || std::any_of(message.notes.begin(), message.notes.end(), has);
        return found ? std::optional(Captures{message.text}) : std::nullopt;
    }
    std::smatch found;
    if (!std::regex_match(message.text, found, pattern)) return std::nullopt;
    Captures captures;
    for (const auto& each : found) captures.push_back(each.str());
    return captures;
}

} // namespace

std::optional<Wording> in_our_words(const CompilerMessage& message, Toolchain toolchain, const Passage& passage) {
    for (std::size_t i = 0; i < std::size(rules); ++i) {
        if (rules[i].toolchain != toolchain) continue;
        const auto captures = match(rules[i], patterns()[i], message);
        if (!captures) continue;
        if (auto wording = rules[i].put(*captures, passage)) return wording;
    }
    return std::nullopt;
}

std::optional<Wording> undeclared_in_a_sum(const Outline& everything, const Outline& file, const std::vector<Token>& tokens) {
    Passage passage{&everything, nullptr, &tokens, 0, 0};
    std::optional<Wording> beyond; // a sum over another neighbourhood than the declared one may be within it
    for (std::size_t i = 1; i + 6 < tokens.size(); ++i) {
        if (tokens[i].text != "sum" || tokens[i - 1].text != "." || tokens[i + 1].text != "(") continue;
        passage.function = file.function_at(tokens[i].line);
        passage.line = tokens[i].line;
        auto pointer = i + 2; // self.sum(moore, &Cell::heat)
        while (pointer + 4 < tokens.size() && tokens[pointer].text != "&" && tokens[pointer].text != ")") ++pointer;
        const auto member = pointer + 4;
        if (passage.function == nullptr || member >= tokens.size() || !has_member(everything.find_row(text_at(passage, pointer + 1)), text_at(passage, member)))
            continue;
        const auto name = text_at(passage, pointer + 1) + "::" + text_at(passage, member);
        const auto entries = access_entries(passage.function->access);
        const std::regex named("&" + name + "\\b");
        const auto shown = std::find_if(entries.begin(), entries.end(), [&](const std::string& entry) {
            return entry.starts_with("around<") && std::regex_search(entry, named);
        });
        const auto wording = at_token(undeclared(*passage.function, name, false), passage, member);
        if (shown == entries.end()) return wording;
        if (!shown->starts_with("around<" + text_at(passage, i + 2)) && !beyond) beyond = wording;
    }
    return beyond;
}

} // namespace tessera::jit
