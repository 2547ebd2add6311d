#include "host/generate/kernel_source.hpp"
#include "host/generate/leaving.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tessera::leaving_test {
namespace {

// What is read of a function `go` of persons whose body this is; "" if nothing.
std::string condition_of(const std::string& body, const std::string& before = {}, const std::string& header = {},
                         const std::function<void(model::Function&)>& change = {}) {
    test::HandMade toy;
    const auto home = toy.places("Home", {test::hand_made_member("rent")});
    const auto person = toy.agents("Person", home,
                                   {test::hand_made_member("content", Scalar::boolean), test::hand_made_member("kind", Scalar::u8),
                                    test::hand_made_member("energy"), test::hand_made_member("seen", Scalar::u8, 3)});
    auto& go = toy.function(person, "go", {{"content", test::changing()}, {"kind", test::reading()}});
    go.agent_uses.push_back({});
    go.agent_uses.back().row = person;
    go.agent_uses.back().moves = go.agent_uses.back().dies = true;
    if (change) change(go);
    model::Parameter wanted;
    wanted.name = "wanted";
    wanted.type = Scalar::f32;
    wanted.initial.resize(sizeof(float));
    toy.description.parameters.push_back(wanted);
    toy.source.main = {"m.cu", before + "\nTESSERA_CALL(Person, go, writes<&Person::content>, reads<&Person::kind>) {" + body + "}\n",
                       "m.cu"};
    if (!header.empty()) toy.source.headers.push_back({"h.hpp", header, "h.hpp"});
    const auto setup = toy.bind({"places.home.size = [4]", "agents.person = { count = 1, on = \"home\" }",
                                 "phase = [{ callAll = \"person.go\" }, { manageAll = \"person\" }]"});
    for (const auto& kernel : setup.kernels)
        if (kernel.is_function()) return LeavingConditions(setup).of(kernel).value_or("");
    return "no kernel";
}

constexpr const char* rest = "\n    self.migrate_to(self.random.below(4));\n";

TEST(Leaving, AReturnInFrontSaysWhoLeaves) {
    EXPECT_EQ(condition_of(std::string(" if (self.content) return;") + rest), "(self.content)");
    EXPECT_EQ(condition_of(std::string(" if (!self.content) { return; }") + rest), "(!self.content)");
    EXPECT_EQ(condition_of(std::string("\n    if (self.kind == 2 || self.energy < wanted) return; // a comment\n") + rest),
              "(self.kind == 2) || (self.energy < wanted)");
    EXPECT_EQ(condition_of(std::string(" if ((self.kind + 1) % 3 != 0 && !(self.content || self.kind>=4)) return;") + rest),
              "((self.kind + 1) % 3 != 0 && !(self.content || self.kind>=4))");
    EXPECT_EQ(condition_of(" if (self.content) return;"), "(self.content)");
}

// What calls something, or is not of the agent alone, ends what is known.
TEST(Leaving, TheFirstOperandsAreEnough) {
    EXPECT_EQ(condition_of(" if (self.content || self.random.bernoulli(0.5f) || self.kind == 1) return; self.kill();"), "(self.content)");
    EXPECT_EQ(condition_of(" if (self.content || self.place.food == 0) return; self.kill();"), "(self.content)");
    EXPECT_EQ(condition_of(" if (self.place.food == 0 || self.content) return; self.kill();"), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1 && self.random.bernoulli(0.5f)) self.kill();"), "!(self.kind == 1)");
    EXPECT_EQ(condition_of(" if (self.random.bernoulli(0.5f) && self.kind == 1) self.kill();"), "");
}

TEST(Leaving, ABodyThatIsOneIfSaysWhoDoesNot) {
    EXPECT_EQ(condition_of(" if (self.kind == 1) { self.content = true; self.kill(); } "), "!(self.kind == 1)");
    EXPECT_EQ(condition_of(" if (self.kind == 1 && !self.content) self.kill(); "), "!(self.kind == 1) || !(!self.content)");
    EXPECT_EQ(condition_of(" if (self.kind == 1) self.migrate_to([&] { int i = 0; return i; }()); "), "!(self.kind == 1)");
    EXPECT_EQ(condition_of(" if (self.kind == 1 || self.content) self.kill(); "), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) self.content = true; self.kill(); "), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) self.content = true; else self.kill(); "), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) { self.content = true; } else { self.kill(); } "), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) { return; } else { self.kill(); } "), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) if (self.content) self.kill(); else self.content = true;"), "");
    EXPECT_EQ(condition_of(" if (self.kind == 1) for (int i = 0; i < 3; ++i) self.content = !self.content; self.kill();"), "");
}

// Operators that bind less than those at which conditions are taken apart, and statements that end elsewhere than they seem.
TEST(Leaving, WhatMayBeReadOtherwiseIsNone) {
    for (const char* body :
         {"if (self.content || self.kind == 1 ? self.content : self.dying()) return; self.kill();",
          "if (self.content || f(), true) return; self.kill();", "if (self.content || f(); self.kind == 1) return; self.kill();",
          "if (self.kind == 1 && self.content or self.dying()) self.kill();",
          "if (self.kind == 1 && self.content ? self.dying() : true) self.kill();", "if (self.kind == 1 && (f(), true), true) self.kill();",
          "if (self.kind == 1) [[unlikely]] { self.kill(); } self.content = true;",
          "if (self.kind == 1) [[likely]] { self.kill(); } else self.content = true;",
          "if (self.kind == 1) again: { self.kill(); } self.content = true;", "if (self.kind == 1) DIE self.content = true;",
          "if (self.kind == 1) self.kill() DIE; self.content = true;", "if (self.kind == 1) static_cast<void>(0);",
          "if (self.kind == -\\\n-self.kind) return; self.kill();"})
        EXPECT_EQ(condition_of(body, "#define DIE { self.kill(); }\n"), "") << body;
    const std::string plain = " if (self.kind == 1) return; self.kill(); ";
    EXPECT_EQ(condition_of(plain, "struct A {};\nbool operator==(A, A);\n"), "");
    EXPECT_EQ(condition_of(plain, "#define self other\n"), "");
    EXPECT_EQ(condition_of(plain, "#if 0\nTESSERA_CALL(Person, go) { if (self.content) return; }\n#endif\n"), "");
    EXPECT_EQ(condition_of(plain, "", "TESSERA_CALL(Person, go) { if (self.content) return; }\n"), "");
    EXPECT_EQ(condition_of(" if (self.kind == ill) return; self.kill(); ", "#define ill 1\n#undef ill\n"), "");
    EXPECT_EQ(condition_of(plain, "", "#ifndef H\n#define H\n#endif\n"), "(self.kind == 1)");
    EXPECT_EQ(condition_of(plain, {}, {}, [](model::Function& go) { go.scope = "town"; }), "");
}

TEST(Leaving, ConstantsOfTheTextAreKnown) {
    const std::string body = std::string(" if (self.kind != ill) return;") + rest;
    EXPECT_EQ(condition_of(body, "enum State : std::uint8_t { well, ill, immune };"), "(self.kind != ill)");
    EXPECT_EQ(condition_of(body, "constexpr int ill = 1;"), "(self.kind != ill)");
    EXPECT_EQ(condition_of(body, "#define ill 1\n"), "(self.kind != ill)");
    EXPECT_EQ(condition_of(body, "", "constexpr int ill = 1;"), "(self.kind != ill)");
    EXPECT_EQ(condition_of(body), "");
    EXPECT_EQ(condition_of(body, "constexpr int ill = 1; void other(int ill = 2);"), ""); // which of them is meant is not looked up
    EXPECT_EQ(condition_of(body, "#define ill self.random.below(3)\n"), "");
    EXPECT_EQ(condition_of(std::string(" if (self.content) return;") + rest, "#define content random.below(2)\n"), "");
    EXPECT_EQ(condition_of(std::string(" if (self.energy < wanted) return;") + rest, "#define wanted self.random.uniform()\n"), "");
}

// A call that returns at once may change something all the same; and a function of its own agent alone gains nothing.
TEST(Leaving, FunctionsThatChangeMoreAreCalledForAll) {
    const auto condition = [](const std::function<void(model::Function&)>& change, const char* text = "self.kill();") {
        return condition_of(std::string(" if (self.kind == 1) return; ") + text, {}, {}, change);
    };
    EXPECT_EQ(condition({}), "(self.kind == 1)");
    EXPECT_EQ(condition([](model::Function& go) { go.accesses[0].use.reads = false; }), ""); // what it sets begins anew
    EXPECT_EQ(condition([](model::Function& go) { go.accesses[0].use.folds = true; }), "");
    EXPECT_EQ(condition([](model::Function& go) { go.accesses.push_back({0, 0, test::reading()}); }), "(self.kind == 1)");
    EXPECT_EQ(condition([](model::Function& go) { go.accesses.push_back({0, 0, test::changing()}); }), "");
    const auto stays = [](model::Function& go) { go.agent_uses.clear(); };
    EXPECT_EQ(condition(stays, "self.content = true;"), "");
    EXPECT_EQ(condition(stays, "self.content = self.random.bernoulli(0.5f);"), "(self.kind == 1)");
}

TEST(Leaving, WhatChangesOrCallsSomethingIsNone) {
    for (const char* asked : {"self.kind = 1",
                              "self.kind += 1",
                              "self.kind++",
                              "--self.kind",
                              "self.kind <<= 1",
                              "self.kind, self.content",
                              "self.seen[0] == 1",
                              "self.id == 3",
                              "self.moved()",
                              "f(self.kind)",
                              "self.kind(1)",
                              "self.kind ? 1 : 0",
                              "static_cast<int>(self.energy) == 1",
                              "const auto a = self.kind; a == 1",
                              "[&] { return self.content; }()",
                              "kind == 1",
                              "other.kind == 1",
                              "self.kind <=> 1",
                              "self.kind << 1",
                              "wanted(1)",
                              "self . content . x",
                              "\"a\"",
                              "State::ill == self.kind",
                              ""})
        EXPECT_EQ(condition_of(" if (" + std::string(asked) + ") return;" + rest), "") << asked;
    EXPECT_EQ(condition_of(std::string(" if constexpr (wanted < 1) return;") + rest), "");
    EXPECT_EQ(condition_of(std::string(" self.content = true; if (self.content) return;") + rest), "");
    EXPECT_EQ(condition_of(std::string("\n#if 1\n if (self.content) return;\n#endif\n") + rest), "");
    EXPECT_EQ(condition_of(" if (self.content"), "");
    EXPECT_EQ(condition_of(""), "");
}

// Finished code is found without the source: what is read of it is not in the text that finds it.
TEST(Leaving, IsNotOfTheTextThatFindsFinishedCode) {
    const auto prepared = prepare({test::plugin("schelling"), {"run.devices=\"cpu\""}, {}}, test::compiler());
    const auto& setup = prepared.setup;
    EXPECT_NE(leaving_source(setup).find("(self.content)"), std::string::npos);
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, false));
    EXPECT_EQ(kernel_epilogue(setup, views).find("self.content"), std::string::npos);
}

} // namespace
} // namespace tessera::leaving_test
