#include "jit/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tessera::jit::lexer_test {
namespace {

std::vector<std::string> texts(std::string_view source) {
    std::vector<std::string> result;
    for (const auto& token : tokens_of(source)) result.push_back(token.text);
    return result;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Lexer, SkipsComments) {
    EXPECT_THAT(texts("a // asm \\\n still asm\nb /* asm\n asm */ c"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(texts("/* never closed asm"), IsEmpty());
}

TEST(Lexer, KeepsStringsWhole) {
    EXPECT_THAT(texts(R"(f("a \" // b", 'c', L"w", u8'\''))"),
                ElementsAre("f", "(", R"("a \" // b")", ",", "'c'", ",", "L\"w\"", ",", R"(u8'\'')", ")"));
    EXPECT_THAT(texts("R\"x(a \" )\" )x\" b"), ElementsAre("R\"x(a \" )\" )x\"", "b"));
    EXPECT_THAT(texts("'open\nb"), ElementsAre("'open", "b"));
}

TEST(Lexer, NumbersTakeTheirSeparatorsAndExponents) {
    EXPECT_THAT(texts("1'000'000 + 0x1p-3f .5e+2 1.f"), ElementsAre("1'000'000", "+", "0x1p-3f", ".5e+2", "1.f"));
}

TEST(Lexer, HeaderNamesAreOneToken) {
    const auto tokens = tokens_of("#  include <a/b.hpp>\n%: include \"it's.hpp\"\nint a = b <c> d;");
    ASSERT_GE(tokens.size(), 6u);
    EXPECT_EQ(tokens[2].text, "<a/b.hpp>");
    EXPECT_EQ(tokens[2].kind, Token::Kind::header_name);
    EXPECT_EQ(tokens[5].text, "\"it's.hpp\"");
    EXPECT_EQ(tokens[6].text, "int");
    EXPECT_FALSE(tokens[6].in_directive);
}

TEST(Lexer, PlacesAreThoseOfTheTextBeforeSplicing) {
    const auto tokens = tokens_of("a\\\nb c\n  d");
    ASSERT_EQ(tokens.size(), 3u);
    EXPECT_EQ(tokens[0].text, "ab");
    EXPECT_EQ(std::pair(tokens[1].line, tokens[1].column), std::pair(2, 3));
    EXPECT_EQ(std::pair(tokens[2].line, tokens[2].column), std::pair(3, 3));
}

TEST(Lexer, TakesAnyTextAndEveryTokenStandsWhereItSays) {
    rc::check([] {
        const auto piece = rc::gen::element<std::string>("a", "\"", "'", "R\"(", ")\"", "/*", "*/", "//", "\n", "\\\n", "#include ", "<",
                                                         ">", " ", "1", "\\", "%:");
        std::string text;
        for (const auto& each : *rc::gen::container<std::vector<std::string>>(piece)) text += each;
        std::vector<std::string> lines{""};
        for (const char c : text) {
            if (c == '\n')
                lines.emplace_back();
            else
                lines.back() += c;
        }
        for (const auto& token : tokens_of(text)) {
            RC_ASSERT(token.line >= 1);
            RC_ASSERT(static_cast<std::size_t>(token.line) <= lines.size());
            const auto& line = lines[static_cast<std::size_t>(token.line - 1)];
            RC_ASSERT(line.at(static_cast<std::size_t>(token.column - 1)) == token.text.front());
        }
    });
}

} // namespace
} // namespace tessera::jit::lexer_test
