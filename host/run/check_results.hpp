// Whether what a run has written is still there when it ends.
#pragma once

#include "host/outputs/manifest.hpp"
#include "host/outputs/output_set.hpp"
#include "host/outputs/result_folder.hpp"

namespace tessera {

// Compares the folder and the files that a run names as its results with what it wrote. Throws Failure::output where the folder's path
// leads elsewhere by now, or a file is not there, is another one or has another size. The outputs are closed.
void check_results(const ResultFolder& folder, const OutputSet& outputs, const std::vector<Edit>& edits);

} // namespace tessera
