// Runs of plugins beside plain programs, for tests of what a model is made of: its source, or a library.
#pragma once

#include "tests/reference/heat2d.hpp"
#include "tests/reference/life.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

namespace tessera::test {

// The plugin life in three collections of one row, each with its own size, dimensions, boundary and schedule.
inline void expect_life_in_each_collection(const std::string& model, const Options& options) {
    const auto cell = reference::plane(37, 23, Boundary::torus), north = reference::plane(19, 41, Boundary::open);
    const Shape line{9001, 1, 1, Boundary::reflect, Boundary::open, Boundary::open};
    const auto cells = random_cells(cell, 1), norths = random_cells(north, 2), lines = random_cells(line, 3);
    GivenValues given;
    auto keys = std::vector<std::string>{
        "places.north.type=\"cell\"",
        "places.line.type=\"cell\"",
        given.key("cell", "alive", cells, cell),
        given.key("north", "alive", norths, north),
        given.key("line", "alive", lines, line, 1),
        "phase=[{exchangeAll=\"*\"},{callAll=\"cell.tick\"},{callAll=\"line.tick\"},{callAll=\"north.tick\",every=2}]"};
    WorldUnderTest world(model, keys + geometry("cell", cell) + geometry("north", north) + geometry("line", line, 1), options);
    world.step_to(31);
    expect_same(world.values<std::uint8_t>("cell", "alive"), reference::life(cells, cell, 31), cell, "cell");
    expect_same(world.values<std::uint8_t>("north", "alive"), reference::life(norths, north, 16), north, "north");
    expect_same(world.values<std::uint8_t>("line", "alive"), reference::life(lines, line, 31), line, "line");
}

// The plugin heat2d with two values of its parameters, as constants and passed.
inline void expect_heat_by_its_parameters(const std::string& model, const Options& options) {
    const auto shape = reference::plane(67, 43, Boundary::open);
    const auto start = random_floats(shape);
    for (const std::string bake : {"true", "false"})
        for (const float r : {0.125f, 0.203125f}) {
            GivenValues given;
            WorldUnderTest world(model,
                                 geometry("plate", shape) +
                                     std::vector<std::string>{"run.bake=" + bake,
                                                              "params={r=" + std::to_string(r) + ",heat_time=9,heater=-4}",
                                                              given.key("plate", "heat", start, shape)},
                                 options);
            reference::Heat2d rule;
            rule.r = r, rule.heat_time = 9, rule.heater = -4;
            world.step_to(25);
            expect_same(world.values<float>("plate", "heat"), reference::heat2d(start, shape, rule, 25), shape, "bake = " + bake);
        }
}

} // namespace tessera::test
