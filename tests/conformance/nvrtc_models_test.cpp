// Every model that there is compiles for GPUs, also where there is none, as long as NVRTC is installed.
#include "device_runtime/error.hpp"
#include "host/execute/compile_kernels.hpp"
#include "host/execute/finished_code.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/execute/mistakes.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/generate/numbered.hpp"
#include "host/prepare/any_run.hpp"
#include "host/views/stream.hpp"
#include "host/views/word_march.hpp"
#include "jit/nvrtc.hpp"
#include "jit/sdk_headers.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <set>
#include <string_view>

namespace tessera::test::nvrtc_models_test {
namespace {

const std::array<std::string, 3> architectures{"sm_75", "sm_90", "sm_100"};

// The sources below a folder, each in one of its own, by their names.
std::vector<std::string> models_in(const std::filesystem::path& folder) {
    std::vector<std::string> models;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto source = entry.path() / (entry.path().filename().string() + ".cu");
        if (std::filesystem::exists(source)) models.push_back(source.string());
    }
    std::sort(models.begin(), models.end());
    return models;
}

bool compiles(const Prepared& prepared, const tessera::Setup& setup, const std::string& architecture) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, true));
    jit::Job job;
    job.model = &prepared.model->source;
    job.sdk = jit::sdk_headers();
    job.prelude = kernel_prelude(setup);
    job.epilogue = kernel_epilogue(setup, views);
    job.purpose = "kernels";
    job.target = {jit::Target::Kind::cuda, architecture, false};
    return !compiler().compile(job).bytes.empty();
}

class NvrtcModels : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        try {
            (void)jit::Nvrtc::find();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
    // Of several models each for one of the architectures by turns; in a thorough run all for all.
    static std::vector<std::string> by_turns(const std::vector<std::string>& models) {
        if (thorough()) return models;
        const auto turns = std::size(architectures);
        std::vector<std::string> chosen;
        for (std::size_t i = 0; i < models.size(); ++i)
            if (architectures[i % turns] == GetParam()) chosen.push_back(models[i]);
        return chosen;
    }
    // As it is bound, or of one of several devices, which share memory or do not.
    static tessera::Setup of_devices(const tessera::Setup& setup) {
        if (GetParam() == "sm_90") return setup;
        const auto cut = cut_at(setup, {1});
        return arranged(setup, GetParam() == "sm_100" ? in_own_memory(setup, cut, 1, 1) : cut);
    }
    static void compile(const std::vector<std::string>& models, const std::vector<std::string>& keys = {}) {
        ASSERT_FALSE(models.empty());
        for (const auto& model : models)
            for (const std::string view : {"direct", "window", "auto"}) { // a window is a direct view for functions that it does not fit
                auto overrides = keys;
                overrides.push_back("schedule.view=\"" + view + "\"");
                const auto prepared = prepare(for_any_devices({model, overrides, {}}), compiler());
                const auto setup = of_devices(prepared.setup);
                if (view == "auto" && chains_of(setup).empty()) continue; // it has the kernels of the others
                EXPECT_TRUE(compiles(prepared, setup, GetParam())) << model << ", view " << view;
            }
    }
};

// What is read along links is stored with all devices that read it.
TEST(NvrtcPrograms, AlongLinksOfSeveralDevicesCompile) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    for (const auto& [model, count] : {std::pair("sir_network", "person"), std::pair("social_net", "person")}) {
        const auto keys = std::vector<std::string>{fmt::format("places.{}.count=7000", count)};
        const auto prepared = prepare(for_any_devices({plugin(model), keys, {}}), compiler());
        const auto setup = arranged(prepared.setup, in_own_memory(prepared.setup, cut_at(prepared.setup, {2, 5}), 1, 1));
        EXPECT_NE(kernel_epilogue(setup, std::vector<ViewChoice>(setup.kernels.size(), numbered_view(setup.collections.front())))
                      .find("tessera_others = 2"),
                  std::string::npos);
        EXPECT_TRUE(compiles(prepared, setup, "sm_90")) << model;
    }
}

// Two steps of each model by a pipeline, a patch or a tile, by turns, in a thorough run by all that fit: for the whole grid, and for some
// of its rows, by turns too.
TEST(NvrtcPrograms, FusedStepsCompile) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    int compiled = 0;
    std::set<const FusedViewClass*> classes;
    const auto compile = [&](const auto& setup, const CallSequence& sequence, const FusedView& view) {
        EXPECT_FALSE(
            compile_programs(setup, {{sequence, view, "fused"}}, {jit::Target::Kind::cuda, "sm_90", false}, compiler()).bytes.empty())
            << setup.collections[sequence.collection].name << ", " << to_string(view);
        ++compiled;
        classes.insert(view.of);
    };
    int turn = 0;
    for (const auto& folder : {test_shipped("plugins"), test_data("models")})
        for (const auto& model : models_in(folder)) {
            const auto prepared = prepare(for_any_devices({model, {"schedule.view=\"direct\""}, {}}), compiler());
            const auto& setup = prepared.setup;
            const auto in_bands = arranged(setup, cut_at(setup, {1}));
            for (const auto& sequence : fusible_sequences(setup)) {
                std::vector<FusedView> fitting;
                for (const auto& view : {pipeline_view(2, 2, 16), patch_view(2, 1, 4), tile_view(2, 32, 8), tile_view(2, 32, 8, 4)}) {
                    if (view.of == &pipeline_class() && setup.collections[sequence.collection].columns.size() > 20)
                        continue; // takes half a minute
                    if (obstacle(setup, sequence, view).empty()) fitting.push_back(view);
                }
                if (!thorough() && !fitting.empty()) fitting = {fitting[static_cast<std::size_t>(turn++) % fitting.size()]};
                for (const auto& view : fitting) compile(compiled % 2 == 1 ? in_bands : setup, sequence, view);
            }
        }
    EXPECT_GE(compiled, 12);
    EXPECT_EQ(classes.size(), 3u);
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
    const auto lattice = prepare({test_model("lattice"), {"places.node.size=[70,40,30]"}, {}}, compiler());
    for (const auto& setup : {lattice.setup, arranged(lattice.setup, cut_at(lattice.setup, {7}))})
        compile(setup, call_sequences(setup, usual_phases(setup)).front(), stream_view(1, 2, 16, 8));
    const auto words = prepare({test_model("reversible"), {}, {}}, compiler());
    compile(arranged(words.setup, cut_at(words.setup, {1})), call_sequences(words.setup, usual_phases(words.setup)).front(),
            pipeline_view(3, 1, 8, 1, true));
    for (const auto& [size, view] :
         {std::pair("[64,64,16]", word_march_view(1, 2, 4)), std::pair("[384,9,5]", word_march_view(4, 1, 2, 8))})
        for (const std::string boundary : {"\"torus\"", "[\"reflect\",\"open\",\"fixed\"]"}) {
            const std::vector<std::string> keys{fmt::format("places.cell.size={}", size), "places.cell.boundary=" + boundary};
            const auto volume = prepare({test_model("reversible"), keys, {}}, compiler());
            compile(volume.setup, call_sequences(volume.setup, usual_phases(volume.setup)).front(), view);
        }
}

TEST_P(NvrtcModels, PluginsCompile) { compile(by_turns(models_in(test_shipped("plugins")))); }
TEST_P(NvrtcModels, TestModelsCompile) { compile(by_turns(models_in(test_data("models")))); }

// What a library brings for any run; of the models of tests too in a thorough run.
TEST_P(NvrtcModels, CodeForAnyRunCompiles) {
    auto models = models_in(test_shipped("plugins"));
    if (thorough())
        for (const auto& model : models_in(test_data("models"))) models.push_back(model);
    int compiled = 0;
    for (const auto& model : models) {
        const auto prepared = prepare(for_any_devices({model, {"output=[]"}, {}}), compiler(), Functions::all);
        tessera::Setup any;
        try {
            any = for_any_run(prepared);
        } catch (const Error&) { // it has agents, for example
            continue;
        }
        const auto turn = static_cast<std::size_t>(compiled++) % std::size(architectures);
        if (!thorough() && architectures[turn] != GetParam()) continue;
        for (const auto& part : any_run_parts(any, {jit::Target::Kind::cuda, GetParam(), false}, compiler()))
            EXPECT_FALSE(part.bytes.empty()) << model;
    }
    EXPECT_GE(compiled, 3);
}

// Agents of unlimited capacity, for whom there are other kernels.
class NvrtcLists : public NvrtcModels {};
TEST_P(NvrtcLists, OfAgentsCompile) {
    compile({test_model("families")}, {"agents.hare.capacity=\"unlimited\"", "agents.fox.capacity=\"unlimited\""});
    compile({test_model("auction")}, {"agents.bidder.capacity=\"unlimited\""});
}

// With the record that the host looks for, also where nothing is to be checked, as in Life.
TEST(NvrtcChecked, ImagesCompile) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    struct Checked {
        std::string model;
        std::vector<std::string> keys;
    };
    for (auto& [model, keys] : std::vector<Checked>{{test_model("mistakes"), {}},
                                                    {test_model("mistakes"), {"agents.walker.capacity=\"unlimited\"", "run.bake=false"}},
                                                    {test_model("many_types"), {}},
                                                    {plugin("life"), {}},
                                                    {plugin("boids"), {}},
                                                    {plugin("wolf_sheep"), {}}}) {
        RunRequest request{model, keys, {}};
        request.overrides.emplace_back("run.devices=\"cuda:0\"");
        request.check = true;
        const auto prepared = prepare(for_any_devices(request), compiler());
        const auto& setup = prepared.setup;
        std::vector<ViewChoice> views;
        for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, true));
        const auto image = compile_kernels(setup, views, target_for(setup, true, "sm_90"), compiler()).images.front();
        const std::string_view bytes(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
        EXPECT_NE(bytes.find(mistake_symbol), bytes.npos) << model;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcLists, ::testing::Values("sm_90"), [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcModels, ::testing::ValuesIn(architectures), [](const auto& tested) { return tested.param; });

} // namespace
} // namespace tessera::test::nvrtc_models_test
