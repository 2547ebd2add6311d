// Where agents of a list want to be.
#pragma once

#include "host/manage/list_launch.hpp"
#include "host/manage/list_scratch.hpp"
#include "host/manage/neighbours.hpp"

namespace tessera {

class ThreadPool;

// `target` becomes the place where each of `scratch.movers` will be, who are those that go; codes say what became of requests; and counts
// are without the dead, and on places where children are wanted, of agents who have gone where they are going. Who dies stands in
// `scratch.dying`.
void find_targets(const ListLaunch& launch, const Neighbours& beside, ListScratch& scratch, ThreadPool& team);

} // namespace tessera
