// What functions of a model do that compilers accept: members that are set and read first, conditions along links that change something,
// and names of values that mean another number in the text.
#include "jit/check_members.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

namespace tessera::jit::check_functions_test {
namespace {

using namespace testing;

// The lines of `text` are 8 and following.
std::string verdict(const std::string& text) {
    const ModelSource model{{"model.cu",
                             "#include <tessera/model.hpp>\n"
                             "enum Kind : std::uint8_t { bare, tree, burning };\n"
                             "struct Cell { int n = 0, m = 0; float flow[4] = {}; };\n"
                             "TESSERA_PLACE(Cell, n, m, flow);\n"
                             "struct Road { int n = 0; };\n"
                             "TESSERA_LINK(Road, between<Cell>, n);\n"
                             "\n" +
                                 text,
                             "model.cu"},
                            {}};
    try {
        check_members(model);
        return "fine";
    } catch (const Error& error) {
        return error.what();
    }
}

// ---- members that are set

// The body's line is 9.
std::string of_sets(const std::string& body, const std::string& access = "sets<&Cell::n, &Cell::flow>, writes<&Cell::m>") {
    return verdict("TESSERA_CALL(Cell, tick, " + access + ") {\n" + body + "\n}\n");
}
std::string read_too_early(int column, const std::string& member = "Cell::n") {
    return "model.cu:9:" + std::to_string(column) + ": " + member + " is read before it is assigned (sets<&" + member +
           "> does not load its value, so it would be the member's default here) assign it first, or write writes<&" + member +
           "> in the access list to go on from its value";
}

TEST(SetMembers, ThatAreReadFirstAreRefused) {
    EXPECT_EQ(of_sets("self.n += 1;"), read_too_early(6));
    EXPECT_EQ(of_sets("self.n <<= 1;"), read_too_early(6));
    EXPECT_EQ(of_sets("++self.n;"), read_too_early(8));
    EXPECT_EQ(of_sets("self.n--;"), read_too_early(6));
    EXPECT_EQ(of_sets("self.n = self.n + 1;"), read_too_early(15));
    EXPECT_EQ(of_sets("self.m = self.n;"), read_too_early(15));
    EXPECT_EQ(of_sets("if (self.n == 3) self.n = 1;"), read_too_early(10));
    EXPECT_EQ(of_sets("if (self.n <= 3) self.n = 1;"), read_too_early(10));
    EXPECT_EQ(of_sets("self.flow[0] += 1;"), read_too_early(6, "Cell::flow"));
    EXPECT_EQ(of_sets("self.flow[self.n] = 1;"), read_too_early(16));
    EXPECT_EQ(of_sets("self.m = max(self.m, self.n);"), read_too_early(27));
    EXPECT_EQ(of_sets("self.m = static_cast<int>(self.n);"), read_too_early(32));
    EXPECT_EQ(of_sets("self.each(moore, [&](const auto& other) { self.n += 1; });"), read_too_early(48));
    EXPECT_EQ(of_sets("for (int i = 0; i < 3; ++i) self.n = self.n * 2;"), read_too_early(43));
    EXPECT_EQ(verdict("TESSERA_CALL(Road, age, sets<&Road::n>) {\nself.n += 1;\n}\n"), read_too_early(6, "Road::n"));
    EXPECT_EQ(verdict("TESSERA_INIT(Cell, begin, sets<&Cell::n>) {\nself.n += 1;\n}\n"), read_too_early(6));
}

TEST(SetMembers, OfOneBranchAreNotThoseOfTheOther) {
    EXPECT_EQ(of_sets("if (self.m > 3) self.n = 1; else self.m = self.n;"), read_too_early(48));
    EXPECT_EQ(of_sets("if (self.m > 3) { self.n = 1; } else if (self.m > 2) { self.n = 2; } else { self.m = self.n; }"),
              read_too_early(91));
    EXPECT_EQ(of_sets("if (self.m > 3) self.n = 1; else self.m = 2; self.m = self.n;"), "fine"); // a checked run looks
    for (const auto* body :
         {"for (int i = 0; i < 3; ++i) if (i == 0) self.n = 1; else self.n += 1;",
          "for (int i = 0; i < 3; ++i) { if (i > 0) self.m = self.n; self.n = i; }",
          "bool any = false; self.each(moore, [&](const auto& o) { if (any) self.n += o.n; else self.n = o.n; any = true; });"})
        EXPECT_EQ(of_sets(body), "fine") << body;
    EXPECT_EQ(of_sets("for (int i = 0; i < 3; ++i) { if (self.n > 0) self.m = 1; self.n = i; }"), read_too_early(40));
    EXPECT_EQ(of_sets("while (self.n < 3) self.n = 1;"), read_too_early(13));
}

TEST(SetMembers, ThatAreAssignedFirstAreFine) {
    for (const auto* body :
         {"self.n = 1; self.n += 2;", "self.n = self.m = 2; self.m = self.n;", "if (self.m > 3) self.n = 1; self.m = self.n;",
          "self.flow[0] = 1; self.flow[1] += self.flow[0];", "for (auto& x : self.flow) x = 0; self.m = int(self.flow[2]);",
          "auto& n = self.n; n = 3; self.m = self.n;", "set(self.n); self.m = self.n;", "cool(self); self.m = self.n;",
          "const auto later = [&] { return self.n; }; self.n = 1; self.m = later();", "self.m = sizeof(self.n);",
          "self.m = self.at(west).n;", "self.each(moore, [&](const auto& other) { self.m += other.n; });", "// self.n += 1;",
          "int* const n = &self.n; *n = 3; self.m = self.n;"})
        EXPECT_EQ(of_sets(body), "fine") << body;
    for (const auto* access :
         {"writes<&Cell::n>", "sets<&Cell::n>, reads<&Cell::n>", "sets<&Cell::n>, around<moore, &Cell::n>", "sets<&Road::n>"})
        EXPECT_EQ(of_sets("self.n += 1;", access), "fine") << access;
}

TEST(SetMembers, MayStandInAnyDepthOfBrackets) {
    std::string deep;
    for (int i = 0; i < 3000; ++i) deep += "if (self.m) self.n = self.m = ";
    EXPECT_EQ(of_sets(deep + "1;"), "fine");
    EXPECT_EQ(of_sets(deep), "fine");
    EXPECT_EQ(of_sets(std::string(3000, '(') + std::string(3000, '{')), "fine");
}

// ---- conditions along links

std::string changing(int column, const std::string& call, const std::string& what, const std::string& suggestion) {
    return "model.cu:9:" + std::to_string(column) + ": the function that is given to self." + call + "(...) " + what +
           " (it is called in any order, and by several threads at a time) " + suggestion;
}

TEST(ConditionsAlongLinks, ChangeNothing) {
    const std::string access = "around<links<Road>, &Cell::n>, writes<&Cell::m, &Cell::flow>";
    const std::string value = "return a value, or change it in self.each(...), which goes in order";
    const auto of = [&](const std::string& body) { return of_sets(body, access); };
    EXPECT_EQ(of("self.m = self.count(links<Road>, [&](const auto& o) { return self.random.bernoulli(0.5f); });"),
              changing(67, "count", "draws a random number", "draw before the call, or in self.each(...), which goes in order"));
    EXPECT_EQ(of("int all = 0; self.any(links<Road>, [&](const auto& o) { all += o.n; return false; });"),
              changing(57, "any", "changes all", value));
    EXPECT_EQ(of("self.sum(links<Road>, [&](const auto& o) { self.m = o.n; return 1; });"), changing(44, "sum", "changes self.m", value));
    EXPECT_EQ(of("self.sum(links<Road>, [&](const auto& o) { self.flow[o.n] -= 1; return 1; });"),
              changing(44, "sum", "changes self.flow", value));
    EXPECT_EQ(of("int i = 0; self.least(links<Road>, 9, [&](const auto& o) { return w[i++] * o.n; });"),
              changing(69, "least", "changes i", value));
    EXPECT_EQ(of("int i = 0; self.most(links<Road>, 9, [&](const auto& o) { return w[++i] * o.n; });"),
              changing(70, "most", "changes i", value));
    EXPECT_EQ(of("self.send(links<Road>, [&](const auto& there) { there.n += 1; self.kill(); });"),
              changing(68, "send", "asks for something by kill(...)", "ask in self.each(...)"));
}

TEST(ConditionsAlongLinks, MayHaveVariablesOfTheirOwn) {
    for (const auto* body :
         {"self.m = self.sum(links<Road>, [&](const auto& o) { int n = o.n; n += 2; for (int i = 0; i < 3; ++i) n++; return n; });",
          "self.m = self.count(links<Road>, [&](const auto& o) { const auto x = o.n; return x <= 3 && x >= self.m && x != 2 && x == 1; });",
          "self.send(links<Road>, [&](const auto& there) { there.n += 1; there.n.after(2) += 3; });",
          "self.each(links<Road>, [&](const auto& o) { if (self.random.bernoulli(0.5f)) self.m += o.n; });",
          "self.pick(links<Road>, [&](const auto& o) { self.m = o.n; });", "self.m = self.sum(links<Road>, &Cell::n);",
          "self.m = self.sum(moore, &Cell::n) + self.random.below(3);"})
        EXPECT_EQ(of_sets(body, "around<links<Road>, &Cell::n>, writes<&Cell::m>"), "fine") << body;
}

// ---- names of values

TEST(NamesOfValues, AreTheNumbersOfTheText) {
    const auto wrong = [](int column, int value, const std::string& name, int in_code) {
        return "model.cu:8:" + std::to_string(column) + ": TESSERA_VALUES(Cell::n, ...) calls " + std::to_string(value) + " " + name +
               ", which is " + std::to_string(in_code) +
               " in the code (a name without a number is one more than the name before it, and the first is 0) write " + name + " = " +
               std::to_string(in_code) + ", or name all values in their order";
    };
    EXPECT_EQ(verdict("TESSERA_VALUES(Cell::n, bare, burning);\n"), wrong(31, 1, "burning", 2));
    EXPECT_EQ(verdict("TESSERA_VALUES(Cell::n, bare = 4, tree);\n"), wrong(25, 4, "bare", 0));
    EXPECT_EQ(verdict("TESSERA_VALUES(Cell::n, ash = 2, tree);\n"), wrong(34, 3, "tree", 1));
    for (const auto* names : {"bare, tree, burning", "bare, burning = 2", "burning = 2, bare = 0", "ash, rock", "tree = 1, burning, ash"})
        EXPECT_EQ(verdict(std::string("TESSERA_VALUES(Cell::n, ") + names + ");\n"), "fine") << names;
    EXPECT_EQ(verdict("enum class Other { fire, water };\nTESSERA_VALUES(Cell::n, water, fire);\n"), "fine");
}

} // namespace
} // namespace tessera::jit::check_functions_test
