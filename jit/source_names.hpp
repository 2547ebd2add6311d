// By which names the files of a model's source may be made in a folder.
#pragma once

#include "jit/source.hpp"

namespace tessera::jit {

// Files are made by the names of a model's sources: for a compiler, and with the results of a run. Throws Error (Failure::plugin) for a
// name that is not plain (device_runtime/plain_name.hpp), has a backslash, or is that of two files or of a file and a folder.
void check_names(const ModelSource& model);

} // namespace tessera::jit
