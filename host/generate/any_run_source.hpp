// Kernels of a model's places that go with any run file: what else is a constant of their text, the geometry of collections and the values
// of parameters, is told to them when they are loaded. For libraries without source (host/execute/finished_code.hpp).
//
// Each image is of one row in a number of dimensions, since functions need not compile in all. What is told stands in variables of the
// loaded image, so that each collection has one loaded for itself. Functions that look around have a second entry point, for grids with
// open boundaries. Reduces, whose expressions are a run file's, have an image of their own, which is the same for all models
// (host/generate/reduce_code.hpp).
#pragma once

#include "host/generate/kernel_source.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

// Such kernels are made for a setup of any run of the model (host/prepare/any_run.hpp).
// Text to stand behind that of the author, before which stands kernel_prelude of the same setup: all functions of a row. Empty if there are
// none that a grid of so many dimensions could have.
[[nodiscard]] std::string any_run_epilogue(const Setup& any, std::size_t row, int dimensions, bool cuda);

// Why the kernels are not for this run: "it has agents"; nothing if they are.
[[nodiscard]] std::string obstacle_to_any_run(const Setup& setup);
// Of a kernel of a run: its entry point, and the view that it has there.
[[nodiscard]] std::string any_run_symbol(const Setup& setup, const KernelSetup& kernel);
[[nodiscard]] ViewChoice any_run_view(const Setup& setup, const KernelSetup& kernel, bool cuda);
// The variable of an image that holds the geometry of the collection, and its value (geometry_of).
inline constexpr const char* geometry_symbol = "tessera_geometry";
[[nodiscard]] std::vector<std::byte> geometry_bytes(const Setup& setup, const CollectionSetup& collection);

} // namespace tessera
