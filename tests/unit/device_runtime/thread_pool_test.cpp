#include "device_runtime/machine.hpp"
#include "device_runtime/thread_pool.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

namespace tessera {
namespace {

// Plain integers on purpose: a thread sanitizer sees it when two threads touch one item.
std::vector<int> visits(ThreadPool& pool, std::int64_t items) {
    std::vector<int> count(static_cast<std::size_t>(items));
    pool.run(items, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) ++count[static_cast<std::size_t>(i)];
    });
    return count;
}

TEST(ThreadPool, EachItemIsServedOnce) {
    EXPECT_TRUE(rc::check("each item once", [] {
        ThreadPool pool(*rc::gen::inRange(1, 10));
        for (const auto items : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5000))) {
            RC_ASSERT(visits(pool, items) == std::vector<int>(static_cast<std::size_t>(items), 1));
        }
    }));
}

TEST(ThreadPool, PiecesCoverTheRangeInOrderAndDifferByOneAtMost) {
    EXPECT_TRUE(rc::check("pieces", [] {
        const auto items = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62);
        const int parts = *rc::gen::inRange(1, 300);
        std::int64_t expected_begin = 0;
        for (int part = 0; part < parts; ++part) {
            const auto [begin, end] = ThreadPool::piece(items, parts, part);
            RC_ASSERT(begin == expected_begin);
            RC_ASSERT(end - begin >= items / parts);
            RC_ASSERT(end - begin <= items / parts + 1);
            expected_begin = end;
        }
        RC_ASSERT(expected_begin == items);
    }));
}

TEST(ThreadPool, AnItemIsServedByTheSameThreadEachTime) {
    ThreadPool pool(4);
    const auto owners = [&] {
        std::vector<std::thread::id> ids(10);
        pool.run(10, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
        });
        return ids;
    };
    const auto first = owners();
    EXPECT_EQ(first[0], std::this_thread::get_id());
    for (int again = 0; again < 100; ++again) EXPECT_EQ(owners(), first);
}

TEST(ThreadPool, ManyShortCallsLoseNone) {
    for (const int threads : {1, 2, 3, 16}) { // 16: more than most test machines have
        ThreadPool pool(threads);
        std::vector<std::int64_t> sums(16);
        constexpr std::int64_t calls = 3000;
        for (std::int64_t call = 0; call < calls; ++call) {
            pool.run(16, [&](std::int64_t begin, std::int64_t end) {
                for (auto i = begin; i < end; ++i) sums[static_cast<std::size_t>(i)] += call;
            });
        }
        EXPECT_EQ(sums, std::vector<std::int64_t>(16, calls * (calls - 1) / 2)) << threads << " threads";
    }
}

TEST(ThreadPool, SleepsAndWakesBetweenCalls) {
    ThreadPool pool(2);
    for (int call = 0; call < 5; ++call) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // longer than idle threads spin
        EXPECT_EQ(visits(pool, 100), std::vector<int>(100, 1));
    }
}

TEST(ThreadPool, ACallFromWithinABodyRunsInItsThread) {
    ThreadPool pool(3);
    ThreadPool other(2);
    std::vector<int> count(30 * 10);
    pool.run(30, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) {
            const auto me = std::this_thread::get_id();
            auto& inner = i % 2 == 0 ? pool : other;
            inner.run(10, [&](std::int64_t from, std::int64_t to) {
                EXPECT_EQ(std::this_thread::get_id(), me);
                for (auto j = from; j < to; ++j) ++count[static_cast<std::size_t>(i * 10 + j)];
            });
        }
    });
    EXPECT_EQ(count, std::vector<int>(300, 1));
}

TEST(ThreadPool, CallsOfSeveralThreadsTakeTurns) {
    ThreadPool pool(2);
    std::int64_t total = 0; // guarded by the turns alone, and by one piece a call
    const auto caller = [&] {
        for (int call = 0; call < 500; ++call) pool.run(1, [&](std::int64_t, std::int64_t) { ++total; });
    };
    std::thread first(caller), second(caller);
    first.join();
    second.join();
    EXPECT_EQ(total, 1000);
}

TEST(ThreadPool, LeavesTheCallersAffinityAlone) {
    const auto before = allowed_cpus();
    ThreadPool pool(usable_threads());
    visits(pool, 1000);
    EXPECT_EQ(allowed_cpus(), before);
}

TEST(ThreadPool, ServesNothingForNoItems) {
    ThreadPool pool(2);
    pool.run(0, [](std::int64_t, std::int64_t) { FAIL() << "called for no items"; });
    pool.run(-5, [](std::int64_t, std::int64_t) { FAIL() << "called for no items"; });
}

} // namespace
} // namespace tessera
