// Several kernels that look no further than their place, as one: a thread makes them all of a place, one after the other, and waits for
// nobody. For small worlds on a GPU, whose steps take as long as their kernels wait for each other (host/generate/chains.hpp finds them).
//
// A chain gets the arguments of its parts, one behind the other. What a part finds wrong it notes in a record of its own, since others may
// be at an earlier part still; of these the host takes the first (host/execute/agent_records.hpp).
#pragma once

#include <tessera/kernels/agents/agents.hpp>
#include <tessera/kernels/agents/chain_head.hpp>
#include <tessera/kernels/agents/manage.hpp>
#include <tessera/kernels/places/direct.hpp>

#if TESSERA_GPU
namespace tessera {

// Part number Number of a chain; each has
//     using arguments;                                             as its kernel has them
//     struct tally;                                                what it counts
//     static make(arguments, x, y, z, tally);                      of one place
//     static add_up(arguments, tally);                             by all threads of a block, once all parts are made
struct no_tally {};
struct uncounted {
    using tally = no_tally;
    template<class Arguments> TESSERA_FN static void add_up(const Arguments&, const no_tally&) {}
};
template<class Function, class Grid> struct chained_places : uncounted {
    using arguments = arguments_of<Function>;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) { call_direct_at<Function, Grid>(args, x, y, z); }
};
template<class Of, int Number> struct chained_places_of_agents : uncounted {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) { call_place<call>(args, x, y, z); }
};
template<class Of, int Number> struct chained_shares : uncounted {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) {
        join_shares_of(ground_view<call>{&args, x, y, z, true}, indices_to<ground_view<call>::members::member_count>{});
    }
};

// What becomes of a slot; returns its code.
template<class Call>
TESSERA_FN typename Call::agents::code settle_slot(const arguments_of_call<Call>& args, const place_in_memory& here, int slot,
                                                   slot_counts& counts) {
    using agents = typename Call::agents;
    constexpr int C = code_column<agents>;
    auto* const code = static_cast<typename agents::code*>(args.out[Call::arguments[C]]) + agent_cell<agents, C>(here, slot, 1);
    const auto before = *code;
    std::uint8_t mark = unmarked;
    if constexpr (has_marks<Call>) {
        std::uint8_t* const at = mark_at<Call>(args, here, slot);
        mark = *at;
        if (mark != unmarked) *at = unmarked;
    }
    if constexpr (takes_claims_back<Call>)
        if (slot_code<agents>::is_going(before)) take_claims_back<Call>(args, goal_cell<agents>(here, slot));
    const auto after = settled<agents, has_marks<Call>>(before, mark);
    count_settled<agents, has_marks<Call>>(before, mark, counts);
    if (after != before) *code = after;
    return after;
}
// Clears birth requests.
template<class Call> TESSERA_FN void forget_birth_requests(const arguments_of_call<Call>&, const place_in_memory&, function_list<>*) {}
template<class Call, class Source, class... Others>
TESSERA_FN void forget_birth_requests(const arguments_of_call<Call>& args, const place_in_memory& here, function_list<Source, Others...>*) {
    using requests = birth_requests_of<Source>;
    auto* const first = static_cast<typename requests::code*>(args.out[Call::arguments[requests::number]]) +
                        cell_of<typename requests::grid, requests::number>(here);
#pragma unroll
    for (int plane = 0; plane < requests::planes; ++plane)
        if (first[plane * requests::column.element] != 0) first[plane * requests::column.element] = 0;
    forget_birth_requests<Call>(args, here, static_cast<function_list<Others...>*>(nullptr));
}
template<class Of, int Number> struct chained_slots {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    using tally = slot_counts;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, tally& counts) {
        using agents = typename call::agents;
        const place_in_memory here{x, y, z, true};
#pragma unroll
        for (int slot = 0; slot < agents::capacity; ++slot) settle_slot<call>(args, here, slot, counts);
        if constexpr (call::spawns) forget_birth_requests<call>(args, here, static_cast<typename agents::sources*>(nullptr));
    }
    TESSERA_FN static void add_up(const arguments& args, const tally& counts) { add_counts<call>(args, counts); }
};

// Of agents that go anywhere, one on a place: bidding looks at no other place (manage.hpp).
template<class Of, int Number> struct chained_bids : uncounted {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) {
        using agents = typename call::agents;
        if (slot_code<agents>::is_going(*slot_at<agents>(args.in[call::arguments[code_column<agents>]], {x, y, z, true}, 0)))
            bid_one<call>(args, x, y, z, 0);
    }
};

template<class Of, int Number> struct chained_grants : uncounted {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) {
        using agents = typename call::agents;
        if (slot_code<agents>::is_going(*slot_at<agents>(args.in[call::arguments[code_column<agents>]], {x, y, z, true}, 0)))
            grant_one<call>(args, x, y, z, 0);
    }
};

// Move requests, by the places where they lead: a place takes those that come first, as many as it has room for. The codes of all who may
// want to come are on their way together, and threads beside each other load them beside each other.
template<class Of, int Number> struct chained_moves : uncounted {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    using agents = typename call::agents;
    static constexpr int offsets = move_requests_of<agents>.size, slots = agents::capacity;
    static_assert(offsets * slots <= 64, "a bit each");

    TESSERA_FN static void make(const arguments& args, int x, int y, int z, no_tally&) {
        const place_in_memory here{x, y, z, true};
        const bool interior = is_interior<call>(x, y, z);
        const std::uint64_t found = all_who_come(args, here, interior, indices_to<offsets>{});
        if (found == 0) return;
        const int room = room_on<call>(args, here);
#pragma unroll 1
        for (std::uint64_t left = room > 0 ? found : 0; left != 0; left &= left - 1)
            come(args, here, interior, found, lowest_bit(left), room);
    }

private:
    // From where an offset leads here.
    TESSERA_FN static place_in_memory origin(const place_in_memory& here, bool interior, const place_offset& o) {
        return place_beside<typename agents::grid>(here.x, here.y, here.z, {-o.x, -o.y, -o.z}, interior);
    }
    template<int... I>
    TESSERA_FN static std::uint64_t all_who_come(const arguments& args, const place_in_memory& here, bool interior, index_list<I...>) {
        return (std::uint64_t{0} | ... | (who_comes<I>(args, here, interior) << (I * slots)));
    }
    // A bit for each slot there whose agent wants to go by offset number I.
    template<int I> TESSERA_FN static std::uint64_t who_comes(const arguments& args, const place_in_memory& here, bool interior) {
        constexpr auto request = move_requests_of<agents>.list[I];
        const auto from = origin(here, interior, request.offset);
        std::uint64_t slots_there = 0;
#pragma unroll
        for (int slot = 0; slot < slots; ++slot) {
            const auto code = *slot_at<agents>(args.in[call::arguments[code_column<agents>]], from, slot);
            const bool comes = from.inside && slot_code<agents>::action(code) == request.action;
            slots_there |= std::uint64_t{comes} << slot;
        }
        return slots_there;
    }
    // The one with this bit, if it is served behind fewer than there is room for.
    TESSERA_FN static void come(const arguments& args, const place_in_memory& here, bool interior, std::uint64_t found, int bit, int room) {
        const auto from_of = [&](int of) { return origin(here, interior, move_request_number<agents>(of / slots).offset); };
        const auto id_of = [&](int of) { return id_at<agents>(args.in[call::arguments[id_column<agents>]], from_of(of), of % slots); };
        const auto from = from_of(bit);
        carried_members<call, 0> members;
        members.load(args, from, bit % slots);
        const std::uint64_t id = id_of(bit), mine = priority_of<call>(args, id);
        int before = 0;
#pragma unroll 1
        for (std::uint64_t others = found & ~(std::uint64_t{1} << bit); others != 0; others &= others - 1)
            before += priority_of<call>(args, id_of(lowest_bit(others))) < mine ? 1 : 0;
        if (before < room) go<call>(args, from, bit % slots, here, before, id, members);
    }
};

// A function of agents, called for those on the place; it may settle their slots before and bury them behind.
template<class Of, int Number> struct chained_agents {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    using tally = slot_counts;
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, tally& counts) {
        using agents = typename call::agents;
        const place_in_memory here{x, y, z, true};
        std::uint32_t found = 0;
#pragma unroll
        for (int slot = 0; slot < agents::capacity; ++slot)
            if (!slot_code<agents>::is_empty(code_of(args, here, slot, counts))) found |= std::uint32_t{1} << slot;
#pragma unroll 1
        for (; found != 0; found &= found - 1) call_and_bury<call>(args, x, y, z, lowest_bit(found), counts);
    }
    TESSERA_FN static void add_up(const arguments& args, const tally& counts) {
        if constexpr (call::settles || call::buries) add_counts<call>(args, counts);
    }

private:
    TESSERA_FN static auto code_of(const arguments& args, const place_in_memory& here, int slot, tally& counts) {
        if constexpr (call::settles)
            return settle_slot<call>(args, here, slot, counts);
        else
            return *slot_at<typename call::agents>(args.in[call::arguments[code_column<typename call::agents>]], here, slot);
    }
};

template<class Of, int Number> struct chained_births {
    using call = part_of_chain<Of, Number>;
    using arguments = arguments_of_call<call>;
    struct tally {
        std::uint32_t born = 0, refused = 0;
    };
    TESSERA_FN static void make(const arguments& args, int x, int y, int z, tally& counts) {
        using requests = birth_requests_of<typename call::source>;
        std::uint32_t found = 0;
#pragma unroll
        for (int plane = 0; plane < requests::planes; ++plane)
            if (birth_request_at<call, typename call::source>(args, {x, y, z, true}, plane) != 0) found |= std::uint32_t{1} << plane;
#pragma unroll 1
        for (; found != 0; found &= found - 1) ++(settle_birth<call>(args, x, y, z, lowest_bit(found)) ? counts.born : counts.refused);
    }
    TESSERA_FN static void add_up(const arguments& args, const tally& counts) {
        add_up_counted(counted{&args.counters->born, counts.born}, counted{&args.counters->refused_births, counts.refused});
    }
};

// ---- the chain

template<class First, class... Others> struct arguments_of_parts {
    typename First::arguments first;
    arguments_of_parts<Others...> others;
};
template<class Last> struct arguments_of_parts<Last> { typename Last::arguments first; };
template<class... Parts> struct arguments_of_chain : chain_head { arguments_of_parts<Parts...> parts; };

// Those of them that the head names. What they count is added up behind all, so that no thread waits for others in between.
template<int Number, class Part, class... Others>
TESSERA_FN void make_parts(const chain_head& head, const arguments_of_parts<Part, Others...>& args, int x, int y, int z, bool inside) {
    const bool is_made = Number >= head.first_part && Number < head.end_part;
    typename Part::tally tally;
    if (inside && is_made) Part::make(args.first, x, y, z, tally);
    if constexpr (sizeof...(Others) > 0) make_parts<Number + 1>(head, args.others, x, y, z, inside);
    if (is_made) Part::add_up(args.first, tally);
}

// A thread a place.
template<class Grid, class... Parts> TESSERA_FN void call_chain(const arguments_of_chain<Parts...>& args) {
    if (const std::uint64_t launch = peek(&args.faults->launch); launch != 0) { // of an earlier one: as is_given_up
        const std::uint64_t step = *args.first_step + args.step_after_first;
        if (launch < launch_number(step, args.first_phase) || launch > launch_number(step + args.steps_later, args.last_phase)) return;
    }
    constexpr std::uint32_t nx = Grid::size[0], ny = Grid::size[1], places = nx * ny * Grid::size[2];
    const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x, line = number / nx;
    const auto x = static_cast<int>(number % nx), y = static_cast<int>(line % ny), z = static_cast<int>(line / ny);
    make_parts<0>(args, args.parts, x, y, z, number < places);
}

} // namespace tessera

// TESSERA_CHAIN(symbol, Grid, parts...): a kernel of parts.
#define TESSERA_CHAIN(symbol, Grid, ...)                                                \
    extern "C" __global__ void __launch_bounds__(tessera::chain_threads)                \
        symbol(const __grid_constant__ tessera::arguments_of_chain<__VA_ARGS__> args) { \
        tessera::follow_last_launch();                                                  \
        if (tessera::is_left_out(args)) return;                                         \
        tessera::call_chain<Grid, __VA_ARGS__>(args);                                   \
    }
#else
#define TESSERA_CHAIN(symbol, Grid, ...)
#endif
