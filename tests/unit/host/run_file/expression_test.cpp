#include "host/run_file/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

namespace tessera::expression::expression_test {
namespace {

using ::testing::ElementsAre;

// Columns in vectors, by "collection.member" or "collection.member[3]".
class Table : public Columns {
public:
    template<class T> Table& add(const std::string& name, Scalar type, const std::vector<T>& values) {
        auto& column = columns_[name];
        column.type = type;
        column.count = values.size();
        column.bytes.resize(values.size() * sizeof(T) + 1);
        if (!values.empty()) std::memcpy(column.bytes.data(), values.data(), values.size() * sizeof(T));
        return *this;
    }
    [[nodiscard]] ColumnInfo column(const Attribute& attribute) const override { return {stored(attribute).type, stored(attribute).count}; }
    [[nodiscard]] const void* elements(const Attribute& attribute, std::uint64_t first, std::uint64_t count) const override {
        const auto& found = stored(attribute);
        if (first + count > found.count) throw std::logic_error("elements beyond the last");
        asked_.insert(count);
        return found.bytes.data() + first * size_of(found.type);
    }
    [[nodiscard]] std::uint64_t at_a_time() const noexcept override { return at_a_time_; }
    Table& give(std::uint64_t at_a_time) {
        at_a_time_ = at_a_time;
        asked_.clear();
        return *this;
    }
    [[nodiscard]] const std::set<std::uint64_t>& asked() const { return asked_; } // how many elements at a time since

private:
    struct Stored;
    [[nodiscard]] const Stored& stored(const Attribute& attribute) const {
        auto name = attribute.collection + "." + attribute.member;
        if (attribute.element) name.append("[").append(std::to_string(*attribute.element)).append("]");
        return columns_.at(name);
    }
    struct Stored {
        Scalar type = Scalar::u8;
        std::uint64_t count = 0;
        std::vector<std::byte> bytes;
    };
    std::map<std::string, Stored> columns_;
    std::uint64_t at_a_time_ = UINT64_MAX;
    mutable std::set<std::uint64_t> asked_;
};

Value evaluated(const std::string& text, const Table& table = {}, std::uint64_t step = 0) { return evaluate(parse(text), table, step); }

std::string message_of(const std::string& text, const Table& table = {}) {
    try {
        (void)evaluated(text, table);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

// Text in, text out: precedence, types and spelling at once.
struct Case {
    const char* text;
    const char* result;
};

class ScalarExpression : public ::testing::TestWithParam<Case> {};

TEST_P(ScalarExpression, HasTheValue) { EXPECT_EQ(to_string(evaluated(GetParam().text, {}, 7)), GetParam().result) << GetParam().text; }

INSTANTIATE_TEST_SUITE_P(All, ScalarExpression,
                         ::testing::Values(Case{"1 + 2 * 3", "7"}, Case{"(1 + 2) * 3", "9"}, Case{"10 - 4 - 3", "3"},
                                           Case{"8 / 2 / 2", "2"}, Case{"7 / 2", "3.5"}, Case{"7 % 4", "3"}, Case{"-7 % 4", "-3"},
                                           Case{"7.5 % 2", "1.5"}, Case{"2 * -3", "-6"}, Case{"- - 2", "2"}, Case{"1 - -1", "2"},
                                           Case{"step", "7"}, Case{"step % 2 == 1", "true"}, Case{"1 < 2 and 2 < 1", "false"},
                                           Case{"1 < 2 or 2 < 1 and false", "true"}, Case{"not 1 == 2", "true"},
                                           Case{"not not true", "true"}, Case{"not false and false", "false"}, Case{"1e3", "1000"},
                                           Case{".5 + 0.25", "0.75"}, Case{"true + true", "2"}, Case{"1 == 1.0", "true"},
                                           Case{"2 <= 2", "true"}, Case{"2 >= 3", "false"}, Case{"2 != 3", "true"}, Case{"3 > 2", "true"},
                                           Case{"9223372036854775806 + 1", "9223372036854775807"}, Case{"1 / 0", "inf"},
                                           Case{" \t1\n+\r1 ", "2"}));

struct Bad {
    const char* text;
    const char* message;
};

class BadExpression : public ::testing::TestWithParam<Bad> {};

TEST_P(BadExpression, SaysWhatAndWhere) { EXPECT_EQ(message_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    All, BadExpression,
    ::testing::Values(
        Bad{"", "the expression ends at character 1 of `` (expected a number, a reduction or `step`)"},
        Bad{"1 +", "the expression ends at character 4 of `1 +` (expected a number, a reduction or `step`)"},
        Bad{"(1 + 2", "the expression ends at character 7 of `(1 + 2` (expected `)`)"},
        Bad{"1 2", "unexpected `2` at character 3 of `1 2` (expected an operator or the end)"},
        Bad{"1 = 2", "unexpected `=` at character 3 of `1 = 2` (expected an operator or the end) did you mean `==`?"},
        Bad{"true && false", "unexpected `&&` at character 6 of `true && false` (expected an operator or the end) did you mean `and`?"},
        Bad{"!true", "unexpected `!` at character 1 of `!true` (expected a number, a reduction or `step`) did you mean `not`?"},
        Bad{"1 < 2 < 3", "a second comparison at character 7 of `1 < 2 < 3` (comparisons do not chain) join two with `and`"},
        Bad{"1 == == 2", "unexpected `==` at character 6 of `1 == == 2` (expected a number, a reduction or `step`)"},
        Bad{"1 * not 2", "unexpected `not` at character 5 of `1 * not 2` (expected a number, a reduction or `step`)"},
        Bad{"2 ö", "unexpected `ö` at character 3 of `2 ö` (expected an operator or the end)"},
        Bad{".", "unexpected `.` at character 1 of `.` (expected a number, a reduction or `step`)"},
        Bad{"summ(cell.alive)", "unknown function `summ` at character 1 of `summ(cell.alive)` (known are sum, mean, min, max, count, "
                                "births, deaths, moves, refused_moves and refused_births) did you mean `sum`?"},
        Bad{"1 + stepp", "unknown name `stepp` at character 5 of `1 + stepp` (expected a number, `step`, or a reduction of members to one "
                         "number, such as `mean(collection.member)` or `max(collection.member)`) did you mean `step`?"},
        Bad{"mean(a.e where a.b > 3)", "`mean` has no `where` at character 10 of `mean(a.e where a.b > 3)` (only `count(collection where "
                                       "condition)` has one) write `sum(a.e * (a.b > 3)) / count(a.b > 3)`"},
        Bad{"sum( a.e + 1 where a.b )", "`sum` has no `where` at character 14 of `sum( a.e + 1 where a.b )` (only `count(collection where "
                                        "condition)` has one) write `sum((a.e + 1) * a.b)`"},
        Bad{"count(a.e where a.b > 3)", "`count` has no `where` at character 11 of `count(a.e where a.b > 3)` (only `count(collection "
                                        "where condition)` has one) write `count(a.e and (a.b > 3))`"},
        Bad{"max(a.e where a.b)", "`max` has no `where` at character 9 of `max(a.e where a.b)` (only `count(collection where condition)` "
                                  "has one) let the model set a member for the agents that are meant"},
        Bad{"count(rabbit", "the expression ends at character 13 of `count(rabbit` (expected an operator or `)`)"},
        Bad{"count(rabbit) + count(hare", "the expression ends at character 27 of `count(rabbit) + count(hare` (expected an operator or "
                                          "`)`)"},
        Bad{"alive = 1", "unexpected `=` at character 7 of `alive = 1` (expected an operator or the end) did you mean `==`?"},
        Bad{"sum(alive)", "unknown name `alive` at character 5 of `sum(alive)` (a member is written `collection.member`)"},
        Bad{"cell.alive == 0",
            "`cell.alive` has a value for each place or agent at character 1 of `cell.alive == 0` (one value is needed) reduce "
            "it: `sum(cell.alive)`, "
            "`mean(cell.alive)`, `min(cell.alive)`, `max(cell.alive)` or `count(cell.alive > 0)`"},
        Bad{"sum(step)",
            "`sum` without a member at character 1 of `sum(step)` (a reduction is over the places of a collection) name a member, as in "
            "`sum(cell.alive)`"},
        Bad{"sum(a.b - mean(a.b))",
            "`mean` within another reduction at character 11 of `sum(a.b - mean(a.b))` (a reduction is over plain members)"},
        Bad{"sum(a.x * b.y)", "`a` and `b` in one reduction at character 11 of `sum(a.x * b.y)` (a reduction is over one collection)"},
        Bad{"sum(cell.)", "unexpected `)` at character 10 of `sum(cell.)` (expected the name of a member of `cell`)"},
        Bad{"sum(cell.v[x])", "unexpected `x` at character 12 of `sum(cell.v[x])` (expected the number of an element, from 0)"},
        Bad{"sum(cell.v[-1])", "unexpected `-` at character 12 of `sum(cell.v[-1])` (expected the number of an element, from 0)"},
        Bad{"sum(cell.v[1)", "unexpected `)` at character 13 of `sum(cell.v[1)` (expected `]`)"},
        Bad{"sum(cell.v", "the expression ends at character 11 of `sum(cell.v` (expected an operator or `)`)"},
        Bad{"9223372036854775808", "an integer above 2^63 - 1 at character 1 of `9223372036854775808` (integers are signed and have 64 "
                                   "bits) write it with a decimal point"},
        Bad{"1e999", "a number that no double holds at character 1 of `1e999`"},
        Bad{"5 % 0", "`5 % 0` takes a remainder of a division by 0"},
        Bad{"9223372036854775807 + 1",
            "`9223372036854775807 + 1` does not fit (integers here have 64 bits, with a sign) multiply by 1.0 to compute in double"},
        Bad{"9223372036854775807 * 9223372036854775807 * 9223372036854775807",
            "`9223372036854775807 * 9223372036854775807 * 9223372036854775807` does not fit (integers here have 64 bits, with a sign) "
            "multiply by 1.0 to compute in double"}));

TEST(Expression, RefusesWhatWouldExhaustTheStack) {
    EXPECT_THAT(message_of(std::string(100000, '(') + "1"),
                ::testing::StartsWith("the expression is nested too deeply at character 101 of "));
    EXPECT_THAT(message_of(std::string(100000, '-') + "1"),
                ::testing::StartsWith("the expression is nested too deeply at character 101 of "));
    std::string sum = "1";
    for (int i = 0; i < 100000; ++i) sum += "+1";
    EXPECT_THAT(message_of(sum), ::testing::StartsWith("the expression is too long at character "));
}

TEST(Expression, PutsTheOriginInFront) {
    try {
        (void)parse("1 +", {"life.toml:3:8: ", Failure::usage});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith("life.toml:3:8: the expression ends at character 4"));
        EXPECT_EQ(error.kind(), Failure::usage);
    }
}

TEST(Expression, ListsTheMembersItNames) {
    const auto expression = parse("sum(cell.v[3]) + count(ant.sugar > 0 and ant.age == 1)");
    std::vector<std::string> names;
    for (const auto& used : expression.attributes) {
        std::ostringstream name;
        name << used.collection << '.' << used.member;
        if (used.element) name << '[' << *used.element << ']';
        name << '@' << used.column;
        names.push_back(name.str());
    }
    EXPECT_THAT(names, ElementsAre("cell.v[3]@5", "ant.sugar@24", "ant.age@42"));
}

TEST(Expression, KnowsWhetherItIsACondition) {
    for (const auto* text : {"sum(a.b) == 0", "true", "not step", "step and step", "1 < 2 or 2 < 1", "(1 < 2)"})
        EXPECT_TRUE(parse(text).is_condition()) << text;
    for (const auto* text : {"sum(a.b)", "step", "1", "1.5", "count(a.b > 1)", "(1 < 2) + 1", "-step"})
        EXPECT_FALSE(parse(text).is_condition()) << text;
}

TEST(Expression, ReducesEachScalarType) {
    Table table;
    table.add("c.boolean", Scalar::boolean, std::vector<std::uint8_t>{1, 0, 1});
    table.add("c.i8", Scalar::i8, std::vector<std::int8_t>{-128, -128, 127});
    table.add("c.u8", Scalar::u8, std::vector<std::uint8_t>{255, 255, 1});
    table.add("c.i16", Scalar::i16, std::vector<std::int16_t>{-32768, -32768, 5});
    table.add("c.u16", Scalar::u16, std::vector<std::uint16_t>{65535, 65535, 3});
    table.add("c.i32", Scalar::i32, std::vector<std::int32_t>{-2147483647, -2147483647, 4});
    table.add("c.u32", Scalar::u32, std::vector<std::uint32_t>{4294967295u, 4294967295u, 9});
    table.add("c.i64", Scalar::i64, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -5, 6});
    table.add("c.u64", Scalar::u64, std::vector<std::uint64_t>{1ull << 61, 1ull << 62, 7});
    table.add("c.f32", Scalar::f32, std::vector<float>{0.1f, 2.5f, -1});
    table.add("c.f64", Scalar::f64, std::vector<double>{0.25, 2.5, -1});
    const auto show = [&](const std::string& name) {
        std::string text;
        for (const auto* function : {"sum", "min", "max", "count"}) {
            if (!text.empty()) text += ' ';
            text += to_string(evaluated(std::string(function) + "(c." + name + ")", table));
        }
        return text;
    };
    EXPECT_EQ(show("boolean"), "2 0 1 2");
    EXPECT_EQ(show("i8"), "-129 -128 127 3");
    EXPECT_EQ(show("u8"), "511 1 255 3");
    EXPECT_EQ(show("i16"), "-65531 -32768 5 3");
    EXPECT_EQ(show("u16"), "131073 3 65535 3");
    EXPECT_EQ(show("i32"), "-4294967290 -2147483647 4 3");
    EXPECT_EQ(show("u32"), "8589934599 9 4294967295 3");
    EXPECT_EQ(show("i64"), "-9223372036854775807 -9223372036854775808 6 3");
    EXPECT_EQ(show("u64"), "6917529027641081863 7 4611686018427387904 3");
    EXPECT_EQ(show("f32"), "1.6000000014901161 -1 2.5 3");
    EXPECT_EQ(show("f64"), "1.75 -1 2.5 3");
    EXPECT_EQ(to_string(evaluated("mean(c.u8)", table)), "170.33333333333334");
    EXPECT_EQ(to_string(evaluated("count(c.u64 > 5) + count(c.i8 < -200) + count(c.u8 < 300) + count(c.f32 > 0)", table)), "8");
}

TEST(Expression, SumsIntegersThatOverflowOnTheWay) {
    const auto most = std::numeric_limits<std::int64_t>::max();
    Table table;
    table.add("c.back", Scalar::i64, std::vector<std::int64_t>{most, most, most, -most, -most});
    table.add("c.beyond", Scalar::i64, std::vector<std::int64_t>{most, most, most});
    table.add("c.below", Scalar::i64, std::vector<std::int64_t>{-most, -most});
    EXPECT_EQ(to_string(evaluated("sum(c.back)", table)), "9223372036854775807");
    EXPECT_EQ(to_string(evaluated("mean(c.beyond)", table)), "9.223372036854776e+18");
    for (const auto* name : {"c.beyond", "c.below"})
        EXPECT_EQ(message_of(std::string("sum(") + name + ")", table),
                  std::string("`sum(") + name +
                      ")` does not fit (integers here have 64 bits, with a sign) multiply by 1.0 to compute in double");
    EXPECT_EQ(message_of("sum(c.back * 2)", table),
              "`sum(c.back * 2)` does not fit (integers here have 64 bits, with a sign) multiply by 1.0 to compute in double");
    EXPECT_EQ(message_of("count(7 % (c.back - c.back) == 0)", table),
              "`count(7 % (c.back - c.back) == 0)` takes a remainder of a division by 0");
}

// The same in a table as in a reduce (tests/golden/reduce_of_marks_beyond_signed_integers).
TEST(Expression, WhatHasNoPlaceWithASignDoesNotFit) {
    Table table;
    table.add("c.large", Scalar::u64, std::vector<std::uint64_t>{1, 1ull << 63, 2});
    table.add("c.half", Scalar::u64, std::vector<std::uint64_t>{(1ull << 63) - 1, 1});
    for (const auto* text :
         {"sum(c.large)", "min(c.large)", "max(c.large)", "mean(c.large)", "count(c.large > 5)", "sum(c.large % 2)", "sum(c.half)"})
        EXPECT_EQ(message_of(text, table), std::string("`") + text +
                                               "` does not fit (integers here have 64 bits, with a sign) multiply by 1.0 to compute in "
                                               "double");
    EXPECT_EQ(message_of("max(c.half) + 1", table),
              "`max(c.half) + 1` does not fit (integers here have 64 bits, with a sign) multiply by 1.0 to compute in double");
    EXPECT_EQ(to_string(evaluated("max(c.half)", table)), "9223372036854775807");
    EXPECT_EQ(to_string(evaluated("mean(c.half)", table)), "4.611686018427388e+18");
}

TEST(Expression, ReducesNothing) {
    Table table;
    table.add("c.n", Scalar::i32, std::vector<std::int32_t>{}).add("c.x", Scalar::f64, std::vector<double>{});
    EXPECT_EQ(to_string(evaluated("sum(c.n)", table)), "0");
    EXPECT_EQ(to_string(evaluated("sum(c.x)", table)), "0");
    EXPECT_EQ(to_string(evaluated("count(c.n == 0)", table)), "0");
    for (const auto* text : {"mean(c.n)", "min(c.n)", "max(c.x)"}) EXPECT_EQ(to_string(evaluated(text, table)), "nan") << text;
}

TEST(Expression, PassesNaNAndInfinityOn) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values(10000, 1.0), unbounded = values;
    values[5000] = -nan;
    unbounded[5000] = infinity;
    Table table;
    table.add("c.nan", Scalar::f64, values).add("c.inf", Scalar::f64, unbounded);
    for (const auto* function : {"sum", "mean", "min", "max"}) {
        const auto result = std::get<double>(evaluated(std::string(function) + "(c.nan)", table));
        EXPECT_TRUE(std::isnan(result) && !std::signbit(result)) << function;
    }
    EXPECT_EQ(to_string(evaluated("count(c.nan == c.nan)", table)), "9999");
    EXPECT_EQ(to_string(evaluated("sum(c.inf)", table)), "inf");
    EXPECT_EQ(to_string(evaluated("min(c.inf)", table)), "1");
}

// A sum that plain addition in order gets wrong: 1 is lost beside 2^53.
TEST(Expression, SumsNumbersExactly) {
    std::vector<double> values(4096 * 40, 0.0);
    values[0] = 9007199254740992.0;
    for (std::size_t block = 1; block < 40; ++block) values[block * 4096] = 1;
    Table table;
    table.add("c.x", Scalar::f64, values);
    EXPECT_EQ(std::get<double>(evaluated("sum(c.x)", table)), 9007199254740992.0 + 40); // rounded from 2^53 + 39
    values[7] = 1e300, values[4096 * 20 + 3] = -1e300, values[4096 * 39 + 1] = 5e-324;  // all lost, or decisive, in order
    EXPECT_EQ(std::get<double>(evaluated("sum(c.x)", table.add("c.x", Scalar::f64, values))), 9007199254740992.0 + 40);
    values[11] = 1; // 2^53 + 40, and the least more
    EXPECT_EQ(std::get<double>(evaluated("sum(c.x) - 9007199254740992", table.add("c.x", Scalar::f64, values))), 40);
    values[12] = 1; // a tie, but for the least
    EXPECT_EQ(std::get<double>(evaluated("sum(c.x) - 9007199254740992", table.add("c.x", Scalar::f64, values))), 42);
}

// Pieces in reverse and on several threads.
void in_pieces(std::int64_t items, const std::function<void(std::int64_t, std::int64_t)>& body) {
    std::vector<std::thread> threads;
    for (std::int64_t i = items; i-- > 0;) threads.emplace_back([&body, i] { body(i, i + 1); });
    for (auto& thread : threads) thread.join();
}

TEST(Expression, GivesTheSameBitsForAnyNumberOfThreadsAndInAnyParts) {
    EXPECT_TRUE(rc::check([] {
        const auto count = *rc::gen::inRange(0, 400000);
        std::vector<float> values;
        std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
        for (int i = 0; i < count; ++i) {
            state = state * 1664525u + 1013904223u;
            values.push_back(std::ldexp(static_cast<float>(state), static_cast<int>(state >> 8) % 60 - 60));
        }
        Table table;
        table.add("c.x", Scalar::f32, values);
        for (const auto* text : {"sum(c.x)", "mean(c.x * 3 + 1)", "min(c.x)", "count(c.x > 0.001)"}) {
            const auto expression = parse(text);
            const auto alone = to_string(evaluate(expression, table, 0)), together = to_string(evaluate(expression, table, 0, in_pieces));
            RC_ASSERT(alone == together);
            const auto at_a_time = *rc::gen::inRange<std::uint64_t>(1, 200000);
            table.give(at_a_time);
            RC_ASSERT(to_string(evaluate(expression, table, 0, in_pieces)) == alone);
            if (count > 0) RC_ASSERT(*table.asked().rbegin() <= std::max<std::uint64_t>(at_a_time, 65536));
            table.give(UINT64_MAX);
        }
        auto turned = values; // no order of elements shows
        std::reverse(turned.begin(), turned.end());
        std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(turned.size() / 3), turned.end());
        RC_ASSERT(to_string(evaluated("sum(c.x * 3)", Table().add("c.x", Scalar::f32, turned))) ==
                  to_string(evaluated("sum(c.x * 3)", table)));
        long double exact = 0;
        for (const auto value : values) exact += value;
        const auto sum = static_cast<long double>(std::get<double>(evaluated("sum(c.x)", table)));
        RC_ASSERT(std::abs(sum - exact) <= 1e-13L * exact);
    }));
}

__extension__ typedef __int128 Wide;

// An independent evaluator: its own tree, element by element, made at random together with its text.
struct Result {
    bool is_number = false; // else an integer, where true is 1
    Wide integer = 0;
    double number = 0;
    bool failed = false; // out of 64 bits on the way

    [[nodiscard]] double real() const { return is_number ? number : static_cast<double>(integer); }
    [[nodiscard]] bool truth() const { return is_number ? number != 0 : integer != 0; }
};

Result whole(Wide value) {
    Result result;
    result.integer = value;
    result.failed = value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min();
    return result;
}

Result real(double value) {
    Result result;
    result.is_number = true;
    result.number = value;
    return result;
}

struct Row {
    std::int32_t n;
    std::uint8_t small;
    bool flag;
    float x;
    std::uint64_t step;
};

struct Tree {
    std::string text;
    std::function<Result(const Row&)> of;
};

Result joined(const std::string& op, const Result& a, const Result& b) {
    Result result;
    result.failed = a.failed || b.failed;
    if (result.failed) return result; // what was computed on is of no use
    if (op == "and")
        result = whole(a.truth() && b.truth());
    else if (op == "or")
        result = whole(a.truth() || b.truth());
    else if (op == "/")
        result = real(a.real() / b.real());
    else if (a.is_number || b.is_number) {
        const double x = a.real(), y = b.real();
        if (op == "+")
            result = real(x + y);
        else if (op == "-")
            result = real(x - y);
        else if (op == "*")
            result = real(x * y);
        else if (op == "==")
            result = whole(x == y);
        else if (op == "<")
            result = whole(x < y);
        else
            result = whole(x >= y);
    } else {
        const auto x = a.integer, y = b.integer;
        if (op == "+")
            result = whole(x + y);
        else if (op == "-")
            result = whole(x - y);
        else if (op == "*")
            result = whole(x * y);
        else if (op == "==")
            result = whole(x == y);
        else if (op == "<")
            result = whole(x < y);
        else
            result = whole(x >= y);
    }
    return result;
}

Tree random_leaf() {
    switch (*rc::gen::inRange(0, 7)) {
    case 0: return {"c.n", [](const Row& row) { return whole(row.n); }};
    case 1: return {"c.small", [](const Row& row) { return whole(row.small); }};
    case 2: return {"c.flag", [](const Row& row) { return whole(row.flag); }};
    case 3: return {"c.x", [](const Row& row) { return real(row.x); }};
    case 4: return {"step", [](const Row& row) { return whole(row.step); }};
    case 5: {
        const auto value = *rc::gen::inRange(0, 1000);
        return {std::to_string(value), [=](const Row&) { return whole(value); }};
    }
    default: {
        const auto value = *rc::gen::inRange(0, 100);
        return {std::to_string(value) + ".25", [=](const Row&) { return real(value + 0.25); }};
    }
    }
}

Tree random_tree(int depth) {
    if (depth == 0) return random_leaf();
    const auto op = *rc::gen::element<std::string>("+", "-", "*", "/", "==", "<", ">=", "and", "or", "not", "negate", "leaf");
    if (op == "leaf") return random_leaf();
    const auto a = random_tree(depth - 1);
    if (op == "not" || op == "negate")
        return {op == "not" ? "(not " + a.text + ")" : "(-" + a.text + ")", [=](const Row& row) {
                    const auto inner = a.of(row);
                    auto result = op == "not" ? whole(!inner.truth()) : inner.is_number ? real(-inner.number) : whole(-inner.integer);
                    result.failed |= inner.failed;
                    return result;
                }};
    const auto b = random_tree(depth - 1);
    return {"(" + a.text + " " + op + " " + b.text + ")", [=](const Row& row) { return joined(op, a.of(row), b.of(row)); }};
}

Table table_of(const std::vector<Row>& rows) {
    std::vector<std::int32_t> n;
    std::vector<std::uint8_t> small, flag;
    std::vector<float> x;
    for (const auto& row : rows) {
        n.push_back(row.n);
        small.push_back(row.small);
        flag.push_back(row.flag);
        x.push_back(row.x);
    }
    Table table;
    table.add("c.n", Scalar::i32, n).add("c.small", Scalar::u8, small).add("c.flag", Scalar::boolean, flag).add("c.x", Scalar::f32, x);
    return table;
}

std::vector<Row> random_rows(std::uint64_t step) {
    const auto count = static_cast<std::size_t>(*rc::gen::element(1, 2, 7, 9, 100, 4096, 4097, 70000));
    std::vector<Row> rows;
    std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
    const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
    for (std::size_t i = 0; i < count; ++i)
        rows.push_back({static_cast<std::int32_t>(next() % 2001) - 1000, static_cast<std::uint8_t>(next()), next() % 2 == 1,
                        static_cast<float>(next() % 1024) / 8.0f - 64, step});
    return rows;
}

std::string shown(const Result& result) {
    if (result.is_number) return to_string(std::isnan(result.number) ? std::numeric_limits<double>::quiet_NaN() : result.number);
    return to_string(static_cast<std::int64_t>(result.integer));
}

// The value of a reduction, element by element in order.
Result reduced(const std::string& function, const Tree& tree, const std::vector<Row>& rows) {
    Result all = whole(0);
    bool first = true;
    for (const auto& row : rows) {
        const auto one = tree.of(row);
        const bool failed = all.failed || one.failed;
        if (function == "count")
            all = whole(all.integer + one.truth());
        else if (first)
            all = one;
        else if (one.is_number && (std::isnan(all.number) || std::isnan(one.number)))
            all = real(all.number + one.number);
        else if (function == "min" ? one.real() < all.real() : one.real() > all.real())
            all = one;
        all.failed = failed;
        first = false;
    }
    return all;
}

TEST(Expression, AgreesWithARecursiveEvaluator) {
    EXPECT_TRUE(rc::check([] {
        const auto function = *rc::gen::element<std::string>("count", "min", "max");
        auto tree = random_tree(*rc::gen::inRange(0, 5));
        if (tree.text.find("c.") == std::string::npos) {
            const auto inner = tree.of;
            tree = {"c.n * 0 + " + tree.text, [=](const Row& row) { return joined("+", whole(0), inner(row)); }};
        }
        const auto rows = random_rows(static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000)));
        const auto expected = reduced(function, tree, rows);
        const auto text = function + "(" + tree.text + ")";
        RC_LOG() << text << " over " << rows.size() << "\n";
        const auto table = table_of(rows);
        if (expected.failed) {
            RC_ASSERT(message_of(text, table).find("does not fit") != std::string::npos);
        } else {
            const auto result = to_string(evaluated(text, table, rows[0].step)), wanted = shown(expected);
            RC_ASSERT(result == wanted || (result == "0" && wanted == "-0") || (result == "-0" && wanted == "0"));
        }
    }));
}

// Eighths of small integers: every partial sum is exact, so that order does not matter to the reference.
TEST(Expression, SumsExactly) {
    EXPECT_TRUE(rc::check([] {
        const auto rows = random_rows(3);
        double x = 0;
        std::int64_t product = 0, compared = 0;
        for (const auto& row : rows) {
            x += static_cast<double>(row.x);
            product += std::int64_t{row.n} * row.small + 3;
            compared += row.n >= -17 && row.x < 5;
        }
        const auto table = table_of(rows);
        RC_ASSERT(std::get<double>(evaluated("sum(c.x)", table)) == x);
        RC_ASSERT(std::get<std::int64_t>(evaluated("sum(c.n * c.small + step)", table, 3)) == product);
        RC_ASSERT(std::get<std::int64_t>(evaluated("sum(c.n >= -17 and c.x < 5)", table)) == compared);
        RC_ASSERT(std::get<double>(evaluated("mean(c.x)", table)) == x / static_cast<double>(rows.size()));
    }));
}

// A member compared with a literal takes a short way; it has to count what the long way counts.
TEST(Expression, CountsTheSameOnTheShortWay) {
    EXPECT_TRUE(rc::check([] {
        const auto op = *rc::gen::element<std::string>("==", "!=", "<", "<=", ">", ">=");
        const auto member = *rc::gen::element<std::string>("c.n", "c.small", "c.flag", "c.x");
        const auto literal =
            *rc::gen::element<std::string>("0", "1", "-1", "255", "256", "-3.5", "0.5", "12", "99999999999", "-99999999999", "1e300");
        const auto table = table_of(random_rows(0));
        RC_LOG() << member << op << literal << "\n";
        RC_ASSERT(to_string(evaluated("count(" + member + op + literal + ")", table)) ==
                  to_string(evaluated("count(" + member + op + literal + " and true)", table)));
    }));
}

} // namespace
} // namespace tessera::expression::expression_test
