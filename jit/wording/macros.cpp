// Macros of the SDK that are misspelt or given too few arguments, found without a message: compilers take what they do not know for a
// function, and complain of what it is given.
#include "jit/brackets.hpp"
#include "jit/wording.hpp"
#include "jit/wording/passage.hpp"
#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

struct Macro {
    std::string_view name;
    int least, most; // arguments; 0: any number
    const char *takes, *example;
};
constexpr std::array<Macro, 13> macros = {{
    {"TESSERA_PLACE", 1, 0, "a row and its members", "Cell, heat, alive)"},
    {"TESSERA_AGENT", 2, 0, "a row, the places that its agents stand on, and its members", "Fish, on<Water>, strength)"},
    {"TESSERA_LINK", 2, 0, "a row, the places that it joins, and its members", "Friend, between<Person>, closeness)"},
    {"TESSERA_CALL", 2, 0, "a row, a name and an access list", "Cell, tick, writes<&Cell::heat>) { ... }"},
    {"TESSERA_INIT", 2, 0, "a row, a name and an access list", "Cell, begin, sets<&Cell::heat>) { ... }"},
    {"TESSERA_PARAM", 3, 0, "a type, a name and a default, and then a range and a text, each of which may be left out",
     "float, warmth, 0.5f, range(0, 10), \"what it is\")"},
    {"TESSERA_GLOBAL", 2, 0, "a type, a name and a text that may be left out", "double, total, \"what it is\")"},
    {"TESSERA_UNIFORM", 2, 0, "a type, a name and a list of what it reads, which may be left out", "float, season) { return ...; }"},
    {"TESSERA_DOC", 2, 2, "what is documented, and a text", "Cell::heat, \"what it is\")"},
    {"TESSERA_VALUES", 2, 0, "a member and the names of its values", "Cell::state, bare, tree, burning)"},
    {"TESSERA_ASSERT", 2, 2, "a condition and a text", "self.heat >= 0, \"heat is never negative\")"},
    {"TESSERA_DEFAULTS", 1, 0, "the text of a run file", "R\"toml(...)toml\")"},
    {"TESSERA_MODEL", 2, 2, "the model's name and a text", "forest, \"what it is\")"},
}};

const Macro* find_macro(const std::string& name) {
    const auto* const found = std::find_if(macros.begin(), macros.end(), [&](const Macro& macro) { return macro.name == name; });
    return found == macros.end() ? nullptr : found;
}

std::vector<std::string> names_of_macros() {
    std::vector<std::string> names;
    for (const auto& macro : macros) names.emplace_back(macro.name);
    return names;
}

// " did you mean TESSERA_INIT?", of TESSERA_INITIALISE too.
std::string macro_meant(const std::string& wrong) {
    for (const auto& macro : macros)
        if (wrong.starts_with(macro.name)) return fmt::format(" did you mean {}?", macro.name);
    return did_you_mean(wrong, names_of_macros());
}

bool is_defined_here(const Passage& passage, const std::string& name) {
    for (std::size_t i = 2; i < passage.tokens->size(); ++i)
        if (text_at(passage, i) == name && text_at(passage, i - 1) == "define" && text_at(passage, i - 2) == "#") return true;
    return false;
}

// `TESERA_CALL(...)`, `tessera_call(...)`, `TESSERA_FUNCTION(...)`.
std::optional<Wording> misspelt(const Passage& passage, std::size_t token) {
    const auto& name = text_at(passage, token);
    if (find_macro(name) != nullptr || is_defined_here(passage, name)) return std::nullopt;
    const auto meant = macro_meant(name);
    if (!name.starts_with("TESSERA_") && meant.empty()) return std::nullopt;
    const auto all = meant.empty() ? fmt::format(" (the macros of a model are {})", list_of(names_of_macros())) : meant;
    return at_token(fmt::format("{} is not known here{}", name, all), passage, token);
}

// As the preprocessor counts them: only round brackets keep commas together.
int number_of_arguments(const Passage& passage, std::size_t open, std::size_t close) {
    if (open + 1 == close) return 0;
    int count = 1, depth = 0;
    for (auto i = open + 1; i < close; ++i) {
        depth += text_at(passage, i) == "(" ? 1 : text_at(passage, i) == ")" ? -1 : 0;
        count += depth == 0 && text_at(passage, i) == "," ? 1 : 0;
    }
    return count;
}

std::optional<Wording> given_otherwise(const Passage& passage, std::size_t token, std::size_t close) {
    const auto* const macro = find_macro(text_at(passage, token));
    if (macro == nullptr) return std::nullopt;
    const auto given = number_of_arguments(passage, token + 1, close);
    if (given >= macro->least && (macro->most == 0 || given <= macro->most)) return std::nullopt;
    return at_token(
        fmt::format("{} cannot be used like this (it takes {}) write {}({}, say", macro->name, macro->takes, macro->name, macro->example),
        passage, token);
}

} // namespace

std::vector<Wording> wrong_macros(const Outline& everything, const std::vector<Token>& tokens) {
    const Passage passage{&everything, nullptr, &tokens, 0, 0};
    const Brackets brackets(tokens, Directives::skipped);
    std::vector<Wording> found;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto& token = tokens[i];
        if (token.in_directive || token.kind != Token::Kind::identifier || tokens[i + 1].text != "(") continue;
        if (auto wording = misspelt(passage, i)) found.push_back(std::move(*wording));
        if (const auto close = brackets.other(i + 1); close < tokens.size())
            if (auto wording = given_otherwise(passage, i, close)) found.push_back(std::move(*wording));
    }
    return found;
}

} // namespace tessera::jit
