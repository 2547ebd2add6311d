// Where children are born.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// Whether the children of a source are born on the places of their parents, who are of the same list.
[[nodiscard]] inline bool are_born_at_parents(const Setup& setup, CollectionId children, const BirthSource& source) {
    constexpr std::array<int, 3> nowhere_else{};
    return source.in_list && source.parents == children && !setup.collections[children].agents->space && source.low == nowhere_else &&
           source.high == nowhere_else;
}

} // namespace tessera
