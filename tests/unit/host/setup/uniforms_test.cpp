// When a uniform is made that goes by values of the step.
#include "host/prepare/prepare.hpp"
#include "host/setup/uniforms.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

namespace tessera::test::uniforms_test {
namespace {

using Names = std::vector<std::string>;

class UniformsBefore : public ::testing::Test {
protected:
    // Of tests/models/tides: before each of these phases, in this step. In front of them a reduce makes all values.
    static std::vector<Names> made(const std::string& phases, std::uint64_t step = 0) {
        static jit::Cache cache;
        static jit::Compiler compiler(cache);
        const std::string values = "{reduce={mean='mean(shore.level)',highest='max(shore.level)',shells='count(shore.wet>1)'}},";
        const auto prepared = prepare({test_data("models/tides/tides.cu").string(), {"phase=[" + values + phases + "]"}, {}}, compiler);
        std::vector<Names> made;
        for (const auto phase : prepared.setup.phases.ids()) {
            if (phase.index() == 0) continue;
            auto& names = made.emplace_back();
            for (const auto uniform : uniforms_before(prepared.setup, phase, step))
                names.push_back(prepared.setup.description().uniforms[uniform].name);
        }
        return made;
    }

    const std::string note = "{callAll='shore.note'}", relax = "{callAll='shore.relax'}", flood = "{callAll='shore.flood'}";
};

TEST_F(UniformsBefore, IsTheFirstPhaseThatReadsItAndNoOtherOne) {
    EXPECT_EQ(made(flood + "," + note + "," + relax + "," + note), (std::vector<Names>{{}, {"pull", "mark"}, {}, {}}));
    EXPECT_EQ(made(relax + "," + note), (std::vector<Names>{{"pull"}, {"mark"}}));
}

TEST_F(UniformsBefore, IsTheFirstOneBehindAReduceOfAValueItGoesBy) {
    const std::string highest = "{reduce={highest='max(shore.level)'}}", shells = "{reduce={shells='count(shore.wet>1)'}}";
    EXPECT_EQ(made(note + "," + highest + "," + relax + "," + note), (std::vector<Names>{{"pull", "mark"}, {}, {"pull"}, {"mark"}}))
        << "`mark` goes by `pull`";
    EXPECT_EQ(made(note + "," + shells + "," + note), (std::vector<Names>{{"pull", "mark"}, {}, {"mark"}})) << "`pull` does not go by it";
}

TEST_F(UniformsBefore, IsALaterOneWhereTheFirstDoesNotRun) {
    const auto phases = "{callAll='shore.relax',every=2}," + relax;
    EXPECT_EQ(made(phases, 2), (std::vector<Names>{{"pull"}, {}}));
    EXPECT_EQ(made(phases, 3)[1], (Names{"pull"}));
}

} // namespace
} // namespace tessera::test::uniforms_test
