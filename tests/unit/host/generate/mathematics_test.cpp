#include "host/generate/mathematics.hpp"
#include "jit/lexer.hpp"
#include "jit/sdk_headers.hpp"
#include "jit/source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tessera::mathematics_test {
namespace {

jit::ModelSource model_of(const std::string& text) { return {{"m.cu", text, "m.cu"}, {}}; }
bool may_use(const std::string& text) { return may_use_mathematics(model_of(text)); }

std::string header(const std::string& name) {
    for (const auto& each : jit::sdk_headers())
        if (each.name == name) return each.text;
    return {};
}

// The functions that a header declares in its namespace: names in front of a parenthesis, within one pair of braces and no parentheses.
std::set<std::string> functions_of(const std::string& text) {
    std::set<std::string> names;
    int braces = 0, parentheses = 0;
    const auto tokens = jit::tokens_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].in_directive) continue;
        if (tokens[i].text == "(" && braces == 1 && parentheses == 0) names.insert(tokens[i - 1].text);
        braces += tokens[i].text == "{" ? 1 : tokens[i].text == "}" ? -1 : 0;
        parentheses += tokens[i].text == "(" ? 1 : tokens[i].text == ")" ? -1 : 0;
    }
    return names;
}

// What the prelude brings into the model's namespace.
std::set<std::string> brought_in(const std::string& text) {
    std::set<std::string> names;
    const auto tokens = jit::tokens_of(text);
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i)
        if (tokens[i].text == "using" && tokens[i + 1].text == "tessera") names.insert(tokens[i + 4].text);
    return names;
}

TEST(Mathematics, EveryFunctionOfTheSdkIsKnown) {
    const auto functions = functions_of(header("tessera/math.hpp"));
    EXPECT_GT(functions.size(), 20u);
    EXPECT_TRUE(functions.contains("sqrt"));
    for (const auto& name : functions) EXPECT_TRUE(may_use("x = " + name + "(y);")) << name;
    EXPECT_EQ(brought_in(header("tessera/detail/prelude.hpp")), functions);
}

TEST(Mathematics, NothingElseIsTakenForIt) {
    EXPECT_FALSE(may_use(
        "#include <tessera/model.hpp>\nTESSERA_PLACE(Cell, alive); // sqrt\nconst char* s = \"exp\"; int maximum = self.random.below(6);"));
    EXPECT_FALSE(may_use("#define TWICE(x) (2 * (x))\n#define NAME(x) #x\n"));
}

TEST(Mathematics, NormalNumbersPiAndInnerNamesNeedIt) {
    EXPECT_TRUE(may_use("self.heat = 2 * pi;"));
    EXPECT_TRUE(may_use("self.heat = 2 * pi_v<float>;"));
    EXPECT_TRUE(may_use("self.heat = self.random.normal();"));
    EXPECT_TRUE(may_use("using namespace tessera::math_detail;"));
    EXPECT_TRUE(may_use("TESSERA_RARE float f();"));
}

TEST(Mathematics, MacrosThatMakeNamesCountAsUse) {
    EXPECT_TRUE(may_use("#define CALL(a, b) a##b\n"));
    EXPECT_TRUE(may_use("#define CALL(a, b) a %:%: b\n"));
    EXPECT_TRUE(may_use("x = TESSERA_CAT(sq, rt)(2.0f);"));
    EXPECT_TRUE(may_use("x = sq\\\nrt(2.0f);"));
}

TEST(Mathematics, OwnHeadersAreLookedAtToo) {
    auto model = model_of("#include \"rules.hpp\"\n");
    model.headers.push_back({"rules.hpp", "inline float half(float x) { return x / 2; }\n", "rules.hpp"});
    EXPECT_FALSE(may_use_mathematics(model));
    model.headers.front().text += "inline float root(float x) { return sqrt(x); }\n";
    EXPECT_TRUE(may_use_mathematics(model));
}

} // namespace
} // namespace tessera::mathematics_test
