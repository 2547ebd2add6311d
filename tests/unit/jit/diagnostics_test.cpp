#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "jit/diagnostics.hpp"
#include "jit/sdk_headers.hpp"
#include "unit/jit/surroundings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::jit::diagnostics_test {
namespace {

using namespace testing;

struct Broken {
    const char* name;
    const char* text;                 // the body of tick, or a whole model when it includes the SDK itself
    const char* expected;             // what every compiler's error becomes
    const char* from_nvrtc = nullptr; // where it cannot say the same
};

std::ostream& operator<<(std::ostream& stream, const Broken& broken) { return stream << broken.name; }

// Line 1 to 4; the body starts on line 5.
const Broken broken_models[] = {
    {"own_member_absent", R"(        writes<&Cell::alive>) {
    self.alive = 1;
    self.heat = 2.0f;
}
)",
     R"(models/life.cu:7:10: Cell::heat is not in tick's access list (tick declares around<moore, &Cell::alive>, writes<&Cell::alive>) add reads<&Cell::heat> to read it or writes<&Cell::heat> to change it
    self.heat = 2.0f;
         ^)"},
    {"neighbours_member_absent", R"(        writes<&Cell::alive>) {
    float sum = 0;
    self.each(moore, [&](const auto& neighbour) { sum += neighbour.heat; });
    self.alive = sum > 3;
}
)",
     R"(models/life.cu:7:68: a neighbour's Cell::heat is not in tick's access list (tick declares around<moore, &Cell::alive>, writes<&Cell::alive>) add around<moore, &Cell::heat> to read it
    self.each(moore, [&](const auto& neighbour) { sum += neighbour.heat; });
                                                                   ^)"},
    {"assigns_what_is_read", R"(        reads<&Cell::heat>) {
    if (self.alive == 3)
	self.heat = self.alive;
}
)",
     "models/life.cu:7:7: Cell::heat is only read in tick (its access list says reads<&Cell::heat>) use writes<&Cell::heat> to change it\n"
     "\tself.heat = self.alive;\n"
     "\t     ^"},
    {"adds_to_what_is_read", R"(        reads<&Cell::heat>) {
    self.heat += 1;
}
)",
     R"(models/life.cu:6:10: Cell::heat is only read in tick (its access list says reads<&Cell::heat>) use writes<&Cell::heat> to change it
    self.heat += 1;
         ^)"},
    {"counts_up_what_is_read", R"(        reads<&Cell::heat>) {
    ++self.alive;
}
)",
     R"(models/life.cu:6:12: Cell::alive is only read in tick (its access list says around<moore, &Cell::alive>) use writes<&Cell::alive> to change it
    ++self.alive;
           ^)"},
    {"changes_a_neighbour", R"(        writes<&Cell::alive>) {
    self.each(moore, [&](auto&& neighbour) { neighbour.alive = 1; });
}
)",
     R"(models/life.cu:6:56: a neighbour's Cell::alive cannot be changed in tick (a function changes only its own place)
    self.each(moore, [&](auto&& neighbour) { neighbour.alive = 1; });
                                                       ^)"},
    {"sums_what_is_not_declared", R"(        reads<&Cell::heat>) {
    const float n = self.sum(moore, &Cell::heat);
    if (n > 2) return;
}
)",
     R"(models/life.cu:6:44: a neighbour's Cell::heat is not in tick's access list (tick declares around<moore, &Cell::alive>, reads<&Cell::heat>) add around<moore, &Cell::heat> to read it
    const float n = self.sum(moore, &Cell::heat);
                                           ^)"},
    {"no_such_member", R"(        writes<&Cell::heat>) {
    self.haet = 2;
}
)",
     R"(models/life.cu:6:10: Cell has no member haet (its members are alive, heat) did you mean heat?
    self.haet = 2;
         ^)"},
    {"no_such_member_in_the_list", R"(        writes<&Cell::haet>) {
    self.alive;
}
)",
     R"(models/life.cu:5:23: Cell has no member haet (its members are alive, heat) did you mean heat?
        writes<&Cell::haet>) {
                      ^)"},
    {"no_such_function", R"(        writes<&Cell::heat>) {
    self.heat = self.temperature();
}
)",
     R"(models/life.cu:6:22: self has no function temperature (in a function of places it may have at, each, sum, exists, get, count, any, least, most, pick, send, meet, spawn)
    self.heat = self.temperature();
                     ^)"},
    {"unknown_name", R"(        writes<&Cell::heat>) {
    const float threshold = 2;
    if (self.heat > treshold) self.heat = 0;
}
)",
     R"(models/life.cu:7:21: treshold is not known here did you mean threshold?
    if (self.heat > treshold) self.heat = 0;
                    ^)"},
    {"standard_function", R"(        writes<&Cell::heat>) {
    self.heat = std::sqrt(self.heat);
}
)",
     R"(models/life.cu:6:22: std::sqrt is not part of the SDK (models see only the SDK) use tessera::sqrt, which gives the same bits on every device
    self.heat = std::sqrt(self.heat);
                     ^)"},
    {"missing_semicolon", R"(        writes<&Cell::heat>) {
    self.heat = 2
    self.heat = 3;
}
)",
     R"(models/life.cu:6:18: a ; is missing here
    self.heat = 2
                 ^)"},
    {"missing_brace", R"(        writes<&Cell::heat>) {
    if (self.heat > 1) {
        self.heat = 3;
}
)",
     R"(models/life.cu:5:30: this { is never closed
        writes<&Cell::heat>) {
                             ^)"},
    {"brace_too_many", R"(        writes<&Cell::heat>) {
    self.heat = 3; }
}
)",
     R"(models/life.cu:7:1: this } closes nothing
}
^)"},
    {"assertion_of_the_authors", R"(        writes<&Cell::heat>) {
    static_assert(sizeof(self.heat) == 8, "heat \"must\" be a double");
}
)",
     R"(models/life.cu:6:5: heat "must" be a double
    static_assert(sizeof(self.heat) == 8, "heat \"must\" be a double");
    ^)"},
    {"two_errors", R"(        writes<&Cell::heat>) {
    self.heat = threshold;
    self.alive = 1;
}
)",
     R"(models/life.cu:6:17: threshold is not known here
    self.heat = threshold;
                ^
models/life.cu:7:10: Cell::alive is only read in tick (its access list says around<moore, &Cell::alive>) use writes<&Cell::alive> to change it
    self.alive = 1;
         ^)"},
};

// The miniature has an assertion in its innards.
const Broken broken_with_the_miniature[] = {
    {"assertion_of_the_sdk", R"(        writes<&Cell::heat>) {
    self.template widen<5>();
}
)",
     R"(models/life.cu:6:5: a neighbourhood is at most "3" wide
    self.template widen<5>();
    ^)"},
    {"assertion_of_the_sdk_in_a_lambda", R"(        writes<&Cell::heat>) {
    self.each(moore, [&](const auto& neighbour) {
        self.template widen<4>();
        self.heat += neighbour.alive;
    });
}
)",
     R"(models/life.cu:7:9: a neighbourhood is at most "3" wide
        self.template widen<4>();
        ^)",
     R"(models/life.cu:6:5: a neighbourhood is at most "3" wide
    self.each(moore, [&](const auto& neighbour) {
    ^)"}, // it leaves the lambda out of its trail
};

const Broken broken_with_the_sdk[] = {
    {"neighbour_beyond_the_offsets", R"(        writes<&Cell::heat>) {
    self.heat = self.at(east).alive + self.at(offset<2, 0>).alive;
}
)",
     R"(models/life.cu:6:61: a neighbour's Cell::alive is read beyond the offsets of tick's access list (tick declares around<moore, &Cell::alive>, writes<&Cell::heat>) widen its around<...>
    self.heat = self.at(east).alive + self.at(offset<2, 0>).alive;
                                                            ^)"},
    {"functions_of_one_compiler", R"(        writes<&Cell::heat>) {
    self.heat = sqrtf(self.heat);
}
)",
     R"(models/life.cu:6:17: sqrtf is not known here (models see only the SDK) use sqrt, which gives the same bits on every device
    self.heat = sqrtf(self.heat);
                ^)"},
    {"radius_of_a_neighbourhood", R"(        around<moore_of<17>, &Cell::heat>, writes<&Cell::heat>) {
    self.heat = 1;
}
)",
     R"(models/life.cu:5:16: a neighbourhood's radius must be 1 to 16
        around<moore_of<17>, &Cell::heat>, writes<&Cell::heat>) {
               ^)"},
    {"member_without_its_address", R"(        writes<Cell::heat>) {
    self.heat = 1;
}
)",
     R"(models/life.cu:5:16: Cell::heat is not a value here (an access list names members, not the value at one place) write &Cell::heat
        writes<Cell::heat>) {
               ^)"},
    {"offset_of_a_variable", R"(        writes<&Cell::heat>) {
    for (int d = -1; d <= 1; ++d) self.heat += self.at(offset<d, 0>).alive;
}
)",
     R"(models/life.cu:6:56: d is not known when the model is compiled (an offset has to be known: it decides what a place sees) write the offsets one by one, or use self.each(moore, ...)
    for (int d = -1; d <= 1; ++d) self.heat += self.at(offset<d, 0>).alive;
                                                       ^)"},
    {"self_as_a_row", R"(        writes<&Cell::heat>) {
    up(self);
}
inline void up(Cell& cell) { cell.heat += 1; }
)",
     R"(models/life.cu:6:8: self is not a Cell (it stands for a place, and has only the members of the access list) take it as `auto& self`
    up(self);
       ^)"},
    {"self_as_a_value", R"(        writes<&Cell::heat>) {
    up(self);
}
inline void up(Cell cell) { cell.heat += 1; }
)",
     R"(models/life.cu:6:8: self is not a Cell (it stands for a place, and has only the members of the access list) take it as `auto& self`
    up(self);
       ^)"},
    {"member_of_an_enum", R"(        writes<&Cell::heat>) {
    self.heat = 1;
}
enum class Kind : int { grass, tree };
struct Plant {
    std::uint8_t age = 0;
    Kind kind = Kind::tree;
};
TESSERA_PLACE(Plant, age, kind);
)",
     R"(models/life.cu:11:10: Plant::kind is of type Kind (a member is bool, an integer of 8 to 64 bits, float, double, or a fixed array of these) choose one of them; an enum is kept as its number
    Kind kind = Kind::tree;
         ^)"},
    {"thread_numbers", R"(        writes<&Cell::heat>) {
    const int i = 2 * threadIdx.x;
    self.heat = i;
}
)",
     R"(models/life.cu:6:23: threadIdx is not known here (a function of the model runs for one place, on any device) use self.position
    const int i = 2 * threadIdx.x;
                      ^)"},
};

class Golden : public ::testing::TestWithParam<std::tuple<Broken, Surroundings (*)()>> {
protected:
    static const Broken& broken() { return std::get<0>(GetParam()); }
    std::string error_on(const Target& target) const {
        Cache cache(folder_.path() / "cache");
        const auto model = model_of(std::string(head) + broken().text);
        const auto around = std::get<1>(GetParam())();
        const Job job{&model, around.sdk, around.prelude, around.epilogue, "kernels", target};
        return message_of(Failure::compile, [&] { static_cast<void>(Compiler(cache).compile(job)); });
    }
    std::string error_with(const char* compiler) const {
        const Variable cxx("CXX", compiler);
        return error_on({Target::Kind::cpu, {}, false});
    }
    TemporaryFolder folder_;
};

TEST_P(Golden, Gcc) {
    if (find_program("g++").empty()) GTEST_SKIP() << "g++ is not on $PATH";
    EXPECT_EQ(error_with("g++"), broken().expected);
}

TEST_P(Golden, Clang) {
    if (find_program("clang++").empty()) GTEST_SKIP() << "clang++ is not on $PATH";
    EXPECT_EQ(error_with("clang++"), broken().expected);
}

TEST_P(Golden, Nvrtc) {
    std::string why;
    if (nvrtc_or_nothing(why) == nullptr) GTEST_SKIP() << why;
    EXPECT_EQ(error_on({Target::Kind::cuda, "sm_90", false}), broken().from_nvrtc != nullptr ? broken().from_nvrtc : broken().expected);
}

std::string name_of_case(const ::testing::TestParamInfo<Golden::ParamType>& each) { return std::get<0>(each.param).name; }

INSTANTIATE_TEST_SUITE_P(Miniature, Golden, ::testing::Combine(::testing::ValuesIn(broken_models), ::testing::Values(&miniature)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(MiniatureAlone, Golden,
                         ::testing::Combine(::testing::ValuesIn(broken_with_the_miniature), ::testing::Values(&miniature)), name_of_case);
INSTANTIATE_TEST_SUITE_P(SdkAlone, Golden, ::testing::Combine(::testing::ValuesIn(broken_with_the_sdk), ::testing::Values(&whole_sdk)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Sdk, Golden, ::testing::Combine(::testing::ValuesIn(broken_models), ::testing::Values(&whole_sdk)), name_of_case);

TEST(Diagnostics, TheFirstErrorSaysWhoseFaultItIs) {
    const auto model = model_of("int answer = 42;\n");
    const auto is_ours = [&](const std::string& log) { return compile_error(log, Toolchain::gcc, model, "g++").is_ours(); };
    const std::string authors = model.main.path + ":1:5: error: redefinition of 'int tessera_model::answer'\n",
                      ours = "tessera-generated:7:8: error: redefinition of 'struct tessera::twice'\n";
    EXPECT_FALSE(is_ours(authors));
    EXPECT_FALSE(is_ours(authors + ours));
    EXPECT_TRUE(is_ours(ours));
    EXPECT_TRUE(is_ours(ours + authors)) << "what follows may come of it";
    EXPECT_TRUE(is_ours("collect2: fatal error: ld terminated")) << "or is nobody's place";
}

} // namespace
} // namespace tessera::jit::diagnostics_test
