// Somebody who does anything in the page, and whose runs are made again from what they kept: by other devices, to the same bits.
// sanitizers: address
#include "tests/support/random_draw.hpp"
#include "tests/support/thorough.hpp"
#include "tests/unit/host/viewer/viewed_run.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::test::random_sessions_test {
namespace {

class RandomSessions : public ViewedRun {
protected:
    // What a hand does next; nothing is waited for, so that it comes at any state.
    void act(TestPage& page) {
        switch (below(9)) {
        case 0: return page.say({{"do", "set"}, {"name", "sheep_births"}, {"value", std::to_string(below(100) / 100.0)}});
        case 1: return page.say({{"do", "set"}, {"name", "regrow"}, {"value", std::to_string(1 + below(300))}}); // up to 254
        case 2: return page.say({{"do", "undo"}});
        case 3: return page.say({{"do", "step"}, {"steps", 1 + below(4)}});
        case 4: return page.say({{"do", "pause"}});
        case 5: return page.say({{"do", "play"}});
        default: return paint(page);
        }
    }
    void paint(TestPage& page) {
        const char* const shapes[] = {"brush", "brush", "box", "fill"};
        const auto shape = std::string(shapes[below(4)]);
        auto path = Json::array();
        const auto points = shape == "fill" ? 1 : shape == "box" ? 2 : 1 + below(5);
        for (int i = 0; i < points; ++i) path.push_back({below(42), below(30)}); // some beyond the edge
        page.say({{"do", "paint"},
                  {"layer", "grass.countdown"},
                  {"shape", shape},
                  {"size", 1 + below(12)},
                  {"path", path},
                  {"value", std::to_string(below(260))}});
    }
    int below(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }

    std::mt19937 dice_;
};

TEST_F(RandomSessions, AreReplayedByOtherDevices) {
    const unsigned first = thorough() ? 0 : static_cast<unsigned>(seed_of_this_run());
    const unsigned sessions = thorough() ? 100 : 4;
    std::size_t edits = 0;
    for (unsigned session = first; session < first + sessions; ++session) {
        SCOPED_TRACE("session " + std::to_string(session));
        dice_.seed(session);
        begin(request({"run.seed=" + std::to_string(session + 1)}));
        const auto result = [&] { // before the page goes: what it said last may be lost with it
            TestPage page(server_.address());
            page.say({{"do", "speed"}, {"steps_per_second", 0}});
            for (int acts = 20 + below(30); acts > 0; --acts) {
                act(page);
                if (below(3) == 0) page.until("state");
            }
            page.say({{"do", "play"}});
            page.until("state", [](const Json& state) { return state["status"] == "finished"; });
            page.say({{"do", "end"}});
            return finished_.get();
        }();
        edits += result.report.edits.size();
        for (const std::size_t cpus : {2, 3}) EXPECT_EQ(replayed(result, cpus), result.report.state_hash) << cpus;
        for (const auto& device : devices()) // and GPUs
            EXPECT_EQ(replayed(result, std::vector{device}), result.report.state_hash) << device;
    }
    EXPECT_GT(edits, 4 * sessions);
}

} // namespace
} // namespace tessera::test::random_sessions_test
