// Outputs of a state that is had in pieces are those of one that is held whole.
#include "host/outputs/npy.hpp"
#include "host/outputs/state_view.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::test::state_view_test {
namespace {

class StateViews : public ::testing::Test {
protected:
    static constexpr std::int64_t batch = 1 << 16; // the least that is had at a time

    // Values that are no numbers, and sums that depend on their order.
    [[nodiscard]] double value(ColumnId column, int element, std::int64_t place) const {
        if (place % 70001 == 5 && column.index() == 0) return std::nan("");
        return std::ldexp(static_cast<double>((place * 7919 + element * 31) % 10007), static_cast<int>(place % 40) - 20);
    }
    [[nodiscard]] StateReader reader() {
        return [this](ColumnId column, int element, const PlaceRange& places, std::byte* into) {
            ++reads_;
            most_ = std::max(most_, places.count());
            for (auto place = places.first; place < places.end; ++place) {
                const auto v = value(column, element, place);
                const auto f = static_cast<float>(v);
                const auto bytes = size_of(prepared_.setup[column].layout.type);
                std::memcpy(into, bytes == 8 ? static_cast<const void*>(&v) : &f, bytes);
                into += bytes;
            }
        };
    }

    TemporaryFolder folder_;
    Prepared prepared_ = prepare({folder_
                                      .write("cells.cu", "#include <tessera/model.hpp>\nstruct Cell { double a = 0; float b[3] = {}; };\n"
                                                         "TESSERA_PLACE(Cell, a, b);\nTESSERA_CALL(Cell, go, writes<&Cell::a>) { self.a += "
                                                         "1; }\nTESSERA_MODEL(cells, \"two members\");\n")
                                      .string(),
                                  {"places.cell.size=[401,507]", "run.steps=1"},
                                  {}},
                                 compiler());
    ThreadPool pool_{2};
    std::int64_t most_ = 0;
    int reads_ = 0;
};

TEST_F(StateViews, ExpressionsHaveTheSameBits) {
    for (const auto* text : {"sum(cell.b[1])", "mean(cell.b[0] * cell.b[2])", "max(cell.b[2])", "count(cell.a > 3.5)", "sum(cell.a)",
                             "sum(cell.b[0]) / count(cell.b[0] < 1) - sum(cell.b[1])"}) {
        auto setup = prepared_.setup;
        const auto expression = expression::parse(text);
        const auto whole = expression::to_string(StateView(State(setup, 0, reader()), pool_).evaluate(expression));
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{4} << 20}) { // a place has 20 of them
            setup.bytes_at_a_time = bytes;
            most_ = 0;
            EXPECT_EQ(expression::to_string(StateView(State(setup, 0, reader()), pool_).evaluate(expression)), whole) << text;
            EXPECT_EQ(most_, bytes == 1 ? batch : 3 * batch) << text;
        }
    }
}

TEST_F(StateViews, ArraysHaveTheSameBytes) {
    for (const std::size_t column : {0, 1}) {
        const ColumnId id(column);
        auto setup = prepared_.setup;
        const auto written = [&](const std::string& name) {
            const StateView view(State(setup, 0, reader()), pool_);
            write_npy(
                folder_.path() / name, view.shape(id),
                [&](int element, const PlaceRange& places) { return view.values(id, element, places); }, view.places_at_a_time());
            std::ifstream file(folder_.path() / name, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        const auto whole = written("whole.npy");
        EXPECT_EQ(whole.size(), 128 + 401 * 507 * (column == 0 ? 8u : 12u));
        setup.bytes_at_a_time = 1;
        most_ = 0;
        EXPECT_EQ(written("pieces.npy"), whole);
        EXPECT_EQ(most_, batch);
    }
}

TEST_F(StateViews, WhatFitsIsReadOnce) {
    const StateView view(State(prepared_.setup, 0, reader()), pool_);
    (void)view.evaluate(expression::parse("sum(cell.a) + max(cell.a * cell.a)"));
    (void)view.values(ColumnId(0), 0, {17, 401});
    EXPECT_EQ(reads_, 1);
    (void)view.evaluate(expression::parse("sum(cell.b[2])"));
    EXPECT_EQ(reads_, 2);
}

} // namespace
} // namespace tessera::test::state_view_test
