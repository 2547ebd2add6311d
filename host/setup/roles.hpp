// What a column holds, and whether that is part of the state.
#pragma once

#include <cstdint>

namespace tessera {

enum class Role : std::uint8_t {
    member, // what the model declares
    // Of agents (kernels/agents/collection.hpp).
    code,
    mark,
    id,
    position, // in space
    aim,
    // Of a list.
    place,
    start,
    arrival,
    order,
    sum,
    target,
    arrived, // which of those who go to its place each was
    // Of a list in the order of ids: how many agents each place has, and of each agent its rank there and who follows it.
    count,
    rank,
    next,
    // Of those who need them.
    goal,
    claim,
    share,
    refused_births,
    // Birth requests: the first of a source, the parent's id, what the child is to have, and where in space.
    birth_request,
    parent,
    child_member,
    child_position,
    // Of links: where each comes from and leads to; and their lists, which follow from these.
    link_end,
    link_start,
    link_other,
    link_member,
    link_number,
    // Of links that are born or die: how many there are; who is to be no more; and which are wanted (LinkSource).
    link_count,
    link_dying,
    link_wish,
    link_wish_end,
    link_wish_member,
    link_wish_author, // of agents: the ids of those that asked
    due,              // of places: what was sent to a member along links, and is not there yet (tessera/detail/sent_sums.hpp)
    log,              // of a list in the order of ids: which birth requests there are
    flags             // of a list in the order of places: a byte for each birth request, which says whether there is one
};

// Whether the column holds something between steps that the next one goes by. All others are empty then, or are made anew.
[[nodiscard]] constexpr bool is_state(Role role) noexcept {
    switch (role) {
    case Role::member:
    case Role::code:
    case Role::id:
    case Role::position:
    case Role::place:
    case Role::start:
    case Role::link_end:
    case Role::link_count:
    case Role::due:
    case Role::refused_births: return true;
    default: return false;
    }
}

} // namespace tessera
