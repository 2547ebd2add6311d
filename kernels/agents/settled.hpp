// What becomes of slots when move requests and children are settled: of those who stay, who went, who came and who died. The last kernel of
// a manageAll goes over all of them, or a function of agents does that while it looks for who is there, or is done with them
// (host/storage/slots.cpp).
#pragma once

#include <tessera/detail/at_once.hpp>
#include <tessera/kernels/agents/visit_codes.hpp>

namespace tessera {

// In a column of its own, what has become of a slot before all move requests are settled: whose agent has left may be followed by one who
// is born.
enum slot_mark : std::uint8_t { unmarked = 0, arrived = 1, left = 2, born = 3 };

// What a slot's code becomes, and what has to be counted of it: without branches, for a row of slots is a loop that a CPU's compiler
// vectorises.
template<class Agents, bool Marked> TESSERA_FN typename Agents::code settled(typename Agents::code code, std::uint8_t mark) {
    using codes = slot_code<Agents>;
    using type = typename Agents::code;
    constexpr auto with = [](move_result result) {
        return codes::of(codes::nothing, Agents::keeps_results ? static_cast<int>(result) : 0);
    };
    constexpr type stays = with(move_result::none), moved = with(move_result::moved), refused = with(move_result::refused);
    type next = Marked && codes::is_going(code) ? refused : stays;
    next = codes::is_empty(code) || codes::is_dying(code) ? codes::empty : next;
    if constexpr (Marked) {
        next = mark == arrived ? moved : next;
        next = mark == left ? codes::empty : next;
        next = mark == born ? stays : next;
    }
    return next;
}
template<class Agents, bool Marked>
TESSERA_FN void count_settled(typename Agents::code code, std::uint8_t mark, std::uint32_t& died, std::uint32_t& moved,
                              std::uint32_t& refused) {
    using codes = slot_code<Agents>;
    died += codes::is_dying(code) ? 1 : 0;
    if constexpr (Marked) {
        moved += mark == arrived ? 1 : 0;
        refused += codes::is_going(code) & (mark == unmarked) ? 1 : 0; // who left may be followed by who is born
    }
}
template<class Agents, bool Marked> TESSERA_FN void count_settled(typename Agents::code code, std::uint8_t mark, slot_counts& counts) {
    count_settled<Agents, Marked>(code, mark, counts.died, counts.moved, counts.refused);
}

template<class Call> TESSERA_FN void add_counts(const arguments_of_call<Call>& args, const slot_counts& counts) {
    const counted died{&args.counters->died, counts.died};
    if constexpr (Call::moves)
        add_up_counted(died, counted{&args.counters->moved, counts.moved}, counted{&args.counters->refused_moves, counts.refused});
    else
        add_up_counted(died);
}

template<class Call> inline constexpr bool has_marks = Call::moves || Call::spawns;

// Of those who go anywhere: what has been bid for a place in a round.
template<class Call> TESSERA_FN std::uint64_t* claim_of(const arguments_of_call<Call>& args, const place_in_memory& there, int round) {
    using grid = typename Call::agents::grid;
    constexpr int claims = Call::agents::column::claim;
    return static_cast<std::uint64_t*>(args.out[Call::arguments[claims]]) + cell_of<grid, claims>(there) +
           round * grid::columns[claims].element;
}
template<class Call> constexpr bool are_claims_taken_back() {
    if constexpr (Call::moves)
        return goes_anywhere<typename Call::agents> && Call::agents::capacity > 1; // else whoever grants has done so
    else
        return false;
}
template<class Call> inline constexpr bool takes_claims_back = are_claims_taken_back<Call>();
// Before the slots are settled, all that one may have bid: its goal stands at this number of the column of goals.
template<class Call> TESSERA_FN void take_claims_back(const arguments_of_call<Call>& args, std::int64_t goal_cell) {
    using agents = typename Call::agents;
    const auto goal = static_cast<const std::int32_t*>(args.in[Call::arguments[agents::column::goal]])[goal_cell];
    if (goal < 0) return;
    const auto there = place_of_number<typename agents::grid>(goal);
    for (int round = 0; round < agents::capacity; ++round) poke(claim_of<Call>(args, there, round), std::uint64_t{0});
}

#if TESSERA_GPU
// The same of four slots whose codes are bytes: masks have all bits of those of which something holds.
template<class Agents, bool Marked> TESSERA_FN std::uint32_t settled_four(std::uint32_t four, std::uint32_t marks, slot_counts& counts) {
    using codes = slot_code<Agents>;
    constexpr auto each = [](int value) { return static_cast<std::uint32_t>(value) * 0x01010101u; };
    constexpr auto with = [](move_result result) {
        return codes::of(codes::nothing, Agents::keeps_results ? static_cast<int>(result) : 0);
    };
    constexpr auto number_of = [](std::uint32_t mask) { return static_cast<std::uint32_t>(__popc(mask & 0x01010101u)); };
    const std::uint32_t there = __vcmpgeu4(four, each(1)), asks = __vcmpgeu4(four, each(codes::of(codes::dying, 0)));
    const std::uint32_t goes = __vcmpgeu4(four, each(codes::of(codes::going, 0)));
    std::uint32_t next =
        (there & ~asks & each(with(move_result::none))) | (goes & each(with(Marked ? move_result::refused : move_result::none)));
    counts.died += number_of(asks & ~goes);
    if constexpr (Marked) {
        const std::uint32_t came = __vcmpeq4(marks, each(arrived)), child = __vcmpeq4(marks, each(born));
        const std::uint32_t marked = __vcmpgeu4(marks, each(1));
        next = (next & ~marked) | (came & each(with(move_result::moved))) | (child & each(with(move_result::none)));
        counts.moved += number_of(came);
        counts.refused += number_of(goes & ~marked);
    }
    return next;
}

// The codes of a thread's slots, which are settled: those from number `mine` on of the launch's in a plane.
template<class Call>
TESSERA_FN auto settle_of_thread(const arguments_of_call<Call>& args, int slot, std::int64_t mine, slot_counts& counts) {
    using agents = typename Call::agents;
    using cells = slots_of<agents>;
    using code = typename agents::code;
    code* const at =
        static_cast<code*>(args.out[Call::arguments[code_column<agents>]]) + slot * cells::column.element + cells::first(args) + mine;
    auto slots = load_vector<false, code, cells::a_thread>(at);
    vector_of<std::uint8_t, cells::a_thread> marks{};
    bool marked = false;
    if constexpr (has_marks<Call>) {
        constexpr column_layout column = agents::grid::columns[mark_column<agents>];
        // Codes of two bytes and marks of one may stand in rows of different lengths.
        const std::int64_t cell = cells::first(args) + mine, row = cell / cells::column.row, x = cell % cells::column.row;
        auto* const from =
            static_cast<std::uint8_t*>(args.out[Call::arguments[mark_column<agents>]]) + slot * column.element + row * column.row + x;
        marks = load_vector<false, std::uint8_t, cells::a_thread>(from);
#pragma unroll
        for (int i = 0; i < cells::a_thread; ++i) marked |= marks.values[i] != unmarked;
        if (marked) store_vector<std::uint8_t, cells::a_thread>(from, {});
    }
    if constexpr (takes_claims_back<Call>) {
        using codes = slot_code<agents>;
        constexpr column_layout goals = agents::grid::columns[agents::column::goal];
        const std::int64_t cell = cells::first(args) + mine, row = cell / cells::column.row, x = cell % cells::column.row;
        for (auto found = bits_from<codes::of(codes::going, 0)>(slots); found != 0; found &= found - 1)
            take_claims_back<Call>(args, slot * goals.element + row * goals.row + x + lowest_bit(found));
    }
    bool changed = false;
    if constexpr (sizeof(code) == 1 && cells::a_thread % 4 == 0) {
        struct fours {
            std::uint32_t values[cells::a_thread / 4];
        };
        auto all = __builtin_bit_cast(fours, slots);
        const auto all_marks = __builtin_bit_cast(fours, marks);
#pragma unroll
        for (int i = 0; i < cells::a_thread / 4; ++i) {
            const std::uint32_t before = all.values[i];
            all.values[i] = settled_four<agents, has_marks<Call>>(before, all_marks.values[i], counts);
            changed |= all.values[i] != before;
        }
        slots = __builtin_bit_cast(decltype(slots), all);
    } else {
#pragma unroll
        for (int i = 0; i < cells::a_thread; ++i) {
            const code before = slots.values[i];
            slots.values[i] = settled<agents, has_marks<Call>>(before, marks.values[i]);
            count_settled<agents, has_marks<Call>>(before, marks.values[i], counts);
            changed |= slots.values[i] != before;
        }
    }
    if (changed) store_vector<code, cells::a_thread>(at, slots);
    return slots;
}
#else
template<class Agents, bool Marked>
inline void settle_row(typename Agents::code* __restrict codes, std::uint8_t* __restrict marks, int count, slot_counts& counts) {
    std::uint32_t died = 0, moved = 0, refused = 0; // of its own, that they may stay in registers
    TESSERA_ADDING_AT_ONCE(died, moved, refused)
    for (int x = 0; x < count; ++x)
        count_settled<Agents, Marked>(codes[x], Marked ? marks[x] : std::uint8_t{unmarked}, died, moved, refused);
    TESSERA_AT_ONCE
    for (int x = 0; x < count; ++x) codes[x] = settled<Agents, Marked>(codes[x], Marked ? marks[x] : std::uint8_t{unmarked});
    if constexpr (Marked) __builtin_memset(marks, unmarked, static_cast<unsigned>(count));
    counts.died += died;
    counts.moved += moved;
    counts.refused += refused;
}
// The same of a row.
template<class Call> inline void settle_row_of(const arguments_of_call<Call>& args, int y, int z, int slot, slot_counts& counts) {
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    constexpr int C = code_column<agents>, M = mark_column<agents>;
    auto* const codes =
        static_cast<typename agents::code*>(args.out[Call::arguments[C]]) + cell_of<grid, C>(0, y, z) + slot * grid::columns[C].element;
    std::uint8_t* marks = nullptr;
    if constexpr (has_marks<Call>)
        marks = static_cast<std::uint8_t*>(args.out[Call::arguments[M]]) + cell_of<grid, M>(0, y, z) + slot * grid::columns[M].element;
    if constexpr (takes_claims_back<Call>) {
        constexpr int G = agents::column::goal;
        const std::int64_t goals = cell_of<grid, G>(0, y, z) + slot * grid::columns[G].element;
        for (int x = 0; x < static_cast<int>(grid::size[0]); ++x)
            if (slot_code<agents>::is_going(codes[x])) take_claims_back<Call>(args, goals + x);
    }
    settle_row<agents, has_marks<Call>>(codes, marks, static_cast<int>(grid::size[0]), counts);
}
#endif

} // namespace tessera
