// Expressions that devices reduce have the bits that the host makes of the columns: every type, on one device and on several.
#include "host/outputs/state_view.hpp"
#include "host/session/reductions.hpp"
#include "tests/conformance/samples.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace tessera::test::reduced_expressions_test {
namespace {

std::vector<std::string> expressions() {
    std::vector<std::string> all{"sum(sample.f32[1] * sample.f64) + count(sample.flag) / 3",
                                 "max(sample.i8 % 7) - min(sample.u16 - 30)",
                                 "mean(sample.f64 * step) > 0.25 and max(sample.u8) > 3",
                                 "count(not sample.flag or sample.i64 >= 50)",
                                 "sum(-sample.i32 * sample.i16)",
                                 "min(sample.f64 % 3.5)",
                                 "sum(sample.i64 * 4000000000 * 4000000000)", // which does not fit
                                 "min(sample.u8 % sample.i8)",                // now and then by 0
                                 "step"};
    for (const std::string member : {"flag", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32[0]", "f32[1]", "f64"})
        for (const std::string how : {"sum", "mean", "min", "max", "count"}) all.push_back(how + "(sample." + member + ")");
    return all;
}

// The value's bits, or the error's words.
std::string outcome_of(const StateView& view, const std::string& text) {
    try {
        const auto value = view.evaluate(expression::parse(text));
        if (const auto* number = std::get_if<double>(&value)) return std::to_string(__builtin_bit_cast(std::uint64_t, *number));
        return std::to_string(value.index()) + " " + expression::to_string(value);
    } catch (const Error& error) {
        return error.what();
    }
}

class ReducedExpressions : public ::testing::TestWithParam<std::string> {
protected:
    void expect_same(Shown& run) {
        ThreadPool pool(2);
        StateView host(run.simulation().state(), pool), devices(run.simulation().state(), pool);
        Reductions reductions(run.setup(), run.simulation(), compiler());
        int reduced = 0;
        devices.reduce_by([&](const std::vector<const expression::Expression*>& expressions) {
            auto partials = reductions.of(expressions);
            for (const auto& each : partials) reduced += each ? 1 : 0;
            return partials;
        });
        const auto all = expressions();
        for (const auto& text : all) EXPECT_EQ(outcome_of(devices, text), outcome_of(host, text)) << text;
        EXPECT_EQ(reduced + 1, static_cast<int>(all.size())) << "but for that of the step alone";
    }
    TemporaryFolder folder_;
};

TEST_P(ReducedExpressions, HaveTheBitsOfThoseOfTheHost) {
    std::mt19937 dice(11);
    for (const std::string size : {"[37,29]", "[13,11,9]", "[700,300]"}) {
        const auto of = samples_of(folder_.write("samples.cu", every_type).string(), size);
        for (const std::size_t partitions : {1, 3}) {
            SCOPED_TRACE(size + " on " + std::to_string(partitions));
            Shown run(of, cut_anywhere(of.setup, partitions, dice), GetParam());
            for (std::size_t member = 0; member < 11; ++member)
                (void)fill(run.simulation(), of.setup, of.setup.column_of(of.setup.collections.ids().front(), member),
                           static_cast<std::uint32_t>(dice()));
            expect_same(run);
        }
    }
}

// Whose last row is short: what stands behind it is nobody's.
TEST_P(ReducedExpressions, OfPlacesWithoutAShapeAreTheSame) {
    std::mt19937 dice(13);
    const auto path = folder_.write("samples.cu", every_type).string();
    for (const std::string count : {"1", "1023", "1024", "1025", "70001"}) {
        const auto of = prepare(
            for_any_devices(
                {path, {"output=[]", "run.steps=1", "places.sample={count=" + count + "}", "phase=[{callAll=\"sample.stay\"}]"}, {}}),
            compiler());
        for (const std::size_t partitions : {1, 2}) {
            if (partitions > 1 && std::stoi(count) < 1025) continue; // a row for each
            SCOPED_TRACE(count + " on " + std::to_string(partitions));
            Shown run(of, cut_anywhere(of.setup, partitions, dice), GetParam());
            for (std::size_t member = 0; member < 11; ++member)
                (void)fill(run.simulation(), of.setup, of.setup.column_of(of.setup.collections.ids().front(), member),
                           static_cast<std::uint32_t>(dice()));
            expect_same(run);
        }
    }
}

// Of zeros with both signs, of large integers, and of members that no integer with a sign holds.
TEST_P(ReducedExpressions, OfExtremesAreTheSame) {
    std::mt19937 dice(12);
    const auto of = samples_of(folder_.write("samples.cu", every_type).string(), "[37,29]");
    const auto id = of.setup.collections.ids().front();
    Shown run(of, in_own_memory(of.setup, cut_anywhere(of.setup, 3, dice), 1, 1), GetParam());
    const auto put = [&](std::size_t member, auto value_of) {
        run.simulation().write(of.setup.column_of(id, member), [&](const PlaceRange& range, std::byte* into) {
            for (std::int64_t i = 0; i < range.count(); ++i) {
                const auto value = value_of(range.first + i);
                std::memcpy(into + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
            }
        });
    };
    put(7, [](std::int64_t i) { return i % 2 == 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min(); });
    put(8, [](std::int64_t i) { return std::uint64_t{1} << (i == 700 ? 63 : 40); });
    put(10, [](std::int64_t i) { return i % 3 == 0 ? 0.0 : -0.0; });
    expect_same(run);
    put(7, [](std::int64_t) { return std::numeric_limits<std::int64_t>::max(); });
    put(10, [](std::int64_t i) { return i == 5 ? std::numeric_limits<double>::quiet_NaN() : 1e300 * static_cast<double>(i % 5); });
    expect_same(run);
}

TESSERA_ON_EVERY_DEVICE(ReducedExpressions);

} // namespace
} // namespace tessera::test::reduced_expressions_test
