// [agents.NAME].
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

namespace tessera::run_file {
namespace {

constexpr std::int64_t most_agents = (std::int64_t{1} << 40) - 1, most_slots = 8, most_in_a_list = std::int64_t{1} << 30;

// How many dimensions a box has is that of its first corner.
Located<Box> read_starting_box(const Node& node) {
    const bool has_corners = node.is(Node::Kind::array) && !node.items.empty() && node.items[0].is(Node::Kind::array);
    return located(read_corners(node, has_corners ? node.items[0].items.size() : 2), node);
}

void read_place(const Node& node, const std::string& folder, Agents& agents) {
    const std::string expected = "\"random\", \"each\", a box, as in { box = [[0, 0], [10, 10]] }, or { file = ... }";
    agents.place = located(StartingPlaces::random, node);
    if (node.is(Node::Kind::table)) {
        expect_keys(node, {"box", "file"}, "where agents stand");
        const auto *box = node.find("box"), *file = node.find("file");
        if (box == nullptr && file == nullptr) fail_expected(node, expected);
        if (box != nullptr && file != nullptr)
            fail_at(box->key_where, fmt::format("`{}` together with `file`", box->path), "the file says where each agent is",
                    "leave one of them out");
        if (box != nullptr) return void(agents.box = read_starting_box(*box));
        agents.file = read_path(*file, folder, "the path of a file");
        agents.place.value = StartingPlaces::file;
        return;
    }
    if (!node.is(Node::Kind::text)) fail_expected(node, expected);
    if (read_choice(node, {"random", "each"}) == 1) agents.place.value = StartingPlaces::each;
}

// How many there are may be left to `place`, which overrides what an earlier layer says.
void read_count(const Node& node, Agents& agents) {
    const auto place = *agents.place;
    const bool is_earlier = node.where.file != agents.place.where.file && node.where.line != 0;
    if (place != StartingPlaces::random && !is_earlier)
        fail_at(node.where,
                fmt::format("`{}` together with place = {}", node.path, place == StartingPlaces::each ? "\"each\"" : "{ file = ... }"),
                place == StartingPlaces::each ? "there is one agent on each place" : "there is one agent in each line of the file",
                "leave one of them out");
    const auto count = static_cast<std::uint64_t>(read_integer(node, 0, most_agents));
    if (place == StartingPlaces::random) agents.count = located(count, node);
}

std::uint64_t read_capacity(const Node& node) {
    if (node.is(Node::Kind::text) && node.text == "unlimited") return unlimited;
    const std::string expected = fmt::format("an integer from 1 to {}, or \"unlimited\"", most_slots);
    if (!node.is(Node::Kind::integer) || node.integer < 1 || node.integer > most_slots) fail_expected(node, expected);
    return static_cast<std::uint64_t>(node.integer);
}

Located<Agents> read_agent_collection(const Node& node, const std::string& folder) {
    if (!is_identifier(node.key))
        fail_at(node.key_where, fmt::format("`{}` cannot be the name of a collection", node.key),
                "expected letters, digits and `_`, starting with no digit");
    expect_keys(node, keys_of("[agents.NAME]"));
    Agents agents;
    agents.name = agents.type = located_key(node);
    const auto name_of = [&](const char* key, const char* expected) -> std::optional<Located<std::string>> {
        const auto* value = node.find(key);
        if (value == nullptr) return std::nullopt;
        return located(read_identifier(*value, expected), *value);
    };
    if (auto type = name_of("type", "the name of a type of agents, as in \"ant\"")) agents.type = std::move(*type);
    agents.on = name_of("on", "the name of a collection of places, as in \"field\"");
    if (const auto* place = node.find("place")) read_place(*place, folder, agents);
    if (const auto* count = node.find("count")) read_count(*count, agents);
    if (const auto* capacity = node.find("capacity")) agents.capacity = located(read_capacity(*capacity), *capacity);
    if (const auto* reserve = node.find("reserve"))
        agents.reserve = located(static_cast<std::uint64_t>(read_integer(*reserve, 1, most_in_a_list)), *reserve);
    if (const auto* priority = node.find("priority")) agents.priority = read_spelling(priorities, *priority);
    if (const auto* on_edge = node.find("on_edge")) agents.on_edge = read_spelling(edge_rules, *on_edge);
    if (const auto* init = node.find("init")) {
        expect_table(*init, "a table: member = value");
        for (const auto& item : init->items) agents.init.push_back({located_key(item), read_agent_init(item)});
    }
    return located(std::move(agents), node);
}

} // namespace

std::vector<Located<Agents>> read_agents(const Node& node, const std::string& folder) {
    expect_table(node, "a table for each collection of agents, as in [agents.ant]");
    std::vector<Located<Agents>> agents;
    for (const auto& item : node.items) {
        expect_table(item, "a table with the `count` of the agents");
        agents.push_back(read_agent_collection(item, folder));
    }
    return agents;
}

} // namespace tessera::run_file
