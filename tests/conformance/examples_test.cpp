// The run files that are shipped: each is one of a shipped model.
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace tessera::test::examples_test {
namespace {

TEST(Examples, AreRunFilesOfShippedModels) {
    int found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test_shipped("examples"))) {
        if (entry.path().extension() != ".toml") continue;
        ++found;
        const auto example = prepare({entry.path().string(), {}, {test_shipped("plugins").string()}}, compiler());
        EXPECT_FALSE(example.setup.agenda.outputs.empty()) << entry.path();
    }
    EXPECT_GT(found, 0);
}

} // namespace
} // namespace tessera::test::examples_test
