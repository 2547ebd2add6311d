// CITATION.cff, by which others cite the program.
#include "host/version.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tessera::citation_test {
namespace {

TEST(Citation, NamesTheVersionOfTheProgram) {
    const auto file = test_source("CITATION.cff");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "the source tree that the tests were built from is not here";
    const auto text = testing::text_of(file);
    EXPECT_THAT(text, ::testing::StartsWith("cff-version: 1.2.0\n"));
    EXPECT_THAT(text, ::testing::HasSubstr(std::string("\nversion: ") + version() + "\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("\nlicense: Apache-2.0\n"));
}

} // namespace
} // namespace tessera::citation_test
