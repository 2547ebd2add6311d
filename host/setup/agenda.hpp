// What a run makes and writes: how many steps, until when, and which files.
#pragma once

#include "host/run_file/checkpoints.hpp"
#include "host/run_file/expression.hpp"
#include "host/run_file/outputs.hpp"
#include "host/run_file/where.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace tessera {

struct Agenda {
    std::optional<run_file::Located<std::uint64_t>> steps;         // below 2^32; absent only if `stop` is there
    std::optional<run_file::Located<expression::Expression>> stop; // a condition
    std::uint64_t stop_every = 1;
    std::optional<std::filesystem::path> out; // the result folder, if the run file names one
    std::vector<run_file::Located<run_file::Output>> outputs;
    std::optional<run_file::Checkpoints> checkpoint; // when the state is kept; absent: never
};

} // namespace tessera
