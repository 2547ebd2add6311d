// Reduces as data: instructions carried out by a plain loop give what their expressions say, as C++ computes it.
#include "host/generate/reduce_code.hpp"
#include "tests/unit/host/generate/reducing_toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::reduce_code_test {
namespace {

// What the instructions [first, end) make; `leaf` has what stands in memory. All numbers are doubles here, of which those that are tested
// lose nothing.
double carried_out(const reduce_code& code, std::int32_t first, std::int32_t end,
                   const std::function<double(const reduce_instruction&)>& leaf) {
    double value[most_reduce_values] = {};
    for (auto at = code.instructions + first; at != code.instructions + end; ++at) {
        EXPECT_TRUE(at->to >= 0 && at->to < most_reduce_values && at->left < most_reduce_values && at->right < most_reduce_values);
        const double a = value[at->left], b = value[at->right];
        double& to = value[at->to];
        switch (at->op) {
        case reduce_op::whole: to = static_cast<double>(at->whole); break;
        case reduce_op::real: to = at->real; break;
        case reduce_op::step: to = 17; break;
        case reduce_op::negate: to = -a; break;
        case reduce_op::logical_not: to = a == 0; break;
        case reduce_op::add: to = a + b; break;
        case reduce_op::subtract: to = a - b; break;
        case reduce_op::multiply: to = a * b; break;
        case reduce_op::divide: to = a / b; break;
        case reduce_op::remainder: to = std::fmod(a, b); break;
        case reduce_op::equal: to = a == b; break;
        case reduce_op::not_equal: to = a != b; break;
        case reduce_op::less: to = a < b; break;
        case reduce_op::less_equal: to = a <= b; break;
        case reduce_op::greater: to = a > b; break;
        case reduce_op::greater_equal: to = a >= b; break;
        case reduce_op::logical_and: to = a != 0 && b != 0; break;
        case reduce_op::logical_or: to = a != 0 || b != 0; break;
        default: to = leaf(*at);
        }
    }
    return value[0];
}

struct RuntimeReduce {
    explicit RuntimeReduce(const Setup& setup, ReductionId reduction = {})
        : of(setup), bytes(of.bytes()), code(of.at(bytes.data(), reduction)) {}
    ReduceCode of;
    std::vector<std::byte> bytes;
    reduce_code code;
};

TEST(ReduceCode, ComputesWhatTheExpressionSays) {
    const double none = 0;
    for (const auto& [text, expected] : std::vector<std::pair<std::string, double>>{
             {"1 - 2 - 3", 1 - 2 - 3},
             {"1 - (2 - 3)", 1 - (2 - 3)},
             {"10 - (1 - (2 - (3 - (4 - 5))))", 10 - (1 - (2 - (3 - (4 - 5))))},
             {"(7 - 2) - (100 - (30 - 4))", (7 - 2) - (100 - (30 - 4))},
             {"7 % 4 * 2", 7 % 4 * 2},
             {"8 / 4 / 2", 1},
             {"2 * -3 + 0.5", -5.5},
             {"step * 2 - 1", 33},
             {"1 < 2", 1},
             {"(2 <= 1) + (2 >= 1) * 2 + (1 == 1) * 4 + (1 != 1) * 8 + (1 > 2) * 16", 6},
             {"not (1 > 2 and 3 > 2 or false)", 1},
             {"true or 0 > 1", 1},
         }) {
        const RuntimeReduce reduce(setup_of_total(text));
        ASSERT_EQ(reduce.code.value_count, 1) << text;
        const auto& value = reduce.code.values[0];
        EXPECT_EQ(carried_out(reduce.code, value.first, value.end, [&](const auto&) { return none; }), expected) << text;
    }
}

// Values by their number: those of parts stand around them, those of members within.
TEST(ReduceCode, TakesPartsByTheirNumbersAndMembersByTheirColumns) {
    const RuntimeReduce reduce(
        setup_of_total("sum(cell.age * 10 - cell.heat) - 3 * mean(cell.heat) + count(cell.wall and not (cell.age > 2))"));
    const auto& value = reduce.code.values[0];
    ASSERT_EQ(reduce.code.part_count, 3);
    const auto part = [](const reduce_instruction& at) {
        EXPECT_EQ(at.op, at.number == 1 ? reduce_op::mean_of_part : reduce_op::part);
        return 100.0 * at.number + 5;
    };
    EXPECT_EQ(carried_out(reduce.code, value.first, value.end, part), 5 - 3 * 105 + 205);
    std::vector<double> columns{0.25, 4, 1}; // in the order of the kernel's accesses: age, heat, wall
    const auto member = [&](const reduce_instruction& at) {
        EXPECT_EQ(at.op, reduce_op::element);
        return columns.at(static_cast<std::size_t>(at.number));
    };
    const auto of_part = [&](int number) {
        const auto& one = reduce.code.parts[number];
        return carried_out(reduce.code, one.first, one.end, member);
    };
    EXPECT_EQ(of_part(0), 0.25 * 10 - 4);
    EXPECT_EQ(of_part(1), 4);
    EXPECT_EQ(of_part(2), 1);
    columns[0] = 3;
    EXPECT_EQ(of_part(2), 0);
}

TEST(ReduceCode, SaysWhereElementsStand) {
    const auto load = [](const std::string& size) {
        const auto setup = setup_of("{reduce={total=\"sum(cell.flows[2])\"}}", size);
        const RuntimeReduce reduce(setup);
        return std::pair(reduce.code.instructions[reduce.code.parts[0].first], setup.collections.front().columns[3].layout);
    };
    const auto [flat, plane] = load("[10, 6]");
    EXPECT_EQ(flat.type, static_cast<std::int32_t>(Scalar::f64));
    EXPECT_EQ(flat.line, 0);
    EXPECT_EQ(flat.row, plane.row);
    EXPECT_EQ(flat.element, 2 * plane.element);
    const auto [deep, volume] = load("[10, 6, 4]");
    EXPECT_EQ(deep.line, volume.row);
    EXPECT_EQ(deep.row, volume.plane);
}

TEST(ReduceCode, OfPartsSaysHowTheyAreAddedUpAndWhere) {
    const auto setup = setup_of(R"({reduce={total='sum(cell.heat) + sum(cell.age) + min(cell.heat) + max(cell.heat)', )"
                                R"(first='min(cell.age) + max(cell.age) + count(lake) + max(lake.depth)'}})");
    const RuntimeReduce reduce(setup);
    const auto& reduction = setup.reductions.front();
    const std::vector kinds{reduce_part_kind::real_sum,     reduce_part_kind::whole_sum,    reduce_part_kind::least_real,
                            reduce_part_kind::largest_real, reduce_part_kind::least_whole,  reduce_part_kind::largest_whole,
                            reduce_part_kind::counted,      reduce_part_kind::largest_whole};
    ASSERT_EQ(reduce.code.part_count, 8);
    for (std::size_t p = 0; p < kinds.size(); ++p) {
        EXPECT_EQ(reduce.code.parts[p].kind, kinds[p]) << p;
        EXPECT_EQ(reduce.code.parts[p].first_word, reduction.parts[p].first_word) << p;
        EXPECT_EQ(reduce.code.parts[p].collection, p < 6 ? 0 : 1) << p;
        EXPECT_EQ(reduce.code.parts[p].value, p < 4 ? 0 : 1) << p;
    }
    EXPECT_EQ(reduce.code.words, reduction.words);
    EXPECT_EQ(reduce.code.values[0].slot, 1);
    EXPECT_EQ(reduce.code.values[0].type, static_cast<std::int32_t>(Scalar::f64));
    EXPECT_EQ(reduce.code.values[1].slot, 0);
    EXPECT_EQ(reduce.code.values[1].type, static_cast<std::int32_t>(Scalar::i32));
}

// All reduces stand in one piece of memory.
TEST(ReduceCode, OfEachReduceIsFoundBehindTheOthers) {
    const auto setup = setup_of(
        R"({reduce={total='sum(cell.heat) - 1'}}, {reduce={first='count(cell.wall) + 2', total='7'}}, {repeat={until='max(cell.age) > 40', most=1, phases=[{callAll="cell.tick"}]}})");
    const ReduceCode code(setup);
    const auto bytes = code.bytes();
    const auto part = [](const reduce_instruction&) { return 50.0; };
    const auto value = [&](std::size_t reduction, int number) {
        const auto at = code.at(bytes.data(), ReductionId(reduction));
        EXPECT_EQ(static_cast<std::size_t>(at.value_count), setup.reductions[ReductionId(reduction)].values.size());
        EXPECT_LE(static_cast<const void*>(at.values + at.value_count), static_cast<const void*>(bytes.data() + bytes.size()));
        return carried_out(at, at.values[number].first, at.values[number].end, part);
    };
    EXPECT_EQ(value(0, 0), 49);
    EXPECT_EQ(value(1, 0), 52);
    EXPECT_EQ(value(1, 1), 7);
    EXPECT_EQ(value(2, 0), 1) << "50 > 40";
    EXPECT_EQ(code.at(bytes.data(), ReductionId(2)).values[0].slot, -1) << "a question is no value";
}

// 1 + (1 + (1 + ...)) needs one at a time, as does the other way round; only trees that are as deep on both sides need more.
TEST(ReduceCode, IsRefusedWhatTakesTooManyValuesAtATime) {
    std::string left = "1", right = "1", tree = "1";
    for (int k = 0; k < 40; ++k) left = "(" + left + " + 1)", right = "(1 + " + right + ")";
    for (int k = 0; k < most_reduce_values - 1; ++k) tree = "(" + tree + " + " + tree + ")";
    for (const auto& text : {left, right, tree}) {
        const auto setup = setup_of_total(text);
        EXPECT_EQ(obstacle_to_reduce_code(setup), "");
        const RuntimeReduce reduce(setup);
        EXPECT_EQ(carried_out(reduce.code, reduce.code.values[0].first, reduce.code.values[0].end, [](const auto&) { return 0; }),
                  std::count(text.begin(), text.end(), '1'));
    }
    const auto more = setup_of_total("(" + tree + " + " + tree + ")");
    EXPECT_THAT(obstacle_to_reduce_code(more), ::testing::EndsWith("` takes 9 intermediate values at a time, and the maximum there is 8"));
    const auto within = setup_of_total("max(cell.age + (" + tree + " + " + tree + "))");
    EXPECT_THAT(obstacle_to_reduce_code(within), ::testing::HasSubstr("takes 9 intermediate values"));
}

TEST(ReduceCode, IsRefusedTooManyColumns) {
    HandMade wide;
    std::vector<model::Member> members;
    std::string sum;
    for (int m = 0; m <= most_reduce_columns; ++m) {
        members.push_back(hand_made_member("m" + std::to_string(m)));
        sum += (m > 0 ? " + cell.m" : "cell.m") + std::to_string(m);
    }
    wide.function(wide.places("Cell", members), "tick", {});
    wide.description.values = {{"total", "", Scalar::f64}};
    const auto says = [&](const std::string& text) {
        return obstacle_to_reduce_code(wide.bind({"places.cell.size = [4, 4]", "phase = [{reduce={total=\"sum(" + text + ")\"}}]"}));
    };
    EXPECT_EQ(says(sum), "reduce total reads 65 members of cell, and the maximum there is 64");
    EXPECT_EQ(says(sum.substr(0, sum.rfind(" + "))), "");
}

} // namespace
} // namespace tessera::test::reduce_code_test
