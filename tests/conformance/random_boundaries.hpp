// What lies beyond the edges of a random model's grid.
#pragma once

#include "tests/conformance/dice.hpp"
#include "tests/support/states.hpp"

namespace tessera::test {

// The same on all axes with this chance; a torus along those that the grid does not have.
inline void draw_boundaries(Dice& dice, Shape& shape, int dimensions, int percent_alike) {
    const bool alike = dice.percent(percent_alike);
    const auto draw = [&] { return boundaries[static_cast<std::size_t>(dice.below(4))]; };
    shape.x = draw();
    shape.y = alike ? shape.x : draw();
    shape.z = alike ? shape.x : draw();
    if (dimensions < 2) shape.y = Boundary::torus;
    if (dimensions < 3) shape.z = Boundary::torus;
}

} // namespace tessera::test
