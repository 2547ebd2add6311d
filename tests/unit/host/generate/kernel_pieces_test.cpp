#include "host/generate/chains.hpp"
#include "host/generate/kernel_pieces.hpp"
#include "host/generate/kernel_source.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace tessera::test::kernel_pieces_test {
namespace {

Prepared prepared(const std::string& model, std::vector<std::string> overrides = {}) {
    return prepare(for_any_devices({plugin(model), std::move(overrides), {}}), compiler());
}
std::string text_of(const Setup& setup) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, false));
    return kernel_epilogue(setup, views);
}

// In which pieces each entry point stands, read from the text; "-" outside of all.
std::map<std::string, std::set<std::string>> pieces_of_entries(const std::string& text) {
    std::map<std::string, std::set<std::string>> pieces;
    std::istringstream lines(text);
    std::string piece = "-";
    const std::string begin = "#if !defined(TESSERA_PART) || defined(TESSERA_HAS_";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) piece = line.substr(begin.size(), line.size() - begin.size() - 1);
        if (line == "#endif") piece = "-";
        for (const std::string macro : {"TESSERA_ENTRY(", "TESSERA_AGENTS(", "TESSERA_TASK(", "TESSERA_CHAIN("})
            if (line.starts_with(macro)) pieces[line.substr(macro.size(), line.find(',') - macro.size())].insert(piece);
    }
    return pieces;
}

TEST(KernelPieces, EachKernelOfAModelWithAgentsIsInOne) {
    const auto run = prepared("wolf_sheep", {"output=[{every=1,csv=\"n.csv\",columns={n=\"count(sheep)\",g=\"sum(grass.countdown)\"}}]"});
    const auto& setup = run.setup;
    const auto pieces = kernel_pieces(setup);
    const auto found = pieces_of_entries(text_of(setup));
    std::set<std::size_t> used;
    for (const auto k : setup.kernels.ids()) {
        const auto& kernel = setup.kernels[k];
        const auto piece = pieces.of_kernel[k.index()];
        ASSERT_LT(piece, pieces.pieces.size());
        const bool every_step = kernel.is_function() && !setup.function_of(kernel).is_init;
        const bool is_full = pieces.pieces[piece].effort == jit::Effort::full;
        EXPECT_TRUE(is_full || !(every_step || kernel.is_reduction())) << kernel.symbol;
        EXPECT_TRUE(!is_full || !kernel.is_of_manage_all()) << kernel.symbol;
        ASSERT_TRUE(found.count(kernel.symbol)) << kernel.symbol;
        EXPECT_EQ(found.at(kernel.symbol), (std::set{std::to_string(piece)})) << kernel.symbol;
        EXPECT_TRUE(used.insert(piece).second || piece == pieces.of_all) << kernel.symbol;
    }
    const auto chains = chains_of(setup);
    ASSERT_FALSE(chains.codes.empty());
    for (std::size_t code = 0; code < chains.codes.size(); ++code)
        EXPECT_EQ(found.at(chain_symbol(code)), (std::set{std::to_string(pieces.of_chain[code])}));
    for (const auto& [entry, in] : found) EXPECT_EQ(in.count("-"), 0u) << entry;
}

TEST(KernelPieces, AModelWithoutAgentsIsCompiledAsOne) {
    const auto run = prepared("life");
    EXPECT_TRUE(kernel_pieces(run.setup).pieces.empty());
    EXPECT_EQ(text_of(run.setup).find("TESSERA_PART"), std::string::npos);
}

// However many processors compile it.
TEST(KernelPieces, MakeTheSameSteps) {
    const auto hash = [](int processors) {
        const TemporaryFolder folder; // elsewhere an image is found whatever the number of processors
        jit::Cache cache(folder.path(), std::uint64_t{1} << 30);
        jit::Compiler with(cache, processors);
        WorldUnderTest world(plugin("wolf_sheep"), {"places.grass.size=[32,32]", "agents.sheep.count=300", "agents.wolf.count=90"}, {},
                             with);
        world.step_to(20);
        return world.hash();
    };
    EXPECT_EQ(hash(8), hash(1));
}

// Parameters that are passed are variables, which each part would define.
TEST(KernelPieces, SeeTheSameParameters) {
    const auto hash = [](const char* baked) {
        WorldUnderTest world(plugin("wolf_sheep"), {baked, "places.grass.size=[32,32]", "agents.sheep.count=300", "agents.wolf.count=90",
                                                    "params.sheep_births=0.25", "params.regrow=4"});
        world.step_to(20);
        return world.hash();
    };
    EXPECT_EQ(hash("run.bake=false"), hash("run.bake=true"));
}

} // namespace
} // namespace tessera::test::kernel_pieces_test
