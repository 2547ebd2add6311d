// [links.NAME].
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

namespace tessera::run_file {
namespace {

constexpr std::int64_t most_links = (std::int64_t{1} << 31) - 1, most_delays = 65536;

const Node& need_of_rule(const Node& table, const char* key, const std::string& expected) {
    if (const auto* node = table.find(key)) return *node;
    fail_missing(table, key, expected);
}

Located<double> read_chance(const Node& node) {
    const auto value = read_finite(node);
    if (value < 0 || value > 1) fail_expected(node, "a number from 0 to 1");
    return located(value, node);
}

void read_grid(const Node& table, LinkRule& rule) {
    const auto* const torus = table.find("torus");
    rule.torus = torus != nullptr ? located(read_boolean(*torus), *torus) : Located<bool>{false, {}};
    const auto* const size = table.find("size");
    if (size == nullptr) return;
    const char* const expected = "1 to 3 integers, as in [30, 20]";
    expect_array(*size, expected);
    if (size->items.empty() || size->items.size() > 3) fail_expected(*size, expected);
    for (const auto& extent : size->items)
        rule.size.push_back(located(static_cast<std::uint64_t>(read_integer(extent, 1, most_links)), extent));
}

std::vector<Located<std::uint64_t>> read_sizes(const Node& node) {
    std::vector<Located<std::uint64_t>> sizes;
    expect_array(node, "integers, as in [800, 200]");
    for (const auto& size : node.items) sizes.push_back(located(static_cast<std::uint64_t>(read_integer(size, 1, most_links)), size));
    if (sizes.empty()) fail_expected(node, "integers, as in [800, 200]");
    return sizes;
}

// A row for each range of places at which links begin, a column for each of those to which they lead.
template<class T, class Read>
std::vector<std::vector<Located<T>>> read_blocks(const Node& node, std::size_t rows, std::size_t columns, const Read& read) {
    const auto expected = fmt::format("{} lists of {} numbers, one for each two of the `sizes`", rows, columns);
    std::vector<std::vector<Located<T>>> blocks;
    expect_array(node, expected);
    if (node.items.size() != rows) fail_expected(node, expected);
    for (const auto& list : node.items) {
        auto& row = blocks.emplace_back();
        expect_array(list, expected);
        if (list.items.size() != columns) fail_expected(list, expected);
        for (const auto& number : list.items) row.push_back(located(read(number), number));
    }
    return blocks;
}

void read_blocks(const Node& node, LinkRule& rule) {
    rule.sizes = read_sizes(need_of_rule(node, "sizes", "how many places each range has, as in [800, 200]"));
    if (const auto* sizes = node.find("to_sizes")) rule.to_sizes = read_sizes(*sizes);
    const auto rows = rule.sizes.size(), columns = rule.to_sizes.empty() ? rows : rule.to_sizes.size();
    const auto *chances = node.find("chances"), *counts = node.find("counts");
    if (chances != nullptr && counts != nullptr)
        fail_at(counts->key_where, fmt::format("`{}` together with `chances`", counts->path), "one follows from the other",
                "leave one of them out");
    if (counts != nullptr) {
        rule.counts = read_blocks<std::uint64_t>(
            *counts, rows, columns, [](const Node& number) { return static_cast<std::uint64_t>(read_integer(number, 0, most_links)); });
        return;
    }
    const auto& needed =
        need_of_rule(node, "chances", "the probabilities that two places are joined; or `counts`, how many links there are");
    rule.chances = read_blocks<double>(needed, rows, columns, [](const Node& number) {
        const double chance = read_finite(number);
        if (chance < 0 || chance > 1) fail_expected(number, "a number from 0 to 1");
        return chance;
    });
}

Located<LinkRule> read_rule(const Node& node, const std::string& folder) {
    expect_table(node, "a table, as in { rule = \"regular\", degree = 8 }");
    LinkRule rule;
    rule.kind = *read_spelling(link_rules, need_of_rule(node, "rule", "the name of a rule, as in \"regular\""));
    expect_keys(node, keys_of("generate", spelling_of(link_rules, rule.kind)),
                fmt::format("a rule `{}`", spelling_of(link_rules, rule.kind)));
    const auto read_count = [](const Node& count) {
        return located(static_cast<std::uint64_t>(read_integer(count, 1, most_links)), count);
    };
    if (rule.kind == LinkRule::Kind::ring || rule.kind == LinkRule::Kind::regular || rule.kind == LinkRule::Kind::small_world ||
        rule.kind == LinkRule::Kind::preferential)
        rule.degree = read_count(need_of_rule(node, "degree", "the number of links of a place"));
    if (rule.kind == LinkRule::Kind::small_world)
        rule.rewire = read_chance(need_of_rule(node, "rewire", "the probability that a link's second end is moved"));
    if (rule.kind == LinkRule::Kind::grid) read_grid(node, rule);
    if (rule.kind == LinkRule::Kind::blocks) read_blocks(node, rule);
    if (rule.kind == LinkRule::Kind::degrees) {
        const char* const expected = "the path of a file with a number for each place";
        rule.file = read_path(need_of_rule(node, "file", expected), folder, expected);
        if (const auto* file = node.find("to_file")) rule.to_file = read_path(*file, folder, expected);
    }
    if (rule.kind != LinkRule::Kind::random) return located(rule, node);
    const auto *chance = node.find("chance"), *links = node.find("links");
    if (chance != nullptr && links != nullptr)
        fail_at(links->key_where, fmt::format("`{}` together with `chance`", links->path), "one follows from the other",
                "leave one of them out");
    if (links != nullptr) rule.links = read_count(*links);
    if (links != nullptr) return located(rule, node);
    const auto& probability = need_of_rule(node, "chance", "the probability that two places are joined; or `links`, how many there are");
    rule.chance = read_chance(probability);
    return located(rule, node);
}

// A file, or a rule: what a later layer says takes the place of what an earlier one does.
void read_source(const Node& node, const std::string& folder, Links& links) {
    const auto* const source = later_of(node, "file", "generate", "each of them says which links there are");
    if (source == nullptr)
        fail_missing(node, "file", "the path of a table of links; or `generate`, as in { rule = \"regular\", degree = 8 }");
    if (source->key == "file")
        links.file = read_path(*source, folder, "the path of a file");
    else
        links.generate = read_rule(*source, folder);
}

Located<Links> read_link_collection(const Node& node, const std::string& folder) {
    if (!is_identifier(node.key))
        fail_at(node.key_where, fmt::format("`{}` cannot be the name of a collection", node.key),
                "expected letters, digits and `_`, starting with no digit");
    expect_keys(node, keys_of("[links.NAME]"));
    Links links;
    links.name = links.type = located_key(node);
    const auto name_of = [&](const char* key, const char* expected) -> std::optional<Located<std::string>> {
        const auto* value = node.find(key);
        if (value == nullptr) return std::nullopt;
        return located(read_identifier(*value, expected), *value);
    };
    if (auto type = name_of("type", "the name of a type of links, as in \"contact\"")) links.type = std::move(*type);
    links.from = name_of("from", "the name of a collection of places, as in \"person\"");
    links.to = name_of("to", "the name of a collection of places, as in \"person\"");
    read_source(node, folder, links);
    if (const auto* parallel = node.find("parallel")) links.parallel = located(read_boolean(*parallel), *parallel);
    if (const auto* loops = node.find("loops")) links.loops = located(read_boolean(*loops), *loops);
    if (const auto* delays = node.find("delays"))
        links.delays = located(static_cast<std::uint64_t>(read_integer(*delays, 1, most_delays)), *delays);
    if (const auto* init = node.find("init")) {
        expect_table(*init, "a table: member = value");
        for (const auto& item : init->items) links.init.push_back({located_key(item), read_agent_init(item)});
    }
    return located(std::move(links), node);
}

} // namespace

std::vector<Located<Links>> read_links(const Node& node, const std::string& folder) {
    expect_table(node, "a table for each collection of links, as in [links.contact]");
    std::vector<Located<Links>> links;
    for (const auto& item : node.items) {
        expect_table(item, "a table with the `file` of the links, or with `generate`");
        links.push_back(read_link_collection(item, folder));
    }
    return links;
}

} // namespace tessera::run_file
