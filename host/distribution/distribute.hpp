// Where a run is made: which rows each device makes, in whose memory, and how often devices exchange rows.
#pragma once

#include "host/distribution/machine.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// What the user should know of a decision.
struct Remark {
    enum class Level { info, warning };
    Level level = Level::info;
    std::string text;

    friend bool operator==(const Remark&, const Remark&) = default;
};

struct Distributed {
    Distribution distribution;
    std::vector<Remark> remarks;
};

// Distributes a run, as it is bound, over the devices of a machine, a partition each: divides the grids (divided), and decides whether
// devices share one range of addresses or have each its own, also where the run file says nothing; then which of them read each other's
// (Distribution::islands), and how often they exchange rows. Cuts of GPUs that share settle on pages (settle_on_pages). The same setup and
// numbers give the same distribution, in any process.
//
// Without speeds, cuts that are to be measured are as the weights have them. With speeds, rows a second of each device as it was measured
// over that distribution, they move to it; the remarks are those on cuts alone, for the others were made before.
//
// Throws Failure::input, with file and line, for what the run file says of devices, cuts and weights that does not fit; and, unless the
// machine is assumed, for a halo or a transport of devices that share, and Failure::device for devices that are to share and cannot.
[[nodiscard]] Distributed distribute(const Setup& setup, const Machine& machine, const std::vector<double>& speeds = {});

// Whether a distribution over this machine depends on Machine::exchange, which may be measured then: between the first two devices.
enum class ExchangeWanted { none, direct, by_host };
[[nodiscard]] ExchangeWanted exchange_wanted(const Setup& setup, const Machine& machine);

} // namespace tessera
