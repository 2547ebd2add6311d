// Which GPUs run the code that a library brings.
#include "host/execute/finished_code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::finished_code_test {
namespace {

bool runs(const std::vector<std::string>& built_for, const std::string& architecture, model::LibraryPart kind = model::LibraryPart::code) {
    model::Model model;
    model.library.emplace();
    for (const auto& target : built_for) {
        model::Library::Part part;
        part.kind = kind;
        part.target = target;
        model.library->parts.push_back(part);
    }
    return has_code_for_gpu(model, architecture);
}

TEST(FinishedCode, RunsOnGpusOfItsGenerationThatAreNotOlder) {
    EXPECT_TRUE(runs({"sm_80"}, "sm_80"));
    EXPECT_TRUE(runs({"sm_80"}, "sm_86"));
    EXPECT_FALSE(runs({"sm_86"}, "sm_80"));
    EXPECT_FALSE(runs({"sm_80"}, "sm_90"));
    EXPECT_TRUE(runs({"sm_100"}, "sm_103"));
    EXPECT_FALSE(runs({"sm_90"}, "sm_100"));
    EXPECT_TRUE(runs({"x86-64-v3", "sm_80", "sm_90"}, "sm_90")) << "one of several";
}

TEST(FinishedCode, AsPtxRunsOnAllThatAreNotOlder) {
    EXPECT_TRUE(runs({"compute_80"}, "sm_80"));
    EXPECT_TRUE(runs({"compute_80"}, "sm_100"));
    EXPECT_FALSE(runs({"compute_90"}, "sm_80"));
}

TEST(FinishedCode, IsNotOfAnotherProcessorOrAnotherPart) {
    EXPECT_FALSE(runs({"x86-64-v3"}, "sm_90"));
    EXPECT_FALSE(runs({""}, "sm_90"));
    EXPECT_FALSE(runs({}, "sm_90"));
    EXPECT_FALSE(runs({"sm_90"}, "sm_90", model::LibraryPart::run));
    EXPECT_FALSE(has_code_for_gpu({}, "sm_90")) << "no library";
}

} // namespace
} // namespace tessera::finished_code_test
