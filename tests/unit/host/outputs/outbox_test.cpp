// Memory for what is captured is bounded; what is handed over is written in order, and its failures are told.
#include "host/outputs/outbox.hpp"
#include "tests/support/random_draw.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::test::outbox_test {
namespace {

TEST(CaptureMemory, IsNeverMoreThanItMayBe) {
    constexpr std::size_t most = 1000;
    CaptureMemory memory(most);
    EXPECT_TRUE(memory.fits(most));
    EXPECT_FALSE(memory.fits(most + 1));
    std::atomic<std::size_t> had{0}, largest{0};
    std::mt19937 generator(seed_of_this_run());
    Outbox outbox(3, most, 0);
    for (int i = 0; i < 2000; ++i) {
        const auto bytes = std::size_t{1} + generator() % most;
        auto counted = i % 3 == 0 ? memory.count(bytes) : std::shared_ptr<void>(memory.take(bytes));
        const auto now = had += bytes;
        auto before = largest.load();
        while (before < now && !largest.compare_exchange_weak(before, now)) {}
        outbox.add([counted = std::move(counted), bytes, &had](Outbox::Ticket) mutable {
            had -= bytes;
            counted.reset();
        });
    }
    outbox.wait();
    EXPECT_LE(largest, most);
    EXPECT_GT(largest, 0u);
    EXPECT_EQ(had, 0u);
    (void)memory.take(most); // all of it is free
}

TEST(CaptureMemory, ThatIsGivenBackIsUsedAgain) {
    CaptureMemory memory(1000);
    auto first = memory.take(400);
    const auto* const address = first.get();
    first.reset();
    auto again = memory.take(390);
    EXPECT_EQ(again.get(), address);
    const auto other = memory.take(600); // beside the 400
    EXPECT_NE(other.get(), address);
    again.reset();
    (void)memory.take(1); // for which 400 are too many
}

TEST(CaptureMemory, MayBeNone) {
    CaptureMemory none(0);
    EXPECT_TRUE(none.fits(0));
    EXPECT_FALSE(none.fits(1));
}

TEST(Outbox, WritesInOrder) {
    std::vector<int> written;
    {
        Outbox outbox(1, 0, 0);
        for (int i = 0; i < 100; ++i) outbox.add([&written, i](Outbox::Ticket) { written.push_back(i); });
    } // its end waits
    ASSERT_EQ(written.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(written[static_cast<std::size_t>(i)], i);
}

TEST(Outbox, KnowsWhatIsWrittenBefore) {
    Outbox outbox(4, 0, 0);
    std::vector<std::atomic<bool>> done(200);
    std::atomic<int> wrong{0};
    for (std::size_t i = 0; i < done.size(); ++i)
        outbox.add([&, i](Outbox::Ticket mine) {
            EXPECT_EQ(mine, i + 1);
            if (i % 7 == 0) {
                EXPECT_TRUE(outbox.wait_before(mine));
                for (std::size_t before = 0; before < i; ++before) wrong += done[before] ? 0 : 1;
            }
            done[i] = true;
        });
    outbox.wait();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(outbox.working_seconds(), 0);
}

TEST(Outbox, TellsTheFirstFailureOnceAndDoesTheRest) {
    Outbox outbox(1, 0, 0);
    int done = 0;
    bool is_good = true;
    for (int i = 0; i < 10; ++i)
        outbox.add([&, i](Outbox::Ticket mine) {
            if (i == 3 || i == 5) throw std::runtime_error("failure " + std::to_string(i));
            if (i == 9) is_good = outbox.wait_before(mine);
            ++done;
        });
    outbox.wait();
    EXPECT_EQ(done, 8);
    EXPECT_FALSE(is_good);
    EXPECT_TRUE(outbox.has_failed());
    try {
        outbox.check();
        ADD_FAILURE() << "nothing was told";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "failure 3");
    }
    EXPECT_FALSE(outbox.has_failed());
    outbox.check();
}

} // namespace
} // namespace tessera::test::outbox_test
