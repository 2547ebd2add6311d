#include "host/generate/kernel_parts.hpp"
#include "host/generate/kernel_source.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace tessera::test {
namespace {

Prepared prepared(const std::string& model, std::vector<std::string> overrides = {}) {
    return prepare(for_any_devices({plugin(model), std::move(overrides), {}}), compiler());
}
std::string text_of(const Setup& setup) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, false));
    return kernel_epilogue(setup, views);
}

// In which parts each entry point stands, read from the text; "-" outside of all.
std::map<std::string, std::set<std::string>> parts_of_entries(const std::string& text) {
    std::map<std::string, std::set<std::string>> parts;
    std::istringstream lines(text);
    std::string part = "-";
    const std::string begin = "#if !defined(TESSERA_PART) || TESSERA_PART == ";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) part = line.substr(begin.size());
        if (line == "#endif") part = "-";
        for (const std::string macro : {"TESSERA_ENTRY(", "TESSERA_AGENTS(", "TESSERA_TASK("})
            if (line.starts_with(macro)) parts[line.substr(macro.size(), line.find(',') - macro.size())].insert(part);
    }
    return parts;
}

TEST(KernelParts, EachKernelOfAModelWithAgentsIsInOne) {
    const auto run = prepared("wolf_sheep", {"output=[{every=1,csv=\"n.csv\",columns={n=\"count(sheep)\",g=\"sum(grass.countdown)\"}}]"});
    const auto& setup = run.setup;
    const auto parts = kernel_parts(setup);
    const auto found = parts_of_entries(text_of(setup));
    std::set<std::string> used;
    for (const auto k : setup.kernels.ids()) {
        const auto& kernel = setup.kernels[k];
        const auto part = parts.of_kernel[k.index()];
        ASSERT_LT(part, parts.efforts.size());
        const bool every_step = kernel.is_function() && !setup.function_of(kernel).is_init;
        EXPECT_TRUE(parts.efforts[part] == jit::Effort::full || !(every_step || kernel.is_reduction())) << kernel.symbol;
        EXPECT_TRUE(part == 0 || setup.is_among_agents(kernel) || !every_step) << kernel.symbol;
        ASSERT_TRUE(found.count(kernel.symbol)) << kernel.symbol;
        EXPECT_EQ(found.at(kernel.symbol), (std::set{std::to_string(part)})) << kernel.symbol;
        used.insert(std::to_string(part));
    }
    EXPECT_EQ(used, (std::set<std::string>{"0", "1"}));
    for (const auto& [entry, in] : found) EXPECT_EQ(in.count("-"), 0u) << entry;
}

TEST(KernelParts, AModelWithoutAgentsIsCompiledAsOne) {
    const auto run = prepared("life");
    EXPECT_TRUE(kernel_parts(run.setup).efforts.empty());
    EXPECT_EQ(text_of(run.setup).find("TESSERA_PART"), std::string::npos);
}

// Parameters that are passed are variables, which each part would define.
TEST(KernelParts, SeeTheSameParameters) {
    const auto hash = [](const char* baked) {
        WorldUnderTest world(plugin("wolf_sheep"), {baked, "places.grass.size=[32,32]", "agents.sheep.count=300", "agents.wolf.count=90",
                                                    "params.sheep_births=0.25", "params.regrow=4"});
        world.step_to(20);
        return world.hash();
    };
    EXPECT_EQ(hash("run.bake=false"), hash("run.bake=true"));
}

} // namespace
} // namespace tessera::test
