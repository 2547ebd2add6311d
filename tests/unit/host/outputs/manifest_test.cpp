// What the manifest says of a run.
#include "host/outputs/manifest.hpp"
#include "host/prepare/prepare.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/stripes.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera::manifest_test {
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

TEST(Manifest, EachOfSeveralDevicesHasItsRowsAndItsTime) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto prepared = prepare({test_shipped("plugins/heat2d/heat2d.cu").string(), {"places.plate.size=[8,10]"}, {}}, compiler);
    const auto setup = test::over_cpus(prepared.setup, 2);
    RunReport report;
    report.devices.resize(2);
    report.device_timings = {{4, 8e-6, 0}, {4, 2e-6, 6e-6}};
    const testing::TemporaryFolder folder;
    write_manifest(claim_result_folder(folder.path() / "results", true), setup, report);
    const auto devices = nlohmann::json::parse(testing::text_of(folder.path() / "results" / "manifest.json"))["devices"];
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[1]["rows"]["plate"], nlohmann::json({5, 10}));
    EXPECT_DOUBLE_EQ(devices[0]["working_microseconds"], 2);
    EXPECT_DOUBLE_EQ(devices[0]["waiting_microseconds"], 0);
    EXPECT_DOUBLE_EQ(devices[1]["working_microseconds"], 0.5);
    EXPECT_DOUBLE_EQ(devices[1]["waiting_microseconds"], 1.5);
}

// A ring of five that goes round once and a half: 15 links for 10 pairs.
TEST(Manifest, SaysHowManyLinksOfARuleAreLeftOut) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const testing::TemporaryFolder folder;
    const auto manifest_of = [&](int degree) {
        const auto rule = "links.contact.generate={rule=\"ring\",degree=" + std::to_string(degree) + "}";
        const auto prepared =
            prepare({test_shipped("plugins/sir_network/sir_network.cu").string(), {"places.person.count=5", rule}, {}}, compiler);
        write_manifest(claim_result_folder(folder.path() / "results", true), prepared.setup, {});
        return nlohmann::json::parse(testing::text_of(folder.path() / "results" / "manifest.json"));
    };
    EXPECT_EQ(manifest_of(6)["links_left_out"], nlohmann::json({{"contact", 5}}));
    EXPECT_FALSE(manifest_of(4).contains("links_left_out"));
}

} // namespace
} // namespace tessera::manifest_test
