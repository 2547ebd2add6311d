// The numbers of links of places: generate = { rule = "degrees", file = "degrees.txt" }.
#pragma once

#include "host/run_file/where.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// A number for each place, in the order of their numbers: in text a line each, or all in one; or an array of one dimension for NumPy.
// `file` is what the run file says, and `path` where that is; `places` is the name of a collection of so many. Throws Failure::input.
[[nodiscard]] std::vector<std::int64_t> read_degrees(const run_file::Located<std::string>& file, const std::string& path,
                                                     const std::string& places, std::int64_t count);

} // namespace tessera
