#include "jit/check_members.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

namespace tessera::jit::check_members_test {
namespace {

using namespace testing;

// A model of two rows; the lines of `text` are 9 and following.
ModelSource model_with(const std::string& text) {
    return {{"model.cu",
             "#include <tessera/model.hpp>\n"
             "constexpr int four = 4, elsewhere = 9;\n"
             "#define LAST (four - 1)\n"
             "enum Direction : std::uint8_t { north_ = 1, east_, south_ = LAST, none_ };\n"
             "struct Cell { float v[four] = {1, 2, 3, 4}; int n = 0, w[2]; struct Inner { int v[9]; } };\n"
             "TESSERA_PLACE(Cell, v, n, w);\n"
             "struct Road { int v[6]; };\n"
             "TESSERA_PLACE(Road, v);\n" +
                 text,
             "model.cu"},
            {}};
}
std::string verdict(const std::string& text) {
    const auto model = model_with(text);
    try {
        check_members(model);
        return "fine";
    } catch (const Error& error) {
        return error.what();
    }
}
std::string in_function(const std::string& body) { return verdict("TESSERA_CALL(Cell, tick, writes<&Cell::v>) {\n" + body + "\n}\n"); }

std::string beyond(int column, const std::string& index, const std::string& member = "Cell::v",
                   const std::string& elements = "4 elements are 0 to 3") {
    return "model.cu:10:" + std::to_string(column) + ": " + member + " has no element " + index + " (its " + elements +
           ") use one of these";
}

TEST(ConstantIndexes, WithinTheArrayAreFine) {
    for (const auto* body : {"self.v[0] = self.v[3];", "self.v[four - 1] = 1;", "self.v[LAST] = 1;", "self.v[east_] = 1;",
                             "self.v[0x3u] = 1;", "self.at(west).v[(1 + 2) * 4 / 4 % 4] += 1;", "self.w[1] = 0;"})
        EXPECT_EQ(in_function(body), "fine") << body;
}

TEST(ConstantIndexes, BeyondTheArrayAreRefusedWhereTheyStand) {
    EXPECT_EQ(in_function("self.v[4] = 1;"), beyond(8, "4"));
    EXPECT_EQ(in_function("self.v[-1] = 1;"), beyond(8, "-1"));
    EXPECT_EQ(in_function("self.v[four] = 1;"), beyond(8, "4"));
    EXPECT_EQ(in_function("self.v[LAST + 1] = 1;"), beyond(8, "4"));
    EXPECT_EQ(in_function("self.v[none_] = 1;"), beyond(8, "4"));
    EXPECT_EQ(in_function("self.w[2] = 1;"), beyond(8, "2", "Cell::w", "2 elements are 0 to 1"));
    EXPECT_EQ(in_function("x = self.at(offset<1, (2)>).v[7];"), beyond(31, "7"));
    EXPECT_EQ(in_function("self.each(moore, [&](const auto& other) { x += other.v[3] + other.v[2 * four]; });"), beyond(69, "8"));
}

TEST(ConstantDrawBounds, AreNumbersOfValues) {
    const auto refused = [](int column, const std::string& n) {
        return "model.cu:10:" + std::to_string(column) + ": below(" + n +
               ") cannot be drawn (below(n) gives 0 to n - 1, for an n from 1 to 4294967295) use an n within that";
    };
    for (const auto* body : {"self.n = self.random.below(1);", "x = self.random.below(4294967295);", "x = self.random.below(four - LAST);",
                             "self.n = self.random.below(self.n);", "self.n = self.random.below(unknown);", "x = self.at(below).n;"})
        EXPECT_EQ(in_function(body), "fine") << body;
    EXPECT_EQ(in_function("self.n = self.random.below(0);"), refused(28, "0"));
    EXPECT_EQ(in_function("self.n = self.random.below(LAST - four);"), refused(28, "-1"));
    EXPECT_EQ(in_function("x = self.random.below(4294967296u);"), refused(23, "4294967296"));
    EXPECT_EQ(verdict("template<class Self> void f(Self& self) {\nauto& dice = self.random; dice.below(-2); }\n"), refused(38, "-2"));
}

TEST(ConstantIndexes, OfARowAreItsOwn) {
    EXPECT_EQ(verdict("TESSERA_CALL(Road, tick, writes<&Road::v>) {\nself.v[5] = 1;\n}\n"), "fine");
    EXPECT_EQ(verdict("TESSERA_CALL(Road, tick, writes<&Road::v>) {\nself.v[6] = 1;\n}\n"),
              beyond(8, "6", "Road::v", "6 elements are 0 to 5"));
    // A helper may be called with either.
    EXPECT_EQ(verdict("template<class Self> void f(Self& self) {\nself.v[5] = 1; }\n"), "fine");
    EXPECT_EQ(verdict("template<class Self> void f(Self& self) {\nself.v[6] = 1; }\n"), beyond(8, "6", "Road::v", "6 elements are 0 to 5"));
}

// An agent that is met, or a site, has members of another row, whatever other functions call their neighbours.
TEST(ConstantIndexes, OfAVisitedNeighbourAreThoseOfItsFunction) {
    const std::string looks = "self.each(moore, [&](const auto& other) { x += other.v[3]; });";
    const std::string meets = "self.meet(here, agents<Ant>, [&](const auto& other) { x += other.v[5]; });";
    const auto function = [](const std::string& body) { return "TESSERA_CALL(Cell, tick, reads<>) { " + body + " }\n"; };
    EXPECT_EQ(verdict(function(looks) + function(meets)), "fine");
    EXPECT_EQ(verdict(function(looks + meets)), "fine");
}

// What is known only when the function runs, or may be something else, is left alone.
TEST(ConstantIndexes, AreConstant) {
    for (const auto* body : {"self.v[i] = 1;", "self.v[self.n] = 1;", "self.v[four + i] = 1;", "int four = 0; self.v[four] = 1;",
                             "local.v[4] = 1;", "self.n = local[9];", "self.v[f(4)] = 1;", "self.v[4 / 0] = 1;", "self.v[4.0f] = 1;",
                             "self.inner.v[9] = 1;", "// self.v[4]", "auto* s = \"self.v[4]\";"})
        EXPECT_EQ(in_function(body), "fine") << body;
}

std::string row_of(int members) {
    std::string names;
    for (int i = 0; i < members; ++i) names += ", m" + std::to_string(i);
    return "TESSERA_PLACE(Many" + names + ");\n";
}

TEST(Rows, HaveAtMost356Members) {
    EXPECT_EQ(verdict(row_of(356)), "fine");
    EXPECT_EQ(
        verdict("\n" + row_of(400)),
        "model.cu:10:" + std::to_string(row_of(356).size()) +
            ": Many has 400 members (a row has at most 356) make arrays of members that belong together, or move some to a second row");
}

TEST(Rows, AreNotCalledAsWhatTheSdkMakesOfThem) {
    EXPECT_EQ(verdict("struct name { int n = 0; };\nTESSERA_PLACE(name, n);\n"),
              "model.cu:10:15: no row can be called `name` (the SDK has another meaning for the word) rename the struct");
    EXPECT_EQ(verdict("struct Self { int n = 0; };\nTESSERA_AGENT(Self, on<Cell>, n);\n"),
              "model.cu:10:15: no row can be called `Self` (the SDK has another meaning for the word) rename the struct");
    for (const char* name : {"N", "I", "View", "names", "unix"})
        EXPECT_EQ(verdict(std::string("struct ") + name + " { int row = 0; };\nTESSERA_PLACE(" + name + ", row);\n"), "fine");
}

TEST(Members, OfHeadersAreLookedAtToo) {
    auto model = model_with("#include \"rules.hpp\"\n");
    model.headers.push_back({"rules.hpp", "template<class Self> void f(Self& self) { self.w[LAST] = 1; }\n", "rules.hpp"});
    EXPECT_EQ(message_of(Failure::compile, [&] { check_members(model); }),
              "rules.hpp:1:50: Cell::w has no element 3 (its 2 elements are 0 to 1) use one of these");
}

TEST(AccessLists, AreNotWrittenInRoundBrackets) {
    EXPECT_EQ(verdict("TESSERA_CALL(Cell, tick, reads<&Cell::v>, around(moore, &Cell::n, &Cell::w)) {}\n"),
              "model.cu:9:49: around has round brackets (the names of an access list stand between < and >) write around<moore, &Cell::n, "
              "&Cell::w>");
    EXPECT_EQ(verdict("TESSERA_CALL(Cell, tick,\n    writes(&Cell::v)) {}\n"),
              "model.cu:10:11: writes has round brackets (the names of an access list stand between < and >) write writes<&Cell::v>");
    EXPECT_EQ(verdict("int reads(int x) { return x; }\nTESSERA_CALL(Cell, tick, writes<&Cell::n>) { self.n = reads(1); }\n"), "fine");
    EXPECT_EQ(verdict("TESSERA_PARAM(int, most, most(1, 2))\n"), "fine");
}

TEST(MembersOfRows, AreOfNoTypeOfTheStandardLibraryButIntegers) {
    const std::string why = " (a member is bool, an integer of 8 to 64 bits, float, double, or a fixed array of these) choose one of them";
    EXPECT_EQ(verdict("struct Hut { int n;\n std::string name; };\nTESSERA_PLACE(Hut, n, name);\n"),
              "model.cu:10:2: std::string cannot be a member of Hut" + why);
    EXPECT_EQ(verdict("struct Hut { std::vector<int> all = {}; };\nTESSERA_AGENT(Hut, on<Cell>, all);\n"),
              "model.cu:9:14: std::vector cannot be a member of Hut" + why);
    EXPECT_EQ(verdict("struct Hut { std::uint8_t n; std::size_t all[3]; };\nTESSERA_PLACE(Hut, n, all);\n"), "fine");
    EXPECT_EQ(verdict("struct Other { std::string name; };\n"), "fine"); // which is no row: compilers find it
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

// Looked at one by one, each up to the end of the text, they would take minutes; worked out, as deep as they go, they would need more of a
// stack than there is.
TEST(Members, GetsThroughAnyNumberOfBracketsThatNobodyCloses) {
    constexpr int many = 50000;
    for (const char* text : {"const int a=(", ").v[", "self.v[", "self.each(", "self.each([](", "TESSERA_PLACE(", "TESSERA_CALL(Cell,b){",
                             "struct Cell {", "enum {a=("})
        EXPECT_EQ(verdict(repeated(text, many)), "fine") << text;
    EXPECT_EQ(verdict("const int deep = " + repeated("(", many) + "1" + repeated(")", many) + ";"), "fine");
    EXPECT_EQ(verdict("const int deep = " + repeated("-", many) + "1;"), "fine");
    EXPECT_EQ(in_function(repeated("self.v[", many) + "0" + repeated("]", many) + ";"), "fine");
}

TEST(NamesOfParameters, AreNotThoseOfOtherThings) {
    const auto refused = [](const std::string& name, const std::string& why) {
        return "model.cu:9:22: a parameter cannot be called " + name + " (" + why + ") rename it";
    };
    const auto of = [](const std::string& name) { return verdict("TESSERA_PARAM(float, " + name + ", 0.5f, \"what\")\n"); };
    for (const auto* function : {"min", "exp", "sqrt", "isfinite", "to_int"})
        EXPECT_EQ(of(function), refused(function, "a function of the SDK has that name"));
    for (const auto* row : {"Cell", "Road"}) EXPECT_EQ(of(row), refused(row, "a row has that name"));
    EXPECT_EQ(of("self"), refused("self", "functions have a `self`, the place or agent itself"));
    EXPECT_EQ(of("float"), refused("float", "it is a word of C++"));
    for (const auto* fine : {"cell", "size", "step", "range", "std", "moore", "hypot"}) EXPECT_EQ(of(fine), "fine") << fine;
    EXPECT_EQ(verdict("TESSERA_PARAM(int, range, 1, range(0, 3))\n"),
              "model.cu:9:20: a parameter cannot be called range (range(low, high) would be no range) rename it");
    EXPECT_EQ(verdict("TESSERA_GLOBAL(double, max)\n"),
              "model.cu:9:24: a value of a step cannot be called max (a function of the SDK has that name) rename it");
}

TEST(FunctionsOfAModel, HaveABody) {
    for (const std::string macro : {"TESSERA_CALL", "TESSERA_INIT"}) {
        const auto without = "model.cu:9:1: " + macro +
                             "(Cell, tick, ...) has no body (the function's body has to follow, between { and }) write it there, "
                             "without a ; before it";
        for (const auto* behind : {";", "", "; { self.n = 1; }", "\nTESSERA_MODEL(model, \"\");", "}"})
            EXPECT_EQ(verdict(macro + "(Cell, tick, writes<&Cell::n>)" + behind), without) << behind;
        EXPECT_EQ(verdict(macro + "(Cell, tick, writes<&Cell::n>)\n// what it does\n{ self.n = 1; }"), "fine");
    }
}

} // namespace
} // namespace tessera::jit::check_members_test
