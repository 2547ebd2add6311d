#include "device_runtime/shared_library.hpp"
#include "jit/files.hpp"
#include "jit/host_compiler.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace tessera::jit::host_compiler_test {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Output = HostCompiler::Output;

TEST(HostCompilerSearch, WithoutOneEveryCandidateIsTold) {
    const TemporaryFolder folder;
    for (const auto& [name, script] :
         {std::pair("c++", "exit 1"), std::pair("g++", "echo '#define __GNUC__ 9'"), std::pair("clang++", "echo hello")})
        ::chmod(folder.write(name, std::string("#!/bin/sh\n") + script + "\n").c_str(), 0700);
    const Variable path("PATH", folder.path().c_str()), chosen("CXX", "icc -fast");
    const auto in = folder.path().string() + "/";
    EXPECT_EQ(message_of(Failure::compile, [] { static_cast<void>(HostCompiler::find()); }),
              "there is no C++ compiler (tried: icc -fast is not on $PATH; " + in + "c++ does not take -std=c++20; " + in +
                  "g++ is too old (9); " + in +
                  "clang++ is neither g++ nor clang++) install g++ 11 or clang 14 or later, or name one in $CXX");
}

TEST(HostCompilerSearch, CxxComesFirstAndMayHaveArguments) {
    if (find_program("g++").empty()) GTEST_SKIP() << "g++ is not on $PATH";
    const Variable chosen("CXX", "g++ -DX=1");
    const auto& compiler = HostCompiler::find();
    EXPECT_EQ(compiler.family(), HostCompiler::Family::gcc);
    EXPECT_EQ(compiler.command(), find_program("g++").string() + " -DX=1");
    EXPECT_THAT(compiler.identity(), HasSubstr("-DX=1"));
    EXPECT_FALSE(compiler.version().empty());
    EXPECT_EQ(&compiler, &HostCompiler::find());
}

TEST(HostCompilerSearch, AChosenOneThatIsNotUsedIsSaid) {
    const auto any = [] {
        const Variable none("CXX", nullptr);
        return HostCompiler::find().command();
    };
    const Variable chosen("CXX", "icc -fast");
    const Logged logged;
    const auto used = HostCompiler::find().command();
    static_cast<void>(HostCompiler::find());
    EXPECT_THAT(logged.warnings(), ElementsAre("$CXX is not used (icc -fast is not on $PATH); models are compiled by " + used));
    EXPECT_EQ(used, any());
    EXPECT_THAT(logged.warnings(), SizeIs(1));
}

class EachCompiler : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (find_program(GetParam()).empty()) GTEST_SKIP() << GetParam() << " is not on $PATH";
    }
    HostCompiler::Result compile(const std::string& text, Output output = Output::shared_library, bool fast = false) const {
        const Variable chosen("CXX", GetParam());
        const auto& compiler = HostCompiler::find();
        return compiler.compile(text, sdk, own, output, compiler.options(output, fast), folder_.path());
    }
    template<class Function> Function* load(const HostCompiler::Result& result, const char* name) const {
        static int count = 0;
        const auto file = folder_.path() / ("loaded" + std::to_string(count++) + ".so");
        write_file(file, result.image);
        return reinterpret_cast<Function*>(SharedLibrary(file).find(name));
    }
    TemporaryFolder folder_;
    std::vector<Header> sdk, own;
};

#define EXPORT "extern \"C\" __attribute__((visibility(\"default\"))) "

TEST_P(EachCompiler, MakesALibraryThatRuns) {
    const auto result = compile(EXPORT "int twice(int x) { return 2 * x; }");
    ASSERT_TRUE(result.ok) << result.log;
    EXPECT_EQ(load<int(int)>(result, "twice")(21), 42);
}

// Whoever names them: what is written stays in the folder that goes again.
TEST_P(EachCompiler, WritesHeadersIntoItsOwnFolderAlone) {
    const auto victim = folder_.write("victim", "mine");
    for (const auto& name : std::vector<std::string>{"../../victim", "a/../../../victim", victim.string(), "../main.cpp", "twice.hpp"}) {
        own = {{"twice.hpp", ""}, {name, "overwritten"}};
        EXPECT_THROW(static_cast<void>(compile("")), Error) << name;
        EXPECT_EQ(read_file(victim).size(), 4u) << name;
    }
    own = {{"parts/rules.hpp", "#define VALUE 3\n"}};
    EXPECT_TRUE(compile("#include \"parts/rules.hpp\"\nstatic_assert(VALUE == 3);").ok);
}

TEST_P(EachCompiler, LeavesNothingBehind) {
    ASSERT_TRUE(compile(EXPORT "int f() { return 1; }").ok);
    ASSERT_FALSE(compile("int f() { return x; }").ok);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_P(EachCompiler, CopyingNeedsNoLibraryOfTheModels) {
    const auto result = compile("struct Big { long values[4096]; };\n" EXPORT "void copy(Big* to, const Big* from) { *to = *from; }");
    ASSERT_TRUE(result.ok) << result.log;
    std::vector<long> from(4096, 7), to(4096);
    load<void(long*, const long*)>(result, "copy")(to.data(), from.data());
    EXPECT_EQ(to, from);
}

TEST_P(EachCompiler, WideDivisionIsThere) {
    sdk = {{"tessera/wide.hpp", "#pragma once\nusing wide = unsigned __int128;\n"}}; // the SDK may use what a compiler adds
    const auto result = compile("#include <tessera/wide.hpp>\n" EXPORT
                                "unsigned long f(unsigned long a, unsigned long b) { return (unsigned long)(((wide)a << 64) / b >> 64); }");
    ASSERT_TRUE(result.ok) << result.log;
    EXPECT_EQ(load<unsigned long(unsigned long, unsigned long)>(result, "f")(100, 7), 14u);
}

TEST_P(EachCompiler, ContractionIsOffUnlessAskedFor) {
    const std::string text = EXPORT "double f(double a, double b, double c) { return a * b + c; }";
    const double a = 1.0 + 0x1p-30, product = 1.0 + 0x1p-29; // a * a rounds to product: the rest is lost without fma
    const auto exact = compile(text), fast = compile(text, Output::shared_library, true);
    ASSERT_TRUE(exact.ok && fast.ok);
    EXPECT_EQ(load<double(double, double, double)>(exact, "f")(a, a, -product), 0.0);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no fma; that contraction is off passed";
    EXPECT_EQ(load<double(double, double, double)>(fast, "f")(a, a, -product), 0x1p-60);
#endif
}

TEST_P(EachCompiler, SeesNoHeaderButItsOwn) {
    const auto result = compile("#include <cstdint>\n");
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.log, HasSubstr("cstdint"));
    const Variable path("CPLUS_INCLUDE_PATH", "/usr/include"), also("CPATH", "/usr/include");
    EXPECT_FALSE(compile("#include <limits.h>\n").ok);
}

TEST_P(EachCompiler, FindsTheHeadersGiven) {
    sdk = {{"tessera/model.hpp", "#pragma once\nconstexpr int a = 1;\n"}};
    own = {{"own/x/b.hpp", "#include \"own/c.hpp\"\nconstexpr int b = c;\n"}, {"own/c.hpp", "#pragma once\nconstexpr int c = 2;\n"}};
    const auto result = compile("#include <tessera/model.hpp>\n#include \"own/x/b.hpp\"\n" EXPORT "int f() { return a + b; }");
    ASSERT_TRUE(result.ok) << result.log;
    EXPECT_EQ(load<int()>(result, "f")(), 3);
}

TEST_P(EachCompiler, StrictWithTheAuthorAndNotWithTheSdk) {
    const std::string extension = "inline int f(int n) { int values[n]; values[0] = n; return values[0]; }\n";
    EXPECT_FALSE(compile(extension).ok);
    own = {{"own/a.hpp", extension}};
    EXPECT_FALSE(compile("#include \"own/a.hpp\"\n").ok);
    sdk = {{"tessera/a.hpp", extension}};
    const auto result = compile("#include <tessera/a.hpp>\n");
    EXPECT_TRUE(result.ok) << result.log;
    EXPECT_EQ(result.log, "");
}

TEST_P(EachCompiler, WhatIsNeverDefinedIsFoundNow) {
    const auto result = compile("int nowhere(int);\n" EXPORT "int f() { return nowhere(1); }");
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.log, HasSubstr("nowhere(int)"));
}

// What each part defines is there once.
TEST_P(EachCompiler, PartsAreLinkedToOneLibrary) {
    const std::string text = "int twice(int x) { return 2 * x; }\n"
                             "#if TESSERA_PART == 0\n" EXPORT "int f() { return twice(4); }\n"
                             "#else\n" EXPORT "int g() { return twice(21); }\n#endif\n";
    const auto in_parts = [&](const std::string& all) {
        const Variable chosen("CXX", GetParam());
        const auto& compiler = HostCompiler::find();
        auto first = compiler.options(Output::object, false), second = compiler.moderate_options(Output::object, false);
        first.emplace_back("-DTESSERA_PART=0"), second.emplace_back("-DTESSERA_PART=1");
        return compiler.compile_parts(all, sdk, own, {first, second}, folder_.path());
    };
    const auto broken = in_parts(text + "#if TESSERA_PART == 1\nint h() { return x; }\n#endif\n"),
               undefined = in_parts(text + "int nowhere();\n" EXPORT "int i() { return nowhere(); }\n");
    EXPECT_FALSE(broken.ok || undefined.ok);
    EXPECT_THAT(undefined.log, HasSubstr("nowhere()"));
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    const auto result = in_parts(text);
    ASSERT_TRUE(result.ok) << result.log;
    EXPECT_EQ(result.log, "");
    EXPECT_EQ(load<int()>(result, "f")(), 8);
    EXPECT_EQ(load<int()>(result, "g")(), 42);
}

TEST_P(EachCompiler, ExceptionsAndTypeInformationAreOff) { EXPECT_FALSE(compile("void f() { throw 1; }").ok); }

INSTANTIATE_TEST_SUITE_P(Compilers, EachCompiler, ::testing::Values("g++", "clang++"),
                         [](const auto& each) { return std::string(each.param).substr(0, each.param[0] == 'g' ? 1 : 5); });

TEST(HostCompiler, AWorkFolderThatIsNotThereIsAnError) {
    const auto& compiler = HostCompiler::find();
    EXPECT_EQ(message_of(Failure::compile, [&] { static_cast<void>(compiler.compile("", {}, {}, Output::object, {}, "/no/such/folder")); }),
              "a model cannot be compiled in /no/such/folder (No such file or directory) make room there, or name another folder in "
              "$TESSERA_CACHE");
}

class Limited : public ::testing::Test {
protected:
    // 16 million tokens, all in memory at once.
    static std::string large() {
        std::string tokens = "1,";
        for (int i = 0; i < 24; ++i) tokens = "D(" + tokens + ")";
        return "#define D(...) __VA_ARGS__ __VA_ARGS__\nconstexpr char many[] = {" + tokens + "};\n";
    }

    std::string refusal(Failure kind, const std::string& text, const CompileLimits& limits) const {
        const auto& compiler = HostCompiler::find();
        const auto message = message_of(kind, [&] {
            static_cast<void>(
                compiler.compile(text, {}, {}, Output::object, compiler.options(Output::object, false), folder_.path(), limits));
        });
        EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
        return message;
    }
    TemporaryFolder folder_;
};

TEST_F(Limited, InTime) {
    EXPECT_EQ(refusal(Failure::compile, "int f() { return 1; }", {std::chrono::milliseconds(0)}),
              HostCompiler::find().command() + " was stopped (it had not ended after 0 minutes) make the model smaller");
}

TEST_F(Limited, InMemory) {
    const Variable chosen("CXX", find_program("g++").empty() ? nullptr : "g++");
    EXPECT_EQ(refusal(Failure::compile, large(), {std::chrono::minutes(5), std::uint64_t{1} << 28}),
              HostCompiler::find().command() +
                  " was stopped (it needed more than the 0.25 GiB of memory that it may have) make the model smaller");
}

TEST_F(Limited, ByCancelling) {
    const std::atomic<bool> cancel = true;
    EXPECT_EQ(refusal(Failure::interrupted, "int f() { return 1; }", {std::chrono::minutes(5), 0, &cancel}),
              "interrupted (a model was being compiled)");
}

TEST(HostCompiler, TheCpuHasAnIdentity) { EXPECT_GT(host_cpu_identity().size(), 20u); }

} // namespace
} // namespace tessera::jit::host_compiler_test
