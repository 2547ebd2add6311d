// Warnings of the compilers for the author's own lines: the same words from each, once, and none of the SDK's.
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "unit/jit/surroundings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::jit::warnings_test {
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
     {R"(models/life.cu:11:1: this function may end without returning a value (its result is then undefined) return a value here
}
^)"}},
    {"variable_without_value",
     R"(        writes<&Cell::heat>) {
    float x;
    self.heat = x + 1;
}
)",
     {R"(models/life.cu:7:17: x is used before it has a value (its value is undefined until then) give it a value where it is declared
    self.heat = x + 1;
                ^)"}},
    {"variable_that_is_not_used",
     R"(        writes<&Cell::heat>) {
    const float threshold = 3;
    self.heat = 1;
}
)",
     {R"(models/life.cu:6:17: threshold is never used (nothing reads it) delete it, or use the variable that is meant
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
    {"integer_of_64_bits",
     R"(        writes<&Cell::heat, &Cell::alive>) {
    int last = self.step;
    last = static_cast<int>(self.step) + self.size.x % 7;
    std::uint16_t small = 2 * self.position.x;
    last = self.step == 3;
    self.alive = last;
    self.heat = static_cast<float>(self.step + last + small);
}
)",
     {R"(models/life.cu:6:16: an integer of 64 bits becomes a narrower one here (what does not fit is cut off, and the ids of agents differ there) keep it in std::int64_t, an id of an agent in std::uint64_t, or write the static_cast that is meant
    int last = self.step;
               ^)",
      R"(models/life.cu:8:27: an integer of 64 bits becomes a narrower one here (what does not fit is cut off, and the ids of agents differ there) keep it in std::int64_t, an id of an agent in std::uint64_t, or write the static_cast that is meant
    std::uint16_t small = 2 * self.position.x;
                          ^)"}},
};

// Of which a checked run is told, on a CPU.
const Doubtful checked_models[] = {
    {"nothing",
     R"(        writes<&Cell::heat, &Cell::alive>) {
    const auto n = self.sum(moore, &Cell::alive);
    self.alive = (n == 3) | ((n == 2) & self.alive);
    self.heat = 0.1 * self.heat + static_cast<float>(n) / 3;
    const std::uint32_t hash = (1u + n) * 2654435761u ^ 0xffffffffu - 7u;
    const int third = 7 / 3 + to_int<int>(self.heat), half = static_cast<int>(0.5f * self.heat);
    self.heat += 1.0f / 3 + 4 / 2 + static_cast<float>(hash % 7 + third + half);
}
)",
     {}},
    {"float_that_is_cut",
     R"(        writes<&Cell::heat, &Cell::alive>) {
    self.alive = self.heat * 2;
    int n = 3;
    n *= 0.9f;
    self.heat = static_cast<float>(n);
}
)",
     {R"(models/life.cu:6:28: a floating-point number becomes an integer here (its decimals are lost) write to_int<...>() around it if that is meant
    self.alive = self.heat * 2;
                           ^)",
      R"(models/life.cu:8:7: a floating-point number becomes an integer here (its decimals are lost) write to_int<...>() around it if that is meant
    n *= 0.9f;
      ^)"}},
    {"third",
     R"(        writes<&Cell::heat>) {
    self.heat = 1 / 3 * self.heat;
    const float part = 2 / 3;
    self.heat += part;
}
)",
     {R"(models/life.cu:6:17: 1 / 3 is 0 here (whole numbers are divided without decimals) write 1.0f / 3
    self.heat = 1 / 3 * self.heat;
                ^)",
      R"(models/life.cu:7:24: 2 / 3 is 0 here (whole numbers are divided without decimals) write 2.0f / 3
    const float part = 2 / 3;
                       ^)"}},
    {"unsigned_difference",
     R"(        writes<&Cell::heat>) {
    const std::uint32_t few = self.sum(moore, &Cell::alive) > 3 ? 2u : 1u;
    const int less = few - 2;
    self.heat = static_cast<float>(less);
}
)",
     {R"(models/life.cu:7:26: an unsigned number becomes one with a sign here, and is large if the difference is below 0 (unsigned numbers have no sign) compute in int or std::int64_t, or write the cast that is meant
    const int less = few - 2;
                         ^)"}},
};
// Of which clang++ alone knows, which reads the text once more where g++ compiles it.
const Doubtful clangs_models[] = {
    {"negative_number_times_an_unsigned_one", // of which g++ says that -2 does not fit, and both is one mistake
     R"(        writes<&Cell::heat>) {
    const std::uint32_t few = self.sum(moore, &Cell::alive) > 3 ? 2u : 1u;
    self.heat = -2 * few;
}
)",
     {R"(models/life.cu:7:20: an unsigned number becomes a floating-point one here, and is large if the difference is below 0 (unsigned numbers have no sign) compute in int or std::int64_t, or write the cast that is meant
    self.heat = -2 * few;
                   ^)"}},
    {"perhaps_without_value",
     R"(        writes<&Cell::heat>) {
    float x;
    if (self.heat > 10) x = 3;
    self.heat = x;
}
)",
     {R"(models/life.cu:8:17: x is used before it has a value (its value is undefined until then) give it a value where it is declared
    self.heat = x;
                ^)"}},
    {"narrow_integer",
     R"(        writes<&Cell::alive>) {
    const int n = self.sum(moore, &Cell::alive) * 100;
    self.alive = n;
}
)",
     {R"(models/life.cu:7:18: an integer may not fit into its narrower type here (it is then cut off) use a wider type, or write the static_cast that is meant
    self.alive = n;
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
        const std::string checks = target.checked ? "#include <tessera/kernels/launch/mistakes.hpp>\n" : "";
        const Job job{&model, around.sdk, around.prelude + checks, around.epilogue, "kernels", target};
        EXPECT_FALSE(jit.compile(job).from_cache);
        EXPECT_TRUE(jit.compile(job).from_cache);
        const auto told = logged.warnings();
        expect_told_again(job, cache, told);
        return told;
    }
    // By another process that finds it in the cache: where it asks for that, or the run is checked.
    static void expect_told_again(const Job& job, Cache& cache, const std::vector<std::string>& told) {
        for (const bool asks : {false, true}) {
            const Logged logged;
            Compiler jit(cache);
            if (asks) jit.tell_again();
            EXPECT_TRUE(jit.compile(job).from_cache);
            EXPECT_EQ(logged.warnings(), asks || job.target.checked ? told : std::vector<std::string>{});
        }
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

class CheckedWarnings : public Warnings {
protected:
    std::vector<std::string> checked() const {
        Target target{Target::Kind::cpu, {}, false};
        target.checked = true;
        return warnings_on(target);
    }
};

TEST_P(CheckedWarnings, Gcc) {
    if (find_program("g++").empty()) GTEST_SKIP() << "g++ is not on $PATH";
    const Variable cxx("CXX", "g++");
    EXPECT_THAT(checked(), ElementsAreArray(GetParam().expected));
}

TEST_P(CheckedWarnings, Clang) {
    if (find_program("clang++").empty()) GTEST_SKIP() << "clang++ is not on $PATH";
    const Variable cxx("CXX", "clang++");
    EXPECT_THAT(checked(), ElementsAreArray(GetParam().expected));
}

class ClangsWarnings : public CheckedWarnings {};

TEST_P(ClangsWarnings, AreToldWhereItIsInstalled) {
    if (find_program("clang++").empty() || find_program("g++").empty()) GTEST_SKIP() << "g++ or clang++ is not on $PATH";
    for (const char* compiler : {"g++", "clang++"}) {
        const Variable cxx("CXX", compiler);
        EXPECT_THAT(checked(), ElementsAreArray(GetParam().expected)) << compiler;
    }
}

INSTANTIATE_TEST_SUITE_P(Doubtful, CheckedWarnings, ::testing::ValuesIn(checked_models),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Doubtful, ClangsWarnings, ::testing::ValuesIn(clangs_models),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Doubtful, Warnings, ::testing::ValuesIn(doubtful_models),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace tessera::jit::warnings_test
