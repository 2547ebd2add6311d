// The first values of members, and where the first agents stand.
#pragma once

#include "host/run_file/where.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::run_file {

// A number as it was written; `1` and `1.0` are different, for a member's type decides what it may be.
using Number = std::variant<bool, std::int64_t, double>;

// One value, or one for each element of an array member.
struct Constant {
    std::vector<Located<Number>> numbers;
    bool is_array = false;
    friend bool operator==(const Constant&, const Constant&) = default;
};

struct FromFile {
    Located<std::string> file;                    // give it to RunFile::resolve
    std::vector<std::int64_t> at;                 // the place of its top left corner, one a dimension; may be outside
    std::optional<double> nodata;                 // what cells without data become; absent: such a cell is an error
    std::optional<Located<std::string>> rule;     // the rule that a pattern file has to be for
    std::optional<Located<std::int64_t>> element; // of an array member
    friend bool operator==(const FromFile&, const FromFile&) = default;
};

// low <= value < high.
struct Uniform {
    double low = 0, high = 1;
    friend bool operator==(const Uniform&, const Uniform&) = default;
};

// 1 with probability p, else 0.
struct Bernoulli {
    double p = 0;
    friend bool operator==(const Bernoulli&, const Bernoulli&) = default;
};

// plus, plus + 1, ... plus + n - 1.
struct Below {
    std::int64_t n = 1, plus = 0;
    friend bool operator==(const Below&, const Below&) = default;
};

struct Normal {
    double mean = 0, deviation = 1;
    friend bool operator==(const Normal&, const Normal&) = default;
};

// The places from `low` up to, and not including, `high`; one coordinate a dimension, within the size.
struct Box {
    std::vector<std::int64_t> low, high;
    friend bool operator==(const Box&, const Box&) = default;
};

// One way of giving a member its first values. Places outside the box, or outside the file's picture, keep what they have.
struct InitStep {
    std::variant<Constant, FromFile, Uniform, Bernoulli, Below, Normal> source;
    std::optional<Box> box; // only with a Constant
    friend bool operator==(const InitStep&, const InitStep&) = default;
};

// Where the first agents stand: as many as there are on random places (of a box), one on each place, or as a file says, which has them all.
enum class StartingPlaces { random, each, file };

} // namespace tessera::run_file
