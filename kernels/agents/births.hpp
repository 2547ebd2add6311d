// Children: the birth requests that functions leave, and what a manageAll makes of them.
//
// A birth request looks for its rivals, as a move request does (manage.hpp): the birth requests of the places from which children may be
// wanted on the same place. It counts those that come before it; if there are more free slots than that, when those who move have moved,
// the child is written into the free one of that number, and marked. Birth requests and codes stay as they are until all are settled.
#pragma once

#include <tessera/kernels/agents/agent_id.hpp>
#include <tessera/kernels/agents/birth_log.hpp>
#include <tessera/kernels/agents/settled.hpp>
#include <tessera/kernels/agents/space.hpp>

namespace tessera {

// A phase manageAll in which children may be born, and its steps.
struct birth_phase {
    std::uint64_t phase, every, from, until;

    TESSERA_FN constexpr bool includes(std::uint64_t step) const { return step >= from && step < until && (step - from) % every == 0; }
    TESSERA_FN constexpr std::uint64_t before(std::uint64_t step) const {
        const std::uint64_t end = step < until ? step : until;
        return end <= from ? 0 : (end - 1 - from) / every + 1;
    }
};
// The number, from 1, of a step's manageAll among all those since step 0 in which children may be born.
template<class Agents> TESSERA_FN std::uint64_t cycle_of(std::uint64_t step, std::uint64_t phase) {
    std::uint64_t cycle = 1;
    for (const birth_phase& each : Agents::birth_phases) cycle += each.before(step) + (each.phase < phase && each.includes(step) ? 1 : 0);
    return cycle;
}

template<class Grid> TESSERA_FN std::uint64_t id_of_birth(std::uint64_t cycle, const place_in_memory& at, int rank) {
    constexpr int place_bits = bits_of_places(Grid::size[0] * Grid::size[1] * Grid::size[2]);
    return agent_id(cycle, number_of_place<Grid>(at.x, at.y, at.z), static_cast<std::uint64_t>(rank), place_bits);
}

// ---- birth requests

// Where the codes of a source's birth requests stand; call c of the parent in slot s is in plane s * calls + c.
template<class Source>
using birth_requests_of = code_planes<typename Source::child::grid, Source::column, typename Source::code, Source::parents * Source::calls>;
template<class Source> inline constexpr int birth_request_id_column = Source::column + 1;
template<class Source, int I> inline constexpr int birth_request_member_column = Source::column + (Source::of_places ? 1 : 2) + I;
template<class Source>
inline constexpr int birth_request_position_column = birth_request_member_column<Source, Source::child::members::member_count>;

// The elements of a member of a child, in the column Column, of the slot or birth request with this number.
template<class Agents, int I, int Column, class Pointer>
TESSERA_FN void put_child_member(Pointer column, int x, int y, int z, int number, const value_in<typename Agents::members, I>& value) {
    using members = typename Agents::members;
    constexpr std::int64_t stride = Agents::grid::columns[Column].element;
    store_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
        static_cast<scalar_in<members, I>*>(column) + cell_of<typename Agents::grid, Column>(x, y, z) +
            number * elements_in<members, I> * stride,
        stride, value);
}
template<class Agents, int I> TESSERA_FN value_in<typename Agents::members, I> member_of_child(const typename Agents::row& child) {
    return copy_member(child.*Agents::members::template pointer_to<I>());
}

// Where the first of the values stands that a birth request has in a column: of this call of the parent in this slot, or of this number in
// a list.
template<class Source, int Column> TESSERA_FN std::int64_t birth_request_cell(const place_in_memory& at, int slot, int call, int elements) {
    constexpr std::int64_t stride = Source::child::grid::columns[Column].element;
    if constexpr (Source::in_list)
        return slot + call * elements * stride;
    else
        return cell_of<typename Source::child::grid, Column>(at) + (slot * Source::calls + call) * elements * stride;
}
template<class Source> TESSERA_FN std::int64_t parent_cell(const place_in_memory& at, int slot) {
    constexpr int column = birth_request_id_column<Source>;
    if constexpr (Source::in_list)
        return slot;
    else
        return cell_of<typename Source::child::grid, column>(at) + slot * Source::child::grid::columns[column].element;
}

// What a birth request's code says of where its child is wanted: in slots 1 + the number of the offset; in a list 1 + the number of the
// place, or -1 beyond an edge.
template<class Source>
TESSERA_FN typename Source::code birth_request_code(const place_in_memory& here, bool interior, place_offset offset) {
    using grid = typename Source::child::grid;
    if constexpr (Source::child::is_list) {
        const auto there = place_beside<grid>(here.x, here.y, here.z, offset, interior);
        return there.inside ? 1 + static_cast<std::int32_t>(number_of_place<grid>(there.x, there.y, there.z)) : -1;
    } else
        return static_cast<typename Source::code>(1 + offset_box<Source>::number_of(offset));
}

template<class Call, class Asked, int I>
TESSERA_FN void birth_request_member(const arguments_of_call<Call>& args, const place_in_memory& here, int slot, int call,
                                     const typename Asked::agents::row& child) {
    using source = typename Asked::source;
    using members = typename Asked::agents::members;
    constexpr int column = birth_request_member_column<source, I>, elements = elements_in<members, I>;
    store_elements<value_in<members, I>, scalar_in<members, I>, elements>(
        static_cast<scalar_in<members, I>*>(args.out[Asked::arguments[column]]) +
            birth_request_cell<source, column>(here, slot, call, elements),
        Asked::agents::grid::columns[column].element, member_of_child<typename Asked::agents, I>(child));
}

// Of children in a list: the number of a birth request among all of the source.
template<class Source> TESSERA_FN std::int32_t number_of_birth_request(const place_in_memory& here, int slot, int call) {
    using grid = typename Source::child::grid;
    constexpr std::int64_t places = grid::size[0] * grid::size[1] * grid::size[2];
    if constexpr (Source::in_list)
        return slot + call * Source::parents;
    else
        return static_cast<std::int32_t>(number_of_place<grid>(here.x, here.y, here.z) +
                                         places * static_cast<std::uint64_t>(slot * Source::calls + call));
}

// What a function asks for with `spawn`. `Asked` says where the columns of the children are among the arguments. Returns its
// index among those of the call; -1: one too many.
template<class Call, class Asked, int... I>
TESSERA_FN int leave_birth_request(const arguments_of_call<Call>& args, const place_in_memory& here, int slot, std::uint64_t parent,
                                   typename Asked::source::code code, const typename Asked::agents::row& child, index_list<I...>) {
    using source = typename Asked::source;
    auto* const codes = static_cast<typename source::code*>(args.out[Asked::arguments[source::column]]);
    const auto code_of = [&](int call) { return codes + birth_request_cell<source, source::column>(here, slot, call, 1); };
    int call = 0;
    while (call < source::calls && *code_of(call) != 0) ++call;
    if (call == source::calls) {
        report<Call>(args, spawns_too_many, parent);
        return -1;
    }
    *code_of(call) = code;
    if constexpr (source::log >= 0)
        log_note<Call>(args, args.out[Asked::arguments[source::log]], number_of_birth_request<source>(here, slot, call));
    if constexpr (source::flags >= 0)
        static_cast<std::uint8_t*>(args.out[Asked::arguments[source::flags]])[number_of_birth_request<source>(here, slot, call)] = 1;
    if constexpr (!source::of_places)
        static_cast<std::uint64_t*>(args.out[Asked::arguments[birth_request_id_column<source>]])[parent_cell<source>(here, slot)] = parent;
    (birth_request_member<Call, Asked, I>(args, here, slot, call, child), ...);
    return call;
}

// Before the first step places alone want children, each on itself: they are born at once.
template<class Call, class Asked, int... I>
TESSERA_FN void spawn_at_once(const arguments_of_call<Call>& args, int x, int y, int z, const typename Asked::agents::row& child,
                              index_list<I...>) {
    using agents = typename Asked::agents;
    using grid = typename agents::grid;
    if constexpr (Call::counts_children)
        if (args.phase == counts_children) return; // only those in a list are counted, and the function is called again
    constexpr int C = code_column<agents>, D = id_column<agents>;
    auto* const codes = static_cast<typename agents::code*>(args.out[Asked::arguments[C]]) + cell_of<grid, C>(x, y, z);
    int residents = 0, free = -1;
    for (int k = agents::capacity - 1; k >= 0; --k)
        if (slot_code<agents>::is_empty(codes[k * grid::columns[C].element]))
            free = k;
        else
            ++residents;
    agent_counters* const counters = args.counters + Asked::number;
    if (free < 0) return add_one(&counters->refused_births);
    codes[free * grid::columns[C].element] = slot_code<agents>::of(slot_code<agents>::nothing, 0);
    static_cast<std::uint64_t*>(args.out[Asked::arguments[D]])[cell_of<grid, D>(x, y, z) + free * grid::columns[D].element] =
        id_of_birth<grid>(0, {x, y, z, true}, residents + 1);
    (put_child_member<agents, I, I>(args.out[Asked::arguments[I]], x, y, z, free, member_of_child<agents, I>(child)), ...);
    add_one(&counters->born);
}

// Whether children are of a list, and born before the first step.
template<class Asked> constexpr bool are_first_of_a_list() {
    if constexpr (Asked::agents::is_list)
        return same_type<typename Asked::source, void> && Asked::arguments[coming_column<typename Asked::agents>] >= 0;
    else
        return false;
}
template<class Asked> inline constexpr bool has_first_children = are_first_of_a_list<Asked>();

// The same in a list. The function is called twice, first to count them place by place; then there is room for them behind those who stand
// on each place, and the same column says, below 0, how many are to come (host/world/first_children.hpp).
template<class Call, class Asked, int... I>
TESSERA_FN void spawn_in_list(const arguments_of_call<Call>& args, const place_in_memory& here, const typename Asked::agents::row& child,
                              index_list<I...>) {
    using agents = typename Asked::agents;
    const auto place = static_cast<std::int32_t>(number_of_place<typename agents::grid>(here.x, here.y, here.z));
    const auto column = [&](int number) { return args.out[Asked::arguments[number]]; };
    std::int32_t& left = static_cast<std::int32_t*>(column(coming_column<agents>))[place];
    if (agents::most_on_place > 0 && args.phase != counts_children && left >= 0)
        return add_one(&args.counters[Asked::number].refused_births);
    const std::int32_t coming = left++;
    if (coming >= 0) return;
    const std::int32_t* const start = static_cast<const std::int32_t*>(column(start_column<agents>)) + place;
    const std::int32_t at = start[1] + coming;
    (put_child_member<agents, I, I>(column(I), at, 0, 0, 0, member_of_child<agents, I>(child)), ...);
    static_cast<typename agents::code*>(column(code_column<agents>))[at] = slot_code<agents>::of(slot_code<agents>::nothing, 0);
    static_cast<std::uint64_t*>(column(id_column<agents>))[at] = id_of_birth<typename agents::grid>(0, here, at - start[0] + 1);
    if constexpr (is_in_space<agents>)
        store_point<agents, position_column<agents>>(column(position_column<agents>), at, centre_of<agents>(here));
    agent_counters* const counters = args.counters + Asked::number;
    add_one(&counters->born);
}

// Of a parent in this slot, or of a place, whose slot is 0.
template<class Call, class Row>
TESSERA_FN void ask_for_child(const arguments_of_call<Call>& args, const place_in_memory& here, bool interior, int slot,
                              std::uint64_t parent, place_offset offset, const Row& child) {
    using asked = decltype(Call::asked(static_cast<agents_type<Row>*>(nullptr)));
    using agents = typename asked::agents;
    constexpr place_offset its_own{0, 0, 0}; // which may be the site that is best, and not be among those that spawns<...> names
    if (!agent_access_of<typename Call::function>::template spawns_by<Row, agents::grid::dims>(its_own) && offset == its_own)
        return report<Call>(args, spawns_undeclared, parent);
    if (!agents::refuses_at_edge && !place_beside<typename agents::grid>(here.x, here.y, here.z, offset, interior).inside)
        return report<Call>(args, spawns_off_grid, parent);
    if constexpr (has_first_children<asked>)
        spawn_in_list<Call, asked>(args, here, child, indices_to<agents::members::member_count>{});
    else if constexpr (is_in_space<agents>)
        ask_for_child_at<Call>(args, here, slot, parent, centre_of<agents>(here), child);
    else if constexpr (same_type<typename asked::source, void> && !agents::is_list)
        spawn_at_once<Call, asked>(args, here.x, here.y, here.z, child, indices_to<agents::members::member_count>{});
    else if constexpr (!same_type<typename asked::source, void>)
        leave_birth_request<Call, asked>(args, here, slot, parent, birth_request_code<typename asked::source>(here, interior, offset),
                                         child, indices_to<agents::members::member_count>{});
}
// In space.
template<class Call, class Row>
TESSERA_FN void ask_for_child_at(const arguments_of_call<Call>& args, const place_in_memory& here, int slot, std::uint64_t parent,
                                 space_point<number_of<Row>> at, const Row& child) {
    using asked = decltype(Call::asked(static_cast<agents_type<Row>*>(nullptr)));
    using agents = typename asked::agents;
    using source = typename asked::source;
    const bool inside = come_in<agents>(at);
    if (!inside && !agents::refuses_at_edge) return report<Call>(args, spawns_off_grid, parent);
    if constexpr (!same_type<source, void>) { // else no phase calls the function, which is compiled to be checked
        const int call = leave_birth_request<Call, asked>(args, here, slot, parent, inside ? 1 + place_that_holds<agents>(at) : -1, child,
                                                          indices_to<agents::members::member_count>{});
        constexpr int column = birth_request_position_column<source>;
        if (call >= 0)
            store_point<agents, column>(args.out[asked::arguments[column]],
                                        birth_request_cell<source, column>(here, slot, call, agents::grid::dims), at);
    }
}

// ---- births

// The offsets at which a source's function may want children.
template<class Source> struct birth_list {
    place_offset list[offset_box<Source>::size] = {};
    int size = 0;
    constexpr birth_list() {
        for (int i = 0; i < offset_box<Source>::size; ++i) {
            const place_offset o = offset_box<Source>::offset_of(i);
            if (agent_access_of<typename Source::function>::template spawns_by<typename Source::child::row, Source::child::grid::dims>(o))
                list[size++] = o;
        }
    }
};
template<class Source> inline constexpr birth_list<Source> births_of{};

// Where a birth request stands among all: by the parents' types, their priorities, and what they asked for one after the other.
struct birth_turn {
    int order;
    std::uint64_t priority, id;
    int phase, call;

    TESSERA_FN bool is_before(const birth_turn& other) const {
        if (order != other.order) return order < other.order;
        if (priority != other.priority) return priority < other.priority;
        return phase != other.phase ? phase < other.phase : call < other.call;
    }
};

// The one with the least is the first to be served.
template<class Call> TESSERA_FN std::uint64_t priority_of(const arguments_of_call<Call>& args, std::uint64_t id) {
    if constexpr (Call::agents::random_priority)
        return mix64(id ^ mix64(args.random_key[0] + step_of<Call>(args)));
    else
        return id;
}

template<class Call, class Source>
TESSERA_FN birth_turn turn_of(const arguments_of_call<Call>& args, const place_in_memory& at, int plane) {
    birth_turn turn{Source::order, 0, 0, Source::phase, plane % Source::calls};
    if constexpr (!Source::of_places) {
        turn.id = static_cast<const std::uint64_t*>(
            args.in[Call::arguments[birth_request_id_column<Source>]])[parent_cell<Source>(at, plane / Source::calls)];
        turn.priority = priority_of<Call>(args, turn.id);
    }
    return turn;
}
template<class Call, class Source>
TESSERA_FN typename Source::code birth_request_at(const arguments_of_call<Call>& args, const place_in_memory& at, int plane) {
    using requests = birth_requests_of<Source>;
    return static_cast<const typename Source::code*>(
        args.in[Call::arguments[requests::number]])[cell_of<typename requests::grid, requests::number>(at) +
                                                    plane * requests::column.element];
}

// How many of a source's birth requests for a place come before one with this turn.
template<class Call, class Source>
TESSERA_FN int births_before(const arguments_of_call<Call>& args, const place_in_memory& there, const birth_turn& mine) {
    int before = 0;
    for (int i = 0; i < births_of<Source>.size; ++i) {
        const place_offset o = births_of<Source>.list[i];
        const auto from = place_beside<typename Source::child::grid>(there.x, there.y, there.z, {-o.x, -o.y, -o.z}, false);
        if (!from.inside) continue;
        for (int plane = 0; plane < birth_requests_of<Source>::planes; ++plane)
            if (birth_request_at<Call, Source>(args, from, plane) == 1 + offset_box<Source>::number_of(o))
                before += turn_of<Call, Source>(args, from, plane).is_before(mine) ? 1 : 0;
    }
    return before;
}
template<class Call, class... Sources>
TESSERA_FN int all_births_before(const arguments_of_call<Call>& args, const place_in_memory& there, const birth_turn& mine,
                                 function_list<Sources...>*) {
    return (0 + ... + births_before<Call, Sources>(args, there, mine));
}

// Whether a slot has nobody once those who move have moved, by its code and mark.
template<class Agents> TESSERA_FN bool is_free_after_moves(typename Agents::code code, std::uint8_t mark) {
    if (mark == unmarked) return slot_code<Agents>::is_empty(code) || slot_code<Agents>::is_dying(code);
    return mark != arrived;
}
template<class Call> TESSERA_FN std::uint8_t* mark_at(const arguments_of_call<Call>& args, const place_in_memory& at, int slot) {
    constexpr int M = mark_column<typename Call::agents>;
    using marks = typename Call::agents::grid;
    return static_cast<std::uint8_t*>(args.out[Call::arguments[M]]) + cell_of<marks, M>(at) + slot * marks::columns[M].element;
}

template<class Call, int I>
TESSERA_FN void spawn_member(const arguments_of_call<Call>& args, const place_in_memory& from, int plane, const place_in_memory& to,
                             int slot) {
    using agents = typename Call::agents;
    using members = typename agents::members;
    constexpr int N = birth_request_member_column<typename Call::source, I>;
    constexpr std::int64_t stride = agents::grid::columns[N].element;
    const auto* const request = static_cast<const scalar_in<members, I>*>(args.in[Call::arguments[N]]) +
                                cell_of<typename agents::grid, N>(from) + plane * elements_in<members, I> * stride;
    put_child_member<agents, I, I>(args.out[Call::arguments[I]], to.x, to.y, to.z, slot,
                                   load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(request, stride));
}
template<class Call, int... I>
TESSERA_FN void spawn_members(const arguments_of_call<Call>& args, const place_in_memory& from, int plane, const place_in_memory& to,
                              int slot, index_list<I...>) {
    (spawn_member<Call, I>(args, from, plane, to, slot), ...);
}

// ---- parents who are told that a child was not born

TESSERA_FN void add_refused(std::uint32_t* to) {
#if TESSERA_GPU
    atomicAdd(to, 1u);
#else
    __atomic_fetch_add(to, std::uint32_t{1}, __ATOMIC_RELAXED);
#endif
}
// Where a parent is after the moves, by the slot in which it stood before them.
struct parent_in_slot {
    place_in_memory place;
    int slot; // -1: it dies, or it is among the rows of another partition, which reports it
};
template<class Call, class Parents>
TESSERA_FN parent_in_slot find_parent(const arguments_of_call<Call>& args, const place_in_memory& here, int slot, std::uint64_t id) {
    using codes = slot_code<Parents>;
    using grid = typename Parents::grid;
    const auto code = *slot_at<Parents>(args.in[Call::told[code_column<Parents>]], here, slot);
    if (codes::is_dying(code)) return {here, -1};
    if (!codes::is_going(code)) return {here, slot};
    constexpr int M = mark_column<Parents>;
    const auto* const marks = static_cast<const std::uint8_t*>(args.in[Call::told[M]]);
    if (peek(marks + agent_cell<Parents, M>(here, slot, 1)) == unmarked) return {here, slot}; // its request is refused, or it leads nowhere
    place_in_memory there;
    if constexpr (goes_anywhere<Parents>)
        there = place_of_number<grid>(goal_of<Parents>(args.in[Call::told[Parents::column::goal]], here, slot));
    else
        there = place_beside<grid>(here.x, here.y, here.z, codes::move_request(code), false);
    for (int k = 0; k < Parents::capacity; ++k)
        if (peek(marks + agent_cell<Parents, M>(there, k, 1)) == arrived &&
            id_at<Parents>(args.in[Call::told[id_column<Parents>]], there, k) == id)
            return {there, k};
    return {there, -1}; // among the rows of others, who know their ids and tell it
}
// That a child is not born of which this is the birth request.
template<class Call, class Source> TESSERA_FN void tell_parent(const arguments_of_call<Call>& args, const place_in_memory& here, int slot) {
    using parents = typename Source::told;
    if constexpr (!same_type<parents, void>) {
        constexpr int R = parents::column::refused_births;
        auto* const told = static_cast<std::uint32_t*>(args.out[Call::told[R]]);
        if constexpr (parents::is_list)
            add_refused(told + slot);
        else {
            const auto id = static_cast<const std::uint64_t*>(
                args.in[Call::arguments[birth_request_id_column<Source>]])[parent_cell<Source>(here, slot)];
            const auto parent = find_parent<Call, parents>(args, here, slot, id);
            if (parent.slot >= 0) add_refused(told + agent_cell<parents, R>(parent.place, parent.slot, 1));
        }
    }
}

// One birth request. Whether the child is born.
template<class Call> TESSERA_FN bool settle_birth(const arguments_of_call<Call>& args, int x, int y, int z, int plane) {
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    using source = typename Call::source;
    const place_in_memory here{x, y, z, true};
    const auto code = birth_request_at<Call, source>(args, here, plane);
    const auto there = place_beside<grid>(x, y, z, offset_box<source>::offset_of(code - 1), false);
    if (!there.inside) return false;
    const void* const codes = args.in[Call::arguments[code_column<agents>]];
    const auto is_free = [&](int k) {
        return is_free_after_moves<agents>(*slot_at<agents>(codes, there, k), peek(mark_at<Call>(args, there, k)));
    };
    int room = 0;
    for (int k = 0; k < agents::capacity; ++k) room += is_free(k) ? 1 : 0;
    if (room == 0) return false;
    const auto mine = turn_of<Call, source>(args, here, plane);
    const int before = all_births_before<Call>(args, there, mine, static_cast<typename agents::sources*>(nullptr));
    if (before >= room) return false;
    const auto cycle = cycle_of<agents>(step_of<Call>(args), args.phase);
    if (cycle >> id_bits_of_cycle != 0) {
        report<Call>(args, births_too_often, mine.id);
        return false;
    }
    int slot = 0;
    for (int skip = before; !is_free(slot) || skip-- > 0;) ++slot;
    spawn_members<Call>(args, here, plane, there, slot, indices_to<agents::members::member_count>{});
    constexpr int D = id_column<agents>;
    static_cast<std::uint64_t*>(args.out[Call::arguments[D]])[cell_of<grid, D>(there) + slot * grid::columns[D].element] =
        id_of_birth<grid>(cycle, there, before + 1);
    poke(mark_at<Call>(args, there, slot), std::uint8_t{born});
    return true;
}

// Whether a row is one of the partition's, and not one beside them that it settles too.
template<class Grid> TESSERA_FN bool is_own(const agent_pointers& args, int y, int z) {
    const int row = Grid::dims == 3 ? z : y;
    return !rows_sent_on<Grid, Grid::dims - 1> || (row >= args.first_own && row < args.end_own);
}

#if TESSERA_GPU
// Before any is refused: of who is in the slots, and of who may come into them.
template<class Call> TESSERA_FN void forget_refused_births(const arguments_of_call<Call>& args) {
    using agents = typename Call::agents;
    using cells = slots_of<agents>;
    constexpr int R = agents::column::refused_births;
    constexpr column_layout column = agents::grid::columns[R];
    if (is_given_up<Call>(args)) return;
    const std::int64_t blocks = blocks_of<cells>(args), slot = blockIdx.x / blocks;
    auto* const told = static_cast<std::uint32_t*>(args.out[Call::arguments[R]]) + slot * column.element;
    for (int i = 0; i < cells::a_thread; ++i) {
        const std::int64_t mine = blockIdx.x % blocks * cells::a_block + i * std::int64_t{agent_threads} + threadIdx.x;
        if (mine >= cells::count(args)) return;
        const std::int64_t cell = cells::first(args) + mine, row = cell / cells::column.row, x = cell % cells::column.row;
        if (x < agents::grid::size[0]) told[row * column.row + x] = 0; // rows of other columns may be of other lengths
    }
}
template<class Call> TESSERA_FN void settle_births(const arguments_of_call<Call>& args) {
    using requests = birth_requests_of<typename Call::source>;
    if (is_given_up<Call>(args)) return;
    std::uint32_t born_here = 0, refused = 0;
    for_each_code<requests, 1>(args, plain_codes<requests>(args, args.in[Call::arguments[requests::number]]),
                               [&](int x, int y, int z, int plane) {
                                   const bool is_born = settle_birth<Call>(args, x, y, z, plane);
                                   if (!is_born)
                                       tell_parent<Call, typename Call::source>(args, {x, y, z, true}, plane / Call::source::calls);
                                   if (is_own<typename requests::grid>(args, y, z)) ++(is_born ? born_here : refused);
                               });
    __syncwarp();
    add_up_counted(counted{&args.counters->born, born_here}, counted{&args.counters->refused_births, refused});
}
#else
template<class Call> inline void forget_refused_births(const void* argument, std::int64_t first, std::int64_t last) {
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    constexpr int R = agents::column::refused_births;
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    for_each_row_of<grid>(args, first, last, [&](int y, int z, int slot) {
        auto* const told =
            static_cast<std::uint32_t*>(args.out[Call::arguments[R]]) + cell_of<grid, R>(0, y, z) + slot * grid::columns[R].element;
        for (int x = 0; x < static_cast<int>(grid::size[0]); ++x) told[x] = 0;
    });
}
template<class Call> inline void settle_births(const void* argument, std::int64_t first, std::int64_t last) {
    using requests = birth_requests_of<typename Call::source>;
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    std::uint32_t born_here = 0, refused = 0;
    for_each_code<requests, 1>(args, plain_codes<requests>(args, args.in[Call::arguments[requests::number]]), first, last,
                               [&](int x, int y, int z, int plane) {
                                   const bool is_born = settle_birth<Call>(args, x, y, z, plane);
                                   if (!is_born)
                                       tell_parent<Call, typename Call::source>(args, {x, y, z, true}, plane / Call::source::calls);
                                   if (is_own<typename requests::grid>(args, y, z)) ++(is_born ? born_here : refused);
                               });
    add_up_counted(counted{&args.counters->born, born_here}, counted{&args.counters->refused_births, refused});
}
#endif

} // namespace tessera
