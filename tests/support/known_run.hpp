// A run of `tessera doctor` beside a plain program that comes to the same state.
#pragma once

#include "host/prepare/known_runs.hpp"
#include "host/world/state_hash.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tessera::test {

inline const KnownRun& known_run(const std::string& title) {
    const auto& all = known_runs();
    const auto found = std::find_if(all.begin(), all.end(), [&](const KnownRun& run) { return run.title == title; });
    if (found == all.end()) throw std::out_of_range("no known run is called " + title);
    return *found;
}

// To be called where the world is in the state that the plain program has come to as well.
inline void expect_known(const WorldUnderTest& world, const KnownRun& known) {
    EXPECT_EQ(hash_text(world.hash()), hash_text(known.state_hash)) << known.title;
}

} // namespace tessera::test
