// The table of `tessera devices`.
#include "host/devices/links_text.hpp"
#include "tests/unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tessera::links_text_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LinksText, ACpuHasItsMemory) {
    const auto text = links_text({"cpu"}, {});
    EXPECT_THAT(text, ContainsRegex("^copies +GB/s +us\ncpu +[0-9.]+ +within its memory, read and written\n$"));
}

// The stand-in driver says 2.5 s between any two marks of a GPU: 64 MiB directly and 16 MiB by the host.
TEST(LinksText, EachPairHasItsWay) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    NEEDS_COMPILER();
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto direct = links_text({"cpu", "cuda:0", "cuda:1"}, test::search_fake());
    EXPECT_THAT(direct, ContainsRegex("\ncuda:0 +0[.]1 +within its memory"));
    EXPECT_THAT(direct, ContainsRegex("\ncuda:0 to cuda:1 +0[.]0 +[0-9.]+  from memory to memory\n"));
    EXPECT_THAT(direct, ContainsRegex("\ncpu to cuda:1 +0[.]0 +[0-9.]+  by way of the host\n"));
    const test::Setting refused("FAKE_CUDA_PEERS", "2");
    EXPECT_THAT(links_text({"cuda:0", "cuda:1"}, test::search_fake()),
                ContainsRegex("\ncuda:0 to cuda:1 +0[.]0 +[0-9.]+  by way of the host\n"));
}

TEST(LinksText, WhatCannotBeMeasuredHasTheReasonInItsLine) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    NEEDS_COMPILER();
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const test::Setting held("FAKE_CUDA_FAIL", "cuMemCreate:2@1");
    const auto text = links_text({"cuda:0", "cuda:1"}, test::search_fake());
    EXPECT_THAT(text, ContainsRegex("\ncuda:0 +0[.]1 +within"));
    EXPECT_THAT(text, ContainsRegex("\ncuda:1 +cuda:1 could not allocate 64 MiB"));
    EXPECT_THAT(text, Not(HasSubstr(" to "))) << "there are no links of what is not there";
}

} // namespace
} // namespace tessera::links_text_test
