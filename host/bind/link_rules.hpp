// Links that a rule of the run file makes: `generate = { rule = "regular", degree = 8 }`.
#pragma once

#include "host/bind/sorted_links.hpp"
#include "host/run_file/run_file.hpp"
#include "host/setup/link_table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

class ThreadPool;

// Between or from so many places, and to so many.
struct LinkedPlaces {
    std::int64_t from = 0, to = 0;
    bool are_one = false;                              // one collection
    LinkOrder order{};                                 // which links there may be
    std::optional<std::array<std::int64_t, 3>> size{}; // of the first, if it has a shape
    std::string from_name{}, to_name{};                // of the collections
};

// `name` is that of the collection: with the
// seed of the run it says what is drawn. Throws Failure::input for a rule that these places cannot have.
[[nodiscard]] MadeLinks made_links(const run_file::Located<run_file::LinkRule>& rule, const LinkedPlaces& places, const std::string& name,
                                   const run_file::RunFile& run, ThreadPool& pool);

} // namespace tessera
