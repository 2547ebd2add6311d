// Where agents of a list want to be.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/list_scratch.hpp"

namespace tessera {

class ThreadPool;

// `scratch.movers` are those that go, each to its `target`; codes say what became of requests; and counts are without the dead, and on
// places where children are wanted, of agents who have gone where they are going. Who dies stands in `scratch.dying`. Where that is quicker
// all is done already, and nobody stands there.
void find_targets(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team);

} // namespace tessera
