// Changes of a run on the disk, below its results: each has its line in edits/edits.jsonl when a function returns, and with it what a
// replay needs. All throw Failure::output.
#pragma once

#include "host/edits/change.hpp"
#include "host/outputs/edit.hpp"
#include "host/outputs/result_folder.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

inline constexpr const char* edits_name = "edits/edits.jsonl";
inline constexpr const char* values_name = "values.npy"; // in an edit's folder

// The sources of a run from a state on, as one more of its edits. Throws Failure::plugin where two of the files have one name.
void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const Setup& setup,
               const run_file::RunFile& run_file);
// Values of parameters: those of `values` that are given.
void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const ParameterChange& change,
               const std::vector<ParameterValue>& values);
// Values of places.
void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const ValueChange& change);

} // namespace tessera
