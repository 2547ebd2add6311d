// Programs of fused steps are compiled a second way where a compiler refuses the first, and only then.
#include "device_runtime/error.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/prepare/prepare.hpp"
#include "host/views/blocks.hpp"
#include "host/views/fused_program.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::kernel_image_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

class KernelImage : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("g++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "g++ is not on $PATH";
    }
    void TearDown() override { ::unsetenv("CXX"); }

    // How often fused kernels of `life` are compiled by a compiler that ends like this, and what comes of it.
    std::ptrdiff_t compilations(const std::string& ending) {
        const auto compiler = scratch_.path() / "compiler";
        const auto count = scratch_.path() / "count";
        write_text(compiler, "#!/bin/sh\nif grep -q tessera_program_ main.cpp 2> /dev/null; then echo x >> '" + count.string() + "'; " +
                                 ending + "; fi\nexec g++ \"$@\"\n");
        fs::permissions(compiler, fs::perms::owner_all);
        ::setenv("CXX", compiler.c_str(), 1);
        jit::Cache cache(scratch_.path() / "cache");
        jit::Compiler jit(cache);
        const auto prepared = prepare({test_shipped("plugins/life/life.cu").string(), {}, {}}, jit);
        const auto programs = programs_for(prepared.setup, fusible_sequences(prepared.setup), blocks_view(2, 512, 64));
        EXPECT_THROW(static_cast<void>(compile_programs(prepared.setup, programs, target_for(prepared.setup, false, {}), jit)), Error);
        const auto text = text_of(count);
        return std::count(text.begin(), text.end(), 'x');
    }

private:
    TemporaryFolder scratch_;
};

TEST_F(KernelImage, ATextThatIsRefusedIsTriedASecondWay) {
    const auto line = test_shipped("plugins/life/life.cu").string() + ":8:5: error: no";
    EXPECT_EQ(compilations("echo '" + line + "' >&2; exit 1"), 2);
}

// The second way is for what an author may write; with it, it would only be slower.
TEST_F(KernelImage, ADefectOfOursIsNotHiddenByTheSecondWay) {
    EXPECT_EQ(compilations("echo 'tessera-generated:7:8: error: no' >&2; exit 1"), 1);
}

TEST_F(KernelImage, ACompilerThatIsStoppedIsNotStartedAgain) {
    EXPECT_EQ(compilations("echo 'cc1plus: out of memory allocating 65536 bytes' >&2; exit 1"), 1);
}

} // namespace
} // namespace tessera::kernel_image_test
