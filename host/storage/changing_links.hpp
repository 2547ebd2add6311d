// manageAll of links that are born or die: what it is told (host/manage/changing_links.hpp), and its kernel.
#pragma once

#include "host/manage/changing_links.hpp"
#include "host/setup/setup.hpp"

namespace tessera {

[[nodiscard]] LinksPlan links_plan(const Setup& setup, CollectionId links);

// Its kernel, made when it is first asked for.
KernelId links_kernel(Setup& setup, CollectionId links);

} // namespace tessera
