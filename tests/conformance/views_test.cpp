// The same bits whatever the view, the number of threads and the device.
// sanitizers: address
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::views_test {
namespace {

struct Case {
    std::string model;
    std::vector<std::string> keys;
    std::uint64_t steps;
};

// Boundaries of all kinds, and sizes that are no multiple of anything.
std::vector<Case> cases() {
    const auto mixed = reference::Boundary::open;
    return {
        {plugin("life"), geometry("cell", reference::plane(131, 67, mixed)), 40},
        {plugin("heat2d"), geometry("plate", {67, 43, 1, Boundary::reflect, Boundary::torus}), 40},
        {plugin("wave2d"), geometry("wave", reference::plane(201, 103, Boundary::fixed)), 40},
        {plugin("leadership"), geometry("person", {37, 29, 1, Boundary::torus, Boundary::open}), 40},
        {test_model("offsets"), geometry("spot", {45, 31, 1, Boundary::reflect, Boundary::torus}), 10},
        {test_model("boundaries"), geometry("site", {23, 17, 1, Boundary::open, Boundary::torus}), 10},
        {test_model("life3d"), geometry("cell", {21, 13, 7, Boundary::torus, Boundary::open, Boundary::reflect}, 3), 10},
        {test_model("rule110"), geometry("cell", reference::line(20011, Boundary::torus), 1), 50},
        {test_model("random_walk_field"), geometry("field", {61, 47, 1, Boundary::open, Boundary::reflect}), 20},
        {test_model("mass_heat"), geometry("plate", reference::plane(61, 47, Boundary::fixed)), 20},
    };
}

std::uint64_t hash_of(const Case& tested, const Options& options) {
    WorldUnderTest world(tested.model, tested.keys, options);
    world.step_to(tested.steps);
    return world.hash();
}

// What all others are compared with: the rows of the CPU, one thread. It is compared with straight loops elsewhere.
std::uint64_t reference_hash(const Case& tested) { return hash_of(tested, {"cpu", 1, {}}); }

ViewChoice direct(int width) { return {ViewChoice::Kind::direct, width, 4, 8, 32}; }
ViewChoice window(int cells, int rows, int lanes) { return {ViewChoice::Kind::window, 64, cells, rows, lanes}; }

class Views : public OnDevice {
protected:
    static void expect_same_hash(const Case& tested, const std::vector<ViewChoice>& views) {
        const auto expected = reference_hash(tested);
        for (const auto& view : views) {
            auto options = on_this();
            options.view = view;
            EXPECT_EQ(hash_of(tested, options), expected)
                << tested.model << ", " << to_string(view) << ", width " << view.width << ", lanes " << view.lanes;
        }
    }

private:
    QuickCompiler quick_{}; // what it makes of the rows at its best, Threads have
};

TEST_P(Views, OfAllShapesGiveTheSameHash) {
    expect_same_hash(cases()[0],
                     {direct(32), direct(128), window(1, 3, 128), window(2, 1, 64), window(4, 8, 32), window(8, 5, 32), window(16, 2, 32)});
}

TEST_P(Views, GiveTheSameHashForEveryModel) {
    for (const auto& tested : cases()) expect_same_hash(tested, {direct(64), window(2, 4, 32)});
}

TEST_P(Views, ChosenByTheEngineGiveTheSameHash) {
    for (const auto& tested : cases()) EXPECT_EQ(hash_of(tested, on_this()), reference_hash(tested)) << tested.model;
}

// A column of bool, a row for each thread, and tiles that are larger than the grid.
TEST_P(Views, GiveTheSameHashOnTinyGrids) {
    for (const auto& shape :
         {reference::plane(1, 1, Boundary::torus), reference::plane(3, 2, Boundary::reflect), reference::plane(2, 5, Boundary::open)})
        expect_same_hash({test_model("boundaries"), geometry("site", shape), 7}, {direct(32), window(4, 8, 32)});
}

// Rows that threads divide evenly: the ghosts at a side are then all of one thread's places, which are its first or its last.
TEST_P(Views, GiveTheSameHashWhereThreadsFitTheRows) {
    const auto ends = {Boundary::torus, Boundary::reflect};
    for (const auto boundary : ends) {
        expect_same_hash({plugin("life"), geometry("cell", reference::plane(64, 12, boundary)), 20},
                         {window(1, 3, 32), window(2, 2, 32), window(4, 8, 32)});
        expect_same_hash({plugin("heat2d"), geometry("plate", reference::plane(4, 8, boundary)), 20}, {window(2, 2, 32), window(4, 4, 32)});
        expect_same_hash({test_model("offsets"), geometry("spot", reference::plane(24, 17, boundary)), 10},
                         {window(4, 4, 32), window(8, 2, 32)});
        expect_same_hash({test_model("life3d"), geometry("cell", {16, 6, 5, boundary, Boundary::torus, Boundary::reflect}, 3), 10},
                         {window(4, 2, 32)});
    }
}

// What stands beyond the last place of a row is no value that the model gave: nothing is divided by it.
TEST_P(Views, MakeNoPlacesBeyondARow) {
    const TemporaryFolder folder;
    const auto model = folder.write("shares.cu", R"(#include <tessera/model.hpp>
struct Cell {
    std::uint32_t people = 3, share = 0;
};
TESSERA_PLACE(Cell, people, share);
TESSERA_CALL(Cell, divide, around<offsets<south>, &Cell::people>, sets<&Cell::share>) { self.share = 100 / self.at(south).people; }
TESSERA_MODEL(shares, "a division by what is never 0");
)");
    for (const auto& view : {direct(32), window(2, 3, 32), window(4, 8, 32)}) {
        auto options = on_this();
        options.view = view;
        WorldUnderTest world(model.string(), geometry("cell", reference::plane(13, 9, Boundary::open)), options);
        world.step_to(2);
        EXPECT_EQ(world.values<std::uint32_t>("cell", "share"), std::vector<std::uint32_t>(13 * 9, 33)) << to_string(view);
    }
}

TESSERA_ON_EVERY_DEVICE(Views);

TEST(Threads, AnyNumberGivesTheSameHash) {
    for (const auto& tested : cases()) {
        const auto expected = reference_hash(tested);
        for (const int threads : {2, 3, 5, 150})
            EXPECT_EQ(hash_of(tested, {"cpu", threads, {}}), expected) << tested.model << ", " << threads << " threads";
    }
}

} // namespace
} // namespace tessera::test::views_test
