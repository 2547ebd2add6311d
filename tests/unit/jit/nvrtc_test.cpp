#include "jit/nvrtc.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace tessera::jit::nvrtc_test {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(NvrtcSearch, WithoutItEveryFileTriedIsTold) {
    const TemporaryFolder folder;
    const auto message_with = [](const std::string& place) {
        const Variable chosen("TESSERA_NVRTC", place.c_str());
        return message_of(Failure::compile, [] { static_cast<void>(Nvrtc::find()); });
    };
    EXPECT_EQ(message_with(folder.path()), "there is no NVRTC, which compiles models for a GPU (tried: " + folder.path().string() +
                                               ": no libnvrtc.so there) correct or unset $TESSERA_NVRTC");
    const auto none = (folder.path() / "none.so").string();
    EXPECT_EQ(message_with(none),
              "there is no NVRTC, which compiles models for a GPU (tried: " + none + ": not there) correct or unset $TESSERA_NVRTC");

    const auto older = folder.write("lib/libnvrtc.so.12", std::string(1000, 'x')), newer = folder.write("lib/libnvrtc.so.13.0", "");
    folder.write("lib/libnvrtc.alt.so.13", "");
    const auto message = message_with(folder.path() / "lib");
    EXPECT_THAT(message, HasSubstr("(tried: " + newer.string() + ": "));
    EXPECT_THAT(message, HasSubstr("; " + older.string() + ": "));
    EXPECT_THAT(message, HasSubstr("file too short")); // the loader's own words
    EXPECT_THAT(message, HasSubstr("invalid ELF header"));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("alt")));
}

TEST(NvrtcSearch, AnotherLibraryIsNone) {
    const Variable chosen("TESSERA_NVRTC", "/proc/self/exe");
    EXPECT_THAT(message_of(Failure::compile, [] { static_cast<void>(Nvrtc::find()); }), HasSubstr("/proc/self/exe: "));
}

TEST(NvrtcSearch, OptionsThatChangeResultsAreRefused) {
    for (const char* name : {"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"})
        for (const char* option :
             {"--use_fast_math", "-use_fast_math", "-ftz=true", "--fmad=true", "--prec-div=false", "-prec-sqrt=false"}) {
            const Variable flags(name, (std::string("-DX=1 ") + option).c_str());
            EXPECT_EQ(message_of(Failure::compile, [] { static_cast<void>(Nvrtc::find()); }),
                      std::string("NVRTC would compute other results: $") + name + " has " + option +
                          " (a run has the same bits on all devices) take that option out");
        }
}

class NvrtcTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string why;
        nvrtc_ = nvrtc_or_nothing(why);
        if (nvrtc_ == nullptr) GTEST_SKIP() << why;
    }
    Nvrtc::Result compile(const std::string& text, const std::vector<Header>& headers = {}, const std::string& architecture = {}) const {
        const auto output = nvrtc_->output_for(architecture.empty() ? newest() : architecture);
        return nvrtc_->compile(text, headers, output, nvrtc_->options(output, false));
    }
    std::string newest() const { return "sm_" + std::to_string(nvrtc_->architectures().back()); }
    const Nvrtc* nvrtc_ = nullptr;
};

constexpr const char* kernel = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] *= 2.0f; }\n";

TEST_F(NvrtcTest, MakesACubinForEveryArchitectureItKnows) {
    EXPECT_GE(nvrtc_->major(), 12);
    ASSERT_FALSE(nvrtc_->architectures().empty());
    for (const int architecture : nvrtc_->architectures()) {
        const auto result = compile(kernel, {}, "sm_" + std::to_string(architecture));
        ASSERT_TRUE(result.ok) << result.log;
        ASSERT_GT(result.image.size(), 64u);
        EXPECT_EQ(std::memcmp(result.image.data(),
                              "\x7F"
                              "ELF",
                              4),
                  0);
    }
}

TEST_F(NvrtcTest, MakesPtxForANewerGpuAndRefusesAnOlderOne) {
    const int last = nvrtc_->architectures().back(), first = nvrtc_->architectures().front();
    const auto ahead = nvrtc_->output_for("sm_" + std::to_string(last + 50));
    EXPECT_TRUE(ahead.ptx);
    EXPECT_EQ(ahead.architecture, "compute_" + std::to_string(last));
    const auto result = compile(kernel, {}, "sm_" + std::to_string(last + 50));
    ASSERT_TRUE(result.ok) << result.log;
    const std::string ptx(reinterpret_cast<const char*>(result.image.data()), result.image.size() - 1);
    EXPECT_EQ(result.image.back(), std::byte{0});
    EXPECT_THAT(ptx, HasSubstr(".target sm_" + std::to_string(last)));
    EXPECT_THAT(ptx, HasSubstr(".entry k("));

    const auto description = nvrtc_->output_for("sm_" + std::to_string(last + 50), true);
    EXPECT_FALSE(description.ptx);
    EXPECT_EQ(description.architecture, "sm_" + std::to_string(last));

    EXPECT_THAT(message_of(Failure::compile, [&] { static_cast<void>(nvrtc_->output_for("sm_" + std::to_string(first - 1))); }),
                HasSubstr("cannot compile for sm_" + std::to_string(first - 1) + " (it knows sm_" + std::to_string(first)));
    EXPECT_THAT(message_of(Failure::compile, [&] { static_cast<void>(nvrtc_->output_for("volta")); }),
                HasSubstr("\"volta\" is not a GPU architecture"));
}

TEST_F(NvrtcTest, FindsHeadersInMemoryOnce) {
    const std::vector<Header> headers = {{"own/a.hpp", "#pragma once\n#include \"own/b.hpp\"\ninline int a() { return b; }\n"},
                                         {"own/b.hpp", "#pragma once\nconstexpr int b = 3;\n"}};
    const auto result = compile(
        "#include <own/a.hpp>\n#include \"own/a.hpp\"\n#include \"own/b.hpp\"\nextern \"C\" __global__ void k(int* x) { *x = a(); }\n",
        headers);
    EXPECT_TRUE(result.ok) << result.log;
}

TEST_F(NvrtcTest, AnErrorIsAResult) {
    const auto result = compile("#line 7 \"a model.cu\"\nint f() { return wrong; }\n");
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.log, HasSubstr("a model.cu(7): error"));
}

TEST_F(NvrtcTest, OptionsThatItDoesNotKnowAreToldWithItsWords) {
    const auto output = nvrtc_->output_for(newest());
    EXPECT_THAT(message_of(Failure::internal, [&] { static_cast<void>(nvrtc_->compile(kernel, {}, output, {"--no-such-option"})); }),
                HasSubstr("--no-such-option"));
}

TEST_F(NvrtcTest, ACompilationCanBeCancelled) {
    if (nvrtc_->major() < 13) GTEST_SKIP() << "NVRTC " << nvrtc_->major() << " cannot";
    const auto output = nvrtc_->output_for(newest());
    std::atomic<bool> cancel = true;
    CompileLimits limits;
    limits.cancel = &cancel;
    EXPECT_THAT(message_of(Failure::interrupted,
                           [&] { static_cast<void>(nvrtc_->compile(kernel, {}, output, nvrtc_->options(output, false), limits)); }),
                HasSubstr("cancelled"));
    cancel = false;
    EXPECT_TRUE(nvrtc_->compile(kernel, {}, output, nvrtc_->options(output, false), limits).ok) << "others are not";
}

TEST_F(NvrtcTest, ACompilationThatTakesLongerThanItMayIsStopped) {
    if (nvrtc_->major() < 13) GTEST_SKIP() << "NVRTC " << nvrtc_->major() << " cannot";
    const auto output = nvrtc_->output_for(newest());
    CompileLimits limits;
    limits.time = std::chrono::milliseconds(0);
    const std::atomic<bool> cancel = false; // nobody asked for it
    limits.cancel = &cancel;
    EXPECT_EQ(message_of(Failure::compile,
                         [&] { static_cast<void>(nvrtc_->compile(kernel, {}, output, nvrtc_->options(output, false), limits)); }),
              "NVRTC " + std::to_string(nvrtc_->major()) + "." + std::to_string(nvrtc_->minor()) +
                  " was stopped (it had not ended after 0 minutes) make the model smaller");
    limits.cancel = nullptr;
    EXPECT_THAT(message_of(Failure::compile,
                           [&] { static_cast<void>(nvrtc_->compile(kernel, {}, output, nvrtc_->options(output, false), limits)); }),
                HasSubstr("was stopped"));
}

TEST_F(NvrtcTest, TemplatesWithoutEndAreAnErrorWhoeverIsPatient) {
    EXPECT_FALSE(compile("template<int N> struct A { static constexpr int n = A<N + 1>::n; };\nconstexpr int x = A<0>::n;\n").ok);
}

TEST_F(NvrtcTest, ThreadsWaitForEachOther) {
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            const auto result = compile("extern \"C\" __global__ void k(int* x) { *x = " + std::to_string(i) + "; }");
            if (result.ok) ++good;
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(good, 4);
}

TEST_F(NvrtcTest, FlagsOfTheEnvironmentAreOfItsIdentity) {
    const auto before = nvrtc_->identity();
    const Variable flags("NVRTC_APPEND_FLAGS", "-DX=1");
    EXPECT_NE(Nvrtc::find().identity(), before);
}

} // namespace
} // namespace tessera::jit::nvrtc_test
