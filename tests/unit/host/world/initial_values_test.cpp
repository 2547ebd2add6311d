// Initial values and parameters as the run file gives them, from its text to the state.
#include "host/world/initial_state.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::test::initial_values_test {
namespace {

const char* const model_text = R"(#include <tessera/model.hpp>
struct Cell {
    std::uint8_t small = 0;
    bool flag = false;
    std::int64_t large = 0;
    float real = 0;
};
TESSERA_PLACE(Cell, small, flag, large, real);
TESSERA_PARAM(float, rate, 0.05f, range(0, 0.1), "");
TESSERA_CALL(Cell, add, writes<&Cell::real>) { self.real += rate; }
TESSERA_MODEL(cells, "initial values");
)";

class InitialValues : public ::testing::Test {
protected:
    [[nodiscard]] WorldUnderTest world(std::vector<std::string> keys) const {
        return WorldUnderTest(model_, std::vector<std::string>{"places.cell.size=[64,32]"} + keys);
    }
    // What `check` says of a run file whose line 5 begins at column 1 with `line`.
    [[nodiscard]] std::string refusal(const std::string& line) const {
        const auto run = folder_.write(
            "run.toml", "model = \"cells.cu\"\nrun.steps = 1\nrun.devices = [\"cpu\"]\nplaces.cell.size = [4, 4]\n" + line + "\n");
        try {
            (void)prepare({run.string(), {}, {}}, compiler());
            return {};
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input);
            const std::string text = error.what(), path = folder_.path().string() + "/";
            return text.substr(text.rfind(path, 0) == 0 ? path.size() : 0);
        }
    }

    TemporaryFolder folder_;
    std::string model_ = folder_.write("cells.cu", model_text).string();
};

TEST_F(InitialValues, RandomOnesOfASmallTypeReachBothEnds) {
    const auto values = world({"places.cell.init.small={random=\"below\",n=256}"}).values<std::uint8_t>("cell", "small");
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), 255);
    const auto flags = world({"places.cell.init.flag={random=\"uniform\",low=0,high=2}"}).values<bool>("cell", "flag");
    const auto set = std::count(flags.begin(), flags.end(), true);
    EXPECT_NEAR(static_cast<double>(set), 1024, 5 * 22.6); // 64 x 32 coins, 5 standard deviations
}

TEST_F(InitialValues, RandomOnesThatTheTypeDoesNotHoldAreRefusedAtTheirLine) {
    EXPECT_EQ(refusal("places.cell.init.small = { random = \"below\", n = 257 }"),
              "run.toml:5:26: cell.small cannot be random below 257 (its type is uint8, which holds integers to 255) use a smaller `n`");
    EXPECT_EQ(refusal("places.cell.init.large = { random = \"below\", n = 4294967296 }"),
              "run.toml:5:26: cell.large cannot be random below 4294967296 (random integers have 32 bits: n is at most 4294967295) use a "
              "smaller `n`, or "
              "random = \"uniform\"");
    EXPECT_EQ(refusal("places.cell.init.small = [ { random = 0.5 }, { random = \"uniform\", low = -1, high = 3 } ]"),
              "run.toml:5:46: cell.small cannot be random from -1 to 3 (its type is uint8, which holds 0 to 255) choose `low` and `high` "
              "within that");
    EXPECT_EQ(refusal("places.cell.init.large = { random = \"below\", n = 4294967295 }"), "");
}

TEST_F(InitialValues, APatternForABoundedGridIsWarnedOfOnAnother) {
    const auto said = [&](const std::string& bounds, const std::string& places) {
        const auto name = "p" + bounds + ".rle";
        folder_.write(name, "x = 3, y = 3, rule = B3/S23:" + bounds + "\nbo$2bo$3o!\n");
        const auto run = folder_.write("run.toml", "model = \"cells.cu\"\nrun.steps = 1\nrun.devices = [\"cpu\"]\nplaces.cell = { " +
                                                       places + ", init.small.file = \"" + name + "\" }\n");
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        check_initial_files(prepare({run.string(), {}, {}}, compiler()).setup);
        return ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(said("T8,6", "size = [8, 6]"), "");
    EXPECT_EQ(said("P8", "size = [8, 8], boundary = \"open\""), "");
    EXPECT_THAT(said("T8,8", "size = [20, 20]"),
                ::testing::AllOf(::testing::HasSubstr("run.toml:4:"), ::testing::HasSubstr("'T8,8', and places.cell is another grid")));
    EXPECT_THAT(said("T9,9", "size = [9, 9], boundary = \"open\""), ::testing::HasSubstr("is a pattern for a bounded grid"));
    EXPECT_THAT(said("K9,9", "size = [9, 9]"), ::testing::HasSubstr("is a pattern for a bounded grid"));
    EXPECT_THAT(said("P10,0", "size = [10, 10], boundary = \"open\""), ::testing::HasSubstr("is a pattern for a bounded grid"));
}

TEST_F(InitialValues, AParameterMayBeTheEndOfItsRange) {
    auto at_the_end = world({"params.rate=0.1"});
    at_the_end.step_to(1);
    EXPECT_EQ(at_the_end.values<float>("cell", "real")[0], 0.1f);
    EXPECT_EQ(refusal("params.rate = 0.1000000015"), ""); // the same float
    EXPECT_EQ(refusal("params.rate = 0.10000001"), "run.toml:5:15: params.rate is 0.10000001 (cells allows 0 to 0.1)");
}

} // namespace
} // namespace tessera::test::initial_values_test
