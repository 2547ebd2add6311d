// Every model that there is compiles for GPUs, also where there is none, as long as NVRTC is installed.
#include "device_runtime/error.hpp"
#include "host/execute/kernel_image.hpp"
#include "jit/nvrtc.hpp"
#include "jit/sdk_headers.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

namespace tessera::test {
namespace {

// The sources below a folder, each in one of its own.
std::vector<std::string> models_in(const std::filesystem::path& folder) {
    std::vector<std::string> models;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto source = entry.path() / (entry.path().filename().string() + ".cu");
        if (std::filesystem::exists(source)) models.push_back(source.string());
    }
    return models;
}

class NvrtcModels : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        try {
            (void)jit::Nvrtc::find();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
    static void compile(const std::vector<std::string>& models) {
        ASSERT_FALSE(models.empty());
        for (const auto& model : models)
            for (const std::string view : {"direct", "window"}) { // which is a direct one for functions that it does not fit
                auto prepared = prepare({model, {"schedule.view=\"" + view + "\""}, {}}, compiler());
                auto& setup = prepared.setup;
                setup.in_bands = GetParam() != "sm_90"; // as one of several devices, which share memory or do not
                setup.own_memory = GetParam() == "sm_100";
                std::vector<ViewChoice> views;
                for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, true));
                jit::Job job;
                job.model = &prepared.model->source;
                job.sdk = jit::sdk_headers();
                job.prelude = kernel_prelude(setup);
                job.epilogue = kernel_epilogue(setup, views);
                job.purpose = "kernels";
                job.target = {jit::Target::Kind::cuda, GetParam(), false};
                EXPECT_FALSE(compiler().compile(job).bytes.empty()) << model << ", view " << view;
            }
    }
};

// A pipeline and a tile of two steps of each model, where they fit: for the whole grid, and for some of its rows, by turns.
TEST(NvrtcPrograms, FusedStepsCompile) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    int compiled = 0;
    const auto compile = [&](const auto& setup, const CallSequence& sequence, const FusedView& view) {
        EXPECT_FALSE(
            compile_programs(setup, {{sequence, view, "fused"}}, {jit::Target::Kind::cuda, "sm_90", false}, compiler()).bytes.empty())
            << setup.collections[sequence.collection].name << ", " << to_string(view);
        ++compiled;
    };
    for (const auto& folder : {test_shipped("plugins"), test_data("models")})
        for (const auto& model : models_in(folder)) {
            auto prepared = prepare({model, {"schedule.view=\"direct\""}, {}}, compiler());
            auto& setup = prepared.setup;
            for (const auto& sequence : call_sequences(setup, usual_phases(setup)))
                for (const auto& view : {pipeline_view(2, 2, 16), patch_view(2, 1, 4), tile_view(2, 32, 8), tile_view(2, 32, 8, 4)}) {
                    if (!obstacle(setup, sequence, view).empty()) continue;
                    if (view.of == &pipeline_class() && setup.collections[sequence.collection].columns.size() > 20)
                        continue; // takes half a minute
                    setup.in_bands = compiled % 2 == 1;
                    compile(setup, sequence, view);
                }
        }
    EXPECT_GE(compiled, 20);
    if (jit::Nvrtc::find().major() >= 13) {
        const auto cancelled = prepare({test_shipped("plugins/heat2d/heat2d.cu"), {"params.r=0.17"}, {}}, compiler());
        const auto sequence = call_sequences(cancelled.setup, usual_phases(cancelled.setup)).front();
        const std::atomic<bool> cancel = true;
        const auto view = patch_view(2, 2, 16);
        try {
            (void)compile_programs(cancelled.setup, {{sequence, view, "cancelled"}}, {jit::Target::Kind::cuda, "sm_90", false}, compiler(),
                                   &cancel);
            ADD_FAILURE() << "it was not cancelled";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::interrupted) << error.what();
        }
    }
    auto words = prepare({test_model("reversible"), {}, {}}, compiler());
    words.setup.in_bands = true;
    compile(words.setup, call_sequences(words.setup, usual_phases(words.setup)).front(), pipeline_view(3, 1, 8, 1, true));
}

TEST_P(NvrtcModels, PluginsCompile) { compile(models_in(test_shipped("plugins"))); }
TEST_P(NvrtcModels, TestModelsCompile) { compile(models_in(test_data("models"))); }

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcModels, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& tested) { return tested.param; });

} // namespace
} // namespace tessera::test
