// The lists of kernels written by hand: how they are read, found and applied; and that what they list compiles.
#include "device_runtime/error.hpp"
#include "host/bench/copy_bandwidth.hpp"
#include "host/bench/reference.hpp"
#include "host/bench/reference_kernel.hpp"
#include "host/bench/reference_program.hpp"
#include "host/plugins/registry.hpp"
#include "jit/nvrtc.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tessera::bench::reference_test {
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

constexpr const char* program_list = R"(collection = "land"
members = ["visits"]
agents = { collection = "walker", members = ["steps"], layout = "list", priority = "id" }
random = "walker.walk"
[[cuda]]
file = "a.cu"
columns = [{ name = "sums", type = "uint32", each = "place", covers = 64 }, { name = "next", type = "uint64", each = "agent" },
           { name = "count", type = "bool", count = 3 }]
begin = [{ name = "enter", each = "agent", covers = 256, block = 128 }]
step = [{ name = "walk", each = "place", covers = 2, block = 32 }, { name = "once", block = 1 }]
swap = [["walker_id", "next"]]
[[cpu]]
file = "b.cpp"
step = [{ name = "all" }]
)";

TEST(Reference, ProgramsAreReadWhole) {
    const TemporaryFolder folder;
    const auto reference = read_reference(folder.write("reference.toml", program_list));
    ASSERT_TRUE(reference.agents.has_value());
    EXPECT_TRUE(reference.agents->in_list);
    EXPECT_EQ(reference.agents->priority, run_file::Priority::id);
    EXPECT_EQ(**reference.random, "walker.walk");
    EXPECT_EQ(handed_columns(reference), (std::vector<std::string>{"land_visits", "walker_id", "walker_place", "walker_steps"}));
    const auto& program = reference.cuda.at(0).program;
    ASSERT_EQ(program.columns.size(), 3u);
    EXPECT_EQ(program.columns[0].type, Scalar::u32);
    EXPECT_EQ(program.columns[0].each, Each::place);
    EXPECT_EQ(program.columns[0].covers, 64);
    EXPECT_EQ(program.columns[1].each, Each::agent);
    EXPECT_EQ(program.columns[2].each, Each::once);
    EXPECT_EQ(program.columns[2].count, 3);
    ASSERT_EQ(program.begin.size(), 1u);
    EXPECT_EQ(program.begin[0].covers, 256);
    EXPECT_EQ(program.begin[0].block, 128u);
    ASSERT_EQ(program.step.size(), 2u);
    EXPECT_EQ(program.step[1].each, Each::once);
    EXPECT_EQ(program.swaps, (std::vector<std::array<std::string, 2>>{{"walker_id", "next"}}));
    EXPECT_EQ(reference.cpu.at(0).program.step.at(0).name, "all");
}

TEST(Reference, AMistakeInAProgramIsToldWithItsPlace) {
    const auto changed = [](const std::string& from, const std::string& to) {
        std::string text = program_list;
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return refusal(text.replace(at, from.size(), to));
    };
    EXPECT_THAT(changed("\"list\"", "\"lists\""), HasSubstr("reference.toml:3:"));
    EXPECT_THAT(changed("type = \"bool\"", "type = \"int\""), HasSubstr("`cuda.0.columns.2.type`"));
    EXPECT_THAT(changed("\"next\"]]", "\"nest\"]]"), HasSubstr("nest"));
    EXPECT_THAT(changed("covers = 2, ", ""), HasSubstr("no `covers`"));
    EXPECT_THAT(changed("step = [{ name = \"all\" }]", ""), HasSubstr("no `step`"));
    EXPECT_THAT(changed("file = \"b.cpp\"", "file = \"b.cpp\"\nsteps = 2"), HasSubstr("unknown key `steps`"));
}

TEST(Reference, SaysWhichAgentsItIsFor) {
    const auto why = [](std::vector<std::string> overrides) {
        return obstacle(shipped("random_walk"), prepared("random_walk", std::move(overrides)).setup);
    };
    const std::string list = "agents.walker.capacity=\"unlimited\"";
    EXPECT_EQ(why({list}), "");
    EXPECT_EQ(why({}), "it is for agents.walker.capacity = \"unlimited\"");
    EXPECT_EQ(why({list, "places.land.boundary=\"open\"", "agents.walker.on_edge=\"refuse\""}), "it is for the boundary torus");
    EXPECT_EQ(why({list, "run.float=fast"}), "it is for float = \"exact\"");
    EXPECT_EQ(obstacle(shipped("random_walk"), prepared("life").setup), "there is no collection `land`");
    const auto ants = [](const std::string& key) {
        return prepare({(installed_folder("reference") / "sugar").string(), {key, "output=[]"}, {}}, test::compiler());
    };
    EXPECT_EQ(obstacle(shipped("sugar"), ants("agents.ant.priority=\"random\"").setup), "it is for agents.ant.priority = \"id\"");
}

TEST(Reference, ColumnsOfDifferentSizesDoNotExchangeNames) {
    const TemporaryFolder folder;
    std::string text = program_list;
    text += "columns = [{ name = \"few\", type = \"uint64\" }]\nswap = [[\"walker_id\", \"few\"]]\n";
    folder.write("b.cpp", "struct state { unsigned* land_visits; unsigned long long* walker_id; unsigned *walker_place, *walker_steps;\n"
                          "    unsigned long long *few, key; long long nx, ny, places, room; };\n"
                          "static void all(const state&, long long, long long) {}\n");
    const auto reference = read_reference(folder.write("reference.toml", text));
    const auto run = prepared("random_walk", {"agents.walker.capacity=\"unlimited\""});
    const auto device = open_device("cpu", 1);
    const AgentState nobody{{std::vector<std::byte>(256 * 256 * 4)}, {}, {}, {{}}};
    try {
        ReferenceProgram program(reference, reference.cpu.at(0), run.setup, nobody, *device, test::compiler());
        FAIL() << "they did";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::input);
        EXPECT_THAT(error.what(), HasSubstr("walker_id and few cannot exchange names"));
    }
}

TEST(Reference, AMistakeIsToldWithItsPlace) {
    EXPECT_THAT(refusal("members = [\"heat\"]\n"), HasSubstr("no `collection`"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = []\n"),
                HasSubstr("reference.toml:2:11: `members` is an empty array (expected an array of one or two members)"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = [\"heat\"]\nbondary = \"torus\"\n"), HasSubstr("did you mean `boundary`?"));
    EXPECT_THAT(refusal("collection = \"plate\"\nmembers = [\"heat\"]\n[[cuda]]\nfile = \"a.cu\"\nblock = [32]\ncovers = [1, 1]\n"),
                HasSubstr("two integers, for x and y"));
    const std::string volume =
        "collection = \"plate\"\nmembers = [\"heat\"]\n[[cuda]]\nfile = \"a.cu\"\nblock = [32, 4]\ncovers = [1, 1, 1]\n";
    EXPECT_THAT(refusal("dimensions = 3\n" + volume), HasSubstr("three integers, for x, y and z"));
    EXPECT_THAT(refusal("dimensions = 1\n" + volume), HasSubstr("(expected an integer from 2 to 3)"));
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
    EXPECT_EQ(obstacle(shipped("life3d"), prepared("life", {"places.cell.size=[4,4]"}).setup), "cell is not a grid of three dimensions");
}

TEST(Reference, IsFoundForModelsThatCameWithTheProgram) {
    const auto of = [](const fs::path& path) {
        return find_reference(model::load_model(path, test::compiler(), model::any_target(test::compiler())), {});
    };
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
    const auto life = model::load_model(test::plugin("life"), test::compiler(), model::any_target(test::compiler()));
    EXPECT_EQ(find_reference(life, installed_folder("reference")), installed_folder("reference") / "life" / "reference.toml");
    EXPECT_THROW((void)find_reference(life, installed_folder("plugins")), Error);
}

const std::array<std::string, 3> architectures{"sm_80", "sm_90", "sm_100"};

class KernelsByHand : public ::testing::TestWithParam<std::string> {};

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

TEST_P(KernelsByHand, OfAgentsCompileForGpus) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    jit::Target target;
    target.kind = jit::Target::Kind::cuda;
    target.architecture = GetParam();
    for (const std::string model : {"random_walk", "sugar"}) {
        const auto source = model == "sugar" ? (installed_folder("reference") / model).string() : test::plugin(model);
        const auto run = prepare({source, {"output=[]"}, {}}, test::compiler());
        const auto reference = shipped(model);
        ASSERT_FALSE(reference.cuda.empty());
        for (const auto& program : reference.cuda)
            EXPECT_FALSE(test::compiler().compile_text(program_text(reference, program, run.setup, true), target).bytes.empty())
                << program.file;
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, KernelsByHand, ::testing::ValuesIn(architectures), [](const auto& tested) { return tested.param; });

} // namespace
} // namespace tessera::bench::reference_test
