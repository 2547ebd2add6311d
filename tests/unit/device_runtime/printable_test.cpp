#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tessera::printable_test {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
    EXPECT_EQ(printable("grün 森\n\tßß 🌲"), "grün 森\n\tßß 🌲");
    EXPECT_EQ(printable("\x1b[31m\r\x7f"), "\\x1b[31m\\x0d\\x7f");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xc2\x9b\xe2\x80\xae"), "\\xc2\\x9b\\xe2\\x80\\xae"); // a control sequence in one character, and writing backwards
    EXPECT_EQ(printable("\xff\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80z"),
              "\\xff\\xc0\\xaf\\xe0\\x80\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80z"); // overlong, a surrogate, beyond Unicode
    EXPECT_EQ(printable("\xe6\xa3"), "\\xe6\\xa3");                                  // cut off
    EXPECT_EQ(shown("a\nb"), "a\\x0ab");
    EXPECT_EQ(valid_utf8("a\xff\xe6\xa3z"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(Printable, LongTextLosesItsMiddle) {
    EXPECT_EQ(without_middle("0123456789", 10), "0123456789");
    EXPECT_EQ(without_middle("0123456789ab", 9), "012345 ... 9ab");
    const auto long_one = shown(std::string(1000000, 'x').append("end"), 90);
    EXPECT_LT(long_one.size(), 100u);
    EXPECT_EQ(long_one.substr(long_one.size() - 3), "end");
}

TEST(Printable, WhateverTheBytesAreNothingIsLeftForATerminal) {
    EXPECT_TRUE(rc::check("of any bytes", [](const std::string& bytes) {
        const auto text = shown(bytes, 50);
        RC_ASSERT(text.size() <= 60u);
        RC_ASSERT(std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
        RC_ASSERT(valid_utf8(text) == text);
        RC_ASSERT(printable(printable(bytes)) == printable(bytes));
    }));
}

TEST(Printable, ErrorsAre) {
    EXPECT_STREQ(Error(Failure::plugin, "a\x1b", "b\xff", "c\nd").what(), "a\\x1b (b\\xff) c\nd");
    EXPECT_LT(std::string(Error(Failure::input, std::string(1 << 22, 'x'), std::string(1 << 22, 'y')).what()).size(), 20000u);
}

} // namespace
} // namespace tessera::printable_test
