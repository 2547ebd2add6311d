// sdk/include/tessera/detail/link_view.hpp: threads that share out what goes along links come to what one thread comes to.
#include <tessera/detail/link_view.hpp>

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace tessera::link_teams_test {
namespace {

// A team of threads of a CPU.
template<int Size> struct ThreadTeam {
    static constexpr int size = Size;
    static int rank() { return number; }
    template<class T, class Visit> static void each_value(const T& mine, Visit&& visit) {
        std::memcpy(&told[static_cast<std::size_t>(number) * 16], &mine, sizeof mine);
        all_there.arrive_and_wait();
        for (std::size_t i = 0; i < Size; ++i) {
            T value{};
            std::memcpy(&value, &told[i * 16], sizeof value);
            visit(value);
        }
        all_there.arrive_and_wait();
    }

    // What each of them makes, which has to be the same.
    template<class T> static T made_by_all(const std::function<T()>& make) {
        std::array<T, Size> made{};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < Size; ++i)
                threads.emplace_back([&, i] {
                    number = i;
                    made[static_cast<std::size_t>(i)] = make();
                });
        }
        for (const auto& one : made) EXPECT_EQ(std::memcmp(&one, &made[0], sizeof one), 0);
        return made[0];
    }

private:
    static inline thread_local int number = 0;
    static inline std::array<std::byte, Size * 16> told{};
    static inline std::barrier<> all_there{Size};
};

// As docs/sdk.md has it: chunks of 4096, in each 32 running sums, joined in their order; up to 32 the plain sum.
float sum_as_documented(const std::vector<float>& values) {
    float total = 0;
    if (values.size() <= 32) {
        for (const auto value : values) total += value;
        return total;
    }
    for (std::size_t first = 0; first < values.size(); first += 4096) {
        std::vector<float> sums(std::min<std::size_t>(32, values.size() - first));
        for (std::size_t i = first; i < std::min(first + 4096, values.size()); ++i) sums[(i - first) % 32] += values[i];
        float of_chunk = 0;
        for (const auto sum : sums) of_chunk += sum;
        total += of_chunk;
    }
    return total;
}

template<int Size> void expect_sums() {
    std::mt19937 random(3);
    std::normal_distribution<float> any(0, 1000);
    for (const std::size_t count : {0, 1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 4099, 4200, 8192, 16384, 16385, 40000}) {
        std::vector<float> values(count);
        for (auto& value : values) value = any(random);
        const auto value_of = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
        const auto links = static_cast<std::int64_t>(count);
        const auto expected = sum_as_documented(values);
        EXPECT_EQ((sum_of_links<float, one_thread>(links, value_of)), expected) << count;
        const auto by_team =
            ThreadTeam<Size>::template made_by_all<float>([&] { return sum_of_links<float, ThreadTeam<Size>>(links, value_of); });
        EXPECT_EQ(by_team, expected) << count << " by " << Size;
    }
}

TEST(LinkTeams, AddAsOneThreadDoes) {
    expect_sums<8>();
    expect_sums<32>();
    expect_sums<128>();
}

// Values that compare as equal, zeros of both signs, and what is no number.
template<bool Least> float extreme_of_one(float start, const std::vector<float>& values) {
    float total = start;
    for (const auto value : values)
        if ((Least ? value < total : total < value) || total != total) total = value;
    return total;
}
template<bool Least, int Size> float extreme_of_team(float start, const std::vector<float>& values) {
    using found = found_value<float>;
    std::vector<found> of_threads(Size, found{start, -1});
    for (std::size_t i = 0; i < values.size(); ++i)
        if (auto& mine = of_threads[i % Size]; replaces<Least>(values[i], mine.value)) mine = {values[i], static_cast<std::int64_t>(i)};
    found best{start, -1};
    for (const auto& one : of_threads)
        if (replaces<Least>(one, best)) best = one;
    return best.value;
}

TEST(LinkTeams, FindTheExtremeThatOneThreadFinds) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::array<float, 8> some{0.0f, -0.0f, 1, -1, 2, nan, std::numeric_limits<float>::infinity(), -0.0f};
    std::mt19937 random(4);
    for (int i = 0; i < 20000; ++i) {
        std::vector<float> values(random() % 100);
        const auto kinds = 1 + random() % some.size();
        for (auto& value : values) value = some[random() % kinds];
        const auto start = some[random() % some.size()];
        const auto same = [](float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; };
        EXPECT_TRUE(same((extreme_of_team<true, 32>(start, values)), extreme_of_one<true>(start, values)));
        EXPECT_TRUE(same((extreme_of_team<false, 32>(start, values)), extreme_of_one<false>(start, values)));
    }
}

} // namespace
} // namespace tessera::link_teams_test
