// How launches over lists are cut for the threads of a CPU (kernels/agents/list_blocks.hpp): whatever the room, those that are there are
// shared out.
#include "device_runtime/thread_pool.hpp"
#include "kernels/agents/list_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tessera::test::list_blocks_test {
namespace {

// How often each of `count` numbers is visited, and how many each of some threads visits, of a launch over `most`.
struct Visits {
    std::vector<int> of_number, of_thread;
};
Visits visits_of(std::int64_t most, std::int64_t count, int threads) {
    Visits visits{std::vector<int>(static_cast<std::size_t>(count)), {}};
    for (int thread = 0; thread < threads; ++thread) {
        const auto [first, last] = ThreadPool::piece(items_of_numbers(most), threads, thread);
        const auto begin = first_of_item(most, count, first), end = first_of_item(most, count, last);
        for (auto number = begin; number < end; ++number) ++visits.of_number[static_cast<std::size_t>(number)];
        visits.of_thread.push_back(static_cast<int>(end - begin));
    }
    return visits;
}

TEST(NumbersOfALaunch, AreEachVisitedOnceWhateverTheRoom) {
    for (const std::int64_t count : {0, 1, 1023, 1024, 1025, 5000, 100000})
        for (const std::int64_t room : {count, count + 1, 3 * count + 7, std::int64_t{20480000}})
            for (const int threads : {1, 2, 3, 16}) {
                const auto visits = visits_of(room, count, threads);
                EXPECT_TRUE(std::all_of(visits.of_number.begin(), visits.of_number.end(), [](int times) { return times == 1; }))
                    << count << " of " << room << " by " << threads;
            }
}

TEST(NumbersOfALaunch, AreSharedOutByThoseThatThereAre) {
    for (const int threads : {2, 5, 16}) {
        const auto visits = visits_of(20480000, 250000, threads).of_thread;
        const auto [least, most] = std::minmax_element(visits.begin(), visits.end());
        EXPECT_LE(*most - *least, 2 * items_a_chunk) << threads;
    }
}

TEST(NumbersOfALaunch, ThatAreFewAreTheFirstThreads) {
    EXPECT_THAT(visits_of(20480000, 1000, 4).of_thread, ::testing::ElementsAre(1000, 0, 0, 0));
    EXPECT_THAT(visits_of(800, 500, 4).of_thread, ::testing::ElementsAre(500, 0, 0, 0));
}

} // namespace
} // namespace tessera::test::list_blocks_test
