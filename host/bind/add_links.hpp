// Links that are each made by themselves, by several threads.
#pragma once

#include "device_runtime/thread_pool.hpp"
#include "host/setup/link_table.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

struct LinkEnds {
    std::int64_t from = 0, to = 0;
};

// `make_one(i)`: the ends of the i-th of so many, called by any thread.
template<class MakeOne> void add_links(LinkTable& table, std::int64_t links, ThreadPool& pool, const MakeOne& make_one) {
    const auto before = table.size();
    table.from.resize(before + static_cast<std::size_t>(links));
    table.to.resize(table.from.size());
    pool.run(links, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) {
            const LinkEnds ends = make_one(i);
            table.from[before + static_cast<std::size_t>(i)] = static_cast<std::int32_t>(ends.from);
            table.to[before + static_cast<std::size_t>(i)] = static_cast<std::int32_t>(ends.to);
        }
    });
}

} // namespace tessera
