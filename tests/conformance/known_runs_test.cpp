// The states that `tessera doctor` compares devices with, made by straight loops and a Philox of their own.
#include "host/prepare/known_runs.hpp"
#include "host/world/state_hash.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/reference/heat2d.hpp"
#include "tests/reference/leadership.hpp"
#include "tests/reference/life.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace tessera::test::known_runs_test {
namespace {

using reference::Boundary;

// Two words as a double in [0, 1).
double uniform64(Stream& stream) {
    const double upper = stream.word() / 32, lower = stream.word() / 64;
    return (upper * 67108864.0 + lower) / 9007199254740992.0;
}

// One draw for each place, as a run file's first `random` has it.
std::vector<double> drawn(const std::string& member, std::size_t places) {
    std::vector<double> values(places);
    for (std::size_t i = 0; i < places; ++i) {
        Stream stream(key_of(1, "init " + member, 0), i, 0);
        values[i] = uniform64(stream);
    }
    return values;
}

// Members of the one collection by their names.
using State = std::map<std::string, std::vector<std::byte>>;

template<class T> std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

State life_after(int steps) {
    const auto shape = reference::plane(517, 389, Boundary::torus);
    std::vector<std::uint8_t> cells;
    for (const double value : drawn("cell.alive", shape.count())) cells.push_back(value < 0.3 ? 1 : 0);
    return {{"alive", bytes_of(reference::life(cells, shape, steps))}};
}

State heat_after(int steps) {
    const auto shape = reference::plane(301, 203, Boundary::reflect);
    std::vector<float> heat;
    for (const double value : drawn("plate.heat", shape.count())) heat.push_back(static_cast<float>(0 + value * 19));
    reference::Heat2d rule;
    rule.heat_time = 20;
    return {{"heat", bytes_of(reference::heat2d(heat, shape, rule, steps))}};
}

State leadership_after(int steps) {
    const auto shape = reference::plane(257, 131, Boundary::open);
    reference::Leadership people;
    for (std::size_t i = 0; i < shape.count(); ++i) {
        Stream stream(key_of(1, "person.draw", 0), number_of(i, shape.nx), 0);
        people.propensity.push_back(static_cast<std::int8_t>(static_cast<int>(stream.below(3)) - 1));
        people.behaviour.push_back(static_cast<std::int8_t>(static_cast<int>(stream.below(3)) - 1));
        people.lambda.push_back(stream.uniform());
    }
    reference::leadership_weigh(people);
    reference::leadership(people, shape, steps);
    return {{"behaviour", bytes_of(people.behaviour)},
            {"propensity", bytes_of(people.propensity)},
            {"lambda", bytes_of(people.lambda)},
            {"loyalty", bytes_of(people.loyalty)}};
}

TEST(KnownRuns, OfPlacesAreThoseOfStraightLoops) {
    const std::map<std::string, State (*)(int)> loops{{"life", life_after}, {"heat2d", heat_after}, {"leadership", leadership_after}};
    EXPECT_EQ(known_runs().size(), loops.size() + 4) << "with those of tests named OfDoctorAreKnown";
    ThreadPool pool(1);
    for (const auto& each : loops) {
        const auto& known =
            *std::find_if(known_runs().begin(), known_runs().end(), [&](const KnownRun& run) { return run.model == each.first; });
        const auto state = each.second(static_cast<int>(known.steps));
        const auto prepared = prepare({plugin(known.model), known.overrides, {}}, compiler());
        const auto& collection = prepared.setup.collections.at(0);
        const auto& members = prepared.setup.row_of(collection).members;
        ASSERT_EQ(members.size(), state.size());
        const auto read = [&](ColumnId column, int, const PlaceRange& places, std::byte* into) {
            const auto& member = prepared.setup.member_of(column);
            const auto bytes = size_of(member.type);
            std::memcpy(into, state.at(member.name).data() + static_cast<std::size_t>(places.first) * bytes,
                        static_cast<std::size_t>(places.count()) * bytes);
        };
        EXPECT_EQ(hash_text(known.state_hash), hash_text(state_hash(tessera::State(prepared.setup, 0, read), pool))) << known.title;
    }
}

} // namespace
} // namespace tessera::test::known_runs_test
