#include "device_runtime/machine.hpp"
#include "device_runtime/thread_pool.hpp"
#include "tests/support/sanitizers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::thread_pool_test {
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

TEST(ThreadPool, AnItemIsServedByItsOwnThreadOrByTheCaller) {
    ThreadPool pool(4);
    const auto owners = [&] {
        std::vector<std::thread::id> ids(10);
        pool.run(10, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
        });
        return ids;
    };
    std::vector<std::thread::id> own(10);
    for (int again = 0; again < 100; ++again) {
        const auto now = owners();
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] == std::this_thread::get_id()) continue;
            EXPECT_GE(i, 3u) << "the first piece is the caller's";
            EXPECT_TRUE(own[i] == std::thread::id() || own[i] == now[i]) << "another thread's item";
            own[i] = now[i];
        }
    }
}

#if !defined(TESSERA_THREAD_SANITIZER) // which lets a thread that sleeps in the kernel handle no signal
std::atomic<int> held{0};
std::atomic<bool> let_go{false};
extern "C" void hold_thread(int) {
    ++held;
    while (!let_go) sched_yield();
    --held;
}

// The threads of this process that have such a name.
std::vector<pid_t> threads_called(const std::string& name) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string line;
        std::getline(std::ifstream(entry.path() / "comm") >> std::ws, line);
        if (line == name) found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
}

TEST(ThreadPool, AThreadThatIsNotLetRunHoldsUpNoCall) {
    ThreadPool pool(3);
    visits(pool, 10); // the threads are there, and have their names
    std::signal(SIGUSR1, hold_thread);
    std::vector<pid_t> threads;
    while (threads.size() < 2) { // a thread names itself when it first runs
        threads = threads_called("tessera-1");
        const auto more = threads_called("tessera-2");
        threads.insert(threads.end(), more.begin(), more.end());
    }
    for (const auto thread : threads) syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
    while (held < 2) sched_yield();
    for (const std::int64_t items : {1, 2, 3, 1000}) {
        for (int call = 0; call < 50; ++call) EXPECT_EQ(visits(pool, items), std::vector<int>(static_cast<std::size_t>(items), 1));
    }
    EXPECT_EQ(held, 2);
    let_go = true;
    while (held > 0) sched_yield();
    for (int call = 0; call < 50; ++call) EXPECT_EQ(visits(pool, 1000), std::vector<int>(1000, 1)); // as if they had never been away
}
#endif

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
} // namespace tessera::thread_pool_test
