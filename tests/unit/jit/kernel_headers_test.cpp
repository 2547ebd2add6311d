// All of the engine's kernels in one translation unit: no name is defined twice, whichever of them a run puts together.
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "jit/sdk_headers.hpp"
#include "tests/test_data.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

namespace tessera::jit::kernel_headers_test {
namespace {

using namespace testing;

constexpr const char* prelude = "#define TESSERA_KERNELS 1\n#include <tessera/model.hpp>\n#include <tessera/detail/prelude.hpp>\n";

// The handlers of a checked run are for a checked compilation on a CPU alone.
std::string all_kernels(const Target& target) {
    std::string text;
    int headers = 0;
    for (const auto& header : sdk_headers()) {
        if (!header.name.starts_with("tessera/kernels/")) continue;
        if (header.name.ends_with("/mistakes.hpp") && (!target.checked || target.kind != Target::Kind::cpu)) continue;
        text += "#include <" + header.name + ">\n";
        ++headers;
    }
    EXPECT_GT(headers, 40);
    return text;
}

class KernelHeaders : public ::testing::Test {
protected:
    void compile(const Target& target) {
        const auto model = model_of("");
        EXPECT_NO_THROW((void)Compiler(cache_).compile({&model, sdk_headers(), prelude, all_kernels(target), "kernels", target}));
    }

private:
    TemporaryFolder folder_;
    Cache cache_{folder_.path() / "cache"};
};

class KernelHeadersOfCpus : public KernelHeaders, public ::testing::WithParamInterface<const char*> {};

TEST_P(KernelHeadersOfCpus, FitTogether) {
    if (find_program(GetParam()).empty()) GTEST_SKIP() << GetParam() << " is not on $PATH";
    const Variable cxx("CXX", GetParam());
    Target checked;
    checked.checked = true;
    compile({});
    compile(checked);
}

INSTANTIATE_TEST_SUITE_P(Compilers, KernelHeadersOfCpus, ::testing::Values("g++", "clang++"),
                         [](const auto& tested) { return std::string(tested.param).substr(0, std::string(tested.param).find('+')); });

TEST_F(KernelHeaders, OfGpusFitTogether) {
    std::string why;
    if (nvrtc_or_nothing(why) == nullptr) GTEST_SKIP() << why;
    compile({Target::Kind::cuda, "sm_90"});
}

} // namespace
} // namespace tessera::jit::kernel_headers_test
