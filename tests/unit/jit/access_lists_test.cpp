// What is wrong by how it is written is found in the text alone: no compiler is asked, so that all give the same message.
#include "jit/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::jit::access_lists_test {
namespace {

using namespace testing;

// Lines 1 to 6; what is tried begins on line 7.
constexpr const char* declarations = R"(#include <tessera/model.hpp>
struct Person { float heat = 0; int ill = 0; };
TESSERA_PLACE(Person, heat, ill);
struct Friend { float weight = 1; }; TESSERA_LINK(Friend, between<Person>, weight);
struct Ant { float sugar = 0; }; TESSERA_AGENT(Ant, on<Person>, sugar);
struct Wolf { float rage = 0; }; TESSERA_AGENT(Wolf, on<Person>, rage);
)";

struct Case {
    std::string text, expected; // expected: "LINE:COLUMN: message", as much of it as matters
};

std::vector<std::string> said_of(const std::string& text) {
    ModelSource model;
    model.main.path = "m.cu";
    model.main.text = declarations + text;
    std::vector<std::string> result;
    for (const auto& each : diagnose("", Toolchain::gcc, model))
        result.push_back(std::to_string(each.line) + ":" + std::to_string(each.column) + ": " + each.message);
    return result;
}

void expect_each(const std::vector<Case>& cases) {
    for (const auto& [text, expected] : cases) EXPECT_THAT(said_of(text), ElementsAre(StartsWith(expected))) << text;
}

TEST(AccessListsAsWritten, WhatIsNotClosed) {
    expect_each({
        {"TESSERA_CALL(Person, t, around<moore, &Person::heat, writes<&Person::ill>) {}",
         "7:52: a > is missing here (around<...> ends before the next entry)"},
        {"TESSERA_CALL(Person, t, writes<&Person::heat) {}", "7:45: a > is missing here (writes<...> is not closed)"},
        {"TESSERA_CALL(Person, t, around<moore_of<2, &Person::heat>, writes<&Person::ill>) {}",
         "7:42: a > is missing here (moore_of<...> ends before the members)"},
        {"TESSERA_CALL(Person, t, around<moore, &Person::heat writes<&Person::ill>) {}", "7:52: a >, is missing here"},
        {"TESSERA_CALL(Person, t, around<links<Friend, &Person::heat>, writes<&Person::ill>) {}",
         "7:44: a > is missing here (links<...> ends before the members)"},
        {"TESSERA_INIT(Person, t,\n    writes<&Person::heat) {}", "8:25: a > is missing here"},
        {"TESSERA_CALL(Person, t, writes<&Person::heat>>) {}", "7:46: this > closes nothing"},
        {"TESSERA_CALL(Person, t, writes&Person::heat>) {}", "7:31: a < is missing here"},
        {"TESSERA_CALL(Person, t, writes<&Person::heat> {}", "7:13: this ( is never closed"},
    });
}

TEST(AccessListsAsWritten, CommasThatAreMissing) {
    expect_each({
        {"TESSERA_CALL(Person, t, around<moore, &Person::heat> writes<&Person::ill>) {}",
         "7:53: a , is missing here (it separates the entries of an access list)"},
        {"TESSERA_CALL(Person, t, writes<&Person::heat &Person::ill>) {}", "7:45: a , is missing here (it separates what an entry names)"},
        {"TESSERA_CALL(Person, t, around<moore &Person::heat>) {}", "7:37: a , is missing here"},
        {"TESSERA_CALL(Person t, writes<&Person::heat>) {}", "7:20: a , is missing here (TESSERA_CALL takes a row"},
        {"TESSERA_CALL(Person, t writes<&Person::heat>) {}", "7:23: a , is missing here (the access list follows"},
        {"TESSERA_CALL(Person, t, reads<&Person::heat>,) {}", "7:45: there is nothing after this ,"},
        {"TESSERA_CALL(Person, t, reads<&Person::heat>, , dies) {}", "7:45: there is nothing after this ,"},
    });
}

TEST(AccessListsAsWritten, EntriesThatNameSomethingElse) {
    expect_each({
        {"TESSERA_CALL(t, writes<&Person::heat>) {}", "7:1: the function has no row or no name"},
        {"TESSERA_CALL(Person, t, &Person::heat) {}", "7:25: &Person::heat stands in no entry"},
        {"TESSERA_CALL(Person, t, around<&Person::heat>) {}", "7:32: around<...> begins with a neighbourhood"},
        {"TESSERA_CALL(Person, t, around<Friend, &Person::heat>) {}", "7:32: Friend is the row of the links"},
        {"TESSERA_CALL(Person, t, counts<Ant>) {}", "7:32: counts<...> begins with a neighbourhood"},
        {"TESSERA_CALL(Person, t, counts<here, agents<Ant>>) {}", "7:38: counts<...> names the row of agents itself"},
        {"TESSERA_CALL(Person, t, meets<here, Ant>) {}", "7:37: meets<...> names members of agents, or agents<Ant>"},
        {"TESSERA_CALL(Person, t, around<\"moore\", &Person::heat>) {}", "7:32: a neighbourhood is a name"},
        {"TESSERA_CALL(Person, t, around<moore(2), &Person::heat>) {}", "7:32: moore has no radius"},
        {"TESSERA_CALL(Person, t, around<von_neumann<2>, &Person::heat>) {}", "7:32: von_neumann has no radius"},
        {"TESSERA_CALL(Person, t, writes<heat>) {}", "7:32: heat is named without its row"},
        {"TESSERA_CALL(Person, t, writes<&heat>) {}", "7:33: heat is named without its row"},
        {"TESSERA_CALL(Person, t, writes<&Person.heat>) {}", "7:32: a member is named by its row and two colons"},
        {"TESSERA_CALL(Person, t, writes<&Person:heat>) {}", "7:32: a member is named by its row and two colons"},
        {"TESSERA_CALL(Friend, t, reads<&Person::heat>) {}", "7:40: Person::heat cannot be read by reads<...> in t (it is of the places "
                                                             "that the link joins, and the function's own row is Friend) "
                                                             "write around<ends, &Person::heat>"},
        {"TESSERA_CALL(Person, t, writes<&Friend::weight>) {}", "7:41: Friend::weight cannot be changed in t"},
        {"TESSERA_CALL(Wolf, t, reads<&Ant::sugar>) {}", "7:35: Ant::sugar cannot be read by reads<...> in t (it is of other agents"},
        {"TESSERA_CALL(Wolf, t, writes<&Ant::sugar>) {}", "7:36: Ant::sugar cannot be changed in t"},
    });
}

TEST(AccessListsAsWritten, WhatPlacesDoNotDo) {
    expect_each({
        {"TESSERA_CALL(Person, part, around<links<Friend>, &Person::ill>, dies) {}",
         "7:65: places do not die: part is a function of places (links die by functions of links, and agents by functions of agents) set a "
         "mark, a member of Person, and end links in TESSERA_CALL(Friend, NAME, around<ends, &Person::MARK>, dies)"},
        {"TESSERA_CALL(Person, freeze, dies) {}",
         "7:30: places do not die: freeze is a function of places (links die by functions of links, and agents by functions of agents) set "
         "a "
         "mark, a member of Person, and let agents die in TESSERA_CALL(Ant, NAME, reads<&Person::MARK>, dies)"},
        {"TESSERA_CALL(Wolf, hunt, dies<Ant>) {}", "7:26: dies stands alone"},
        {"TESSERA_CALL(Person, go, moves<moore>) {}", "7:26: places do not move"},
    });
}

TEST(AccessListsAsWritten, NothingIsSaidOfWhatIsRight) {
    EXPECT_THAT(said_of(R"(
TESSERA_GLOBAL(double, heat_of_all);
TESSERA_GLOBAL(double, ill);
TESSERA_UNIFORM(float[9], chance, reads<heat_of_all>) { return 1; }
using mine = reads<&Person::ill>;
TESSERA_CALL(Person, none) {}
TESSERA_CALL(Person, look, around<moore_of<2>, &Person::heat>, around<offsets<offset<2, 0>, west>, &Person::heat>, mine, reads<ill>) {}
TESSERA_CALL(Person, ask, tessera::around<links<Friend>, &Person::ill, &Friend::weight>, spawns<Friend, anywhere, 3>) {}
TESSERA_CALL(Person, give, adds<links<Friend>, &Person::heat>, around<links<Friend>>) {}
TESSERA_CALL(Friend, part, around<ends, &Person::ill>, writes<&Friend::weight>, dies) {}
TESSERA_CALL(Ant, go, meets<within<(1 + 1)>, &Wolf::rage>, meets<here, agents<Ant>>, counts<with_here<moore>, Ant, Wolf>,
             moves<lines_of<6>>, reads<moved>, reads<&Person::heat, &Ant::sugar>, spawns<Ant, with_here<von_neumann>, 2>, dies) {}
)"),
                IsEmpty());
}

TEST(MacrosAsWritten, AreMeant) {
    expect_each({
        {"TESERA_CALL(Person, t, writes<&Person::heat>) {}", "7:1: TESERA_CALL is not known here did you mean TESSERA_CALL?"},
        {"TESSERA_CAL(Person, t) {}", "7:1: TESSERA_CAL is not known here"},
        {"TESSERA_FUNCTION(Person, t) {}",
         "7:1: TESSERA_FUNCTION is not known here (the macros of a model are TESSERA_PLACE, TESSERA_AGENT, "},
        {"TESSERA_CALL(Person, t) { TESSERA_ASERT(true, \"\"); }", "7:27: TESSERA_ASERT is not known here"},
        {"TESSERA_CALL(Person, t) { TESSERA_ASSERT(true); }",
         "7:27: TESSERA_ASSERT cannot be used like this (it takes a condition and a text)"},
        {"TESSERA_PARAM(float, warmth);", "7:1: TESSERA_PARAM cannot be used like this"},
        {"TESSERA_DOC(Person::heat);", "7:1: TESSERA_DOC cannot be used like this"},
    });
    EXPECT_THAT(said_of("#define TESSERA_MINE(x) x;\nTESSERA_MINE(constexpr int own = 1)"), IsEmpty());
}

// One letter away, each of them: the right macro is offered.
TEST(MacrosAsWritten, EveryMacroIsOffered) {
    for (const auto* name :
         {"PLACE", "AGENT", "LINK", "CALL", "INIT", "PARAM", "GLOBAL", "UNIFORM", "DOC", "VALUES", "ASSERT", "DEFAULTS", "MODEL"})
        for (const auto& wrong : {"TESERA_" + std::string(name), "TESSERA_" + std::string(name) + "S", "tessera_" + std::string(name)})
            EXPECT_THAT(said_of(wrong + "(x)"), ElementsAre(EndsWith(std::string("did you mean TESSERA_") + name + "?"))) << wrong;
}

// What the three compilers say of it is written out: they find it at different times, so that no broken model has it beside others.
TEST(Slips, AValueOfAStepByItsName) {
    ModelSource model;
    model.main.path = "m.cu";
    model.main.text =
        std::string(declarations) + "TESSERA_GLOBAL(double, total);\nTESSERA_CALL(Person, t, reads<total>) { float(total); }\n";
    const auto message = [&](const char* log, Toolchain toolchain) {
        const auto found = diagnose(log, toolchain, model);
        return found.empty() ? std::string() : std::to_string(found.front().column) + ": " + found.front().message;
    };
    const char* expected = "47: total stands for a value of the step, and is not its number write self.get(total)";
    EXPECT_EQ(
        message("m.cu:8:42: error: invalid cast from type 'const tessera_model::tessera_global_total' to type 'float'\n", Toolchain::gcc),
        expected);
    EXPECT_EQ(message("m.cu:8:42: error: cannot convert 'const tessera_global_total' to 'float' without a conversion operator\n",
                      Toolchain::clang),
              expected);
    EXPECT_EQ(message("m.cu(8): error: no suitable conversion function from \"const tessera_model::tessera_global_total\" to \"float\" "
                      "exists\n",
                      Toolchain::nvrtc),
              expected);
}

} // namespace
} // namespace tessera::jit::access_lists_test
