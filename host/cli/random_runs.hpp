// Run files that a model allows, drawn at random from the keys of one of its runs: sizes, boundaries, devices, capacities, counts,
// parameters within the ranges that they declare, and when phases run.
#pragma once

#include "host/model/description.hpp"
#include "host/run_file/run_file.hpp"

#include <cstdint>
#include <string>

namespace tessera {

class RandomRuns {
public:
    // `base` is a run of the model that can be made. The same runs for the same seed.
    RandomRuns(run_file::RunFile base, model::Description description, std::uint64_t seed);

    // Any that the keys allow, as text: of up to 2^22 places, on up to 5 partitions. It may be refused: not every size goes with every
    // reach.
    [[nodiscard]] std::string any(std::uint64_t number) const;

    // Of few places and steps, on three partitions. Those of one shape are made of the same compiled code, unless parameters are `baked`
    // into it, and then have the same parameters. Its table `kept.csv` has a column for each collection of agents: how many there are,
    // without those that were born and with those that died, which is the same in each step.
    [[nodiscard]] std::string small(std::uint64_t shape, std::uint64_t number, bool baked) const;

private:
    run_file::RunFile base_;
    model::Description description_;
    std::uint64_t seed_;
};

} // namespace tessera
