// The phase manageAll, of agents in slots: first those who want to go somewhere, each by itself, then those who want children
// (births.hpp), then every slot.
//
// A move request looks for its rivals: at the codes of the places from which others may want to go to the same one. Places are free for as
// many as there are slots whose agents do not stay, those who want to leave included, which is known before anybody goes; so slots that are
// left and slots that are taken are different ones, nobody waits for anybody, and who wins writes its columns where it goes. What became of
// whom is marked in a column of its own, so that no rival sees a changed code; the last kernel takes the marks over.
#pragma once

#include <tessera/kernels/agents/births.hpp>
#include <tessera/kernels/agents/settled.hpp>

namespace tessera {

// An agent's members from number I on, on their way to another slot. They can be loaded long before they are stored; but arrays, which may
// be large, are copied then, element by element.
template<class Call, int I, bool Any = (I < Call::agents::members::member_count)> struct carried_members {
    TESSERA_FN void load(const arguments_of_call<Call>&, const place_in_memory&, int) {}
    TESSERA_FN void store(const arguments_of_call<Call>&, const place_in_memory&, int, const place_in_memory&, int) const {}
};
template<class Call, int I> struct carried_members<Call, I, true> {
    using agents = typename Call::agents;
    using scalar = scalar_in<typename agents::members, I>;
    static constexpr int elements = elements_in<typename agents::members, I>;
    static constexpr std::int64_t stride = agents::grid::columns[I].element;
    scalar value;
    carried_members<Call, I + 1> others;

    TESSERA_FN static scalar* at(const arguments_of_call<Call>& args, const place_in_memory& place, int slot) {
        return static_cast<scalar*>(args.out[Call::arguments[I]]) + cell_of<typename agents::grid, I>(place) + slot * elements * stride;
    }
    TESSERA_FN void load(const arguments_of_call<Call>& args, const place_in_memory& from, int slot) {
        if constexpr (elements == 1) value = *at(args, from, slot);
        others.load(args, from, slot);
    }
    TESSERA_FN void store(const arguments_of_call<Call>& args, const place_in_memory& from, int from_slot, const place_in_memory& to,
                          int to_slot) const {
        scalar* const target = at(args, to, to_slot);
        if constexpr (elements == 1)
            *target = value;
        else {
            const scalar* const source = at(args, from, from_slot);
            for (int e = 0; e < elements; ++e) target[e * stride] = source[e * stride];
        }
        others.store(args, from, from_slot, to, to_slot);
    }
};

// The number of a move request's offset in the list, by that of its action.
template<class Agents> struct numbers_by_action {
    std::uint8_t list[offset_box<Agents>::size] = {};
    constexpr numbers_by_action() {
        for (int i = 0; i < move_requests_of<Agents>.size; ++i)
            list[move_requests_of<Agents>.list[i].action - slot_code<Agents>::going] = static_cast<std::uint8_t>(i);
    }
};
template<class Agents> inline constexpr numbers_by_action<Agents> number_by_action{};

// Which of those who may want to go to a place away from the edges do, a bit for each offset from number First on; but for those who want
// it by the action `own`, where a place has one slot, for that is who asks. An empty code has no action that is a move request.
template<class Agents, int First, int... I>
TESSERA_FN std::uint32_t find_rivals(const typename Agents::code* codes_there, int own, index_list<I...>) {
    std::uint32_t found = 0;
#pragma unroll
    for (int k = 0; k < Agents::capacity; ++k) {
        const auto* const codes = codes_there + k * Agents::grid::columns[code_column<Agents>].element;
        const auto wants = [own](typename Agents::code code, int action) {
            return slot_code<Agents>::action(code) == action && (!TESSERA_GPU || Agents::capacity > 1 || action != own);
        };
        found |=
            (0u | ... |
             (std::uint32_t{wants(codes[-move_requests_of<Agents>.list[First + I].back], move_requests_of<Agents>.list[First + I].action)}
              << I));
    }
    if constexpr (!TESSERA_GPU && Agents::capacity == 1) { // where a table's entry takes less time than to ask each
        const int mine = number_by_action<Agents>.list[own - slot_code<Agents>::going] - First;
        if (mine >= 0 && mine < 32) found &= ~(std::uint32_t{1} << mine);
    }
    return found;
}
// How many of those who want to go there by offset number i are served before one of this id and priority.
template<class Call>
TESSERA_FN int rivals_before(const arguments_of_call<Call>& args, int i, const place_in_memory& there, bool interior, std::uint64_t id,
                             std::uint64_t mine) {
    using agents = typename Call::agents;
    using codes = slot_code<agents>;
    const auto& move_request = move_request_number<agents>(i);
    const auto from = place_beside<typename agents::grid>(
        there.x, there.y, there.z, {-move_request.offset.x, -move_request.offset.y, -move_request.offset.z}, interior);
    if (!from.inside) return 0;
    int before = 0;
    for (int k = 0; k < agents::capacity; ++k) {
        const bool known = interior && agents::capacity == 1; // to want to go there
        if (const auto code = *slot_at<agents>(args.in[Call::arguments[code_column<agents>]], from, k);
            !known && (codes::is_empty(code) || codes::action(code) != move_request.action))
            continue;
        const std::uint64_t other = id_at<agents>(args.in[Call::arguments[id_column<agents>]], from, k);
        before += other != id && priority_of<Call>(args, other) < mine ? 1 : 0;
    }
    return before;
}
// The same of all offsets. Away from the edges: first the codes of 32 of them, whose loads wait for nothing, then those who are rivals, two
// at a time where that is two loads.
template<class Call, int First>
TESSERA_FN int all_before(const arguments_of_call<Call>& args, const place_in_memory& there, int own, std::uint64_t id,
                          std::uint64_t mine) {
    using agents = typename Call::agents;
    constexpr int left = move_requests_of<agents>.size - First, count = left < 32 ? left : 32;
    if constexpr (count <= 0)
        return 0;
    else {
        int before = 0;
        const auto* const codes = slot_at<agents>(args.in[Call::arguments[code_column<agents>]], there, 0);
        const auto of_rival = [&](int i) { return rivals_before<Call>(args, First + i, there, true, id, mine); };
        for (std::uint32_t rivals = find_rivals<agents, First>(codes, own, indices_to<count>{}); rivals != 0; rivals &= rivals - 1) {
            const int first = lowest_bit(rivals);
            before += of_rival(first);
            if constexpr (TESSERA_GPU && agents::capacity == 1) {
                rivals &= rivals - 1;
                const int second = rivals != 0 ? lowest_bit(rivals) : first, of_second = of_rival(second);
                before += second != first ? of_second : 0;
            }
        }
        return before + all_before<Call, First + 32>(args, there, own, id, mine);
    }
}
// At the edges, and of more offsets than a compiler unrolls in good time, one by one.
template<class Call>
TESSERA_FN int served_before(const arguments_of_call<Call>& args, const place_in_memory& there, bool interior, int own, std::uint64_t id,
                             std::uint64_t mine) {
    constexpr int offsets = move_requests_of<typename Call::agents>.size, most_unrolled = 96;
    if constexpr (offsets <= most_unrolled)
        if (interior) return all_before<Call, 0>(args, there, own, id, mine);
    int before = 0;
#pragma unroll 1
    for (int i = 0; i < offsets; ++i) before += rivals_before<Call>(args, i, there, false, id, mine);
    return before;
}

// How many may go to a place, by its slots' codes: those of who leaves are not free.
template<class Call> TESSERA_FN int room_on(const arguments_of_call<Call>& args, const place_in_memory& there) {
    using agents = typename Call::agents;
    using codes = slot_code<agents>;
    int room = 0;
    for (int k = 0; k < agents::capacity; ++k) {
        const auto code = *slot_at<agents>(args.in[Call::arguments[code_column<agents>]], there, k);
        room += codes::is_empty(code) || codes::is_dying(code) ? 1 : 0;
    }
    return room;
}
// One whose move request is granted, who is served behind so many others, goes into the free slot of that number.
template<class Call>
TESSERA_FN void go(const arguments_of_call<Call>& args, const place_in_memory& here, int slot, const place_in_memory& there, int before,
                   std::uint64_t id, const carried_members<Call, 0>& members) {
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    using codes = slot_code<agents>;
    int taken = 0;
    for (int k = 0, skip = before; k < agents::capacity; ++k) {
        const auto code = *slot_at<agents>(args.in[Call::arguments[code_column<agents>]], there, k);
        if (!(codes::is_empty(code) || codes::is_dying(code))) continue;
        taken = k;
        if (skip-- == 0) break;
    }
    members.store(args, here, slot, there, taken);
    constexpr int I = id_column<agents>, M = mark_column<agents>;
    static_cast<std::uint64_t*>(args.out[Call::arguments[I]])[cell_of<grid, I>(there) + taken * grid::columns[I].element] = id;
    auto* const marks = static_cast<std::uint8_t*>(args.out[Call::arguments[M]]);
    marks[cell_of<grid, M>(there) + taken * grid::columns[M].element] = arrived;
    marks[cell_of<grid, M>(here) + slot * grid::columns[M].element] = left;
}

// One move request.
template<class Call> TESSERA_FN void settle(const arguments_of_call<Call>& args, int x, int y, int z, int slot) {
    using agents = typename Call::agents;
    const place_in_memory here{x, y, z, true};
    const bool interior = is_interior<Call>(x, y, z);
    const auto code = *slot_at<agents>(args.in[Call::arguments[code_column<agents>]], here, slot);
    const place_in_memory there = place_beside<typename agents::grid>(x, y, z, slot_code<agents>::move_request(code), interior);
    if (!there.inside) return;
    // A GPU's loads are under way together: who finds no room, or has to wait for others, is the exception.
    constexpr bool at_once = TESSERA_GPU && agents::capacity == 1;
    carried_members<Call, 0> members;
    if constexpr (at_once) members.load(args, here, slot);
    const std::uint64_t id = id_at<agents>(args.in[Call::arguments[id_column<agents>]], here, slot), mine = priority_of<Call>(args, id);
    const int room = room_on<Call>(args, there);
    if (!at_once && room == 0) return;
    const int before = served_before<Call>(args, there, interior, slot_code<agents>::action(code), id, mine);
    if (before >= room) return;
    if constexpr (!at_once) members.load(args, here, slot);
    go<Call>(args, here, slot, there, before, id, members);
}

// ---- move requests to anywhere
//
// Rivals may stand on any place, so they bid for the one where they want to go: the least priority has the first of its free slots. Who
// has it is out, and the others bid for the next one, in as many rounds as a place has slots. A place has a claim for each round: the
// complement of the least priority, so that 0 is none. Whoever settles the slots takes the claims back (settled.hpp).
//
// Where a place has one slot there is one round. Then whoever grants finds out whether there is room, so that bidding looks at no other
// place; and whoever has a claim, or finds no room, takes it back: those who lose need not know who won.

// `visit(here, there, claim)` for one who still bids; there may be no room where a place has one slot.
template<class Call, class Visit> TESSERA_FN void bid(const arguments_of_call<Call>& args, int x, int y, int z, int slot, Visit&& visit) {
    using agents = typename Call::agents;
    const place_in_memory here{x, y, z, true};
    if constexpr (Call::round > 0)
        if (*mark_at<Call>(args, here, slot) == left) return;
    const auto goal = goal_of<agents>(args.in[Call::arguments[agents::column::goal]], here, slot);
    if (goal < 0) return;
    const auto there = place_of_number<typename agents::grid>(goal);
    if constexpr (agents::capacity > 1)
        if (room_on<Call>(args, there) <= Call::round) return;
    visit(here, there, claim_of<Call>(args, there, Call::round));
}
// `Shared`: several devices may do so at once.
template<bool Shared> TESSERA_FN void raise(std::uint64_t* to, std::uint64_t value) {
#if TESSERA_GPU
    if constexpr (Shared)
        atomicMax_system(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
    else
        atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
    auto seen = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value > seen && !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}
template<class Call> TESSERA_FN std::uint64_t claim_by(const arguments_of_call<Call>& args, const place_in_memory& here, int slot) {
    using agents = typename Call::agents;
    return ~priority_of<Call>(args, id_at<agents>(args.in[Call::arguments[id_column<agents>]], here, slot));
}
template<class Call> TESSERA_FN void bid_one(const arguments_of_call<Call>& args, int x, int y, int z, int slot) {
    bid<Call>(args, x, y, z, slot, [&](const auto& here, const auto&, std::uint64_t* claim) {
        raise<Call::agents::grid::in_bands>(claim, claim_by<Call>(args, here, slot));
    });
}
template<class Call> TESSERA_FN void grant_one(const arguments_of_call<Call>& args, int x, int y, int z, int slot) {
    bid<Call>(args, x, y, z, slot, [&](const auto& here, const auto& there, std::uint64_t* claim) {
        using agents = typename Call::agents;
        constexpr bool at_once = TESSERA_GPU && agents::capacity == 1; // as in `settle`
        carried_members<Call, 0> members;
        if constexpr (at_once) members.load(args, here, slot);
        const std::uint64_t most = peek(claim), mine = claim_by<Call>(args, here, slot);
        if constexpr (agents::capacity == 1)
            if (room_on<Call>(args, there) == 0) return poke(claim, std::uint64_t{0});
        if (most != mine) return;
        if constexpr (agents::capacity == 1) poke(claim, std::uint64_t{0});
        if constexpr (!at_once) members.load(args, here, slot);
        go<Call>(args, here, slot, there, Call::round, id_at<agents>(args.in[Call::arguments[id_column<agents>]], here, slot), members);
    });
}

#if TESSERA_GPU
// Clears birth requests: of block number `block` among those of the sources' planes.
template<class Call> TESSERA_FN void forget_birth_requests(const arguments_of_call<Call>&, std::int64_t, function_list<>*) {}
template<class Call, class Source, class... Others>
TESSERA_FN void forget_birth_requests(const arguments_of_call<Call>& args, std::int64_t block, function_list<Source, Others...>*) {
    using requests = birth_requests_of<Source>;
    using code = typename requests::code;
    const std::int64_t all = requests::count(args), blocks = blocks_of<requests>(args);
    if (block >= blocks * requests::planes)
        return forget_birth_requests<Call>(args, block - blocks * requests::planes, static_cast<function_list<Others...>*>(nullptr));
    const std::int64_t mine = block % blocks * requests::a_block + threadIdx.x * requests::a_thread;
    if (mine >= all) return;
    code* const at = static_cast<code*>(args.out[Call::arguments[requests::number]]) + block / blocks * requests::column.element +
                     requests::first(args) + mine;
    const auto loaded = load_vector<false, code, requests::a_thread>(at);
    bool any = false;
#pragma unroll
    for (int i = 0; i < requests::a_thread; ++i) any |= loaded.values[i] != 0;
    if (any) store_vector<code, requests::a_thread>(at, {});
}

// `visit(x, y, z, slot)` for each that wants to go somewhere.
template<class Call, class Visit> TESSERA_FN void for_each_move_request(const arguments_of_call<Call>& args, Visit&& visit) {
    using agents = typename Call::agents;
    if (is_given_up<Call>(args)) return;
    using cells = slots_of<agents>;
    for_each_code<cells, slot_code<agents>::of(slot_code<agents>::going, 0)>(
        args, plain_codes<cells>(args, args.in[Call::arguments[code_column<agents>]]), visit);
}
#define TESSERA_MOVE_REQUEST_PART(name, one)                                                                       \
    template<class Call> TESSERA_FN void name(const arguments_of_call<Call>& args) {                               \
        for_each_move_request<Call>(args, [&](int x, int y, int z, int slot) { one<Call>(args, x, y, z, slot); }); \
    }
// Blocks as those of for_each_code; behind those of the slots, where there may be births, those of the birth requests.
template<class Call> TESSERA_FN void settle_slots(const arguments_of_call<Call>& args) {
    using agents = typename Call::agents;
    using cells = slots_of<agents>;
    if (is_given_up<Call>(args)) return;
    slot_counts counts;
    const std::int64_t all = cells::count(args), blocks = blocks_of<cells>(args);
    if constexpr (Call::spawns)
        if (blockIdx.x >= blocks * agents::capacity)
            return forget_birth_requests<Call>(args, blockIdx.x - blocks * agents::capacity,
                                               static_cast<typename agents::sources*>(nullptr));
    const bool one_plane = agents::capacity == 1;
    const int slot = one_plane ? 0 : static_cast<int>(blockIdx.x / blocks);
    const std::int64_t mine = (one_plane ? blockIdx.x : blockIdx.x % blocks) * std::int64_t{cells::a_block} + threadIdx.x * cells::a_thread;
    if (mine < all) settle_of_thread<Call>(args, slot, mine, counts);
    add_counts<Call>(args, counts);
}
#else
// Clears a row of a source's birth requests: in plane number `plane` among the sources'.
template<class Call> inline void forget_birth_requests(const arguments_of_call<Call>&, int, int, int, function_list<>*) {}
template<class Call, class Source, class... Others>
inline void forget_birth_requests(const arguments_of_call<Call>& args, int y, int z, int plane, function_list<Source, Others...>*) {
    using requests = birth_requests_of<Source>;
    using grid = typename requests::grid;
    if (plane >= requests::planes)
        return forget_birth_requests<Call>(args, y, z, plane - requests::planes, static_cast<function_list<Others...>*>(nullptr));
    auto* const row = static_cast<typename requests::code*>(args.out[Call::arguments[requests::number]]) +
                      cell_of<grid, requests::number>(0, y, z) + plane * requests::column.element;
    for (int x = 0; x < static_cast<int>(grid::size[0]); ++x) row[x] = 0;
}

template<class Call, class Visit>
inline void for_each_move_request(const arguments_of_call<Call>& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    using agents = typename Call::agents;
    if (is_given_up<Call>(args)) return;
    using cells = slots_of<agents>;
    for_each_code<cells, slot_code<agents>::of(slot_code<agents>::going, 0)>(
        args, plain_codes<cells>(args, args.in[Call::arguments[code_column<agents>]]), first, last, visit);
}
#define TESSERA_MOVE_REQUEST_PART(name, one)                                                                                    \
    template<class Call> inline void name(const void* argument, std::int64_t first, std::int64_t last) {                        \
        const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);                                              \
        for_each_move_request<Call>(args, first, last, [&](int x, int y, int z, int slot) { one<Call>(args, x, y, z, slot); }); \
    }
template<class Call> inline void settle_slots(const void* argument, std::int64_t first, std::int64_t last) {
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    slot_counts counts;
    for_each_row_of<grid>(args, first, last, [&](int y, int z, int slot) {
        if constexpr (Call::spawns)
            if (slot >= agents::capacity)
                return forget_birth_requests<Call>(args, y, z, slot - agents::capacity, static_cast<typename agents::sources*>(nullptr));
        settle_row_of<Call>(args, y, z, slot, counts);
    });
    add_counts<Call>(args, counts);
}
#endif

TESSERA_MOVE_REQUEST_PART(settle_move_requests, settle)
TESSERA_MOVE_REQUEST_PART(bid_for_places, bid_one)
TESSERA_MOVE_REQUEST_PART(grant_bids, grant_one)
#undef TESSERA_MOVE_REQUEST_PART

} // namespace tessera
