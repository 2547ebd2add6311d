// Members that are not in an access list, or not in their struct.
#include "jit/wording/offers.hpp"
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"
#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

// Where the template argument that begins there ends: brackets within it belong to it.
std::size_t end_of_argument(const std::string& text, std::size_t begin) {
    int depth = 0;
    auto at = begin;
    for (; at < text.size(); ++at) {
        if (depth == 0 && (text[at] == ',' || text[at] == '>')) break;
        depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    }
    return at;
}

// `kind`: "around<" or "meets<"; `where`: the neighbourhood that the function looks over.
std::string entry_to_add(const CallSite& function, const std::string& full_name, const std::string& kind, const std::string& where) {
    for (const auto& entry : access_entries(function.access))
        if (entry.starts_with(kind)) return fmt::format("{}, &{}>", entry.substr(0, end_of_argument(entry, kind.size())), full_name);
    return fmt::format("{}{}, &{}>", kind, where, full_name);
}

// The first argument of the call whose bracket is there: "von_neumann", "offset<1, 1>".
std::string first_argument(const Passage& passage, std::size_t open) {
    std::string words;
    int depth = 0;
    for (auto i = open + 1; i < passage.tokens->size(); ++i) {
        const auto& text = text_at(passage, i);
        if (text == ")" || (depth == 0 && text == ",")) break;
        depth += text == "<" ? 1 : text == ">" ? -1 : 0;
        words += text == "," ? ", " : text;
    }
    return words;
}

// The bracket before the token that is open there, or, of what closes there, its own.
std::size_t opening_before(const Passage& passage, std::size_t token) {
    int depth = 0;
    for (auto i = token; i-- > 0;) {
        const auto& text = text_at(passage, i);
        if (text == ")" || text == "}") ++depth;
        if ((text == "(" || text == "{") && depth-- == 0) return i;
    }
    return 0;
}

// "von_neumann" of `self.each(von_neumann, [&](const auto& other) { ... other.heat`, by the token of `heat`, and of `self.at(west).heat`;
// "moore" where the function names none.
std::string looked_over(const Passage& passage, std::size_t token) {
    if (token > 2 && text_at(passage, token - 2) == ")") {
        const auto open = opening_before(passage, token - 2);
        const auto offset = text_at(passage, open - 1) == "at" ? first_argument(passage, open) : std::string();
        if (offset.starts_with("offset<")) return "offsets<" + offset + ">";
        return offset.empty() || offset == "here" ? "moore" : "von_neumann";
    }
    const auto is_visit = [](const std::string& name) { return name == "each" || name == "sum" || name == "meet"; };
    for (auto open = opening_before(passage, token); open > 0 && passage.function != nullptr; open = opening_before(passage, open)) {
        if ((*passage.tokens)[open].line < passage.function->first_line) break;
        if (is_visit(text_at(passage, open - 1)) && text_at(passage, open - 2) == ".") return first_argument(passage, open);
    }
    return "moore";
}

std::string declares(const CallSite& function) {
    return function.access.empty() ? function.function + " declares nothing"
                                   : fmt::format("{} declares {}", function.function, function.access);
}

constexpr const char* a_met_agents = "a met agent's";

// `whose`: "a neighbour's"; empty for what `self`, or the place below, has itself.
std::string undeclared(const Passage& passage, const std::string& name, const std::string& whose, std::size_t token) {
    const auto& function = *passage.function;
    const std::string kind = whose == a_met_agents ? "meets<" : "around<";
    if (whose.empty())
        return fmt::format("{} is not in {}'s access list ({}) add reads<&{}> to read it or writes<&{}> to change it", name,
                           function.function, declares(function), name, name);
    if (has_entry(function, name, kind))
        return fmt::format("{} {} is read beyond the offsets of {}'s access list ({}) widen its {}...>", whose, name, function.function,
                           declares(function), kind);
    return fmt::format("{} {} is not in {}'s access list ({}) add {} to read it", whose, name, function.function, declares(function),
                       entry_to_add(function, name, kind, looked_over(passage, token)));
}

// `self.heat` of the place that an agent stands on; `self.place.energy` of the agent itself.
std::optional<Wording> of_the_other(const std::string& member, bool below, const Passage& passage, std::size_t token) {
    const auto* ground = ground_row(passage);
    const auto* own = ground == nullptr ? nullptr : passage.outline->find_row(passage.function->row);
    if (ground == nullptr || has_member(below ? ground : own, member) || !has_member(below ? own : ground, member)) return std::nullopt;
    if (below)
        return at_token(fmt::format("self.place has no {0} (it is a member of the {1} that stands there) write self.{0}", member, own->row),
                        passage, token);
    const auto name = ground->row + "::" + member;
    const auto declared = entry_with(*passage.function, name);
    return at_token(fmt::format("self has no {0} (it is a member of the {1} that the {2} stands on) write self.place.{0}{3}", member,
                                ground->row, own->row,
                                declared ? "" : fmt::format(", and add reads<&{0}> to read it or writes<&{0}> to change it", name)),
                    passage, token);
}

// What `self` offers beside the members of rows.
struct Part {
    std::vector<std::string> types; // as compilers call it
    std::vector<std::string> names; // after whose dot it stands
    std::vector<std::string> has;
    const char* kind;
};
const Part* part_of(const std::string& type, const std::string& before) {
    static const std::vector<Part> parts = {
        {{"tessera::place_position", "tessera::place_offset", "tessera::space_point"},
         {"position", "size", "extent", "offset", "away"},
         {"x", "y", "z"},
         "axis"},
        {{"tessera::random_stream"}, {"random"}, {"bits", "uniform", "uniform64", "below", "bernoulli", "normal"}, "function"}};
    for (const auto& part : parts) {
        const auto is_type = [&](const std::string& each) { return type.starts_with(each); };
        if (std::any_of(part.types.begin(), part.types.end(), is_type) ||
            std::find(part.names.begin(), part.names.end(), before) != part.names.end())
            return &part;
    }
    return nullptr;
}

// `self.position.X`, `self.random.unifrom()`
std::optional<Wording> absent_from_part(const std::string& type, const std::string& member, const Passage& passage, std::size_t token) {
    const auto& before = text_at(passage, token - 2);
    const auto* part = token < 2 || text_at(passage, token - 1) != "." ? nullptr : part_of(type, before);
    if (part == nullptr) return std::nullopt;
    return at_token(fmt::format("{}{} has no {} {} (it has {}){}", is_own(passage, token - 2) ? "self." : "", before, part->kind, member,
                                list_of(part->has), did_you_mean(member, part->has)),
                    passage, token);
}

// `self.each(...)` in a function of agents.
std::optional<Wording> called_of_an_agent(const std::string& name, const Passage& passage, std::size_t token) {
    static const std::vector<std::pair<std::string, std::string>> instead = {
        {"each", "self.place.each(...), or self.meet(...) for the agents there"},
        {"sum", "self.place.each(...), and add up what it visits"},
        {"at", "self.place.at(...)"},
        {"exists", "self.place.exists(...)"},
        {"here", "self.place.here()"},
        {"free", "self.place.here().free()"}};
    const auto found = std::find_if(instead.begin(), instead.end(), [&](const auto& each) { return each.first == name; });
    if (found == instead.end() || ground_row(passage) == nullptr) return std::nullopt;
    return at_token(
        fmt::format("self has no function {} (it is an agent, and not the place that it stands on) write {}", name, found->second), passage,
        token);
}

// Words within the struct's brackets that nobody lists: its other members, and their types.
std::vector<std::string> unlisted_words_of(const RowDeclaration& row, const Passage& passage) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i + 2 < passage.tokens->size(); ++i) {
        if (text_at(passage, i) != "struct" || text_at(passage, i + 1) != row.row || text_at(passage, i + 2) != "{") continue;
        int depth = 0;
        for (auto at = i + 2; at < passage.tokens->size(); ++at) {
            depth += text_at(passage, at) == "{" ? 1 : text_at(passage, at) == "}" ? -1 : 0;
            if (depth == 0) break;
            if (is_word(passage, at) && !has_member(&row, text_at(passage, at))) names.push_back(text_at(passage, at));
        }
    }
    return names;
}

std::string its_members(const RowDeclaration& row) {
    return row.members.empty() ? "it has none" : "its members are " + list_of(row.members);
}

// The macro lists what the struct does not have.
std::optional<Wording> listed_and_absent(const RowDeclaration& row, const std::string& member, const Passage& passage) {
    const auto token = token_named(passage, member, false);
    if (!token) return std::nullopt;
    auto wording = at_token(fmt::format("{} has no member {}, which its {} lists{}", row.row, member, macro_of(passage, row.row),
                                        did_you_mean(member, unlisted_words_of(row, passage))),
                            passage, token);
    wording.has_consequences = true;
    return wording;
}

} // namespace

bool has_entry(const CallSite& function, const std::string& full_name, const std::string& kind) {
    const std::regex named("&" + full_name + "\\b");
    const auto entries = access_entries(function.access);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const std::string& entry) { return entry.starts_with(kind) && std::regex_search(entry, named); });
}

// The entry of an access list that names the member.
std::optional<std::string> entry_with(const CallSite& function, const std::string& full_name) {
    const std::regex pattern("&" + full_name + "\\b");
    for (const auto& entry : access_entries(function.access))
        if (std::regex_search(entry, pattern)) return entry;
    return std::nullopt;
}

// `self.count(links<Friend>)`, `self.send(...)` and `self.spawn(Friend{}, ...)` of links that the access list does not name: without them
// `self` has no such function.
std::optional<Wording> called_along_links(const std::string& name, const Passage& passage, std::size_t token) {
    const auto list = links_argument(passage, token);
    const auto& row = text_at(passage, token + 2);
    if (name == "spawn" && macro_of(passage, row) == "TESSERA_LINK")
        return at_token(fmt::format("spawn({0}{{...}}, ...) needs spawns<{0}> in the access list", row), passage, token);
    if (list.empty()) return std::nullopt;
    static const std::vector<std::string> visits{"count", "any", "sum", "least", "most", "pick", "each"};
    if (name == "send")
        return at_token(fmt::format("send({0}, ...) needs adds<{0}, &ROW::MEMBER>, least<...> or most<...> in the access list", list),
                        passage, token);
    if (std::find(visits.begin(), visits.end(), name) != visits.end())
        return at_token(fmt::format("{0}({1}{2}) needs around<{1}> in the access list, with the members that are read at the other ends",
                                    name, list, text_at(passage, token + 6) == ")" ? "" : ", ..."),
                        passage, token);
    if (name == "degree")
        return at_token(fmt::format("self has no function degree (how many links a place has is counted) write self.count({})", list),
                        passage, token);
    return std::nullopt;
}

// `links<Friend>.size()`
std::optional<Wording> called_of_a_list(const std::string& type, const std::string& member, const Passage& passage) {
    if (!type.starts_with("tessera::link_list")) return std::nullopt;
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return text_at(passage, i) == member && text_at(passage, i - 1) == "." && text_at(passage, i - 2) == ">";
    });
    if (found.empty() || found.front() < 5) return std::nullopt;
    const auto list = text_at(passage, found.front() - 5) + "<" + text_at(passage, found.front() - 3) + ">";
    return at_token(
        fmt::format("{0} has no {1} (it says which links of a place are meant) write self.count({0}) for how many there are, or "
                    "self.each({0}, [&](const auto& other) {{ ... }}) for each of them",
                    list, member),
        passage, found.front());
}

bool is_other_end(const std::string& type) { return type.starts_with("tessera::other_end") || type.starts_with("tessera::linked_site"); }

// `other.link.kill()`, `other.kill()` along links.
std::optional<Wording> killed_link(const Passage& passage, std::size_t token) {
    const auto& function = *passage.function;
    std::string links = "LINK";
    for (auto i = token; i-- > 0 && (*passage.tokens)[i].line >= function.first_line;)
        if (names_links(passage, i) && text_at(passage, i + 1) == "<") {
            links = text_at(passage, i + 2);
            break;
        }
    const auto* const ground = ground_row(passage);
    return at_token(fmt::format("{} cannot end what it visits along links (links die by functions of links) {}", function.function,
                                how_places_end_links(ground == nullptr ? function.row : ground->row, links)),
                    passage, token);
}

// Of a link that is visited, or of the place at its other end.
std::optional<Wording> absent_along(const std::string& type, const std::string& member, const Passage& passage, std::size_t token) {
    const bool of_link = type.starts_with("tessera::seen_link");
    if ((!of_link && !is_other_end(type)) || passage.function == nullptr) return std::nullopt;
    const auto* const row = row_with(passage, member);
    const auto who = of_link ? "a link" : "the other end of a link";
    if (member == "kill") return killed_link(passage, token);
    if (row == nullptr)
        return at_token(fmt::format("{} has no {} {} (it has {}what around<...> names)", who,
                                    text_at(passage, token + 1) == "(" ? "function" : "member", member, of_link ? "" : "id, link and "),
                        passage, token);
    return at_token(fmt::format("{}::{} of {} is not in {}'s access list ({}) add it to the around<...> that names these links", row->row,
                                member, who, passage.function->function, declares(*passage.function)),
                    passage, token);
}

// `self.from.opinion` of a function of links, and what is sent to: neither is what `self` has itself.
std::optional<Wording> absent_at_an_end(const std::string& type, const std::string& member, const Passage& passage, std::size_t token) {
    const auto* const row = passage.function == nullptr ? nullptr : row_with(passage, member);
    if (row == nullptr) return std::nullopt;
    const auto name = row->row + "::" + member;
    if (type.starts_with("tessera::given_end"))
        return at_token(fmt::format("{} is not sent to by {} ({}) add it to the adds<...>, least<...> or most<...> that names these links",
                                    name, passage.function->function, declares(*passage.function)),
                        passage, token);
    if (!is_of_an_end(passage, token)) return std::nullopt;
    return at_token(fmt::format("{0} of a link's end is not in {1}'s access list ({2}) add around<ends, &{0}> to read it", name,
                                passage.function->function, declares(*passage.function)),
                    passage, token);
}

// What only places of a grid have, or only those that have numbers.
std::optional<Wording> absent_without_shape(const std::string& type, const std::string& member, const Passage& passage, std::size_t token) {
    static const std::vector<std::string> of_grids{"position", "at", "exists", "each", "sum"};
    const bool of_grid = std::find(of_grids.begin(), of_grids.end(), member) != of_grids.end();
    if (of_grid && (type.starts_with("tessera::numbered_place") || type.starts_with("tessera::linked_place")))
        return at_token(
            fmt::format("self has no {} (the run file gives these places a `count`: they have numbers, and no shape) use self.id, "
                        "name links in around<...> to go along them, or give the places a `size`",
                        member),
            passage, token);
    if (member == "position" && (type.starts_with("tessera::agent<") || type.starts_with("tessera::linked_agent<")))
        return at_token(
            "self has no position (the run file gives the places a `count`: they have numbers, and no shape) use self.place.id, or give "
            "the places a `size`",
            passage, token);
    if (member == "id" && (type.starts_with("tessera::place<") || type.starts_with("tessera::linked_place")))
        return at_token("self has no id (only places of which the run file gives a `count` have one) use self.position", passage, token);
    return std::nullopt;
}

// `fish.kill()` of an agent that is met, `self.kill()` of a place.
std::optional<Wording> killed(const std::string& type, const Passage& passage, std::size_t token) {
    if (passage.function == nullptr) return std::nullopt;
    if (type.starts_with("tessera::met_")) {
        const auto* const met = met_row(passage, token);
        return at_token(fmt::format("{} cannot kill an agent that it meets (an agent dies by its own function) {}",
                                    passage.function->function, how_to_kill(met == nullptr ? "its own" : met->row)),
                        passage, token);
    }
    const bool of_places =
        type.starts_with("tessera::place") || type.starts_with("tessera::numbered_place") || type.starts_with("tessera::linked_place");
    if (!of_places) return std::nullopt;
    return at_token(fmt::format("self has no function kill (it is a place, and places do not die) {}",
                                how_places_kill(passage.function->row, row_declared_on(passage, "TESSERA_AGENT", passage.function->row))),
                    passage, token);
}

// What is told by what the type is, whatever the access list says.
std::optional<Wording> absent_by_kind(const std::string& type, const std::string& member, const Passage& passage, std::size_t token,
                                      bool is_called_of_self) {
    if (type.starts_with("tessera::folded_member"))
        return at_token(
            fmt::format("a member of adds<...>, least<...> or most<...> has no {} (it has +=, -=, .lower_to() and .raise_to())", member),
            passage, token);
    if (type.starts_with("tessera::uniform_self"))
        return at_token(fmt::format("self has no {} (a TESSERA_UNIFORM is one for all places and agents: its self has step, index and get) "
                                    "have a phase reduce make a value of members, and read that",
                                    member),
                        passage, token);
    if (auto wording = absent_from_part(type, member, passage, token)) return wording;
    if (auto wording = member == "kill" ? killed(type, passage, token) : std::nullopt) return wording;
    if (auto wording = absent_at_an_end(type, member, passage, token)) return wording;
    if (auto wording = absent_along(type, member, passage, token)) return wording;
    if (auto wording = is_called_of_self ? called_along_links(member, passage, token) : std::nullopt) return wording;
    return absent_without_shape(type, member, passage, token);
}

std::optional<Wording> absent_from(std::string type, const std::string& member, const Passage& passage) {
    const bool of_the_sdk = type.starts_with("tessera::"), site = type.starts_with("tessera::site");
    const bool met = type.starts_with("tessera::met_agent") || type.starts_with("tessera::met_in_space");
    const bool along = is_other_end(type) || type.starts_with("tessera::seen_link");
    const bool neighbour = type.starts_with("tessera::neighbour") || site || met || along, below = type.starts_with("tessera::ground");
    if (const auto* row = passage.outline->find_row(without_model_namespace(type)); has_member(row, member))
        return listed_and_absent(*row, member, passage);
    if (auto wording = called_of_a_list(type, member, passage)) return wording;
    const auto token = of_the_sdk ? member_named(passage, member, !neighbour && !below) : token_named(passage, member, true);
    if (!token) return std::nullopt; // the author did not write it: a consequence within the SDK
    const bool called = text_at(passage, *token + 1) == "(" || text_at(passage, *token + 1) == "<";
    type = without_model_namespace(type);
    if (of_the_sdk) {
        if (auto wording = absent_by_kind(type, member, passage, *token, called && !neighbour && !below)) return wording;
        if (type.starts_with("tessera::agent<") || type.starts_with("tessera::linked_agent<") || below) {
            if (auto wording = of_the_other(member, below, passage, *token)) return wording;
            if (auto wording = called && !below ? called_of_an_agent(member, passage, *token) : std::nullopt) return wording;
        }
        const auto* ground = met ? met_row(passage, *token) : site || below ? ground_row(passage) : nullptr;
        const auto* row = has_member(ground, member) ? ground : row_with(passage, member);
        if (row != nullptr && passage.function != nullptr)
            return at_token(undeclared(passage, row->row + "::" + member,
                                       met         ? a_met_agents
                                       : site      ? "a site's"
                                       : neighbour ? "a neighbour's"
                                                   : "",
                                       *token),
                            passage, token);
        const auto* own = passage.function == nullptr ? nullptr
                          : ground != nullptr         ? ground
                                                      : passage.outline->find_row(passage.function->row);
        const auto* const who = met ? "a met agent" : site ? "a site" : neighbour ? "a neighbour" : below ? "self.place" : "self";
        if (called) {
            if (const auto needed = needs_entry(type, member)) return at_token(*needed, passage, token);
            for (const auto& function : passage.outline->functions)
                if (function.function == member && who == std::string_view("self"))
                    return at_token(fmt::format("self has no function {0} {1}", member, shared_helper(member)), passage, token);
            return at_token(fmt::format("{} has no function {}{}", who, member, functions_offered(type, member)), passage, token);
        }
        if (own == nullptr) return std::nullopt;
        if (entry_with(*passage.function, own->row + "::" + member)) // else there would be no such struct member to declare
            return at_token(fmt::format("{}::{} is not listed in its {} (only listed members are stored) add it there", own->row, member,
                                        macro_of(passage, own->row)),
                            passage, token);
        const bool of_self = who == std::string_view("self");
        return at_token(fmt::format("{} has no member {} ({}){}", own->row, member, its_members(*own),
                                    of_self || below ? member_meant(member, own->members) : did_you_mean(member, own->members)),
                        passage, token);
    }
    if (const auto* row = passage.outline->find_row(type)) {
        auto wording = at_token(
            fmt::format("{} has no member {} ({}){}", type, member, its_members(*row), did_you_mean(member, row->members)), passage, token);
        wording.has_consequences = text_at(passage, *token - 1) == ":"; // without an access list, nothing is declared
        return wording;
    }
    return at_token(fmt::format("{} has no member {}", type, member), passage, token);
}

std::optional<Wording> absent_member(const Captures& found, const Passage& passage) { return absent_from(found[1], found[2], passage); }
std::optional<Wording> member_absent(const Captures& found, const Passage& passage) { return absent_from(found[2], found[1], passage); }

// `self.sum(moore, &Cell::heat)`: the member is named by its pointer.
std::optional<Wording> undeclared_summand(const Captures&, const Passage& passage) {
    if (passage.function == nullptr) return std::nullopt;
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return is_word(passage, i) && i >= 4 && text_at(passage, i - 1) == ":" && text_at(passage, i - 2) == ":" &&
               text_at(passage, i - 4) == "&";
    });
    for (const auto i : found) {
        const auto* row = passage.outline->find_row(text_at(passage, i - 3));
        if (!has_member(row, text_at(passage, i))) continue;
        return at_token(undeclared(passage, row->row + "::" + text_at(passage, i), "a neighbour's", i), passage, i);
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
        if (passage.function == nullptr || member >= tokens.size() ||
            !has_member(everything.find_row(text_at(passage, pointer + 1)), text_at(passage, member)))
            continue;
        const auto name = text_at(passage, pointer + 1) + "::" + text_at(passage, member);
        const auto entries = access_entries(passage.function->access);
        const std::regex named("&" + name + "\\b");
        const auto shown = std::find_if(entries.begin(), entries.end(), [&](const std::string& entry) {
            return entry.starts_with("around<") && std::regex_search(entry, named);
        });
        const auto wording = at_token(undeclared(passage, name, "a neighbour's", member), passage, member);
        if (shown == entries.end()) return wording;
        if (!shown->starts_with("around<" + text_at(passage, i + 2)) && !beyond) beyond = wording;
    }
    return beyond;
}

} // namespace tessera::jit
