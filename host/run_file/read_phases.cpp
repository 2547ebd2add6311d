// [[phase]].
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::run_file {
namespace {

constexpr std::size_t most_phases = 4096;
constexpr std::size_t most_questions = (most_phases - 1) / 2; // of a repeat: one before each round, and one behind the last

Located<std::string> read_collection_or_all(const Node& node) {
    const std::string expected = "the name of a collection, as in \"cell\", or \"*\" for all";
    return located(node.is(Node::Kind::text) && node.text == "*" ? node.text : read_identifier(node, expected), node);
}

ManageAll read_manage(const Node& node) {
    const std::string expected = "a collection of agents, as in \"ant\", an array of such, or \"*\" for all";
    if (node.is(Node::Kind::text)) return {{located(node.text == "*" ? node.text : read_identifier(node, expected), node)}};
    if (!node.is(Node::Kind::array)) fail_expected(node, expected);
    if (node.items.empty()) fail_expected(node, expected);
    ManageAll manage;
    for (const auto& item : node.items) {
        auto name = located(read_identifier(item, expected), item);
        if (std::find(manage.collections.begin(), manage.collections.end(), name) != manage.collections.end())
            fail_at(item.where, fmt::format("`{}` is listed twice in `{}`", item.text, node.path));
        manage.collections.push_back(std::move(name));
    }
    return manage;
}

Rotate read_rotate(const Node& node) {
    const std::string expected = "an array of two or more members, as in [\"wave.now\", \"wave.before\"]";
    expect_array(node, expected);
    if (node.items.size() < 2) fail_expected(node, expected);
    Rotate rotate;
    for (const auto& item : node.items) {
        auto name = read_qualified_name(item, "a member of a collection, as in \"wave.now\"");
        if (std::find(rotate.members.begin(), rotate.members.end(), name) != rotate.members.end())
            fail_at(item.where, fmt::format("`{}` is listed twice in `{}`", item.text, node.path));
        if (!rotate.members.empty() && rotate.members[0]->collection != name->collection)
            fail_at(item.where,
                    fmt::format("`{}` is of another collection than `{}.{}`", item.text, rotate.members[0]->collection,
                                rotate.members[0]->member),
                    "members can be exchanged only within one collection");
        rotate.members.push_back(std::move(name));
    }
    return rotate;
}

// reduce = { total = "sum(ant.sugar)" }
Reduce read_reduce(const Node& node) {
    expect_table(node, "a table, as in { total = \"sum(cell.heat)\" }");
    if (node.items.empty()) fail_at(node.where, fmt::format("`{}` is empty", node.path), "there is nothing to make");
    Reduce reduce;
    for (const auto& item : node.items) reduce.values.push_back({located_key(item), read_expression(item)});
    return reduce;
}

// The one key of the table that says what to do.
const Node& find_action(const Node& table, const std::vector<std::string>& known, const std::string& what = "a phase") {
    const auto actions = kinds_of("[[phase]]");
    const Node* action = nullptr;
    for (const auto& item : table.items) {
        if (std::find(actions.begin(), actions.end(), item.key) == actions.end()) continue;
        if (action)
            fail_at(item.key_where, fmt::format("`{}` after `{}` in one phase", item.key, action->key), "a phase does one thing",
                    "start another [[phase]]");
        action = &item;
    }
    expect_keys(table, known, what);
    if (!action) fail_at(table.where, fmt::format("`{}` does nothing", table.path), "expected one of " + listed(actions));
    return *action;
}

// Of a phase of a step, or of one within `repeat`, which has that one's steps.
Located<Phase> read_phase(const Node& table, const Node& action, const Timing& timing) {
    Phase phase;
    phase.timing = timing;
    if (action.key == "callAll")
        phase.action = CallAll{read_qualified_name(action, "a function of a collection, as in \"cell.tick\"")};
    else if (action.key == "exchangeAll")
        phase.action = ExchangeAll{read_collection_or_all(action)};
    else if (action.key == "manageAll")
        phase.action = read_manage(action);
    else if (action.key == "reduce")
        phase.action = read_reduce(action);
    else
        phase.action = read_rotate(action);
    return located(std::move(phase), table);
}

// How often a repeat is made: `times`, or until a condition holds, and then `most` times.
struct Rounds {
    std::uint64_t number = 0;
    std::optional<Located<expression::Expression>> until;
    const Node* said = nullptr; // where the number stands
};
Rounds read_rounds(const Node& repeat) {
    const auto *times = repeat.find("times"), *until = repeat.find("until"), *most = repeat.find("most");
    if (times != nullptr && until != nullptr)
        fail_at(until->key_where, fmt::format("`until` together with `times` in `{}`", repeat.path),
                "a repeat has a number of rounds, or a condition", "write most instead of times");
    if (until == nullptr && most != nullptr)
        fail_at(most->key_where, fmt::format("`most` without `until` in `{}`", repeat.path),
                "it limits the rounds that wait for a condition", "write times, or add until");
    if (until != nullptr && most == nullptr) fail_missing(repeat, "most", "the maximum number of rounds, as in most = 60");
    if (times == nullptr && until == nullptr) fail_missing(repeat, "times", "the number of rounds, as in times = 10");
    Rounds rounds;
    rounds.said = until != nullptr ? most : times;
    rounds.number = static_cast<std::uint64_t>(read_integer(*rounds.said, 1, until != nullptr ? most_questions : most_phases));
    if (until == nullptr) return rounds;
    rounds.until = read_expression(*until);
    if (!rounds.until->value.is_condition())
        fail_at(until->where, fmt::format("`{}` is not a condition", rounds.until->value.text), "`until` is true or false",
                fmt::format("compare it, as in `{} == 0`", rounds.until->value.text));
    return rounds;
}

// repeat = { phases = [...], times = 10 }: so many times one after the other. With `until`, it is asked before each round, and behind the
// last as a round of no phases.
void read_repeat(const Node& table, const Node& repeat, std::uint64_t number, std::vector<Located<Phase>>& phases) {
    const std::string expected = "a table, as in { phases = [{ callAll = \"cell.tick\" }], times = 10 }";
    expect_table(repeat, expected);
    expect_keys(repeat, keys_of("repeat"), "a repeat");
    const auto* body = repeat.find("phases");
    if (body == nullptr) fail_missing(repeat, "phases", "a list of phases");
    const auto rounds = read_rounds(repeat);
    expect_array(*body, "a list of phases, as in [{ callAll = \"cell.tick\" }]");
    if (body->items.empty()) fail_at(body->where, fmt::format("`{}` is empty", body->path), "there is nothing to repeat");
    const auto timing = read_timing(table, 1);
    const auto made = phases.size() + rounds.number * (body->items.size() + (rounds.until ? 1 : 0)) + (rounds.until ? 1 : 0);
    if (made > most_phases)
        fail_at(rounds.said->where, fmt::format("`{}` makes {} phases of a step", rounds.said->path, made),
                fmt::format("the maximum is {}", most_phases), "repeat fewer times");
    const auto add = [&](Located<Phase> phase, std::uint64_t round) {
        phase.value.timing = timing;
        phase.value.round = Round{number, round, rounds.number};
        phases.push_back(std::move(phase));
    };
    auto known = kinds_of("[[phase]]");
    std::erase(known, "repeat");
    for (std::uint64_t round = 0; round < rounds.number + (rounds.until ? 1 : 0); ++round) {
        if (rounds.until) add(located(Phase{Until{*rounds.until}, {}, {}}, repeat), round);
        for (const auto& item : body->items) {
            if (round == rounds.number) break;
            expect_table(item, "a table, as in { callAll = \"cell.tick\" }");
            if (const auto* inner = item.find("repeat"))
                fail_at(inner->key_where, fmt::format("`repeat` within `{}`", repeat.path), "a phase to repeat does one thing once",
                        "write its phases out");
            add(read_phase(item, find_action(item, known, "a phase to repeat"), timing), round);
        }
    }
}

} // namespace

std::vector<Located<Phase>> read_phases(const Node& node) {
    expect_array(node, "a list of tables: [[phase]]");
    std::vector<Located<Phase>> phases;
    std::uint64_t repeats = 0;
    for (const auto& item : node.items) {
        expect_table(item, "a table: [[phase]]");
        const auto& action = find_action(item, keys_of("[[phase]]"));
        if (action.key == "repeat")
            read_repeat(item, action, repeats++, phases);
        else
            phases.push_back(read_phase(item, action, read_timing(item, 1)));
    }
    return phases;
}

} // namespace tessera::run_file
