// The curves of a run's plots: what its tables hold; where it has none, how many agents there are and the means of members.
#pragma once

#include "host/session/current_run.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::viewer {

struct Curve {
    std::string plot, name;
    std::function<double(CurrentRun&)> value; // at the run's state
};

class Curves {
public:
    // Of the run that goes on now; points stay if the curves are the same as before.
    void follow(const CurrentRun& run);
    // A point of the run's state, unless that one is there. Where there are more than `most_points` every second is given up, and fewer are
    // kept from then on. Whether there is one more.
    bool add(CurrentRun& run);

    // {"plots": ...} with all points, and with the last one alone.
    [[nodiscard]] std::string all() const;
    [[nodiscard]] std::string newest() const;

    static constexpr std::size_t most_points = 4096;

private:
    struct Point {
        std::uint64_t step = 0;
        std::vector<double> values;
    };
    std::vector<Curve> curves_;
    std::vector<Point> points_;
    std::uint64_t stride_ = 1, skipped_ = 0; // every so many that are added are kept
};

} // namespace tessera::viewer
