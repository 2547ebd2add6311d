// What the host tells kernels of a collection of agents, and what stands in an agent's code.
//
// A place has room for so many agents of a collection: its slots. An agent's members stand in columns as a place's do, with an element for
// each slot (and for each element of an array member); beside them stand its id and its code, which says whether there is anybody in the
// slot and what it wants. Slots of a place are in no order, and some are empty; nothing moves but who moves.
//
// The host generates one Agents type a collection (host/generate/agent_source):
//     using row, members;                              the author's
//     using grid;                                      the geometry of its columns (grid.hpp): members, then code, marks and ids
//     using ground;                                    of the places that it stands on
//     static constexpr bool is_list;                   whether they stand in a list (list.hpp) and not in slots
//     static constexpr bool is_ordered;                whether that list is in the order of ids (ordered_list.hpp)
//     static constexpr int capacity;                   slots a place; of a list, how many there may be
//     using count_number;                              the type of counts of such a list: std::uint8_t or std::int32_t; else void
//     static constexpr int most_on_place;              of them a place has room for; 0: for any number
//     using code;                                      std::uint8_t or std::uint16_t
//     static constexpr bool keeps_results;             whether any function asks what became of its move request
//     static constexpr bool random_priority, refuses_at_edge;
//     static constexpr place_offset low, high;         how far any function wants to go: from -low to high
//     struct column;                                   of its grid, by what they hold; -1: it has none
//         static constexpr int code, mark, id;
//         static constexpr int place, start, coming, order, sum, target, arrived; of a list
//         static constexpr int count, rank, next;                          of a list in the order of ids
//         static constexpr int position, aim;                              in space
//         static constexpr int goal, claim;                                of agents who go anywhere: the numbers of the places where they
//                                                                          want to go, -1 beyond an edge; in slots, of places, bids by
//                                                                          rounds
//         static constexpr int refused_births;                             of agents who ask how many of their children were not born
//     using movers;                                    function_list of those that want to go somewhere
//     using sources;                                   function_list of Source types: phases whose functions want children of it
//     static constexpr birth_phase birth_phases[];     the phases manageAll in which children may be born
// one Source type a phase whose function wants children, whose birth requests stand in columns of the children's collection: whether there
// is one and where it is to be born; the parent's id, but for places; and its members. A slot of a parent has a birth request for each
// child of a call.
//     using child, function;                           Agents, and the author's
//     using told;                                      the Agents type of parents who are told which are refused; void: none is
//     using code;                                      std::uint8_t or std::uint16_t: 0, or 1 + the number of the offset
//     static constexpr int column;                     of the child's grid: the first of these
//     static constexpr bool in_list;                   whether parents stand in a list: then birth requests stand as they do
//     static constexpr int first_birth_request;        of a list of children: the number of its first birth request among all
//     static constexpr int log, flags;                 the column that says which birth requests there are, of a list in the order of ids
//                                                      by their numbers, and of places by a flag each; else -1
//     static constexpr int parents, calls;             slots of parents on a place, children of a call
//     static constexpr bool of_places;                 whether places want them
//     static constexpr bool at_parents;                of children in a list in the order of places: whether the parents are of their type,
//     and
//                                                      have them where they stand themselves
//     static constexpr int order, phase;               of the parents' types, and the phase's number
//     static constexpr place_offset low, high;         how far away any is wanted
// and one Call type a kernel:
//     using function, agents, places;                  the author's; its agents; the geometry of the places. void: none
//     static constexpr int columns;                    that it names, its arguments
//     static constexpr int arguments[], ground[];      which argument each column of its collection and of the places is; -1: none
//     static constexpr int reach[3];                   how far it looks at all, on each axis
//     static constexpr int shares[];                   of each member of the places, the column of its agents' shares in it; -1: none
//     static ... seen(agents_type<Row>*);              seen_agents of agents that it counts or meets: agents and `arguments`, as it has
//     static ... asked(agents_type<Row>*);             asked_agents of agents that it wants children of: also `source`, void if at once
//     static constexpr bool settles, buries;           of agents in slots: whether it settles them before the calls, as the manageAll
//                                                      before would, and buries who dies behind them, as the one behind would
//     static constexpr bool finds_targets;             of agents in a list: whether it finds behind each call where the agent will be, as
//                                                      the manageAll behind it would
//     static constexpr bool counts_children;           of places: whether it is called before the first step, first to count its children
// of which a part of manageAll has, and a function that settles,
//     static constexpr bool moves, spawns;             whether any agents may want to go somewhere, or children were asked for
//     static constexpr int round;                      of bids (manage.hpp)
//     using source;                                    whose birth requests it goes over
//     static constexpr int told[];                     of parents who are told: which argument each of their columns is
#pragma once

#include <tessera/kernels/launch/draws.hpp>
#include <tessera/kernels/launch/function_list.hpp>
#include <tessera/kernels/launch/memory.hpp>
#include <tessera/kernels/places/ghosts.hpp>

namespace tessera {

// The offsets from -Of::low to Of::high, numbered.
template<class Of> struct offset_box {
    static constexpr int across = Of::low.x + Of::high.x + 1, down = Of::low.y + Of::high.y + 1;
    static constexpr int size = across * down * (Of::low.z + Of::high.z + 1);
    TESSERA_FN static constexpr int number_of(place_offset o) {
        return ((o.z + Of::low.z) * down + o.y + Of::low.y) * across + o.x + Of::low.x;
    }
    TESSERA_FN static constexpr place_offset offset_of(int number) {
        return {number % across - Of::low.x, number / across % down - Of::low.y, number / (across * down) - Of::low.z};
    }
};

// The offsets by which a function may move, and 0: for each of the box whether it is one. Comparing an offset with each of them one by one
// is what a processor cannot foresee.
template<class Agents, class Function> struct declared_offsets {
    using box = offset_box<Agents>;
    static constexpr bool fits = box::size <= 64;

    TESSERA_FN static constexpr bool have(place_offset o) {
        if constexpr (!fits || Agents::column::goal >= 0) return is_declared(o); // of who goes anywhere the box says nothing
        const bool inside = is_within(o.x, Agents::low.x, Agents::high.x) && is_within(o.y, Agents::low.y, Agents::high.y) &&
                            is_within(o.z, Agents::low.z, Agents::high.z);
        return inside && (bits == all || (bits >> box::number_of(o) & 1) != 0);
    }

private:
    TESSERA_FN static constexpr bool is_within(int by, int low, int high) {
        return static_cast<unsigned>(by + low) <= static_cast<unsigned>(low + high);
    }
    TESSERA_FN static constexpr bool is_declared(place_offset o) {
        return o == place_offset{0, 0, 0} || agent_access_of<Function>::template moves_by<Agents::ground::dims>(o);
    }
    static constexpr std::uint64_t all = ~std::uint64_t{0} >> (64 - (fits ? box::size : 64));
    static constexpr std::uint64_t bits = [] {
        std::uint64_t found = 0;
        for (int i = 0; fits && i < box::size; ++i)
            if (is_declared(box::offset_of(i))) found |= std::uint64_t{1} << i;
        return found;
    }();
};

// ---- codes: 0 is nobody; else 1 + result + results * action

enum class move_result { none = 0, moved = 1, refused = 2 };

template<class Agents> struct slot_code {
    using type = typename Agents::code;
    static constexpr int results = Agents::keeps_results ? 3 : 1;
    static constexpr int nothing = 0, dying = 1, going = 2; // actions; from `going` on, to the offset of that number
    static constexpr type empty = 0;

    TESSERA_FN static constexpr type of(int action, int result) { return static_cast<type>(1 + result + results * action); }
    TESSERA_FN static constexpr int action(type code) { return (static_cast<int>(code) - 1) / results; }
    TESSERA_FN static constexpr int result(type code) { return (static_cast<int>(code) - 1) % results; }
    // Whether three divides what is left without the result, by one multiplication (Lemire, Kaser and Kurz, "Faster remainder by direct
    // computation", 2019). Of bytes in bytes, so that a CPU takes 16 or more at once.
    TESSERA_FN static constexpr bool has_result(type code, move_result of) {
        if constexpr (results == 1)
            return of == move_result::none;
        else if constexpr (sizeof(type) == 1 && 1 + results * (going + offset_box<Agents>::size) < 254 && !TESSERA_GPU)
            return static_cast<std::uint8_t>(static_cast<std::uint8_t>(code + 2 - static_cast<int>(of)) * 0xAB) <= 0x55;
        else
            return (static_cast<std::uint32_t>(code) + 2 - static_cast<std::uint32_t>(of)) * 0xAAAAAAABu <= 0x55555555u;
    }
    TESSERA_FN static constexpr bool is_empty(type code) { return code == empty; }
    TESSERA_FN static constexpr bool is_dying(type code) { return code >= of(dying, 0) && code < of(going, 0); }
    TESSERA_FN static constexpr bool is_going(type code) { return code >= of(going, 0); }

    TESSERA_FN static constexpr place_offset move_request(type code) { return offset_box<Agents>::offset_of(action(code) - going); }
};

// The offsets to which agents of a collection may want to go, each once, with the action of such a move request's code. `back` is the
// distance, in the plane of codes, from the place where a move leads to the place of the agent that wants it.
template<class Agents> struct move_request_list {
    struct move_request {
        place_offset offset;
        int action;
        std::int64_t back;
    };
    move_request list[offset_box<Agents>::size] = {};
    int size = 0;

    constexpr move_request_list() { add(static_cast<typename Agents::movers*>(nullptr)); }

private:
    template<class... Functions> constexpr void add(function_list<Functions...>*) {
        constexpr column_layout codes = Agents::grid::columns[Agents::column::code];
        for (int i = 0; i < offset_box<Agents>::size; ++i) {
            const place_offset o = offset_box<Agents>::offset_of(i);
            const bool wanted = (false || ... || agent_access_of<Functions>::template moves_by<Agents::ground::dims>(o));
            if (wanted && !(o == place_offset{0, 0, 0}))
                list[size++] = {o, slot_code<Agents>::going + i, o.x + o.y * codes.row + o.z * codes.plane};
        }
    }
};
template<class Agents> inline constexpr move_request_list<Agents> move_requests_of{};
// The same for a number that is known while running.
template<class Agents> inline TESSERA_CONSTANT constexpr move_request_list<Agents> move_requests_in_table{};
template<class Agents> TESSERA_FN const typename move_request_list<Agents>::move_request& move_request_number(int i) {
    return move_requests_in_table<Agents>.list[i];
}

TESSERA_FN int lowest_bit(std::uint32_t bits) {
#if TESSERA_GPU
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
}
TESSERA_FN int lowest_bit(std::uint64_t bits) {
#if TESSERA_GPU
    return __ffsll(static_cast<long long>(bits)) - 1;
#else
    return __builtin_ctzll(bits);
#endif
}

// ---- where a place is

// Of a place of the grid or beyond its edge, as columns without ghosts are read: where it stands, and whether it is in the grid.
// Extents of grids with agents are below 2^31.
struct place_in_memory {
    int x, y, z;
    bool inside;
};

template<class Grid, int Axis> TESSERA_FN int beside(int i, int by, bool& inside) {
    constexpr int n = static_cast<int>(Grid::size[Axis]);
    int to = i + by;
    if constexpr (Axis >= Grid::dims)
        return i;
    else if constexpr (Grid::rule[Axis] == boundary::torus && rows_sent_on<Grid, Axis>)
        return to; // where the other side's rows are
    else if constexpr (Grid::rule[Axis] == boundary::torus) {
        // Once at most, but where one looks further than the torus is long.
#pragma unroll 1
        while (to < 0) to += n;
#pragma unroll 1
        while (to >= n) to -= n;
        return to;
    } else {
        if (to >= 0 && to < n) return to;
        inside = false;
        if constexpr (Grid::rule[Axis] == boundary::reflect) return static_cast<int>(source_of(to, n, boundary::reflect));
        return i; // somewhere, for nobody looks at it
    }
}
// `interior`: it is known to lead to no edge.
template<class Grid> TESSERA_FN place_in_memory place_beside(int x, int y, int z, place_offset by, bool interior) {
    place_in_memory at{x + by.x, Grid::dims > 1 ? y + by.y : y, Grid::dims > 2 ? z + by.z : z, true};
    if (interior) return at;
    at.x = beside<Grid, 0>(x, by.x, at.inside);
    at.y = beside<Grid, 1>(y, by.y, at.inside);
    at.z = beside<Grid, 2>(z, by.z, at.inside);
    return at;
}
// The same of an offset by which agents move: once around a torus at most, unless they go further than it is long.
template<class Agents, int Axis> TESSERA_FN int reached(int i, int by, bool& inside) {
    using grid = typename Agents::grid;
    constexpr int n = static_cast<int>(grid::size[Axis]);
    constexpr int low[] = {Agents::low.x, Agents::low.y, Agents::low.z}, high[] = {Agents::high.x, Agents::high.y, Agents::high.z};
    if constexpr (Axis < grid::dims && grid::rule[Axis] == boundary::torus && low[Axis] <= n && high[Axis] <= n) {
        const int to = i + by, low_to = to < 0 ? to + n : to;
        return low_to >= n ? low_to - n : low_to;
    } else
        return beside<grid, Axis>(i, by, inside);
}
template<class Agents> TESSERA_FN place_in_memory place_reached(int x, int y, int z, place_offset by) {
    place_in_memory at{0, 0, 0, true};
    at.x = reached<Agents, 0>(x, by.x, at.inside);
    at.y = reached<Agents, 1>(y, by.y, at.inside);
    at.z = reached<Agents, 2>(z, by.z, at.inside);
    return at;
}
// Whether no place that a kernel looks at from there is beyond an edge.
template<class Grid, int Axis> TESSERA_FN bool is_away_from_edges(int i, int reach) {
    return Axis >= Grid::dims || reach == 0 || (i >= reach && i < Grid::size[Axis] - reach);
}
template<class Call> TESSERA_FN bool is_interior(int x, int y, int z) {
    using grid = typename Call::places;
    return is_away_from_edges<grid, 0>(x, Call::reach[0]) && is_away_from_edges<grid, 1>(y, Call::reach[1]) &&
           is_away_from_edges<grid, 2>(z, Call::reach[2]);
}
// Whether there is nothing at all: beyond an open boundary.
template<class Grid, int Axis> TESSERA_FN bool is_void_on(int i, int by) {
    if constexpr (Axis < Grid::dims && Grid::rule[Axis] == boundary::open) return i + by < 0 || i + by >= Grid::size[Axis];
    return false;
}
template<class Grid, int Axis> TESSERA_FN bool is_constant_on(int i, int by) {
    if constexpr (Axis < Grid::dims && Grid::rule[Axis] == boundary::fixed) return i + by < 0 || i + by >= Grid::size[Axis];
    return false;
}

// Where a place stands in a column, from place (0, 0, 0): in 32 bits where they are enough, for multiplying more is slow on a GPU.
template<bool Fits> struct cell_type { using type = int; };
template<> struct cell_type<false> { using type = std::int64_t; };
template<class Grid, int I> using cell_in = typename cell_type<(Grid::columns[I].element < (std::int64_t{1} << 31))>::type;
template<class Grid, int I> TESSERA_FN std::int64_t cell_of(int x, int y, int z) {
    using cell = cell_in<Grid, I>;
    return static_cast<cell>(x) + y * static_cast<cell>(Grid::columns[I].row) + z * static_cast<cell>(Grid::columns[I].plane);
}
template<class Grid, int I> TESSERA_FN std::int64_t cell_of(const place_in_memory& at) { return cell_of<Grid, I>(at.x, at.y, at.z); }

// ---- columns of a call

template<class Members, int I>
using scalar_in = typename member_type<typename pointed_to<decltype(Members::template pointer_to<I>())>::type>::scalar;
template<class Members, int I>
using value_in = typename member_type<typename pointed_to<decltype(Members::template pointer_to<I>())>::type>::value;
template<class Members, int I>
inline constexpr int elements_in = member_type<typename pointed_to<decltype(Members::template pointer_to<I>())>::type>::elements;

// The columns of agents after those of their members.
template<class Agents> inline constexpr int code_column = Agents::column::code;
template<class Agents> inline constexpr int mark_column = Agents::column::mark;
template<class Agents> inline constexpr int id_column = Agents::column::id;

// An array member's elements, or the one value, at a cell; elements stand `stride` apart.
template<class Value, class Scalar, int Elements> TESSERA_FN Value load_elements(const Scalar* from, std::int64_t stride) {
    if constexpr (same_type<Value, bool> && !TESSERA_GPU)
        return *reinterpret_cast<const std::uint8_t*>(from) != 0; // g++ 12 takes several of these at once, and of bool one
    else if constexpr (same_type<Value, Scalar>)
        return *from;
    else {
        Value value;
        for (int e = 0; e < Elements; ++e) value[e] = from[e * stride];
        return value;
    }
}
template<class Value, class Scalar, int Elements> TESSERA_FN void store_elements(Scalar* to, std::int64_t stride, const Value& value) {
    if constexpr (same_type<Value, Scalar>)
        *to = value;
    else
        for (int e = 0; e < Elements; ++e) to[e * stride] = value[e];
}

// The columns of a list behind those: which place each agent stands on; of each place, where its agents begin, and behind the last place
// where they end; and what manageAll needs: how many there will be on each place, agents in the order of places, and where each goes.
template<class Agents> inline constexpr int place_column = Agents::column::place;
template<class Agents> inline constexpr int start_column = Agents::column::start;
template<class Agents> inline constexpr int coming_column = Agents::column::coming;
template<class Agents> inline constexpr int order_column = Agents::column::order;
template<class Agents> inline constexpr int sum_column = Agents::column::sum;
template<class Agents> inline constexpr int target_column = Agents::column::target;

// Where the first of `elements` values of an agent stands in a column; the others stand columns[I].element apart.
template<class Agents, int I> TESSERA_FN std::int64_t agent_cell(const place_in_memory& at, int slot, int elements) {
    if constexpr (Agents::is_list)
        return slot;
    else
        return cell_of<typename Agents::grid, I>(at) + slot * elements * Agents::grid::columns[I].element;
}

template<class Grid> TESSERA_FN std::uint64_t number_of_place(int x, int y, int z) {
    // In words of 32 bits compilers see that the number of the place that a number is of is that number.
    constexpr std::int64_t nx = Grid::size[0], ny = Grid::size[1];
    if constexpr (nx * ny * Grid::size[2] < std::int64_t{1} << 31) {
        const auto line = static_cast<std::uint32_t>(home_row<Grid, 1>(y)) +
                          static_cast<std::uint32_t>(home_row<Grid, 2>(z)) * static_cast<std::uint32_t>(ny);
        return static_cast<std::uint32_t>(x) + line * static_cast<std::uint32_t>(nx);
    }
    return static_cast<std::uint64_t>(x + (home_row<Grid, 1>(y) + home_row<Grid, 2>(z) * Grid::size[1]) * Grid::size[0]);
}
// Whether they are one place, which may stand in memory twice.
template<class Grid> TESSERA_FN bool is_same_place(const place_in_memory& a, const place_in_memory& b) {
    return a.x == b.x && home_row<Grid, 1>(a.y) == home_row<Grid, 1>(b.y) && home_row<Grid, 2>(a.z) == home_row<Grid, 2>(b.z);
}
template<class Grid> TESSERA_FN place_in_memory place_of_number(std::int32_t number) { // of grids of fewer than 2^31 places
    constexpr auto nx = static_cast<std::uint32_t>(Grid::size[0]), ny = static_cast<std::uint32_t>(Grid::size[1]);
    const auto n = static_cast<std::uint32_t>(number), line = n / nx;
    if constexpr (Grid::dims == 3)
        return {static_cast<int>(n % nx), static_cast<int>(line % ny), static_cast<int>(line / ny), true};
    else
        return {static_cast<int>(n % nx), static_cast<int>(line), 0, true};
}

// The place with these coordinates, or that a torus has there.
template<class Grid, int Axis> TESSERA_FN int along(std::int64_t i, bool& inside) {
    constexpr std::int64_t n = Grid::size[Axis];
    if constexpr (Grid::rule[Axis] == boundary::torus && Axis < Grid::dims) return static_cast<int>((i % n + n) % n);
    inside = inside && i >= 0 && i < n;
    return inside ? static_cast<int>(i) : 0;
}
template<class Grid> TESSERA_FN place_in_memory place_at(std::int64_t x, std::int64_t y, std::int64_t z) {
    place_in_memory at{0, 0, 0, true};
    at.x = along<Grid, 0>(x, at.inside);
    at.y = along<Grid, 1>(y, at.inside);
    at.z = along<Grid, 2>(z, at.inside);
    return at;
}

// How many agents stand on a place, and which code a slot has.
template<class Agents> TESSERA_FN const typename Agents::code* slot_at(const void* codes, const place_in_memory& at, int slot) {
    return static_cast<const typename Agents::code*>(codes) + cell_of<typename Agents::grid, code_column<Agents>>(at) +
           slot * Agents::grid::columns[code_column<Agents>].element;
}
// `in[Seen::arguments[I]]` is column I of the agents.
template<class Seen> TESSERA_FN const std::int32_t* start_of(const void* const* in, const place_in_memory& at) {
    using agents = typename Seen::agents;
    return static_cast<const std::int32_t*>(in[Seen::arguments[start_column<agents>]]) +
           number_of_place<typename agents::grid>(at.x, at.y, at.z);
}
template<class Seen> TESSERA_FN int residents_of(const void* const* in, const place_in_memory& at) {
    using agents = typename Seen::agents;
    if (!at.inside) return 0;
    if constexpr (agents::is_ordered)
        return static_cast<const typename agents::count_number*>(
            in[Seen::arguments[agents::column::count]])[number_of_place<typename agents::grid>(at.x, at.y, at.z)];
    else if constexpr (agents::is_list) {
        const std::int32_t* const start = start_of<Seen>(in, at);
        return start[1] - start[0];
    } else {
        int residents = 0;
        for (int slot = 0; slot < agents::capacity; ++slot)
            residents += slot_code<agents>::is_empty(peek(slot_at<agents>(in[Seen::arguments[code_column<agents>]], at, slot))) ? 0 : 1;
        return residents;
    }
}
template<class Agents> TESSERA_FN std::uint64_t id_at(const void* ids, const place_in_memory& at, int slot) {
    return static_cast<const std::uint64_t*>(ids)[agent_cell<Agents, id_column<Agents>>(at, slot, 1)];
}

// Where those who go anywhere want to go.
template<class Agents> inline constexpr bool goes_anywhere = Agents::column::goal >= 0;
template<class Agents> TESSERA_FN std::int64_t goal_cell(const place_in_memory& at, int slot) {
    return agent_cell<Agents, (Agents::column::goal < 0 ? 0 : Agents::column::goal)>(at, slot, 1);
}
template<class Agents> TESSERA_FN std::int32_t goal_of(const void* goals, const place_in_memory& at, int slot) {
    return static_cast<const std::int32_t*>(goals)[goal_cell<Agents>(at, slot)];
}

} // namespace tessera
