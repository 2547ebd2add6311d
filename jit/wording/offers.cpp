#include "jit/wording/offers.hpp"

#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

using Names = std::vector<std::string>;

const Names& draws() {
    static const Names names{"bits", "uniform", "uniform64", "below", "bernoulli", "normal"};
    return names;
}

struct Kind {
    std::vector<std::string_view> types; // how the compilers' names begin
    const char* has;                     // "it has"
    Names functions;
};

const Kind* kind_of(const std::string& type) {
    static const std::vector<Kind> kinds = {
        {{"tessera::place<", "tessera::numbered_place<", "tessera::linked_place<", "tessera::place_of_agents<"},
         "in a function of places it may have",
         {"at", "each", "sum", "exists", "get", "count", "any", "least", "most", "pick", "send", "meet", "spawn"}},
        {{"tessera::agent<", "tessera::linked_agent<"},
         "in a function of agents it may have",
         {"migrate", "migrate_to", "move_to", "spawn", "kill", "dying", "moved", "refused", "refused_births", "count", "rank", "meet",
          "get", "each", "any", "sum", "least", "most", "pick"}},
        {{"tessera::ground<"}, "it has", {"each", "at", "exists", "here"}},
        {{"tessera::site<", "tessera::linked_site<"}, "it may have", {"count", "free"}},
        {{"tessera::link<", "tessera::link_self<"}, "in a function of links it may have", {"kill", "get"}}};
    for (const auto& kind : kinds)
        if (std::any_of(kind.types.begin(), kind.types.end(), [&](const auto& begin) { return type.starts_with(begin); })) return &kind;
    return nullptr;
}

// What other tools, and plain words, call it.
std::string usual_word(const std::string& wrong) {
    static const std::vector<std::pair<std::string_view, std::string_view>> words = {
        {"die", "kill"},       {"remove", "kill"},     {"move", "migrate"},          {"go", "migrate"},   {"neighbours", "each"},
        {"neighbors", "each"}, {"foreach", "each"},    {"for_each", "each"},         {"birth", "spawn"},  {"create", "spawn"},
        {"hatch", "spawn"},    {"jump", "migrate_to"}, {"random", "random.uniform"}, {"degree", "count"}, {"neighbour", "at"}};
    for (const auto& [word, ours] : words)
        if (wrong == word) return std::string(ours);
    return {};
}

std::string question(const std::string& name) { return fmt::format(" did you mean {}?", name); }

bool has(const Names& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

} // namespace

std::string functions_offered(const std::string& type, const std::string& wrong) {
    const auto* const kind = kind_of(type);
    if (kind == nullptr) return {};
    const auto begin = fmt::format(" ({} {})", kind->has, list_of(kind->functions));
    if (has(draws(), wrong)) return begin + question("self.random." + wrong);
    if (const auto word = usual_word(wrong); has(kind->functions, word)) return begin + question(word);
    if (auto meant = did_you_mean(wrong, kind->functions); !meant.empty()) return begin + meant;
    const auto drawn = did_you_mean(wrong, draws());
    constexpr std::string_view asks = " did you mean ";
    return begin + (drawn.empty() ? drawn : std::string(asks) + "self.random." + drawn.substr(asks.size()));
}

std::string member_meant(const std::string& wrong, const std::vector<std::string>& members) {
    static const std::vector<std::pair<std::string_view, std::string_view>> elsewhere = {
        {"x", "position.x"},    {"y", "position.y"},   {"z", "position.z"}, {"pos", "position"},  {"width", "size.x"},
        {"height", "size.y"},   {"depth", "size.z"},   {"time", "step"},    {"steps", "step"},    {"tick", "step"},
        {"ticks", "step"},      {"source", "from"},    {"target", "to"},    {"west", "at(west)"}, {"east", "at(east)"},
        {"north", "at(north)"}, {"south", "at(south)"}};
    for (const auto& [word, ours] : elsewhere)
        if (wrong == word && !has(members, wrong)) return question("self." + std::string(ours));
    if (auto meant = did_you_mean(wrong, members); !meant.empty()) return meant;
    static const Names of_self{"position", "size", "step", "random", "place"};
    for (const auto& name : of_self)
        if (did_you_mean(wrong, {name}) != std::string()) return question("self." + name);
    return {};
}

std::optional<std::string> needs_entry(const std::string& type, const std::string& function) {
    const auto* const kind = kind_of(type);
    if (kind == nullptr || !has(kind->functions, "exists") || !has(kind->functions, "send")) return std::nullopt; // of places
    static const std::vector<std::pair<std::string_view, std::string_view>> entries = {
        {"spawn", "spawns<ROW>"},
        {"meet", "meets<NEIGHBOURHOOD, agents<AGENT>>"},
        {"count", "counts<NEIGHBOURHOOD, AGENT> for agents, or around<links<LINK>> for links,"},
        {"any", "around<links<LINK>>"},
        {"least", "around<links<LINK>>"},
        {"most", "around<links<LINK>>"},
        {"pick", "around<links<LINK>>"},
        {"send", "adds<links<LINK>, &ROW::MEMBER>, least<...> or most<...>"}};
    for (const auto& [name, entry] : entries)
        if (function == name) return fmt::format("{}(...) needs {} in the access list", name, entry);
    if (function == "migrate" || function == "migrate_to" || function == "move_to")
        return fmt::format("self has no function {} (it is a place, and agents alone move) call it in a function of agents", function);
    return std::nullopt;
}

std::string instead_of_name(const std::string& name) {
    if (has(draws(), name)) return fmt::format("write self.random.{}", name);
    static const std::vector<std::pair<std::string_view, std::string_view>> others = {
        {"rand", "write self.random.below(6), say"},
        {"random", "write self.random"},
        {"drand48", "write self.random.uniform64()"},
        {"params", "(a parameter is known by its name) write that alone"},
        {"parameters", "(a parameter is known by its name) write that alone"},
        {"None", "(C++ has no such value) write a number that means it, such as -1"},
        {"True", "write true"},
        {"False", "write false"},
        {"print", "(a model prints nothing) keep the value in a member, and write that by an [[output]]"},
        {"printf", "(a model prints nothing) keep the value in a member, and write that by an [[output]]"}};
    for (const auto& [word, instead] : others)
        if (name == word) return std::string(instead);
    static const Names of_self{"position", "step", "each", "at", "exists", "migrate", "migrate_to", "move_to", "spawn", "kill"};
    return has(of_self, name) ? fmt::format("write self.{}", name) : std::string();
}

std::string row_declared_on(const Passage& passage, const char* macro, const std::string& places) {
    for (std::size_t i = 0; i + 6 < passage.tokens->size(); ++i)
        if (text_at(passage, i) == macro && text_at(passage, i + 5) == "<" && text_at(passage, i + 6) == places)
            return text_at(passage, i + 2);
    return {};
}

std::string shared_helper(const std::string& function) {
    return fmt::format(
        "(phases call {}, and no function calls another) write what both do as a helper, template<class Self> void HELPER(Self& "
        "self)",
        function);
}

std::string how_to_kill(const std::string& row) {
    return fmt::format(
        "leave a mark, such as a number on the place, which a function of {} with dies reads before it calls self.kill(); the "
        "cookbook has that under One eats another",
        row);
}

std::string how_places_kill(const std::string& places, const std::string& agents_there) {
    const auto agents = agents_there.empty() ? "AGENT" : agents_there;
    return fmt::format("set a mark, a member of {0}, and let agents die in TESSERA_CALL({1}, NAME, reads<&{0}::MARK>, dies) {{ if "
                       "(self.place.MARK) self.kill(); }}",
                       places, agents);
}

std::string how_places_end_links(const std::string& places, const std::string& links) {
    return fmt::format("set a mark, a member of {0}, and end links in TESSERA_CALL({1}, NAME, around<ends, &{0}::MARK>, dies) {{ if "
                       "(self.from.MARK) self.kill(); }}",
                       places, links);
}

} // namespace tessera::jit
