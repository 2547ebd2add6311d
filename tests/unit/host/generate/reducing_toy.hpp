// A model described by hand whose run files reduce: cells with members of several types, and a lake.
#pragma once

#include "tests/support/hand_made.hpp"

#include <string>

namespace tessera::test {

inline HandMade reducing_toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("age", Scalar::i32),
                                          hand_made_member("wall", Scalar::boolean), hand_made_member("flows", Scalar::f64, 4)});
    toy.places("Lake", {hand_made_member("depth", Scalar::u16)});
    toy.function(cell, "tick", {{"heat", changing()}});
    toy.description.values = {{"first", "", Scalar::i32}, {"total", "", Scalar::f64}};
    return toy;
}

inline Setup setup_of(const std::string& phases, const std::string& size = "[10, 6]") {
    return reducing_toy().bind({"places.cell.size = " + size, "places.lake.size = [5]", "phase = [" + phases + "]"});
}

inline Setup setup_of_total(const std::string& expression) { return setup_of("{reduce={total=\"" + expression + "\"}}"); }

} // namespace tessera::test
