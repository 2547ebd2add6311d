// What the manifest says of a run.
#include "host/outputs/manifest.hpp"
#include "host/run/prepare.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Manifest, AFusedViewThatMadeNoStepsIsNotReported) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto prepared = prepare({test_shipped("plugins/heat2d/heat2d.cu").string(), {}, {}}, compiler);
    const testing::TemporaryFolder folder;
    const auto manifest_with = [&](std::uint64_t fused_steps) {
        RunReport report;
        report.fused = {fused_steps, "a view of several steps", "what was found"};
        write_manifest(claim_result_folder(folder.path() / "results", true), prepared.setup, report);
        return testing::text_of(folder.path() / "results" / "manifest.json");
    };
    EXPECT_THAT(manifest_with(8), ::testing::HasSubstr("\"fused_view\": \"a view of several steps\""));
    EXPECT_THAT(manifest_with(0), ::testing::Not(::testing::HasSubstr("fused_view")));
}

} // namespace
} // namespace tessera
