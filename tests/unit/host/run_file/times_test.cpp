// Times, amounts of memory, and names of files that exclude each other.
#include "host/run_file/bytes.hpp"
#include "host/run_file/duration.hpp"
#include "host/run_file/file_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tessera::run_file::times_test {
namespace {

TEST(Times, AreNumbersWithAUnit) {
    EXPECT_EQ(read_duration("90 s"), 90);
    EXPECT_EQ(read_duration("1.5h"), 5400);
    EXPECT_EQ(read_duration("10 min"), 600);
    EXPECT_DOUBLE_EQ(*read_latency("100us"), 100e-6);
    EXPECT_EQ(read_latency("0s"), 0);
    EXPECT_EQ(read_latency("1s"), 1);
    EXPECT_EQ(read_bytes("1.5 GiB"), 1610612736U);
    EXPECT_EQ(read_bytes("0 MiB"), 0U);
}

// With each unit, and with none and with others: a sign is not undone by a unit that is none.
TEST(Times, ThatAreNoneAreRefused) {
    for (const char* number : {"-1", "-0", "-1e3", "nan", "-nan", "inf", "-inf", "1e400", "-1e-400", "1e300", "", "x", "--1"})
        for (const char* unit : {"", " ", "s", " s", " min", "h", " m", "ms", "us", "x", " days", " MiB", "GiB", "KiB"}) {
            EXPECT_FALSE(read_duration(std::string(number) + unit)) << number << unit;
            EXPECT_FALSE(read_latency(std::string(number) + unit)) << number << unit;
            EXPECT_FALSE(read_bytes(std::string(number) + unit)) << number << unit;
        }
    for (const char* unit : {"", " ", " m", "ms", "sec", "hours", " s ", "S"}) EXPECT_FALSE(read_duration(std::string("1") + unit)) << unit;
    EXPECT_FALSE(read_duration("0 s"));
    EXPECT_FALSE(read_duration("300 h"));
    EXPECT_FALSE(read_latency("2s"));
    EXPECT_FALSE(read_latency("1 ms"));
    EXPECT_FALSE(read_bytes("1e10 GiB"));
}

using Pairs = std::vector<std::pair<const char*, const char*>>;

bool exclude_each_other(const char* a, const char* b) {
    const auto one = FileName::parse({a, {}}), other = FileName::parse({b, {}});
    EXPECT_EQ(FileName::exclude_each_other(one, other), FileName::exclude_each_other(other, one)) << a << " " << b;
    return FileName::exclude_each_other(one, other);
}

TEST(NamesOfFiles, ThatExcludeEachOther) {
    for (const auto& [a, b] : Pairs{{"a", "a/b"},
                                    {"a", "./a//b/c"},
                                    {"a-{step}", "a-5/x"},
                                    {"x5", "x{step}/y.csv"},
                                    {"life-5.csv", "life-{step}.csv"},
                                    {"a{step}.npy", "a1{step}.npy"},
                                    {"run{step}", "run{step:03}/x{step}.png"}})
        EXPECT_TRUE(exclude_each_other(a, b)) << a << " " << b;
    for (const auto& [a, b] : Pairs{{"a", "ab"},
                                    {"a", "b/a"},
                                    {"a/b", "a/c"},
                                    {"life-x.csv", "life-{step}.csv"},
                                    {"a.npy", "a.csv"},
                                    {"a-{step}.npy", "a-{step}.png"},
                                    {"life-05.csv", "life-{step}.csv"},
                                    {"a{step}", "b{step}/c"}})
        EXPECT_FALSE(exclude_each_other(a, b)) << a << " " << b;
}

TEST(NamesOfFiles, AreThoseOfSomeStep) {
    const auto name = FileName::parse({"s/{step:03}.png", {}});
    EXPECT_TRUE(name.is_called("s/005.png"));
    EXPECT_TRUE(name.is_called("s/12345.png"));
    EXPECT_FALSE(name.is_called("s/05.png"));
    EXPECT_FALSE(name.is_called("s/0012.png"));
}

} // namespace
} // namespace tessera::run_file::times_test
