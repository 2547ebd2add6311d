// Where the text of TESSERA_DEFAULTS stands in a source.
#include "host/prepare/defaults_in_source.hpp"

#include <gtest/gtest.h>

namespace tessera::defaults_in_source_test {
namespace {

// Of a model whose compiler has made `defaults` of its text.
std::optional<DefaultsInSource> found(const std::string& text, const std::string& defaults) {
    model::Model model;
    model.source.main = {"life/life.cu", text, "life.cu"};
    model.description.defaults = defaults;
    return defaults_in_source(model);
}

TEST(DefaultsInSource, KeepLinesAndColumns) {
    const auto raw = found("// one\n  TESSERA_DEFAULTS(R\"toml(a = 1\nb = 2)toml\");\n", "a = 1\nb = 2\n");
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw->file, "life/life.cu");
    EXPECT_EQ(raw->text, "\n" + std::string(26, ' ') + "a = 1\nb = 2\n");

    const auto plain = found("TESSERA_DEFAULTS(\"a = \\\"x\\\"\\n\"\n    \"b = 2\\n\");\n", "a = \"x\"\nb = 2\n\n");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->text, std::string(18, ' ') + "a = \"x\"\nb = 2\n\n");
}

TEST(DefaultsInSource, MayBeSeveral) {
    const auto two = found("TESSERA_DEFAULTS(\"a = 1\");\n\nTESSERA_DEFAULTS(R\"x(\nb = 2)x\");", "a = 1\n\nb = 2\n");
    ASSERT_TRUE(two);
    EXPECT_EQ(two->text, std::string(18, ' ') + "a = 1\n\n" + std::string(21, ' ') + "\nb = 2\n");
}

TEST(DefaultsInSource, AreNoneWhereLinesWouldBeOthers) {
    EXPECT_FALSE(found("TESSERA_DEFAULTS(\"a = 1\\nb = 2\");", "a = 1\nb = 2\n")); // lines within a line
    EXPECT_FALSE(found("TESSERA_DEFAULTS(\"a = \"\n\"1\");", "a = 1\n"));          // a line in two
    EXPECT_FALSE(found("TESSERA_DEFAULTS(\"a = 1\"); TESSERA_DEFAULTS(\"b = 2\");", "a = 1\nb = 2\n"));
    EXPECT_FALSE(found("TESSERA_DEFAULTS(TEXT);", "a = 1\n"));
    EXPECT_FALSE(found("TESSERA_DEFAULTS(\"a = 1\");", "a = 1\nb = 2\n")); // and in a header
    EXPECT_FALSE(found("TESSERA_DEFAULTS(R\"(a)\");", ""));
}

} // namespace
} // namespace tessera::defaults_in_source_test
