// The steps of `bind` (setup.hpp), in their order. Each throws Failure::input with file, line and column.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// A collection as the run file's [places.NAME] has it; its columns have no layout yet.
[[nodiscard]] CollectionSetup bind_collection(const model::Description& description, const run_file::Places& places);

// A collection as the run file's [agents.NAME] has it, on places that are bound. How far its agents go is not known yet.
[[nodiscard]] CollectionSetup bind_agents(const Setup& setup, const run_file::Agents& agents);

// Once all kernels are known: the type of a collection's codes. Throws for wishes that are too many, or lead around a torus.
void choose_codes(Setup& setup, CollectionId agents);

// The kernel of a function of agents, at the end of the table.
KernelId agent_kernel(Setup& setup, CollectionId agents, std::size_t function, const run_file::Where& where);

// The kernels that a manageAll needs, for what its agents may have asked since the one before. Phases that call functions are bound.
void bind_manage(Setup& setup, PhaseId number);

// Throws for a phase whose function asks for what no manageAll behind it carries out.
void check_intentions(const Setup& setup);

// The parameters' values, the run file's or the model's own.
[[nodiscard]] std::vector<ParameterValue> bind_parameters(const model::Description& description, const run_file::RunFile& run);

// Phases and kernels: init functions, what the phases call, and, if asked for, all other functions.
void bind_phases(Setup& setup, Functions functions);

// Gives every column its ghosts, its layout and, where a function reads around it and writes it, a second buffer.
void lay_out(Setup& setup);

} // namespace tessera
