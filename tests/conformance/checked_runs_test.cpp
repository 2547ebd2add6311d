// Checked runs on every device: what is asserted, NaN and wrong indices are told in the same words, of the first place or agent of the
// first phase where they are, and a model without mistakes is what it is in any other run.
#include "device_runtime/error.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

namespace tessera::test::checked_runs_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::uint64_t end = 6;

// One image for all kinds.
std::vector<std::string> keys(int kind) { return {"run.bake=false", "params.kind=" + std::to_string(kind)}; }
std::vector<std::string> in_list(int kind) {
    auto all = keys(kind);
    all.emplace_back("agents.walker.capacity=\"unlimited\"");
    return all;
}

class CheckedRuns : public OnDevice {
protected:
    // What ends a checked run; and the step that it ends in.
    [[nodiscard]] static std::string told(const std::vector<std::string>& overrides, std::uint64_t step, Options options = on_this()) {
        options.check = true;
        if (on_cpu()) options.threads = 1; // which tells the first
        try {
            WorldUnderTest world(test_model("mistakes"), overrides, options);
            try {
                while (world.step() < end) world.step_to(world.step() + 1);
            } catch (const Error&) {
                EXPECT_EQ(world.step(), step);
                throw;
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::model) << error.what();
            return error.what();
        }
        return "nothing";
    }
    // "mistakes.cu:26:"
    [[nodiscard]] static std::string line_with(const std::string& marker, const std::string& file = "mistakes.cu") {
        std::ifstream in(std::filesystem::path(test_model("mistakes")).parent_path() / file);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        const auto at = text.find("// " + marker + "\n");
        EXPECT_NE(at, std::string::npos) << marker;
        return file + ":" + std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1) + ":";
    }
    static void expect_told(int kind, std::uint64_t step, const std::string& place, const std::string& what) {
        const auto message = told(keys(kind), step);
        EXPECT_THAT(message, HasSubstr(place)) << kind;
        EXPECT_THAT(message, EndsWith(what)) << kind;
    }
};

TEST_P(CheckedRuns, TellOfTheFirstPlace) {
    const std::string at = " on place (3, 2) in step 4 of mistakes ";
    expect_told(
        1, 0, line_with("init"),
        " \"fields begin well\" does not hold in field.begin on place (0, 3) before the first step of mistakes (self.position.y < 3, "
        "with 3 and 3)");
    expect_told(2, 4, line_with("assert"),
                " \"b is small\" does not hold in field.tick" + at + "(self.b + 4 < (here ? 3 : 100), with 6 and 3)");
    expect_told(3, 4, line_with("share", "shares.hpp"),
                " \"there is a share\" does not hold in field.tick" + at + "(parts >= 0, with -1 and 0)");
    expect_told(4, 4, line_with("tick"),
                " field.tick stores NaN in field.heat" + at +
                    "(nothing that it read was NaN) look for 0 / 0, infinity - infinity, and roots and logarithms of negative numbers");
    expect_told(5, 4, line_with("index"),
                " field.tick takes element 4 of an array of 4" + at + "(it has elements 0 to 3) test the index before it is used");
    expect_told(11, 4, line_with("draw"),
                " field.tick draws below(-1)" + at + "(below(n) gives 0 to n - 1, for an n from 1 to 4294967295) test n before the draw");
    for (const auto& [kind, p, marker] : {std::tuple{12, "1.5", "chance"}, {13, "-0.5", "negative"}})
        expect_told(kind, 4, line_with(marker),
                    " field.tick draws bernoulli(" + std::string(p) + ")" + at +
                        "(a probability is from 0 to 1) keep it within them, as by clamp(p, 0.0f, 1.0f)");
    expect_told(15, 4, line_with("divide"),
                " field.divide leaves field.part unassigned" + at +
                    "(sets<...> does not keep its value, 3, which would become the default, 8) assign it on every path, or declare it by "
                    "writes<...>");
    expect_told(7, 0, line_with("last"),
                " \"it is not the last one\" does not hold in field.late on place (19, 0) in step 0 of mistakes (self.position.x + "
                "self.position.y < 19, with 19 and 19)");
}

TEST_P(CheckedRuns, TellOfAgentsWhatTheCpuTells) {
    for (const int kind : {8, 9, 10})
        for (const auto& overrides : {keys(kind), in_list(kind)}) {
            const auto message = told(overrides, 2);
            EXPECT_THAT(message,
                        HasSubstr(kind == 8 ? line_with("strong") + " \"walkers are strong\" does not hold in walker.walk for walker "
                                            : line_with("walk") + " walker.walk stores NaN in "));
            EXPECT_THAT(message, HasSubstr(" in step 2 of mistakes ("));
            EXPECT_EQ(message, told(overrides, 2, {"cpu", 1, {}}));
        }
}

TEST_P(CheckedRuns, TellOfAgentsThatLeaveAMemberUnassigned) {
    for (const auto& overrides : {keys(16), in_list(16)}) {
        const auto message = told(overrides, 2);
        EXPECT_THAT(message, HasSubstr(line_with("rest") + " walker.rest leaves walker.rested unassigned for walker "));
        EXPECT_THAT(message, EndsWith(" in step 2 of mistakes (sets<...> does not keep its value, 1, which would become the default, 0) "
                                      "assign it on every path, or declare it by writes<...>"));
        EXPECT_EQ(message, told(overrides, 2, {"cpu", 1, {}}));
    }
}

TEST_P(CheckedRuns, AreWhatOtherRunsAre) {
    for (const auto& overrides : {keys(0), in_list(0), keys(6)}) {
        auto options = on_this();
        WorldUnderTest usual(test_model("mistakes"), overrides, options);
        options.check = true;
        if (on_cpu()) options.threads = 1; // as checked runs are made
        WorldUnderTest checked(test_model("mistakes"), overrides, options);
        for (auto* world : {&usual, &checked}) world->step_to(end);
        EXPECT_EQ(checked.hash(), usual.hash());
    }
}

TESSERA_ON_EVERY_DEVICE(CheckedRuns);

} // namespace
} // namespace tessera::test::checked_runs_test
