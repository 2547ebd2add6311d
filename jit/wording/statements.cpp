// Statements that a compiler refuses: syntax, assertions, arguments, conversions.
#include "jit/wording/offers.hpp"
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"
#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <regex>

namespace tessera::jit {

namespace {
bool is_else_if_of_others(const std::string& word) { return word == "elif" || word == "elseif" || word == "elsif"; }
} // namespace

// Compilers disagree on the place: it is the end of the last token before the one that they stumble over.
std::optional<Wording> missing_semicolon(const Captures&, const Passage& passage) {
    const auto other_language = nearest_tokens(passage, [&](std::size_t i) { return is_else_if_of_others(text_at(passage, i)); });
    if (!other_language.empty()) {
        auto wording = at_token(fmt::format("{} is not known here write else if", text_at(passage, other_language.front())), passage,
                                other_language.front());
        wording.has_consequences = true;
        return wording;
    }
    const Token* before = nullptr;
    for (const auto& token : *passage.tokens)
        if (!token.in_directive &&
            (token.line < passage.line || (token.line == passage.line && (passage.column == 0 || token.column < passage.column))))
            before = &token;
    if (before == nullptr) return std::nullopt;
    return Wording{"a ; is missing here", before->line, before->column + static_cast<int>(before->text.size()), true};
}

namespace {

// What an assertion of the SDK is about: `spawn` of "spawn(...) needs ...", or what the function adds to, lowers or raises.
std::function<bool(std::size_t)> what_is_meant(const std::string& text, const Passage& passage) {
    static const std::regex of_a_call(R"~((\w+)\(.*\) needs .*)~"), of_a_sum(R"~(.* (?:needs adds|cannot be (?:added|assigned|read)).*)~");
    std::smatch called;
    if (std::regex_match(text, called, of_a_call))
        return [&passage, name = called[1].str()](std::size_t i) { return text_at(passage, i) == name && text_at(passage, i - 1) == "."; };
    if (!std::regex_match(text, of_a_sum)) return {};
    return [&passage](std::size_t i) {
        const auto* row = is_of_ground(passage, i) ? ground_row(passage) : nullptr;
        const auto is_named = [&](const char* kind) { return has_entry(*passage.function, row->row + "::" + text_at(passage, i), kind); };
        return row != nullptr && (is_named("adds<") || is_named("least<") || is_named("most<"));
    };
}

// Of what stands in a lambda, NVRTC says the line where that ends.
int line_of_call(const std::string& text, const Passage& passage) {
    const auto wanted = what_is_meant(text, passage);
    const auto begin = first_of_statement(passage);
    if (!wanted || !begin || !nearest_tokens(passage, wanted).empty()) return passage.line;
    for (auto i = *begin; i < passage.tokens->size() && (*passage.tokens)[i].line <= passage.line; ++i)
        if (wanted(i)) return (*passage.tokens)[i].line;
    return passage.line;
}

} // namespace

namespace {

// `auto best = self.place.here();` of a function along links.
std::optional<Wording> best_along_links(const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    auto wording =
        at_token("here() is no site along links (a site is there while it is visited) keep the best value in a variable, and call "
                 "self.migrate(site) for each site that is better: the last call counts",
                 passage, first_of_statement(line));
    wording.has_consequences = true;
    return wording;
}

} // namespace

std::optional<Wording> its_own_text(const Captures& found, const Passage& passage) {
    std::string text; // clang shows the quotes within as they are written
    for (std::size_t i = 0; i < found[1].size(); ++i) {
        if (found[1][i] == '\\' && i + 1 < found[1].size() && (found[1][i + 1] == '"' || found[1][i + 1] == '\\')) ++i;
        text += found[1][i];
    }
    const bool along_links = passage.function != nullptr && passage.function->access.find("links<") != std::string::npos;
    if (along_links && text.starts_with("here() needs"))
        if (auto wording = best_along_links(passage)) return wording;
    if (text.starts_with("a member must be"))
        if (auto wording = member_of_wrong_type(passage)) return wording;
    Passage line = passage;
    line.column = 0;
    line.line = line_of_call(text, line);
    const auto assertion = nearest_tokens(line, [&](std::size_t i) { return text_at(passage, i) == "static_assert"; });
    return at_token(text, passage, assertion.empty() ? first_of_statement(line) : assertion.front());
}

namespace {

// "self.place" of `self.place.at(...)`, by the token of `at`; "self" for what is no name.
std::string called_on(const Passage& passage, std::size_t token) {
    std::string object;
    for (auto i = token; i >= 2 && text_at(passage, i - 1) == "." && is_word(passage, i - 2); i -= 2)
        object = text_at(passage, i - 2) + (object.empty() ? "" : "." + object);
    return object.empty() ? "self" : object;
}

struct Called {
    const char *name, *takes, *example;
};
constexpr std::array<Called, 14> known_calls = {{
    {"at", "takes one offset", "at(west) or {}.at(offset<2, 0>)"},
    {"exists", "takes one offset", "exists(west) or {}.exists(offset<2, 0>)"},
    {"each", "takes a neighbourhood and a function", "each(moore, [&](const auto& neighbour) {{ ... }})"},
    {"sum", "takes a neighbourhood and a member that is no array", "sum(moore, &Row::member)"},
    {"count", "takes a neighbourhood and a type of agents", "count(moore, agents<Row>)"},
    {"any", "takes a neighbourhood and a condition", "any(moore, [&](const auto& neighbour) {{ return ...; }})"},
    {"least", "takes a neighbourhood, a value to begin with, and a function",
     "least(moore, 0.0f, [&](const auto& neighbour) {{ return ...; }})"},
    {"most", "takes a neighbourhood, a value to begin with, and a function",
     "most(moore, 0.0f, [&](const auto& neighbour) {{ return ...; }})"},
    {"pick", "takes a neighbourhood and a function", "pick(moore, [&](const auto& neighbour) {{ ... }})"},
    {"meet", "takes a neighbourhood, a type of agents and a function", "meet(moore, agents<Row>, [&](const auto& other) {{ ... }})"},
    {"spawn", "takes a row, and a site, one offset or a position in space", "spawn(Row{{}}) or {}.spawn(Row{{}}, east)"},
    {"migrate", "takes a site, one offset, or steps along the axes", "migrate(east) or {}.migrate(dx, dy)"},
    {"migrate_to", "takes the coordinates of a place", "migrate_to(x, y)"},
    {"move_to", "takes a position in space, or its coordinates", "move_to(x, y)"},
}};
constexpr std::array<Called, 8> calls_along_links = {{
    {"each", "takes links and a function", "each({1}, [&](const auto& other) {{ ... }})"},
    {"sum", "takes links, and a member or a function", "sum({1}, &Row::member)"},
    {"count", "takes links, and perhaps a condition", "count({1}) or {0}.count({1}, [&](const auto& other) {{ return ...; }})"},
    {"any", "takes links and a condition", "any({1}, [&](const auto& other) {{ return ...; }})"},
    {"least", "takes links, a value to begin with, and a function", "least({1}, 0.0f, [&](const auto& other) {{ return ...; }})"},
    {"most", "takes links, a value to begin with, and a function", "most({1}, 0.0f, [&](const auto& other) {{ return ...; }})"},
    {"pick", "takes links and a function", "pick({1}, [&](const auto& other) {{ ... }})"},
    {"send", "takes links and a function", "send({1}, [&](const auto& there) {{ ... }})"},
}};
constexpr Called spawn_of_links = {"spawn", "takes a link and the number of the place that it leads to", "spawn({1}{{}}, other.id)"};
constexpr Called count_of_site = {"count", "takes a type of agents", "count(agents<Row>)"};

} // namespace

namespace {

Wording called_otherwise(const Called& call, const std::string& list, const Passage& passage, std::size_t token) {
    const auto object = called_on(passage, token);
    return at_token(fmt::format("{0}.{1} cannot be called like this (it {2}) write {0}.{3}, say", object, call.name, call.takes,
                                fmt::format(fmt::runtime(call.example), object, list)),
                    passage, token);
}

// The row of links that is spawned, in whatever order: `self.spawn(other.id, Friend{})`.
std::string spawned_links(const Passage& passage, std::size_t token) {
    for (auto i = token + 1; i < passage.tokens->size() && text_at(passage, i) != ";"; ++i)
        if (is_word(passage, i) && macro_of(passage, text_at(passage, i)) == "TESSERA_LINK") return text_at(passage, i);
    return {};
}

std::optional<Wording> wrong_along_links(const std::string& name, const Passage& passage) {
    const auto token = token_named(passage, name, true);
    if (!token) return std::nullopt;
    if (name == "spawn")
        if (const auto row = spawned_links(passage, *token); !row.empty()) return called_otherwise(spawn_of_links, row, passage, *token);
    const auto list = links_argument(passage, *token);
    if (list.empty()) return std::nullopt;
    for (const auto& each : calls_along_links)
        if (name == each.name) return called_otherwise(each, list, passage, *token);
    return std::nullopt;
}

} // namespace

namespace {

// `self.kill(fish)`
std::optional<Wording> killed_another(const Passage& passage) {
    const auto token = token_named(passage, "kill", true);
    if (!token) return std::nullopt;
    const auto& named = text_at(passage, *token + 2);
    const auto* met = met_row(passage, *token + 2);
    for (auto i = *token; met == nullptr && i > 2 && text_at(passage, i) != ";"; --i) // self.meet(here, agents<Fish>, [&](const auto& fish)
        if (text_at(passage, i) == "agents" && text_at(passage, i + 1) == "<") met = passage.outline->find_row(text_at(passage, i + 2));
    return at_token(fmt::format("self.kill() takes nothing, and not {} (an agent dies by its own function) {}", named,
                                how_to_kill(met == nullptr ? "the others" : met->row)),
                    passage, token);
}

} // namespace

// `self.at(moore)`: the function is there, and takes something else.
std::optional<Wording> wrong_arguments(const Captures& found, const Passage& passage) {
    if (auto wording = directions_that_differ(found, passage)) return wording;
    if (auto wording = agents_as_a_list(found, passage)) return wording;
    if (auto wording = links_as_a_list(found, passage)) return wording;
    if (auto wording = row_as_value(passage)) return wording;
    if (auto wording = wrong_along_links(found[1], passage)) return wording;
    if (found[1] == "kill") return killed_another(passage);
    for (const auto& each : known_calls) {
        if (found[1] != each.name) continue;
        const auto token = token_named(passage, found[1], true);
        if (!token) return std::nullopt;
        return called_otherwise(found[1] == "count" && called_on(passage, *token) != "self" ? count_of_site : each, {}, passage, *token);
    }
    return std::nullopt;
}

namespace {

// Whether the lambda that begins there takes one argument of any type: a call of it that does not compile is then a mistake within it.
bool takes_anything(const Passage& passage, std::size_t lambda) {
    auto at = lambda;
    while (at < passage.tokens->size() && text_at(passage, at) != "(") ++at;
    bool has_auto = false;
    for (++at; at < passage.tokens->size() && text_at(passage, at) != ")"; ++at) {
        if (text_at(passage, at) == ",") return false;
        has_auto = has_auto || text_at(passage, at) == "auto";
    }
    return has_auto;
}

} // namespace

// `self.each(moore, [&]() { ... })`: the function that is handed over takes nothing, or something else.
std::optional<Wording> wrong_visitor(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "[" && text_at(passage, i - 1) == ","; });
    if (found.empty() || takes_anything(passage, found.front())) return std::nullopt;
    return at_token("this function cannot be called with what is visited (it takes that by reference) write [&](const auto& other) { ... }",
                    passage, found.front());
}

// `self(1, 0).heat`
std::optional<Wording> called_self(const Captures&, const Passage& passage) {
    const auto found =
        nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "self" && text_at(passage, i + 1) == "("; });
    const auto random = nearest_tokens(passage, [&](std::size_t i) {
        return text_at(passage, i) == "random" && text_at(passage, i - 1) == "." && text_at(passage, i + 1) == "(";
    });
    if (!random.empty())
        return at_token(
            "self.random is no function (it has bits, uniform, uniform64, below, bernoulli, normal) write self.random.uniform() "
            "for a float from 0 to 1, say",
            passage, random.front());
    if (found.empty()) return std::nullopt;
    return at_token("self is no function (other places are seen by where they are) write self.at(offset<1, 0>) on a grid, or "
                    "self.each(links<LINK>, [&](const auto& other) { ... }) along links",
                    passage, found.front());
}

namespace {

struct Drawn {
    const char *name, *takes, *example;
};
constexpr std::array<Drawn, 6> drawn = {{
    {"bits", "takes nothing, and gives 32 random bits", "write self.random.bits()"},
    {"uniform", "takes nothing, and gives a float from 0 to 1", "write low + (high - low) * self.random.uniform()"},
    {"uniform64", "takes nothing, and gives a double from 0 to 1", "write low + (high - low) * self.random.uniform64()"},
    {"below", "takes one number, and gives an integer from 0 to below it", "write self.random.below(6), say"},
    {"bernoulli", "takes one number, the probability of true", "write self.random.bernoulli(0.5f), say"},
    {"normal", "takes nothing, and gives a float of mean 0 and deviation 1", "write mean + deviation * self.random.normal()"},
}};

// The nearest of these on the line, behind a dot; `called`: with round brackets.
std::optional<std::pair<std::size_t, Drawn>> nearest_drawn(const Passage& passage, bool called) {
    for (const auto token : nearest_tokens(
             passage, [&](std::size_t i) { return i > 0 && text_at(passage, i - 1) == "." && (text_at(passage, i + 1) == "(") == called; }))
        for (const auto& each : drawn)
            if (text_at(passage, token) == each.name) return std::pair(token, each);
    return std::nullopt;
}

} // namespace

// `self.random.uniform(0, 5)`
std::optional<Wording> wrong_draw(const Captures&, const Passage& passage) {
    const auto found = nearest_drawn(passage, true);
    if (!found) return std::nullopt;
    const auto& [token, function] = *found;
    return at_token(fmt::format("{}(...) cannot be called like this (it {}) {}", function.name, function.takes, function.example), passage,
                    token);
}

// `self.random.uniform`
std::optional<Wording> uncalled_draw(const Captures&, const Passage& passage) {
    const auto found = nearest_drawn(passage, false);
    if (!found) return std::nullopt;
    const auto& name = text_at(passage, found->first);
    return at_token(fmt::format("{} is a function, and is not called here (it {}) {}", name, found->second.takes, found->second.example),
                    passage, found->first);
}

// Compilers spell and place the value differently; what it should become is the same.
std::optional<Wording> no_conversion(const Captures& found, const Passage& passage) {
    static const std::regex plain(R"~(.*\(aka ['"](.+)['"]\).*|.*\{aka '(.+)'\}.*)~");
    std::smatch aka;
    std::string type = found[1];
    if (std::regex_match(found[0], aka, plain)) type = aka[1].matched ? aka[1].str() : aka[2].str();
    Passage line = passage;
    line.column = 0;
    return at_token(fmt::format("a value of another type cannot become a {} here", without_model_namespace(type)), passage,
                    first_of_statement(line));
}

// `{x + 0.5, y, 0}` where floats are expected.
std::optional<Wording> narrowed(const Captures&, const Passage& passage) {
    Passage line = passage;
    line.column = 0;
    return at_token("a value in braces may not fit its type (a double is not a float, an int is not a std::uint8_t) write "
                    "static_cast<TYPE>(...), or 0.5f for 0.5",
                    passage, first_of_statement(line));
}

} // namespace tessera::jit
