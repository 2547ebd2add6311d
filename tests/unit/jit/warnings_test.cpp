// Warnings of the compilers for the author's own lines: the same words from each, once, and none of the SDK's.
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "unit/jit/surroundings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::jit {
namespace {

using namespace testing;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

struct Doubtful {
    const char *name, *text; // from the 5th line on
    std::vector<std::string> expected;
};

const Doubtful doubtful_models[] = {
    {"nothing",
     R"(        writes<&Cell::heat>) {
    const float near = self.sum(moore, &Cell::alive);
    if (near == 3) self.heat = near;
}
)",
     {}},
    {"condition_that_assigns",
     R"(        writes<&Cell::heat>) {
    if (self.heat = 5) self.heat = 3;
}
)",
     {R"(models/life.cu:6:19: this condition sets a value and compares nothing (it is written with =) write == to compare
    if (self.heat = 5) self.heat = 3;
                  ^)"}},
    {"end_without_return",
     R"(        writes<&Cell::heat>) {
    float doubled(float);
    self.heat = doubled(self.heat);
}
float doubled(float x) {
    if (x > 3) return 2 * x;
}
)",
     {R"(models/life.cu:11:1: this function may end without giving a value back (what its caller gets is then anything) return a value here
}
^)"}},
    {"variable_without_value",
     R"(        writes<&Cell::heat>) {
    float x;
    self.heat = x + 1;
}
)",
     {R"(models/life.cu:7:17: x is used before it has a value (it holds anything until then) give it a value where it is declared
    self.heat = x + 1;
                ^)"}},
    {"variable_that_is_not_used",
     R"(        writes<&Cell::heat>) {
    const float threshold = 3;
    self.heat = 1;
}
)",
     {R"(models/life.cu:6:17: threshold is never used (nothing reads it) delete it, or is another one meant?
    const float threshold = 3;
                ^)"}},
    {"statement_without_effect",
     R"(        writes<&Cell::heat>) {
    self.heat == 1;
    if (self.heat = 2) self.heat = 3;
}
)",
     {R"(models/life.cu:6:5: this statement has no effect (nothing reads its value) write = to set something
    self.heat == 1;
    ^)",
      R"(models/life.cu:7:19: this condition sets a value and compares nothing (it is written with =) write == to compare
    if (self.heat = 2) self.heat = 3;
                  ^)"}},
};

class Warnings : public ::testing::TestWithParam<Doubtful> {
protected:
    // What is said when the model is compiled for its description, for its kernels, and once more.
    std::vector<std::string> warnings_on(const Target& target) const {
        Cache cache(folder_.path() / "cache");
        const auto model = model_of(std::string(head) + GetParam().text);
        const auto around = whole_sdk();
        const Logged logged;
        Compiler jit(cache);
        static_cast<void>(jit.compile({&model, around.sdk, around.prelude, "", "description", target}));
        EXPECT_THAT(logged.warnings(), IsEmpty());
        const Job job{&model, around.sdk, around.prelude, around.epilogue, "kernels", target};
        EXPECT_FALSE(jit.compile(job).from_cache);
        EXPECT_TRUE(jit.compile(job).from_cache);
        return logged.warnings();
    }
    TemporaryFolder folder_;
};

TEST_P(Warnings, Gcc) {
    if (find_program("g++").empty()) GTEST_SKIP() << "g++ is not on $PATH";
    const Variable cxx("CXX", "g++");
    EXPECT_THAT(warnings_on({Target::Kind::cpu, {}, false}), ElementsAreArray(GetParam().expected));
}

TEST_P(Warnings, Clang) {
    if (find_program("clang++").empty()) GTEST_SKIP() << "clang++ is not on $PATH";
    const Variable cxx("CXX", "clang++");
    EXPECT_THAT(warnings_on({Target::Kind::cpu, {}, false}), ElementsAreArray(GetParam().expected));
}

TEST_P(Warnings, Nvrtc) {
    std::string why;
    if (nvrtc_or_nothing(why) == nullptr) GTEST_SKIP() << why;
    EXPECT_THAT(warnings_on({Target::Kind::cuda, "sm_90", false}), ElementsAreArray(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(Doubtful, Warnings, ::testing::ValuesIn(doubtful_models),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace tessera::jit
