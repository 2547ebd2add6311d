// How often devices with memory of their own exchange rows: seldom costs work, often costs waiting.
#pragma once

#include "host/distribution/machine.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>

namespace tessera {

// What an exchange and what redundant rows cost.
struct HaloCosts {
    double latency = 0;     // seconds from the end of a device's step to its rows being at another's
    double each_more = 0;   // seconds a step, for each step more between two exchanges: the rows that are made twice
    std::uint64_t most = 1; // steps, with which a device makes at most half as many rows again as are its own
};

// By what was measured; `injected` seconds come on top.
[[nodiscard]] HaloCosts halo_costs(const Setup& setup, const Distribution& distribution, const ExchangeCosts& measured, double injected);

// The steps R for which (R - 1) each_more + latency / R is least: the square root of latency / each_more. (A cycle of R steps makes
// reach x R (R - 1) rows twice: Aaby, Perumalla and Seal, 2010.)
[[nodiscard]] std::uint64_t steps_that_pay(const HaloCosts& costs);

} // namespace tessera
