// plugins/town: a rumour over fences and telephones, against a search by breadth first, and against a plain loop with the same draws.
// optimise: yes
#include "tests/conformance/dice.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace tessera::test::town_test {
namespace {

// A town of its own: houses whose edges are open or joined, and who has telephones.
struct Streets {
    std::int64_t nx = 0, ny = 0;
    bool is_torus = false;
    std::vector<std::vector<std::size_t>> friends; // in the order of their numbers

    [[nodiscard]] std::size_t houses() const { return static_cast<std::size_t>(nx * ny); }
    [[nodiscard]] std::size_t middle() const { return static_cast<std::size_t>(ny / 2 * nx + nx / 2); }
    // Over the fence: north, west, east, south.
    [[nodiscard]] std::vector<std::size_t> beside(std::size_t house) const {
        const auto x = static_cast<std::int64_t>(house) % nx, y = static_cast<std::int64_t>(house) / nx;
        std::vector<std::size_t> found;
        for (const auto& [dx, dy] : {std::pair(0, -1), std::pair(-1, 0), std::pair(1, 0), std::pair(0, 1)}) {
            auto at_x = x + dx, at_y = y + dy;
            if (is_torus)
                at_x = (at_x + nx) % nx, at_y = (at_y + ny) % ny;
            else if (at_x < 0 || at_x >= nx || at_y < 0 || at_y >= ny)
                continue;
            found.push_back(static_cast<std::size_t>(at_y * nx + at_x));
        }
        return found;
    }
};

class Town : public OnDevice {
protected:
    // So many telephones between houses that are drawn: one is the friend of many, and most have none.
    Streets streets(std::int64_t nx, std::int64_t ny, bool is_torus, int telephones, unsigned seed) {
        Streets town{nx, ny, is_torus, {}};
        town.friends.resize(town.houses());
        Dice dice(seed);
        std::string text;
        for (int t = 0; t < telephones; ++t) {
            const auto one = static_cast<std::size_t>(t % 4 == 0 ? 7 : dice.below(static_cast<int>(town.houses())));
            const auto other = static_cast<std::size_t>(dice.below(static_cast<int>(town.houses())));
            auto& of = town.friends[one];
            if (one == other || std::find(of.begin(), of.end(), other) != of.end()) continue;
            of.push_back(other);
            town.friends[other].push_back(one);
            text += fmt::format("{} {}\n", one, other);
        }
        for (auto& of : town.friends) std::sort(of.begin(), of.end());
        telephones_ = folder_.write("telephones.txt", text).string();
        return town;
    }
    [[nodiscard]] std::vector<std::string> keys_of(const Streets& town) const {
        return {fmt::format("places.house={{size=[{},{}],boundary=\"{}\"}}", town.nx, town.ny, town.is_torus ? "torus" : "open"),
                fmt::format("links.telephone={{file=\"{}\"}}", telephones_)};
    }

private:
    TemporaryFolder folder_;
    std::string telephones_;
};

// Who is told always: each house hears of it after as many days as the shortest way to it has parts, of either kind.
TEST_P(Town, HearsOfItByTheShortestWay) {
    for (const auto& [nx, ny, is_torus, telephones] :
         {std::tuple(31, 23, true, 40), std::tuple(40, 3, false, 0), std::tuple(64, 50, false, 300)}) {
        const auto town = streets(nx, ny, is_torus, telephones, 3);
        WorldUnderTest world(plugin("town"), keys_of(town), on_this());
        std::vector<std::int32_t> days(town.houses(), -1);
        std::deque<std::size_t> next{town.middle()};
        for (days[town.middle()] = 0; !next.empty(); next.pop_front()) {
            auto near = town.beside(next.front());
            near.insert(near.end(), town.friends[next.front()].begin(), town.friends[next.front()].end());
            for (const auto house : near)
                if (days[house] < 0) days[house] = days[next.front()] + 1, next.push_back(house);
        }
        const auto last = *std::max_element(days.begin(), days.end());
        EXPECT_LT(last, telephones > 0 ? 25 : 100);
        for (const auto step : {last / 2, last}) {
            world.step_to(static_cast<std::uint64_t>(step));
            auto known = days;
            for (auto& day : known) day = day <= step ? day : -1;
            EXPECT_EQ(world.values<std::int32_t>("house", "heard"), known) << nx << " x " << ny << ", step " << step;
        }
        EXPECT_EQ(world.values<std::uint8_t>("house", "rumour"), std::vector<std::uint8_t>(town.houses(), 1));
    }
}

// Who is told at times: neighbours draw first, in their order, and then friends in that of their numbers.
TEST_P(Town, DrawsOverTheFenceFirstAndThenByTelephone) {
    for (const bool is_torus : {false, true}) {
        const auto town = streets(33, 18, is_torus, 120, 8);
        auto keys = keys_of(town);
        keys.insert(keys.end(), {"params.over_the_fence=0.3", "params.by_telephone=0.15", "run.seed=4"});
        WorldUnderTest world(plugin("town"), keys, on_this());
        std::vector<std::int32_t> heard(town.houses(), -1);
        heard[town.middle()] = 0;
        for (std::uint64_t k = 0; k < 12; ++k) {
            const auto before = heard;
            for (std::size_t house = 0; house < town.houses(); ++house) {
                if (before[house] >= 0) continue;
                Stream stream(key_of(4, "house.listen", 0), number_of(house, town.nx), k);
                bool told = false;
                for (const auto other : town.beside(house))
                    if (before[other] >= 0 && stream.uniform() < 0.3f) told = true;
                for (const auto other : town.friends[house])
                    if (before[other] >= 0 && stream.uniform() < 0.15f) told = true;
                if (told) heard[house] = static_cast<std::int32_t>(k) + 1;
            }
            if (k % 4 != 3) continue;
            world.step_to(k + 1);
            ASSERT_EQ(world.values<std::int32_t>("house", "heard"), heard) << "step " << k;
        }
        EXPECT_GT(std::count_if(heard.begin(), heard.end(), [](auto day) { return day > 0; }), 100);
        EXPECT_GT(std::count(heard.begin(), heard.end(), -1), 20);
    }
}

TESSERA_ON_EVERY_DEVICE(Town);

} // namespace
} // namespace tessera::test::town_test
