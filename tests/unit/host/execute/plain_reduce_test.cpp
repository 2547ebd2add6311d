// The loops over a column of plain_reduce.hpp make the words that any_reduce.hpp makes by going through instructions.
#include "device_runtime/cpu_program.hpp"
#include "host/execute/reduce_kernels.hpp"
#include "host/generate/reduce_code.hpp"
#include "host/setup/reductions.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/random_draw.hpp"

#include <tessera/detail/exact_sum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera::test::plain_reduce_test {
namespace {

constexpr Scalar all_types[] = {Scalar::boolean, Scalar::i8,  Scalar::u8,  Scalar::i16, Scalar::u16, Scalar::i32,
                                Scalar::u32,     Scalar::i64, Scalar::u64, Scalar::f32, Scalar::f64};

class PlainReduce : public ::testing::Test {
protected:
    // A cell with a member of each type, m0 to m10, and an array of floats; one reduce of an expression.
    static tessera::Setup setup_of(const std::string& expression, const std::string& size) {
        HandMade toy;
        std::vector<model::Member> members;
        for (const auto type : all_types) members.push_back(hand_made_member("m" + std::to_string(members.size()), type));
        members.push_back(hand_made_member("way", Scalar::f32, 3));
        const auto cell = toy.places("Cell", members);
        toy.function(cell, "tick", {{"m9", changing()}});
        toy.description.values = {{"total", "", Scalar::f64}};
        return toy.bind({"places.cell.size = " + size, "phase = [{reduce={total=\"" + expression + "\"}}]"});
    }
    // Floats of all kinds; near 1 where `near`, as in most models.
    template<class T> T drawn(bool near) {
        if constexpr (std::is_same_v<T, bool>)
            return generator_() % 3 == 0;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(generator_() % 4 == 0 ? generator_() % 5 : (std::uint64_t{generator_()} << 32 | generator_()));
        else {
            using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
            const auto random = static_cast<bits>(std::uint64_t{generator_()} << 32 | generator_());
            if (near) return static_cast<T>(std::ldexp(static_cast<double>(random % 2000003) - 1000001, -18));
            switch (generator_() % 8) {
            case 0: return T(0) * (random % 2 == 0 ? T(1) : T(-1));
            case 1: return static_cast<T>(std::ldexp(T(1), static_cast<int>(random % 40) - 20));
            case 2: return std::numeric_limits<T>::denorm_min() * static_cast<T>(random % 1000);
            case 3: return std::numeric_limits<T>::max();
            default: break;
            }
            const auto value = std::bit_cast<T>(random);
            return std::isfinite(value) || may_be_none_ ? value : T(3);
        }
    }
    // Of all that a column has room for, ghosts too.
    std::vector<std::byte> column_of(const Layout& layout, bool near) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(layout.bytes));
        with_type(layout.type, [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
                const T value = drawn<T>(near);
                std::memcpy(bytes.data() + at, &value, sizeof value);
            }
        });
        return bytes;
    }
    // What the kernel makes of all lines, some at a time.
    std::vector<std::uint64_t> made_by(const Kernel& kernel, const tessera::Setup& setup, const ReduceCode& code,
                                       std::vector<std::byte>& instructions, std::vector<std::vector<std::byte>>& columns) {
        const auto& reduction = setup.reductions[ReductionId{0}];
        const auto& one = setup.kernels[reduction.kernels.front()];
        const auto& collection = setup.collections[one.collection];
        const auto rows = collection.whole();
        std::vector<std::uint64_t> words(static_cast<std::size_t>(reduction.words));
        std::uint64_t step = 7;
        any_reduce_arguments arguments{};
        static_cast<launch_arguments&>(arguments) = {&step, 0, 0, rows.first, rows.end};
        arguments.words = words.data();
        arguments.code = code.at(instructions.data(), ReductionId{0});
        arguments.collection = static_cast<std::int64_t>(one.collection.index());
        arguments.places = collection.places();
        arguments.places_a_line = collection.size[0];
        arguments.lines_a_row = collection.dimensions == 3 ? collection.size[1] : 1;
        for (std::size_t i = 0; i < one.accesses.size(); ++i) {
            const auto& layout = setup[one.accesses[i].column].layout;
            arguments.in[i] = columns[i].data() + layout.origin * static_cast<std::int64_t>(size_of(layout.type));
        }
        const auto function = dynamic_cast<const CpuKernel&>(kernel).entry()->function;
        const auto lines = rows.rows() * arguments.lines_a_row;
        for (std::int64_t first = 0; first < lines;) {
            const auto end = std::min<std::int64_t>(lines, first + 1 + static_cast<std::int64_t>(generator_() % 7));
            function(&arguments, first, end);
            first = end;
        }
        for (const auto& part : reduction.parts) {
            const auto op = reduction.values.front().expression->node(part.node).op;
            auto* const word = words.data() + part.first_word;
            if (op != expression::Op::sum && op != expression::Op::mean) continue;
            if (part.of_reals) // behind what went wrong and how many there were
                pass_carries(word + 2);
            else
                word[3] += word[2] >> 32, word[2] &= 0xffffffff;
        }
        return words;
    }
    void expect_same(const std::string& expression, const std::string& size, bool near) {
        const auto setup = setup_of(expression, size);
        const ReduceCode code(setup);
        const auto& one = setup.kernels[setup.reductions[ReductionId{0}].kernels.front()];
        ASSERT_TRUE(code.is_plain(ReductionId{0}, one.collection)) << expression;
        auto instructions = code.bytes();
        std::vector<std::vector<std::byte>> columns;
        for (const auto& access : one.accesses) columns.push_back(column_of(setup[access.column].layout, near));
        EXPECT_EQ(made_by(plain_reduce_kernel_of_cpus(), setup, code, instructions, columns),
                  made_by(reduce_kernel_of_cpus(), setup, code, instructions, columns))
            << expression << " of " << size;
    }

    std::mt19937 generator_{seed_of_this_run()};
    bool may_be_none_ = false;
};

TEST_F(PlainReduce, HasTheWordsOfInstructions) {
    RecordProperty("seed", std::to_string(seed_of_this_run()));
    for (const auto* size : {"[61]", "[40, 33]", "[13, 7, 5]"})
        for (const int m : {0, 2, 5, 9}) // of bool, u8, i32, f32
            for (const bool near : {true, false}) {
                may_be_none_ = generator_() % 2 == 0;
                const auto member = "cell.m" + std::to_string(m);
                for (const auto* op : {"sum", "mean", "min", "max", "count"}) expect_same(op + ("(" + member + ")"), size, near);
                for (const auto* op : {"==", "!=", "<", "<=", ">", ">="}) {
                    expect_same("count(" + member + " " + op + " 3)", size, near);
                    expect_same("count(0.5 " + std::string(op) + " " + member + ")", size, near);
                }
            }
    expect_same("sum(cell.way[1]) + max(cell.way[2]) * count(cell.m2 > 2)", "[30, 20]", true);
}

TEST_F(PlainReduce, IsForNothingElse) {
    for (const auto* expression : {"sum(cell.m9 * 2)", "count(cell.m1 > cell.m2)", "sum(cell.m3 == 2)", "count(cell.m1 + 1)",
                                   "sum(cell.m9) + max(-cell.m9)", "count(cell)", "sum(cell.m10)", "max(cell.m8)", "min(cell.m1)"}) {
        const auto setup = setup_of(expression, "[10, 6]");
        const auto& one = setup.kernels[setup.reductions[ReductionId{0}].kernels.front()];
        EXPECT_FALSE(ReduceCode(setup).is_plain(ReductionId{0}, one.collection)) << expression;
    }
}

// Against a sum of numbers that doubles add without rounding.
TEST_F(PlainReduce, AddsFloatsExactly) {
    const auto setup = setup_of("sum(cell.m9)", "[300, 200]");
    const ReduceCode code(setup);
    const auto& layout = setup[setup.kernels[setup.reductions[ReductionId{0}].kernels.front()].accesses.front().column].layout;
    std::vector<std::vector<std::byte>> columns{std::vector<std::byte>(static_cast<std::size_t>(layout.bytes))};
    double expected = 0;
    for (std::int64_t y = 0; y < 200; ++y)
        for (std::int64_t x = 0; x < 300; ++x) {
            const auto value = std::ldexp(static_cast<float>(generator_() % 4001) - 2000, static_cast<int>(generator_() % 12) - 6);
            expected += static_cast<double>(value);
            std::memcpy(columns[0].data() + static_cast<std::size_t>(layout.index(x, y, 0, 0)) * sizeof value, &value, sizeof value);
        }
    auto instructions = code.bytes();
    auto words = made_by(plain_reduce_kernel_of_cpus(), setup, code, instructions, columns);
    EXPECT_EQ(words[1], 60'000u);
    EXPECT_EQ(rounded_sum(words.data() + 2), expected);
}

} // namespace
} // namespace tessera::test::plain_reduce_test
