// Initial values: places.NAME.init.MEMBER.
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::run_file {
namespace {

using Kind = Node::Kind;
using Size = std::vector<std::uint64_t>;

constexpr std::int64_t largest_summand = std::int64_t{1} << 52; // with which an integer of 32 bits is exact as a double

const char* const forms = "a number, a boolean, an array, { file = ... }, { random = ... } or { value = ..., box = ... }";

const char* const agent_forms = "a number, a boolean, an array, { random = ... } or { value = ... }";

FromFile read_file(const Node& table, const Size& size, const std::string& folder) {
    expect_keys(table, keys_of("init", "file"), "an initial value from a file");
    FromFile result;
    result.file = read_path(*table.find("file"), folder, "the path of a file");
    result.at.assign(size.size(), 0);
    if (const auto* at = table.find("at")) result.at = read_coordinates(*at, size.size());
    if (const auto* nodata = table.find("nodata")) {
        if (!nodata->is(Kind::integer) && !nodata->is(Kind::number)) fail_expected(*nodata, "a number");
        result.nodata = nodata->is(Kind::integer) ? static_cast<double>(nodata->integer) : nodata->number;
    }
    if (const auto* rule = table.find("rule")) result.rule = located(read_text(*rule, "a rule, as in \"B3/S23\""), *rule);
    if (const auto* element = table.find("element")) result.element = located(read_integer(*element, 0), *element);
    return result;
}

const Node& need(const Node& table, const std::string& key, const std::string& expected) {
    const auto* node = table.find(key);
    if (!node) fail_missing(table, key, expected);
    return *node;
}

double read_probability(const Node& node) {
    const bool is_number = node.is(Kind::integer) || node.is(Kind::number);
    const double p = is_number ? read_finite(node) : -1;
    if (!(p >= 0 && p <= 1)) fail_expected(node, "a probability from 0 to 1");
    return p;
}

InitStep read_random(const Node& table) {
    const auto& random = *table.find("random");
    if (random.is(Kind::integer) || random.is(Kind::number)) {
        expect_keys(table, keys_of("init", "probability"), "a random value of a given probability");
        return {Bernoulli{read_probability(random)}, std::nullopt};
    }
    if (!random.is(Kind::text)) fail_expected(random, "\"uniform\", \"bernoulli\", \"below\", \"normal\" or a probability");
    switch (*read_spelling(draws, random)) {
    case Draw::uniform: {
        expect_keys(table, keys_of("init", "uniform"), "a uniform random value");
        const auto &low = need(table, "low", "the smallest value"), &high = need(table, "high", "a value above all others");
        const Uniform uniform{read_finite(low), read_finite(high)};
        if (uniform.low >= uniform.high) fail_expected(high, fmt::format("more than `low`, {}", uniform.low));
        return {uniform, std::nullopt};
    }
    case Draw::bernoulli:
        expect_keys(table, keys_of("init", "bernoulli"), "a random value of a given probability");
        return {Bernoulli{read_probability(need(table, "p", "the probability of a 1"))}, std::nullopt};
    case Draw::below:
        expect_keys(table, keys_of("init", "below"), "a random integer");
        return {Below{read_integer(need(table, "n", "the number of possible values"), 1),
                      table.find("plus") ? read_integer(*table.find("plus"), -largest_summand, largest_summand) : 0},
                std::nullopt};
    case Draw::normal: break;
    }
    expect_keys(table, keys_of("init", "normal"), "a normally distributed value");
    const auto& deviation = need(table, "deviation", "the standard deviation");
    const Normal normal{read_finite(need(table, "mean", "the mean value")), read_finite(deviation)};
    if (normal.deviation < 0) fail_expected(deviation, "0 or more");
    return {normal, std::nullopt};
}

void check_box(const Node& node, const Box& box, const Size& size) {
    for (std::size_t axis = 0; axis < size.size(); ++axis) {
        const auto low = box.low[axis], high = box.high[axis];
        if (low < 0 || high <= low || static_cast<std::uint64_t>(high) > size[axis])
            fail_at(node.where, fmt::format("`{}` spans {} to {} in {}", node.path, low, high, "xyz"[axis]),
                    fmt::format("expected a first and an end from 0 to {}, the end excluded and above the first", size[axis]));
    }
}

Box read_box(const Node& node, const Size& size) {
    const auto box = read_corners(node, size.size());
    check_box(node, box, size);
    return box;
}

InitStep read_value(const Node& table, const Size& size) {
    expect_keys(table, keys_of("init", "value"), "a constant initial value");
    InitStep step;
    step.source = read_constant(*table.find("value"), "a number, a boolean, or an array of these for an array member");
    if (const auto* box = table.find("box")) step.box = read_box(*box, size);
    return step;
}

Located<InitStep> read_step(const Node& table, const Size& size, const std::string& folder) {
    if (!table.is(Kind::table)) fail_expected(table, "a table, as the others in the array are");
    if (table.find("file")) return located(InitStep{read_file(table, size, folder), std::nullopt}, table);
    if (table.find("random")) return located(read_random(table), table);
    if (table.find("value")) return located(read_value(table, size), table);
    const auto found = table.items.empty() ? std::string{} : did_you_mean(table.items[0].key, {"file", "random", "value"});
    fail_at(table.where, fmt::format("`{}` has neither `file`, `random` nor `value`", table.path), std::string("expected ") + forms, found);
}

Located<InitStep> read_agent_step(const Node& table) {
    if (table.find("random")) return located(read_random(table), table);
    if (table.find("value")) {
        expect_keys(table, {"value"}, "a constant initial value of agents");
        return located(InitStep{read_constant(*table.find("value"), "a number, a boolean, or an array of these"), std::nullopt}, table);
    }
    fail_at(table.where, fmt::format("`{}` has neither `random` nor `value`", table.path), std::string("expected ") + agent_forms,
            table.items.empty() ? std::string{} : did_you_mean(table.items[0].key, {"random", "value"}));
}

} // namespace

Box read_corners(const Node& node, std::size_t dimensions) {
    if (!node.is(Kind::array) || node.items.size() != 2) fail_expected(node, "two corners, as in [[0, 0], [10, 10]], the second excluded");
    return {read_coordinates(node.items[0], dimensions), read_coordinates(node.items[1], dimensions)};
}

std::vector<Located<InitStep>> read_agent_init(const Node& node) {
    if (node.is(Kind::table)) return {read_agent_step(node)};
    return {located(InitStep{read_constant(node, agent_forms), std::nullopt}, node)};
}

std::vector<Located<InitStep>> read_init(const Node& node, const std::vector<std::uint64_t>& size, const std::string& folder) {
    const bool has_tables =
        node.is(Kind::array) && std::any_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.is(Kind::table); });
    if (has_tables) {
        std::vector<Located<InitStep>> steps;
        for (const auto& item : node.items) steps.push_back(read_step(item, size, folder));
        return steps;
    }
    if (node.is(Kind::table)) return {read_step(node, size, folder)};
    if (node.is(Kind::text)) fail_expected(node, forms, fmt::format("did you mean `{{ file = \"{}\" }}`?", node.text));
    return {located(InitStep{read_constant(node, forms), std::nullopt}, node)};
}

} // namespace tessera::run_file
