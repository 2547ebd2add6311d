// Names that a model does not know.
#include "jit/wording/offers.hpp"
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"
#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

bool is_sdk_function(const std::string& name) {
    static constexpr std::array<std::string_view, 23> functions = {"abs",  "min",  "max",   "clamp", "floor", "ceil",  "trunc",   "round",
                                                                   "fmod", "fma",  "sqrt",  "exp",   "log",   "pow",   "sin",     "cos",
                                                                   "tan",  "atan", "atan2", "tanh",  "isnan", "isinf", "isfinite"};
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

// "M_PI_2" -> "pi / 2"; nothing for what is no part of a circle.
std::optional<std::string> pi_for(const std::string& name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> names = {{{"M_PI", "pi"},
                                                                                            {"M_PIf", "pi"},
                                                                                            {"M_PI_2", "pi / 2"},
                                                                                            {"M_PI_4", "pi / 4"},
                                                                                            {"CUDART_PI", "pi"},
                                                                                            {"CUDART_PI_F", "pi"},
                                                                                            {"numbers", "pi"}}};
    for (const auto& [there, here] : names)
        if (name == there) return fmt::format("use {}, or {} among floats", here, "pi_v<float>" + std::string(here.substr(2)));
    return std::nullopt;
}

std::optional<Wording> absent_from_namespace(const std::string& space, const std::string& name, const Passage& passage) {
    const auto token = token_named(passage, name, false);
    const auto instead = space == "std" ? sdk_function_for(name) : std::nullopt;
    if (instead)
        return at_token(
            fmt::format("std::{} is not part of the SDK (models see only the SDK) use tessera::{}, which gives the same bits on every "
                        "device",
                        name, *instead),
            passage, token);
    if (space == "std") {
        const auto pi = pi_for(name);
        return at_token(
            fmt::format("std::{} is not part of the SDK (models see only the SDK, so that they mean the same on every device){}", name,
                        pi ? " " + *pi : std::string()),
            passage, token);
    }
    return at_token(fmt::format("{} has no member {}", without_model_namespace(space), name), passage, token);
}

// The words of access lists, and what may stand for a neighbourhood.
const std::vector<std::string>& words_of_access_lists() {
    static const std::vector<std::string> words = {"reads",   "around",         "writes",      "sets",          "adds",  "least",  "most",
                                                   "counts",  "meets",          "spawns",      "moves",         "dies",  "agents", "moved",
                                                   "refused", "refused_births", "anywhere",    "within",        "moore", "west",   "east",
                                                   "north",   "south",          "von_neumann", "above",         "below", "here",   "offset",
                                                   "offsets", "moore_of",       "lines_of",    "von_neumann_of"};
    return words;
}

// Whether the token is an argument of the macro that the function begins with.
bool is_in_access_list(const Passage& passage, std::size_t token) {
    if (passage.function == nullptr) return false;
    for (auto i = token; i-- > 0 && (*passage.tokens)[i].line >= passage.function->first_line;) {
        if (text_at(passage, i) == "{" && text_at(passage, i - 1) == ")") return false;
        if (text_at(passage, i).starts_with("TESSERA_")) return true;
    }
    return false;
}

// Whether a TESSERA_UNIFORM declares it: a name that is not known where it stands above that.
bool is_uniform(const Passage& passage, const std::string& name) {
    const auto& tokens = *passage.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].in_directive || tokens[i].text != "TESSERA_UNIFORM") continue;
        auto comma = i + 1;
        while (comma < tokens.size() && tokens[comma].text != ",") ++comma;
        if (text_at(passage, comma + 1) == name) return true;
    }
    return false;
}

// What a name that is not known may be meant for.
std::vector<std::string> names_nearby(const Passage& passage, bool in_access_list) {
    std::vector<std::string> names;
    if (in_access_list) names = words_of_access_lists();
    if (passage.function != nullptr) names.emplace_back("self");
    for (const auto& each : *passage.tokens)
        if (each.kind == Token::Kind::identifier && !each.in_directive) names.push_back(each.text);
    return names;
}

// " (it is a member of Cell) write self.heat", of a name in the body of a function.
std::string instead_of(const std::string& name, const Passage& passage, std::size_t token) {
    const auto* const own = passage.function == nullptr ? nullptr : passage.outline->find_row(passage.function->row);
    if (has_member(own, name)) return fmt::format(" (it is a member of {}) write self.{}", own->row, name);
    const auto* const ground = passage.function == nullptr ? nullptr : ground_row(passage);
    if (has_member(ground, name))
        return fmt::format(" (it is a member of {}, on which self stands) write self.place.{}", ground->row, name);
    for (const auto& function : passage.outline->functions)
        if (function.function == name && text_at(passage, token + 1) == "(") return " " + shared_helper(name);
    if (passage.function != nullptr)
        if (const auto instead = instead_of_name(name); !instead.empty()) return " " + instead;
    if (auto meant = did_you_mean(name, names_nearby(passage, false)); !meant.empty()) return meant;
    const auto& before = text_at(passage, token - 1);
    const bool begins = token > 0 && (before == ";" || before == "{" || before == "}");
    const bool is_set = text_at(passage, token + 1) == "=" && text_at(passage, token + 2) != "=";
    return begins && is_set ? fmt::format(" (a variable is declared before it is used) write `auto {} = ...`", name) : std::string();
}

} // namespace

std::optional<Wording> name_absent_from(const Captures& found, const Passage& passage) {
    const auto& space = found[2];
    const auto token = token_named(passage, found[1], false);
    const bool qualified_std = token && *token >= 3 && text_at(passage, *token - 3) == "std";
    return space == "std" || qualified_std ? absent_from_namespace("std", found[1], passage) : absent_from(space, found[1], passage);
}
std::optional<Wording> namespace_lacks(const Captures& found, const Passage& passage) {
    return absent_from_namespace(found[1], found[2], passage);
}

// `std::numbers::pi`, of which NVRTC does not say the name.
std::optional<Wording> unknown_namespace(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return i >= 3 && text_at(passage, i - 3) == "std" && text_at(passage, i - 1) == ":" && text_at(passage, i + 1) == ":";
    });
    return found.empty() ? std::nullopt : absent_from_namespace("std", text_at(passage, found.front()), passage);
}

namespace {

// `tessera_members_of_Patch`, which TESSERA_PLACE makes.
std::optional<Wording> undeclared_row(const std::string& name, const Passage& passage) {
    constexpr std::string_view members = "tessera_members_of_";
    if (!name.starts_with(members)) return std::nullopt;
    const auto row = name.substr(members.size());
    auto wording =
        at_token(fmt::format("{0} is not declared as a row here (no TESSERA_PLACE, TESSERA_AGENT or TESSERA_LINK above names it) "
                             "write TESSERA_PLACE({0}, ...), with all its members, before its first function",
                             row),
                 passage, token_named(passage, row, false));
    wording.has_consequences = true;
    return wording;
}

} // namespace

std::optional<Wording> unknown_name(const Captures& found, const Passage& passage) {
    const auto& name = found[1];
    if (auto wording = undeclared_row(name, passage)) return wording;
    const auto token = token_named(passage, name, false);
    if (!token) return std::nullopt; // made by a macro of the SDK
    if (const auto instead = sdk_function_for(name); instead && *instead != name)
        return at_token(
            fmt::format("{} is not known here (models see only the SDK) use {}, which gives the same bits on every device", name, *instead),
            passage, token);
    if (const auto pi = pi_for(name))
        return at_token(fmt::format("{} is not known here (models see only the SDK) {}", name, *pi), passage, token);
    if (is_uniform(passage, name)) {
        auto wording = at_token(fmt::format("{} is declared further down (a TESSERA_UNIFORM reads those above it, so that none goes by "
                                            "itself) declare it above, or break the circle",
                                            name),
                                passage, token);
        wording.has_consequences = true;
        return wording;
    }
    const bool in_list = is_in_access_list(passage, *token);
    auto wording = at_token(fmt::format("{} is not known here{}", name,
                                        in_list ? did_you_mean(name, names_nearby(passage, in_list)) : instead_of(name, passage, *token)),
                            passage, token);
    wording.has_consequences = in_list; // without it, nothing is declared
    return wording;
}

// `write<&Cell::heat>` in an access list, of which NVRTC says that it is no template.
std::optional<Wording> unknown_template(const Captures& found, const Passage& passage) {
    const auto token = token_named(passage, found[1], false);
    return token && is_in_access_list(passage, *token) ? unknown_name(found, passage) : std::nullopt;
}

// `self.count(here, Shark)`, `self.spawn(Fish)`, `Cell.heat = 1`: a type where a value should stand.
std::optional<Wording> row_as_value(const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        const auto& next = text_at(passage, i + 1);
        const bool alone = next == ")" || next == "," || next == "." || (next == ">" && text_at(passage, i - 2) == "spawn");
        return alone && !is_in_access_list(passage, i) && passage.outline->find_row(text_at(passage, i)) != nullptr &&
               text_at(passage, i - 2) != "agents" && !names_links(passage, i - 2);
    });
    if (found.empty() || passage.function == nullptr) return std::nullopt;
    const auto token = found.front();
    const auto& row = text_at(passage, token);
    const auto& next = text_at(passage, token + 1);
    const auto begin = fmt::format("{} is a type, and no value stands here", row);
    if (next == "." && row == passage.function->row)
        return at_token(
            fmt::format("{} (self is the one that the function is called for) write self.{}", begin, text_at(passage, token + 2)), passage,
            token);
    if (text_at(passage, token - 2) == "spawn") return at_token(fmt::format("{} write self.spawn({}{{}})", begin, row), passage, token);
    if (next == ".") return std::nullopt;
    const auto macro = macro_of(passage, row);
    if (macro == "TESSERA_PLACE") return std::nullopt;
    return at_token(fmt::format("{} write {}<{}>", begin, macro == "TESSERA_LINK" ? "links" : "agents", row), passage, token);
}

// A name that one compiler knows and the SDK hides: `sinf`, `threadIdx`. The message names it, or stands at it, or just behind it.
std::optional<Wording> hidden_name(const Captures&, const Passage& passage) {
    static constexpr std::array<std::string_view, 5> of_a_gpu = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    const auto found = nearest_tokens(
        passage, [&](std::size_t i) { return std::find(of_a_gpu.begin(), of_a_gpu.end(), text_at(passage, i)) != of_a_gpu.end(); });
    if (found.empty()) return row_as_value(passage);
    return at_token(fmt::format("{} is not known here (a function of the model runs for one place, on any device) use self.position",
                                text_at(passage, found.front())),
                    passage, found.front());
}

} // namespace tessera::jit
