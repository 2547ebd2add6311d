// The lists of kernels written by hand: how they are read, found and applied; and that what they list compiles.
#include "device_runtime/error.hpp"
#include "host/bench/copy_bandwidth.hpp"
#include "host/bench/reference.hpp"
#include "host/bench/reference_kernel.hpp"
#include "host/plugins/registry.hpp"
#include "jit/nvrtc.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tessera::bench {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using ::testing::HasSubstr;

constexpr const char* models[] = {"life", "heat2d", "wave2d"};

Reference shipped(const std::string& model) { return read_reference(installed_folder("reference") / model / "reference.toml"); }

Prepared prepared(const std::string& model, std::vector<std::string> overrides = {}) {
    overrides.emplace_back("output=[]");
    return prepare({test::plugin(model), std::move(overrides), {}}, test::compiler());
}

std::string refusal(const std::string& text) {
    const TemporaryFolder folder;
    const auto file = folder.write("reference.toml", text);
    try {
        (void)read_reference(file);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::input);
        return error.what();
    }
    return "accepted";
}

TEST(Reference, IsReadWhole) {
    const TemporaryFolder folder;
    const auto file = folder.write("reference.toml", R"(collection = "plate"
members = ["now", "before"]
boundary = "open"
parameters = ["r", "k"]
where = { heat_time = 0 }
[[cuda]]
file = "a.cu"
block = [32, 4]
covers = [128, 16]
[[cuda]]
file = "c.cu"
steps = 8
block = [32, 1]
blocks = 264
[[cpu]]
file = "b.cpp"
steps = 50
)");
    const auto reference = read_reference(file);
    EXPECT_EQ(*reference.collection, "plate");
    ASSERT_EQ(reference.members.size(), 2u);
    EXPECT_EQ(*reference.members[1], "before");
    EXPECT_EQ(reference.boundary, run_file::Boundary::open);
    ASSERT_EQ(reference.parameters.size(), 2u);
    ASSERT_EQ(reference.where.size(), 1u);
    EXPECT_EQ(*reference.where[0].name, "heat_time");
    ASSERT_EQ(reference.cuda.size(), 2u);
    EXPECT_EQ(reference.cuda[0].file, file.parent_path() / "a.cu");
    EXPECT_EQ(reference.cuda[0].block[0], 32u);
    EXPECT_EQ(reference.cuda[0].covers[1], 16);
    EXPECT_EQ(reference.cuda[0].steps, 1u);
    EXPECT_EQ(reference.cuda[0].blocks, 0u);
    EXPECT_EQ(reference.cuda[1].steps, 8u);
    EXPECT_EQ(reference.cuda[1].blocks, 264u);
    ASSERT_EQ(reference.cpu.size(), 1u);
    EXPECT_EQ(reference.cpu[0].steps, 50u);
}

TEST(Reference, AMistakeIsToldWithItsPlace) {
    EXPECT_THAT(refusal("members = [\"heat\"]\n"), HasSubstr("no `collection`"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = []\n"),
                HasSubstr("reference.toml:2:11: `members` is an empty array (expected an array of one or two members)"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = [\"heat\"]\nbondary = \"torus\"\n"), HasSubstr("did you mean `boundary`?"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = [\"heat\"]\n[[cuda]]\nfile = \"a.cu\"\nblock = [32]\ncovers = [1, 1]\n"),
                HasSubstr("two integers, for x and y"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = [\"heat\"]\n[[cpu]]\nfile = \"a.cpp\"\nblock = [32, 1]\n"),
                HasSubstr("unknown key `block`"));
    const auto of_cuda = [](const std::string& keys) {
        return refusal("collection = \"plate\"\nmembers = [\"heat\"]\n[[cuda]]\nfile = \"a.cu\"\nblock = [32, 1]\n" + keys);
    };
    EXPECT_THAT(of_cuda("covers = [1, 1]\nsteps = 0\n"),
                HasSubstr("reference.toml:7:9: `cuda.0.steps` is the integer 0 (expected an integer from 1 to 50)"));
    EXPECT_THAT(of_cuda("covers = [1, 1]\nsteps = 51\n"), HasSubstr("is the integer 51 (expected an integer from 1 to 50)"));
    EXPECT_THAT(of_cuda("covers = [1, 1]\nsteps = \"8\"\n"), HasSubstr("(expected an integer from 1 to 50)"));
    EXPECT_THAT(
        of_cuda("covers = [1, 1]\nblocks = 7\n"),
        HasSubstr("reference.toml:7:10: `cuda.0.blocks` stands beside `covers` (both say how many blocks there are) leave one out"));
    EXPECT_THAT(of_cuda("blocks = 0\n"), HasSubstr("`cuda.0.blocks` is the integer 0 (expected an integer from 1 to 1048576)"));
    EXPECT_THAT(of_cuda(""), HasSubstr("no `covers`"));
}

TEST(Reference, SaysWhatItIsFor) {
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d").setup), "");
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d", {"params.r=0.125"}).setup), "") << "a parameter that is handed over";
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d", {"params.heat_time=3"}).setup), "it is for heat_time = 0");
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d", {"places.plate.boundary=\"reflect\""}).setup), "it is for the boundary torus");
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d", {"places.plate.boundary=[\"torus\",\"open\"]"}).setup),
              "it is for the boundary torus");
    EXPECT_EQ(obstacle(shipped("heat2d"), prepared("heat2d", {"run.float=fast"}).setup), "it is for float = \"exact\"");
    EXPECT_EQ(obstacle(shipped("wave2d"), prepared("wave2d", {"places.wave.boundary=\"open\""}).setup), "");
    EXPECT_EQ(obstacle(shipped("wave2d"), prepared("heat2d").setup), "there is no collection `wave`");
    EXPECT_EQ(obstacle(shipped("life"), prepared("life", {"places.cell.size=[4,4,4]"}).setup), "cell is not a grid of two dimensions");
}

TEST(Reference, IsFoundForModelsThatCameWithTheProgram) {
    const auto of = [](const fs::path& path) { return find_reference(model::load_model(path, test::compiler(), model::any_target()), {}); };
    for (const char* model : models)
        EXPECT_EQ(of(installed_folder("plugins") / model / (std::string(model) + ".cu")),
                  installed_folder("reference") / model / "reference.toml");
    EXPECT_FALSE(of(installed_folder("plugins") / "leadership" / "leadership.cu"));

    const TemporaryFolder folder; // a copy may have been changed
    fs::create_directories(folder.path() / "life");
    const auto copy = folder.path() / "life" / "life.cu";
    fs::copy_file(test::plugin("life"), copy);
    EXPECT_FALSE(of(copy));
    const auto beside = folder.write("life/reference.toml", "");
    EXPECT_EQ(of(copy), beside);
}

TEST(Reference, IsLookedForInTheFolderThatIsGiven) {
    const auto life = model::load_model(test::plugin("life"), test::compiler(), model::any_target());
    EXPECT_EQ(find_reference(life, installed_folder("reference")), installed_folder("reference") / "life" / "reference.toml");
    EXPECT_THROW((void)find_reference(life, installed_folder("plugins")), Error);
}

const std::array<std::string, 3> architectures{"sm_80", "sm_90", "sm_100"};

class KernelsByHand : public testing::TestWithParam<std::string> {};

TEST_P(KernelsByHand, CompileForGpus) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    jit::Target target;
    target.kind = jit::Target::Kind::cuda;
    target.architecture = GetParam();
    EXPECT_FALSE(test::compiler().compile_text(copy_text(true), target).bytes.empty());
    for (std::size_t m = 0; m < std::size(models); ++m) {
        const std::string model = models[m];
        const auto run = prepared(model);
        const auto reference = shipped(model);
        EXPECT_FALSE(reference.cuda.empty());
        for (std::size_t i = 0; i < reference.cuda.size(); ++i) { // for one of the architectures by turns, in a thorough run for all
            if (!test::thorough() && architectures[(m + i) % std::size(architectures)] != GetParam()) continue;
            const auto& source = reference.cuda[i];
            EXPECT_FALSE(test::compiler().compile_text(reference_text(reference, source, run.setup, true), target).bytes.empty())
                << source.file;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, KernelsByHand, testing::ValuesIn(architectures), [](const auto& tested) { return tested.param; });

} // namespace
} // namespace tessera::bench
