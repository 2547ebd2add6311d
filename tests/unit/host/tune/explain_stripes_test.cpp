// What `tessera check --explain` says of a run on several devices.
#include "host/prepare/prepare.hpp"
#include "host/tune/explain_stripes.hpp"
#include "jit/cache.hpp"
#include "tests/support/stripes.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::explain_stripes_test {
namespace {

using ::testing::HasSubstr;

std::string explained(const std::string& model, std::vector<std::string> keys, const std::vector<std::string>& devices) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    RunRequest request{model, std::move(keys), {}};
    request.on_one_cpu = devices.size() == 1;
    const auto prepared = prepare(request, compiler, Functions::all);
    return explain_stripes(test::over(prepared.setup, devices), devices);
}
std::string plugin(const std::string& name) { return test_shipped("plugins/" + name + "/" + name + ".cu").string(); }
std::string test_model(const std::string& name) { return test_data("models/" + name + "/" + name + ".cu").string(); }

TEST(ExplainStripes, SaysNothingOfOneDevice) { EXPECT_EQ(explained(plugin("life"), {}, {"cpu"}), ""); }

TEST(ExplainStripes, CountsTheRowsBeyondEachStripe) {
    const std::string keys = "places.cell.size=[64,10]";
    const auto torus = explained(plugin("life"), {keys, "places.cell.boundary=\"torus\""}, {"cuda:0", "cuda:1", "cuda:2"});
    EXPECT_THAT(torus, HasSubstr("    cell, cut along y\n"
                                 "      1, cuda:0: rows 0 to 2; a step reads 2 rows beyond them, 128 bytes\n"
                                 "      2, cuda:1: rows 3 to 6; a step reads 2 rows beyond them, 128 bytes\n"
                                 "      3, cuda:2: rows 7 to 9; a step reads 2 rows beyond them, 128 bytes\n"));
    // Beyond the first and last row is nothing that another device makes.
    const auto open = explained(plugin("life"), {keys, "places.cell.boundary=\"open\""}, {"cpu", "cpu"});
    EXPECT_THAT(open, HasSubstr("      1, cpu: rows 0 to 4; a step reads 1 row beyond them, 64 bytes\n"
                                "      2, cpu: rows 5 to 9; a step reads 1 row beyond them, 64 bytes\n"));
}

// The row on the other side of a torus of two stripes is one and the same from above and from below.
TEST(ExplainStripes, CountsARowOnce) {
    const auto text = explained(plugin("life"), {"places.cell.size=[64,2]", "places.cell.boundary=\"torus\""}, {"cpu", "cpu"});
    EXPECT_THAT(text, HasSubstr("      1, cpu: row 0; a step reads 1 row beyond them, 64 bytes\n"));
}

// Ants look at sugar and at each other six rows away, and who wants to go looks twice as far for rivals: on a torus cut in two, either way.
TEST(ExplainStripes, CountsWhatAgentsSee) {
    const auto slots = explained(plugin("sugarscape"), {"places.field.size=[64,100]"}, {"cpu", "cpu"});
    EXPECT_THAT(slots, HasSubstr("    field, cut along y\n      1, cpu: rows 0 to 49; a step reads 12 rows beyond them, "));
    EXPECT_THAT(slots, HasSubstr("    ant, cut along y\n      1, cpu: rows 0 to 49; a step reads 24 rows beyond them, "));
    EXPECT_THAT(explained(plugin("boids"), {"agents.bird.count=10"}, {"cpu", "cpu"}),
                HasSubstr("    bird, cut along y: one list in the order of places, rebuilt by the first device\n"
                          "      1, cpu: rows 0 to 39\n"));
}

TEST(ExplainStripes, LinesAreNotCut) {
    const auto text =
        explained(test_model("rule110"), {"places.cell.init.on=0", "places.more={type=\"cell\",size=[64,2]}"}, {"cpu", "cpu"});
    EXPECT_THAT(text, HasSubstr("    cell, a line, not cut\n      1, cpu: row 0\n      2, cpu: no rows\n"));
    const auto of_three =
        explained(test_model("rule110"), {"places.cell.init.on=0", "places.more={type=\"cell\",size=[64,9]}"}, {"cpu", "cpu", "cpu"});
    EXPECT_THAT(of_three, HasSubstr("      1, cpu: row 0\n      2, cpu: no rows\n      3, cpu: no rows\n"));
}

} // namespace
} // namespace tessera::explain_stripes_test
