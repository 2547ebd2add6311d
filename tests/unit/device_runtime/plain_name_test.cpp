#include "device_runtime/plain_name.hpp"

#include <gtest/gtest.h>

namespace tessera::plain_name_test {
namespace {

TEST(PlainName, IsRelativeAndOfNames) {
    for (const auto* name : {"a", "life.cu", "parts/rules.hpp", "...", "..a/b..", "a b", "\xc3\xa9", "-rf"})
        EXPECT_EQ(why_no_plain_name(name), "");
    EXPECT_EQ(why_no_plain_name(std::string(255, 'x') + "/y"), "");
}

TEST(PlainName, OfEverythingElseItIsSaidWhy) {
    EXPECT_EQ(why_no_plain_name(""), "it is empty");
    for (const auto* name : {"/", "/etc/passwd", "//a"}) EXPECT_EQ(why_no_plain_name(name), "it is not relative");
    for (const auto* name : {"..", "../a", "a/..", "a/../b", "a/b/../../../c"})
        EXPECT_EQ(why_no_plain_name(name), "it has a part `..`") << name;
    for (const auto* name : {".", "./a", "a/./b"}) EXPECT_EQ(why_no_plain_name(name), "it has a part `.`") << name;
    EXPECT_EQ(why_no_plain_name("a//b"), "it has an empty part");
    EXPECT_EQ(why_no_plain_name("a/"), "it ends in `/`");
    for (const auto& name : {std::string("a\nb"), std::string("a\x1b[2J"), std::string("a\0b", 3), std::string("a\x7f")})
        EXPECT_EQ(why_no_plain_name(name), "it has control characters");
    EXPECT_EQ(why_no_plain_name("a/" + std::string(256, 'x')), "a part of it has more than 255 bytes");
    std::string long_name = "a";
    while (long_name.size() < 4096) long_name += "/a";
    EXPECT_EQ(why_no_plain_name(long_name), "it has more than 4095 bytes");
}

} // namespace
} // namespace tessera::plain_name_test
