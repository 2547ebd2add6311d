// manageAll of links that are born or die: its kernels, and where one CPU makes the run, what it is told
// (host/manage/changing_links.hpp).
#pragma once

#include "host/manage/changing_links.hpp"
#include "host/setup/setup.hpp"

namespace tessera {

[[nodiscard]] LinksPlan links_plan(const Setup& setup, CollectionId links);

// Its kernels, made when they are first asked for: one that is compiled with the program, or where the run is not one CPU's alone, those of
// link_kinds.hpp.
void add_kernels_of_links(Setup& setup, CollectionId links, std::vector<KernelId>& kernels);

} // namespace tessera
