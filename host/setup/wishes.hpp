// Where a run is wanted: the devices, and how its grids are divided among them. What comes of it is a Distribution.
#pragma once

#include "host/run_file/choices.hpp"
#include "host/run_file/where.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Of a grid.
struct StripeWishes {
    std::vector<run_file::Located<std::string>> devices; // of the run's, those that make it; empty: all of them
    std::vector<run_file::Located<std::int64_t>> cuts;   // first rows of the second device's stripe and of those after it; may be empty
    bool cuts_measured = false;                          // by what each device takes for the first steps; then there are no `cuts`
};

struct Wishes {
    std::vector<run_file::Located<std::string>> devices;     // {"auto"}, or each "cpu" or "cuda:N"
    std::vector<run_file::Located<double>> weights;          // one a device, positive: how much of each grid it makes; empty: equal parts
    run_file::Located<run_file::MemoryModel> memory;         // of several devices: one range of addresses, or one a device
    run_file::Located<run_file::Transport> transport;        // of rows between devices with memory of their own
    std::optional<run_file::Located<double>> inject_latency; // seconds that rows of others come later, for experiments
    std::optional<std::uint64_t> threads;                    // absent: as many as the machine has
    // Steps from one exchange of rows to the next, of devices with memory of their own; absent: as many as pay.
    std::optional<run_file::Located<std::uint64_t>> halo;
    std::vector<StripeWishes> stripes; // of each collection of places, by its number
};

} // namespace tessera
