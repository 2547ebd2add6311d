// `tessera build`: a model as a library, which is one file that any `tessera` of the same plugin version runs.
#pragma once

#include "host/model/model.hpp"
#include "host/model/write_library.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

// The library's bytes, with the model's source or without it, and with finished code. They are the same for the same source, SDK, compilers
// and options, wherever the source stands.
[[nodiscard]] std::vector<std::byte> build_library(const model::Model& model, bool with_source = true,
                                                   std::vector<model::PartToWrite> code = {});

// The same as an object file, for a linker to make a library of it and of hooks.
[[nodiscard]] std::vector<std::byte> build_object(const model::Model& model, bool with_source = true,
                                                  std::vector<model::PartToWrite> code = {});

} // namespace tessera
