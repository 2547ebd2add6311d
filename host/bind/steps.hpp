// The steps of `bind`, in their order. Each throws Failure::input with file, line and column.
#pragma once

#include "host/bind/bind.hpp"

namespace tessera {

// A collection as the run file's [places.NAME] has it; its columns have no layout yet.
[[nodiscard]] CollectionSetup bind_collection(const model::Description& description, const run_file::Places& places);

// A collection as the run file's [links.NAME] has it, between places that are bound.
struct BoundLinks {
    CollectionSetup collection;
    CollectionStart start;
};
[[nodiscard]] BoundLinks bind_links(const Setup& setup, const run_file::RunFile& run, const run_file::Links& links);

// The kernel of a function of places that goes along links: what it uses of these, and of the places at the other ends.
void add_link_accesses(const Setup& setup, KernelSetup& kernel, const run_file::Where& where);

// Columns for what functions send along links. All collections are there, and their columns have no numbers yet.
void bind_sends(Setup& setup, const run_file::RunFile& run);
// What a function's kernel does with those, of one list of links; and once all phases are bound, what becomes behind them of what was sent.
void add_sent_accesses(const Setup& setup, KernelSetup& kernel, CollectionId links, const model::LinkUse& use);
void bind_arrivals(Setup& setup);

// A collection as the run file's [agents.NAME] has it, on places that are bound. How far its agents go is not known yet.
// `agents` are of `run`. Those in space are given their capacity, which is unlimited; what a file has of them is taken out of their `init`.
struct BoundAgents {
    CollectionSetup collection;
    CollectionStart start;
};
[[nodiscard]] BoundAgents bind_agents(const Setup& setup, const run_file::RunFile& run, run_file::Agents& agents);

// Columns for what functions of phases leave for later: birth requests, and the shares of several agents in what is
// added to a place. All collections are there, and their columns have no numbers yet.
void bind_birth_requests(Setup& setup, const run_file::RunFile& run);
// The same for links that functions of places want.
void bind_link_wishes(Setup& setup, const run_file::RunFile& run);
// Places with an extent that nobody uses.
void check_extents(const Setup& setup, const run_file::RunFile& run);

// Once all kernels are known: the type of a collection's codes. Throws for move requests that are too many, or lead around a torus.
void choose_codes(Setup& setup, CollectionId agents);

// The kernel of a function of agents, or of places that has to do with agents, at the end of the table. `phase` is that of the run that
// calls a function that wants children; it is none of an init function, and of one that no phase calls.
KernelId agent_kernel(Setup& setup, CollectionId collection, std::size_t function, std::optional<PhaseId> phase,
                      const run_file::Where& where);

// Throws for an init function that asks for what only a manageAll carries out, or that sees the agents whose children it has.
void check_init_function(const Setup& setup, CollectionId collection, std::size_t function);

// The kernel that joins the shares that a kernel's agents leave, if they leave any.
[[nodiscard]] std::optional<KernelId> shares_kernel(Setup& setup, KernelId of);

// The kernels that a manageAll needs, for what its agents may have asked since the one before. Phases that call functions are bound.
void bind_manage(Setup& setup, PhaseId number);

// Throws for a phase whose function asks for what no manageAll behind it carries out.
void check_intentions(const Setup& setup);

// The seed, and the parameters' values: the run file's or the model's own.
[[nodiscard]] Values bind_values(const model::Model& model, const run_file::RunFile& run);

// What a reduce of these expressions is, with the kernels that it needs; one of the same expressions that there is already. Throws for
// expressions that are not of the model, and values of other types.
[[nodiscard]] ReductionId bind_reduction(Setup& setup, const run_file::Reduce& reduce);
[[nodiscard]] ReductionId bind_question(Setup& setup, const run_file::Until& until);
// Throws for a function that reads a value which no reduce before it in the step has made; of a model by itself where it has phases.
void check_values(const Setup& setup, const run_file::RunFile& run, Functions functions);

// Phases and kernels: init functions, what the phases call, and, if asked for, all other functions.
void bind_phases(Setup& setup, const run_file::RunFile& run, Functions functions);

// Gives every column its ghosts, its layout and, where a function reads around it and writes it, a second buffer.
void lay_out(Setup& setup);

} // namespace tessera
