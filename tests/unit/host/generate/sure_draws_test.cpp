#include "host/generate/sure_draws.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::sure_draws_test {
namespace {

int draws(const std::string& body, const std::string& before = {}, const std::string& header = {}) {
    jit::ModelSource model;
    model.main = {"m.cu", before + "\nTESSERA_CALL(Walker, walk, writes<&Walker::steps>, moves<moore>, spawns<Walker>) {" + body + "}\n",
                  "m.cu"};
    if (!header.empty()) model.headers.push_back({"h.hpp", header, "h.hpp"});
    return SureDraws(model).of("Walker", "walk");
}

TEST(SureDraws, AreCountedUpToWhatMayBranch) {
    EXPECT_EQ(draws(" self.steps += 1; const int k = self.random.below(8); self.migrate(k % 3 - 1, k / 3 - 1); "), 1);
    EXPECT_EQ(draws(" const auto x = self.random.below(8), y = self.random.below(8); self.migrate(x, y); "), 2);
    EXPECT_EQ(draws(" const int k = self.random.below(8); if (self.random.bernoulli(0.5f)) self.migrate(k, 0); "), 1);
    EXPECT_EQ(draws(" self.steps = self.random.normal(); "), 2);
    EXPECT_EQ(draws(" self.steps = self.random.bits() + self.random.uniform() + self.random.uniform64(); "), 4);
}

TEST(SureDraws, AreNoneWhereSomeAgentsMayDrawNothing) {
    EXPECT_EQ(draws(" if (self.steps > 3) return; self.steps = self.random.below(8); "), 0);
    EXPECT_EQ(draws(" if (self.steps > 3) self.steps = self.random.below(8); "), 0);
    EXPECT_EQ(draws(" self.steps = self.steps > 3 && self.random.bernoulli(0.5f); "), 0);
    EXPECT_EQ(draws(" self.steps = self.steps > 3 || self.random.bernoulli(0.5f); "), 0);
    EXPECT_EQ(draws(" self.steps = self.steps > 3 ? self.random.below(8) : 0; "), 0);
    EXPECT_EQ(draws(" for (int i = 0; i < self.steps; ++i) self.random.bits(); "), 0);
    EXPECT_EQ(draws(" self.meet(here, agents<Walker>, [&](const auto& other) { self.steps += self.random.below(8); }); "), 0);
    EXPECT_EQ(draws(" ROLL; ", "#define ROLL if (self.steps > 3) return; self.random.bits()\n"), 0);
    EXPECT_EQ(draws(" self.steps += 1; "), 0);
}

TEST(SureDraws, OfHelpersAreThoseOfTheirCallers) {
    const std::string wander = "template<class Self> void wander(Self& self) { self.steps = self.random.below(8); }\n";
    EXPECT_EQ(draws(" wander(self); ", wander), 1);
    EXPECT_EQ(draws(" wander(self); wander(self); ", {}, "namespace {\n" + wander + "}\n"), 2);
    EXPECT_EQ(draws(" if (self.steps > 3) wander(self); ", wander), 0);
    EXPECT_EQ(draws(" roam(self); ", wander + "void roam(auto& self) { if (self.steps > 3) return; wander(self); }\n"), 0);
    EXPECT_EQ(draws(" roam(self); ", "void roam(auto& self) { roam(self); self.random.bits(); }\n"), 0); // ends
    EXPECT_EQ(draws(" self.steps = three() + self.random.bits(); ", "int three() { return 3; }\n"), 1);
    EXPECT_EQ(draws(" self.steps = pick(self.random); ", "int pick(auto& random) { return random.below(8); }\n"), 1);
    EXPECT_EQ(draws(" return self.kill(); self.random.bits(); "), 0);
}

TEST(SureDraws, OfWhatIsNotThereAreNone) {
    jit::ModelSource model;
    model.main = {"m.cu", "TESSERA_CALL(Walker, walk) { self.random.bits(); ", "m.cu"}; // never ends
    EXPECT_EQ(SureDraws(model).of("Walker", "run"), 0);
    EXPECT_LE(SureDraws(model).of("Walker", "walk"), 1);
}

} // namespace
} // namespace tessera::sure_draws_test
