// The steps of `bind` (setup.hpp), in their order. Each throws Failure::input with file, line and column.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// A collection as the run file's [places.NAME] has it; its columns have no layout yet.
[[nodiscard]] CollectionSetup bind_collection(const model::Description& description, const run_file::Places& places);

// The parameters' values, the run file's or the model's own.
[[nodiscard]] std::vector<ParameterValue> bind_parameters(const model::Description& description, const run_file::RunFile& run);

// Phases and kernels: init functions, what the phases call, and, if asked for, all other functions.
void bind_phases(Setup& setup, Functions functions);

// Gives every column its ghosts, its layout and, where a function reads around it and writes it, a second buffer.
void lay_out(Setup& setup);

} // namespace tessera
