// Links in the order in which a run has them.
#pragma once

#include "host/setup/link_table.hpp"

#include <cstdint>
#include <functional>

namespace tessera {

class ThreadPool;

struct LinkOrder {
    bool is_directed = false, parallel = false, loops = false;
};

// Links of a rule in the order of a run, and how many that it asks for could not be.
struct MadeLinks {
    LinkTable table;
    std::int64_t left_out = 0;
};

// Called for a link, by its number among those given, that leads to where it comes from (`twin` is negative), or has the ends of an earlier
// one. If it returns, the link is left out.
using Refused = std::function<void(std::int64_t link, std::int64_t twin)>;

// By where they lead to, where they come from, and as given; those without a direction lead to the higher of their ends. `columns` of the
// table have values of so many bytes a link. `refused` is called by the calling thread.
[[nodiscard]] LinkTable sorted_links(const LinkTable& given, const LinkOrder& order, const Refused& refused, ThreadPool& pool);

} // namespace tessera
