// Which texts have arrays: those are compiled so that places do not share them.
#include "jit/arrays.hpp"

#include <gtest/gtest.h>

namespace tessera::jit::arrays_test {
namespace {

bool is_told(const std::string& text) { return has_arrays(ModelSource{{"model.cu", text, "model.cu"}, {}}); }

TEST(Arrays, AreToldByTheirBrackets) {
    for (const char* text : {"int a[3];", "a[i] = 1;", "f(x)[2]", "a[1][2]", "int b [ 2 ];", "#define AT(i) a[i]", "T{}[0]",
                             "table<int>[2]", "struct Row { float flow[4]; };", "a /* here */ [1]", "\"text\"[2]"})
        EXPECT_TRUE(is_told(text)) << text;
}

TEST(Arrays, AreNoLambdasAndNoNamesOfParts) {
    for (const char* text : {"self.each(moore, [&](const auto& other) { n += other.alive; });", "const auto [dx, dy, dz] = other.away;",
                             "auto& [a, b] = pair;", "return [] { return 1; };", "const auto f = [x] { return x; };", "f([&] {}, [=] {});",
                             "// a[1]", "const char* text = \"a[1]\";", "x ? [] {} : [] {};"})
        EXPECT_FALSE(is_told(text)) << text;
}

TEST(Arrays, OfAHeaderCount) { EXPECT_TRUE(has_arrays(ModelSource{{"model.cu", "", "model.cu"}, {{"own.hpp", "int a[2];", "own.hpp"}}})); }

} // namespace
} // namespace tessera::jit::arrays_test
