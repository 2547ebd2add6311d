// What manageAll has to know of agents in a list in the order of ids, from a setup that is bound.
#pragma once

#include "host/manage/list_plan.hpp"
#include "host/setup/setup.hpp"

namespace tessera {

[[nodiscard]] ListPlan list_plan(const Setup& setup, CollectionId agents);

} // namespace tessera
