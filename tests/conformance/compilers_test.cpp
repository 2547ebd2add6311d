// g++ and clang++ make the same bits of a model.
#include "jit/host_compiler.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera::test::compilers_test {
namespace {

// $CXX, which says by what models are compiled, for as long as this lives.
class ChosenCompiler {
public:
    explicit ChosenCompiler(const char* command) {
        if (const char* before = std::getenv("CXX")) before_ = before;
        ::setenv("CXX", command, 1);
    }
    ~ChosenCompiler() {
        if (before_)
            ::setenv("CXX", before_->c_str(), 1);
        else
            ::unsetenv("CXX");
    }
    ChosenCompiler(const ChosenCompiler&) = delete;
    ChosenCompiler& operator=(const ChosenCompiler&) = delete;

    [[nodiscard]] static bool is(jit::HostCompiler::Family family) { return jit::HostCompiler::find().family() == family; }

private:
    std::optional<std::string> before_;
};

// As in Views and Threads, where the model is there too: each is compiled for a grid.
struct Case {
    std::string model;
    std::vector<std::string> keys;
};

class Compilers : public ::testing::Test {
protected:
    void SetUp() override {
        const auto there = [](const char* command, jit::HostCompiler::Family family) {
            const ChosenCompiler chosen(command);
            return ChosenCompiler::is(family);
        };
        if (!there("g++", jit::HostCompiler::Family::gcc)) GTEST_SKIP() << "needs g++";
        if (!there("clang++", jit::HostCompiler::Family::clang)) GTEST_SKIP() << "needs clang++";
    }
    static std::uint64_t hash_of(const Case& tested) {
        WorldUnderTest world(tested.model, tested.keys);
        world.step_to(30);
        return world.hash();
    }
    // By its usual name it made them for other tests before.
    static std::uint64_t hash_by(const char* command, jit::HostCompiler::Family family, const Case& tested) {
        if (ChosenCompiler::is(family)) return hash_of(tested);
        const ChosenCompiler chosen(command);
        return hash_of(tested);
    }
    static void expect_the_same(const Case& tested) {
        EXPECT_EQ(hash_by("g++", jit::HostCompiler::Family::gcc, tested), hash_by("clang++", jit::HostCompiler::Family::clang, tested))
            << tested.model;
    }
};

TEST_F(Compilers, AgreeOnThePlugins) {
    expect_the_same({plugin("life"), geometry("cell", reference::plane(131, 67, Boundary::open))});
    expect_the_same({plugin("heat2d"), geometry("plate", {67, 43, 1, Boundary::reflect, Boundary::torus})});
    expect_the_same({plugin("wave2d"), geometry("wave", reference::plane(201, 103, Boundary::fixed))});
    expect_the_same({plugin("leadership"), geometry("person", {37, 29, 1, Boundary::torus, Boundary::open})});
}

TEST_F(Compilers, AgreeOnTheTestModels) {
    expect_the_same({test_model("random_walk_field"), geometry("field", {61, 47, 1, Boundary::open, Boundary::reflect})});
    expect_the_same({test_model("boundaries"), geometry("site", {23, 17, 1, Boundary::open, Boundary::torus})});
    expect_the_same({test_model("life3d"), geometry("cell", {21, 13, 7, Boundary::torus, Boundary::open, Boundary::reflect}, 3)});
    expect_the_same({test_model("mass_heat"), geometry("plate", reference::plane(61, 47, Boundary::fixed))});
    expect_the_same({test_model("rule110"), geometry("cell", reference::line(20011, Boundary::torus), 1)});
    expect_the_same({test_model("offsets"), geometry("spot", {45, 31, 1, Boundary::reflect, Boundary::torus})});
    expect_the_same({test_model("furnace"), geometry("plate", {37, 23, 1, Boundary::torus, Boundary::reflect})});
    expect_the_same({test_model("tides"), geometry("shore", {37, 23, 1, Boundary::reflect, Boundary::torus})});
    expect_the_same({test_model("many_types"), geometry("exhibit", reference::plane(19, 5, Boundary::torus))});
}

TEST_F(Compilers, AgreeOnAgents) {
    expect_the_same({plugin("wolf_sheep"), geometry("grass", reference::plane(43, 61, Boundary::torus))});
    expect_the_same({plugin("ants"), geometry("ground", reference::plane(71, 73, Boundary::open))});
    expect_the_same({test_model("auction"), geometry("stall", reference::plane(31, 43, Boundary::torus))});
    expect_the_same({test_model("families"), geometry("land", reference::plane(31, 43, Boundary::torus))});
}

// An array in a body belongs to one place, also where a compiler works on several places at once.
TEST_F(Compilers, GiveEveryPlaceItsOwnArrays) {
    const TemporaryFolder folder;
    const auto model = folder
                           .write("choice.cu", R"(#include <tessera/model.hpp>
struct Spot {
    std::uint8_t choice = 0;
    std::int32_t picked = 0;
};
TESSERA_PLACE(Spot, choice, picked);
TESSERA_CALL(Spot, choose, sets<&Spot::choice, &Spot::picked>) {
    const auto x = static_cast<std::int32_t>(self.position.x), y = static_cast<std::int32_t>(self.position.y);
    const bool open[] = {x % 2 == 0, x % 3 == 0, y % 2 == 0, x > y};
    const std::int32_t weight[] = {x, y, x + y, x - y, 7};
    const auto wanted = static_cast<std::uint8_t>((x * 5 + y * 3) % 4);
    self.choice = open[wanted] ? wanted : 9;
    self.picked = weight[(x + 2 * y) % 5];
}
TESSERA_MODEL(choice, "arrays of its own");
)")
                           .string();
    const auto shape = reference::plane(131, 23, Boundary::open);
    std::vector<std::uint8_t> choices;
    std::vector<std::int32_t> picked;
    for (int y = 0; y < shape.ny; ++y)
        for (int x = 0; x < shape.nx; ++x) {
            const int wanted = (x * 5 + y * 3) % 4, kind = (x + 2 * y) % 5;
            const bool open = wanted == 0 ? x % 2 == 0 : wanted == 1 ? x % 3 == 0 : wanted == 2 ? y % 2 == 0 : x > y;
            choices.push_back(static_cast<std::uint8_t>(open ? wanted : 9));
            picked.push_back(kind == 0 ? x : kind == 1 ? y : kind == 2 ? x + y : kind == 3 ? x - y : 7);
        }
    for (const char* command : {"g++", "clang++"}) {
        const ChosenCompiler chosen(command);
        WorldUnderTest world(model, geometry("spot", shape));
        world.step_to(1);
        expect_same(world.values<std::uint8_t>("spot", "choice"), choices, shape, std::string("choice by ") + command);
        expect_same(world.values<std::int32_t>("spot", "picked"), picked, shape, std::string("picked by ") + command);
    }
}

} // namespace
} // namespace tessera::test::compilers_test
