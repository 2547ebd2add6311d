// The state before the step that is being made, of a checked run: what there is to look at when the step fails.
#pragma once

#include "host/outputs/output_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

class KeptState {
public:
    // In place of the one before.
    void keep(const State& state);

    // Writes it into `before` in the folder: members of places as cell.alive.npy, agents as ant.csv. `outputs` is told the files. Throws
    // Failure::output.
    void write(const Setup& setup, const ResultFolder& folder, ThreadPool& pool, OutputSet& outputs) const;

private:
    std::uint64_t step_ = 0;
    std::vector<std::vector<std::byte>> columns_; // of each that is part of the state, the elements one after the other
};

} // namespace tessera
