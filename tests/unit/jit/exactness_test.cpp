// Compilers that compute something else than IEEE 754 says: by options of the user's, which are undone, and by wrappers, which are refused.
#include "jit/cache.hpp"
#include "jit/exactness.hpp"
#include "jit/files.hpp"
#include "jit/process.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <sys/stat.h>

namespace tessera::jit::exactness_test {
namespace {

using namespace testing;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Change {
    std::string options, refused; // and what is said of a wrapper that adds them
};

const std::vector<Change>& changes_of(const std::string& compiler) {
    static const std::vector<Change> gcc = {
        {"-ffast-math", "does not "},
        {"-Ofast", ""}, // an option that is said outdoes it,
        {"-fassociative-math -fno-signed-zeros", "does not keep to the order of additions"},
        {"-freciprocal-math", "does not divide floats as IEEE 754 says"},
        {"-ffinite-math-only", "takes it that there is no NaN and no infinity"},
        {"-fno-signed-zeros", "does not keep the sign of a zero"},
        {"-fsingle-precision-constant", "takes constants that are doubles for floats"},
        {"-funsigned-char", "lays out types in another way than this program"},
        {"-fshort-enums", "lays out types in another way than this program"},
        {"-fpack-struct", "lays out types in another way than this program"},
        {"-fsanitize=address", "makes no library of a small program: "},
#if defined(__x86_64__)
        {"-m32", "makes "},
        {"-mfpmath=387 -O1", "computes floats with more digits than they have"},
#endif
    };
    static const std::vector<Change> clang = {
        {"-ffast-math", "does not "},
        {"-funsafe-math-optimizations", "does not "},
        {"-freciprocal-math", "does not divide "},
        {"-ffinite-math-only", "takes it that there is no NaN and no infinity"},
        {"-fno-signed-zeros", "does not keep the sign of a zero"},
        {"-fshort-enums", "lays out types in another way than this program"},
    };
    return compiler == "g++" ? gcc : clang;
}

// g++ 11 to 13 get loops wrong of which models' options have it make no vectors (docs/decisions/vectors-by-gcc.md).
bool mixes_up_values(const std::string& compiler) {
    const auto outcome = run({{find_program(compiler).string(), "-dumpversion"}, {}, {}, std::chrono::seconds(20)});
    const int version = std::atoi(outcome.text.c_str());
    return compiler == "g++" && version >= 11 && version <= 13;
}

class Exactness : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (find_program(GetParam()).empty()) GTEST_SKIP() << GetParam() << " is not on $PATH";
    }
    // A program that calls the compiler with more options behind all others, and writes a line into `calls`.
    [[nodiscard]] std::string wrapper(const std::string& options) const {
        const auto path = folder_.write("wrapper" + std::to_string(number_++), "#!/bin/sh\necho call >> " + calls().string() + "\nexec " +
                                                                                   GetParam() + " \"$@\" " + options + "\n");
        ::chmod(path.c_str(), 0700);
        return path.string();
    }
    [[nodiscard]] std::filesystem::path calls() const { return folder_.path() / "calls"; }
    [[nodiscard]] std::size_t count_calls() const {
        const auto text = read_file(calls());
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), std::byte{'\n'}));
    }
    TemporaryFolder folder_;

private:
    mutable int number_ = 0;
};

TEST_P(Exactness, OptionsOfTheUsersAreUndone) {
    for (const auto& change : changes_of(GetParam())) {
        const auto command = std::string(GetParam()) + " " + change.options;
        const Variable chosen("CXX", command.c_str());
        const Logged logged;
        EXPECT_THAT(HostCompiler::find().command(), HasSubstr(change.options));
        EXPECT_THAT(logged.warnings(), IsEmpty());
    }
    const auto linked_late = std::string(GetParam()) + " -flto"; // whose object files hold no code
    const Variable chosen("CXX", linked_late.c_str());
    const auto& compiler = HostCompiler::find();
    const auto output = HostCompiler::Output::object;
    const auto made = compiler.compile("extern const char text[] = \"the text itself\";", {}, {}, output, compiler.options(output, false),
                                       folder_.path());
    ASSERT_TRUE(made.ok) << made.log;
    EXPECT_THAT(std::string(reinterpret_cast<const char*>(made.image.data()), made.image.size()), HasSubstr("the text itself"));
}

TEST_P(Exactness, AWrapperThatChangesResultsIsRefused) {
    for (const auto& change : changes_of(GetParam())) {
        const auto program = wrapper(change.options);
        const Variable chosen("CXX", program.c_str());
        const Logged logged;
        const auto used = HostCompiler::find().command();
        if (change.refused.empty()) {
            EXPECT_EQ(used, program) << change.options;
            continue;
        }
        EXPECT_NE(used, program) << change.options;
        EXPECT_THAT(logged.warnings(), ElementsAre(StartsWith("$CXX is not used (" + program + " " + change.refused))) << change.options;
    }
}

TEST_P(Exactness, AWrapperThatMakesVectorsOfLoopsOfRunningValuesIsRefused) {
    if (!mixes_up_values(GetParam())) GTEST_SKIP() << GetParam() << " gets such loops right";
    for (const std::string bits : {"128", "256", "512"}) {
        for (const std::string options : {"", " -ftree-vectorize"}) {
            const auto program = wrapper("-mprefer-vector-width=" + bits + options);
            const Variable chosen("CXX", program.c_str());
            const Logged logged;
            const bool is_used = HostCompiler::find().command() == program;
            EXPECT_EQ(is_used, options.empty()) << bits << options;
            if (is_used) continue;
            EXPECT_THAT(logged.warnings(), ElementsAre(StartsWith("$CXX is not used (" + program +
                                                                  " mixes up values that a loop counts up beside each other")));
        }
    }
}

// What mixes up arrays is kept from it where a text has some.
TEST_P(Exactness, WhatIsAddedForArraysKeepsThemApart) {
    const Variable chosen("CXX", GetParam());
    const auto& compiler = HostCompiler::find();
    EXPECT_EQ(why_not_exact(compiler, nullptr, compiler.options_for_arrays()), "");
    EXPECT_EQ(why_not_exact(compiler, nullptr).empty(), compiler.options_for_arrays().empty());
}

TEST_P(Exactness, OneThatChangesNothingIsUsedAndAskedOnce) {
    const auto program = wrapper("");
    const Variable chosen("CXX", program.c_str());
    const Logged logged;
    const auto& compiler = HostCompiler::find();
    EXPECT_EQ(compiler.command(), program);
    EXPECT_THAT(logged.warnings(), IsEmpty());
    Cache cache(folder_.path() / "cache", 1u << 24);
    const auto why = why_not_exact(compiler, &cache);
    EXPECT_THAT(why, AnyOf("", mixes_up_arrays)); // of g++ on processors with AVX-512
    const auto calls = count_calls();
    EXPECT_EQ(why_not_exact(compiler, &cache), why);
    EXPECT_EQ(count_calls(), calls); // it was in the cache
}

INSTANTIATE_TEST_SUITE_P(Compilers, Exactness, ::testing::Values("g++", "clang++"),
                         [](const auto& each) { return std::string(each.param).substr(0, each.param[0] == 'g' ? 1 : 5); });

} // namespace
} // namespace tessera::jit::exactness_test
