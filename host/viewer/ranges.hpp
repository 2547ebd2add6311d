// The values at the ends of colours: those that somebody gave, or the least and the largest that there are.
#pragma once

#include "host/session/current_run.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/look.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tessera::viewer {

// Of members of places and agents. On the run's thread alone.
class Ranges {
public:
    // Those of a layer (range_key); nothing: fitted to what is there.
    void set(const std::string& key, std::optional<Range> range);
    void forget() { ranges_.clear(); } // of another run
    void look_again();                 // the state is another one, of the same step

    // At the run's state. What is there is looked for twice a second; what a run file says of one end stays.
    struct Found {
        Range range;
        bool is_given = false;
    };
    [[nodiscard]] Found of(CurrentRun& run, const Layer& layer, int element);

private:
    using Clock = std::chrono::steady_clock;
    struct Ends {
        Range range;
        bool is_given = false, is_known = false;
        std::uint64_t step = 0; // and time, of the last look at all values
        Clock::time_point found_at{};
    };
    std::map<std::string, Ends> ranges_; // by range_key
};

// What ranges are known by: "heat.now", "heat.flow[1]".
[[nodiscard]] std::string range_key(const std::string& layer, int element);

} // namespace tessera::viewer
