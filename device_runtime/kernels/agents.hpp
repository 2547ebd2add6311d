// Functions of agents, called by agents: a block gathers who is there from the slots of some thousand places, in any order, and gives each
// thread one of them. (Measured: docs/performance.md. One place a thread leaves most threads of a warp with nothing to do.)
#pragma once

#include <tessera/agent.hpp>
#include <tessera/kernels/crowd.hpp>

namespace tessera {

// ---- going over the agents

template<class Call> using arguments_of_call = agent_arguments<Call::columns>;

template<class Call> TESSERA_FN std::uint64_t step_of(const arguments_of_call<Call>& args) {
    return *args.first_step + args.step_after_first;
}

// Whether an earlier launch has found a fault: then nothing is done any more.
template<class Call> TESSERA_FN bool is_given_up(const arguments_of_call<Call>& args) {
    const std::uint64_t launch = peek(&args.faults->launch);
    return launch != 0 && launch != launch_number(step_of<Call>(args), args.phase);
}

template<class Call> TESSERA_FN void report(const arguments_of_call<Call>& args, agent_fault fault, std::uint64_t id) {
    poke(&args.faults->launch, launch_number(step_of<Call>(args), args.phase));
#if TESSERA_GPU
    atomicMin(reinterpret_cast<unsigned long long*>(&args.faults->ids[fault]), static_cast<unsigned long long>(id));
#else
    std::uint64_t* const least = &args.faults->ids[fault];
    for (std::uint64_t before = peek(least); id < before;)
        if (__atomic_compare_exchange_n(least, &before, id, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
#endif
}

// Adds what a thread has counted.
TESSERA_FN void add_count(std::uint64_t* total, std::uint32_t count) {
#if TESSERA_GPU
    const std::uint32_t of_warp = __reduce_add_sync(~0u, count);
    if (of_warp != 0 && threadIdx.x % 32 == 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(of_warp));
#else
    if (count != 0) __atomic_fetch_add(total, std::uint64_t{count}, __ATOMIC_RELAXED);
#endif
}

// The cells of a launch's rows in each plane of codes: one after the other, the gaps between rows included, which are empty slots.
template<class Crowd> struct code_cells {
    static constexpr column_layout column = Crowd::grid::columns[code_column<Crowd>];
    static constexpr std::int64_t a_row = Crowd::grid::dims == 3 ? column.plane : column.row; // of the grid's last axis

    TESSERA_FN static std::int64_t first(const launch_arguments& args) { return Crowd::grid::in_bands ? args.first_row * a_row : 0; }
    TESSERA_FN static std::int64_t count(const launch_arguments& args) {
        constexpr std::int64_t rows = Crowd::grid::size[Crowd::grid::dims == 3 ? 2 : 1];
        return (Crowd::grid::in_bands ? args.end_row - args.first_row : rows) * a_row;
    }
};

#if TESSERA_GPU
inline constexpr int crowd_threads = 256, cells_a_thread = 16, cells_a_block = crowd_threads * cells_a_thread;

// `visit(x, y, z, slot)` for each slot of whose code `wanted(code)` holds.
template<class Crowd, class Wanted, class Visit>
TESSERA_FN void for_each_agent(const launch_arguments& args, const void* codes, Wanted&& wanted, Visit&& visit) {
    using code = typename Crowd::code;
    using cells = code_cells<Crowd>;
    using counter = counter_of<typename Crowd::grid>;
    __shared__ std::uint16_t list[cells_a_block];
    __shared__ std::uint32_t listed;
    const std::int64_t all = cells::count(args), blocks = (all + cells_a_block - 1) / cells_a_block;
    const int slot = Crowd::capacity == 1 ? 0 : static_cast<int>(blockIdx.x / blocks);
    const std::int64_t first = (Crowd::capacity == 1 ? blockIdx.x : blockIdx.x % blocks) * std::int64_t{cells_a_block};
    const int t = static_cast<int>(threadIdx.x), lane = t % 32;
    if (t == 0) listed = 0;
    __syncthreads();
    std::uint32_t found = 0;
    if (const std::int64_t mine = first + t * cells_a_thread; mine < all) {
        const code* const from = static_cast<const code*>(codes) + slot * cells::column.element + cells::first(args) + mine;
        const auto loaded = load_vector<false, code, cells_a_thread>(from);
#pragma unroll
        for (int i = 0; i < cells_a_thread; ++i) found |= static_cast<std::uint32_t>(wanted(loaded.values[i])) << i;
    }
    const std::uint32_t count = __popc(found);
    std::uint32_t before = count;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const std::uint32_t below = __shfl_up_sync(~0u, before, d);
        if (lane >= d) before += below;
    }
    std::uint32_t at = 0;
    if (lane == 31) at = atomicAdd(&listed, before);
    at = __shfl_sync(~0u, at, 31) + before - count;
    for (; found != 0; found &= found - 1) list[at++] = static_cast<std::uint16_t>(t * cells_a_thread + __ffs(found) - 1);
    __syncthreads();
    for (std::uint32_t i = t; i < listed; i += crowd_threads) {
        const counter cell = static_cast<counter>(cells::first(args) + first) + list[i];
        const counter line = cell / static_cast<counter>(cells::column.row);
        const auto x = static_cast<int>(cell % static_cast<counter>(cells::column.row));
        if constexpr (Crowd::grid::dims == 3) {
            constexpr counter ny = Crowd::grid::size[1];
            visit(x, static_cast<int>(line % ny), static_cast<int>(line / ny), slot);
        } else
            visit(x, static_cast<int>(line), 0, slot);
    }
}
#else
// Items are the rows of x of a launch's rows, slot by slot; [first, last) of them are this thread's.
template<class Crowd, class Wanted, class Visit>
inline void for_each_agent(const launch_arguments& args, const void* codes, std::int64_t first, std::int64_t last, Wanted&& wanted,
                           Visit&& visit) {
    using grid = typename Crowd::grid;
    constexpr std::int64_t ny = grid::size[1];
    const std::int64_t first_row = grid::in_bands ? args.first_row : 0,
                       rows = grid::in_bands ? args.end_row - args.first_row : grid::size[grid::dims == 3 ? 2 : 1];
    const std::int64_t lines = grid::dims == 3 ? rows * ny : rows;
    for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t line = item % lines;
        const int slot = static_cast<int>(item / lines);
        const auto y = static_cast<int>(grid::dims == 3 ? line % ny : first_row + line);
        const auto z = static_cast<int>(grid::dims == 3 ? first_row + line / ny : 0);
        for (int x = 0; x < static_cast<int>(grid::size[0]); ++x)
            if (wanted(peek(slot_at<Crowd>(codes, {x, y, z, true}, slot)))) visit(x, y, z, slot);
    }
}
#endif

// ---- what a function of agents looks through

// The place that an agent stands on, and those around.
template<class Call> struct ground_view {
    using grid = typename Call::crowd::ground;
    using members = ground_members<typename Call::function>;
    static constexpr int dims = grid::dims;
    static constexpr bool masked = false;
    const arguments_of_call<Call>* args;
    int x, y, z;
    bool interior;

    TESSERA_FN bool exists(place_offset o) const {
        return interior || !(is_void_on<grid, 0>(x, o.x) || is_void_on<grid, 1>(y, o.y) || is_void_on<grid, 2>(z, o.z));
    }
    template<int I> TESSERA_FN auto own() const {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(in<I>() + cell_of<grid, I>(x, y, z),
                                                                                                   grid::columns[I].element);
    }
    template<int I> TESSERA_FN value_in<members, I> seen(place_offset o) const {
        const place_in_memory at = place_beside<grid>(x, y, z, o, interior);
        if (!interior) {
            if (is_void_on<grid, 0>(x, o.x) || is_void_on<grid, 1>(y, o.y) || is_void_on<grid, 2>(z, o.z))
                return constant<I>(beyond<grid, I>::missing);
            if (is_constant_on<grid, 0>(x, o.x) || is_constant_on<grid, 1>(y, o.y) || is_constant_on<grid, 2>(z, o.z))
                return constant<I>(beyond<grid, I>::outside);
        }
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(in<I>() + cell_of<grid, I>(at),
                                                                                                   grid::columns[I].element);
    }
    template<int I> TESSERA_FN void store(const value_in<members, I>& value) const {
        auto* const origin = static_cast<scalar_in<members, I>*>(args->out[Call::ground[I]]);
        store_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(origin + cell_of<grid, I>(x, y, z),
                                                                                             grid::columns[I].element, value);
        if (!has_copies<grid, I>(x, 1, y, z)) return;
        for (int e = 0; e < elements_in<members, I>; ++e) {
            auto* const plane = origin + e * grid::columns[I].element;
            write_copies<grid, I>(plane, plane[cell_of<grid, I>(x, y, z)], x, y, z);
        }
    }

private:
    template<int I> TESSERA_FN const scalar_in<members, I>* in() const {
        return static_cast<const scalar_in<members, I>*>(args->in[Call::ground[I]]);
    }
    template<int I, class Constants> TESSERA_FN static value_in<members, I> constant(const Constants& values) {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(values, 1);
    }
};

template<class Call> struct agent_view {
    using function = typename Call::function;
    using crowd = typename Call::crowd;
    using grid = typename crowd::grid;
    using members = typename crowd::members;
    using codes = slot_code<crowd>;
    using ground_view = tessera::ground_view<Call>;
    static constexpr int dims = grid::dims;
    const arguments_of_call<Call>* args;
    int x, y, z;
    int slot;
    bool interior;

    TESSERA_FN ground_view ground() const { return {args, x, y, z, interior}; }
    TESSERA_FN place_position position() const { return {x, y, z}; }
    static TESSERA_FN place_position size() { return {grid::size[0], grid::size[1], grid::size[2]}; }
    TESSERA_FN std::int64_t step() const { return step_number(step_of<Call>(*args)); }
    TESSERA_FN std::uint64_t id() const { return id_at<crowd>(args->in[Call::own[id_column<crowd>]], here(), slot); }
    TESSERA_FN random_stream random() const { return random_stream(args->random_key[0], id(), static_cast<std::uint32_t>(step())); }

    template<int I> TESSERA_FN auto own() const {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
            static_cast<const scalar_in<members, I>*>(args->in[Call::own[I]]) + cell<I>(), grid::columns[I].element);
    }
    template<int I> TESSERA_FN void store(const value_in<members, I>& value) const {
        store_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
            static_cast<scalar_in<members, I>*>(args->out[Call::own[I]]) + cell<I>(), grid::columns[I].element, value);
    }

    template<class Row> TESSERA_FN int count(place_offset o) const {
        using there = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
        return residents_of<typename there::crowd>(args->in[there::code], place_beside<grid>(x, y, z, o, interior));
    }
    TESSERA_FN int free(place_offset o) const {
        const place_in_memory at = place_beside<grid>(x, y, z, o, interior);
        return at.inside ? crowd::capacity - residents_of<crowd>(args->in[Call::own[code_column<crowd>]], at) : 0;
    }
    TESSERA_FN int rank() const {
        const std::uint64_t mine = id();
        int before = 0;
        for (int other = 0; other < crowd::capacity; ++other)
            if (other != slot && !codes::is_empty(peek(slot_at<crowd>(args->in[Call::own[code_column<crowd>]], here(), other))))
                before += id_at<crowd>(args->in[Call::own[id_column<crowd>]], here(), other) < mine ? 1 : 0;
        return before;
    }

    TESSERA_FN void want(place_offset o) const {
        const auto before = peek(code());
        if (codes::is_dying(before)) return;
        if (!crowd::refuses_at_edge && !place_beside<grid>(x, y, z, o, interior).inside)
            return report<Call>(*args, migrates_off_grid, id());
        const bool stays = o == place_offset{0, 0, 0};
        poke(code(), codes::of(stays ? codes::nothing : codes::going + codes::number_of(o), codes::result(before)));
    }
    // The offset may be any.
    TESSERA_FN void want_declared(place_offset o) const {
        if (!(o == place_offset{0, 0, 0}) && !crowd_access_of<function>::template moves_by<dims>(o))
            return report<Call>(*args, migrates_undeclared, id());
        want(o);
    }
    TESSERA_FN void die() const { poke(code(), codes::of(codes::dying, codes::result(peek(code())))); }
    TESSERA_FN bool dying() const { return codes::is_dying(peek(code())); }
    TESSERA_FN bool moved() const { return codes::result(peek(code())) == static_cast<int>(wish_result::moved); }
    TESSERA_FN bool refused() const { return codes::result(peek(code())) == static_cast<int>(wish_result::refused); }

private:
    TESSERA_FN place_in_memory here() const { return {x, y, z, true}; }
    template<int I> TESSERA_FN std::int64_t cell() const {
        return cell_of<grid, I>(x, y, z) + slot * elements_in<members, I> * grid::columns[I].element;
    }
    TESSERA_FN typename crowd::code* code() const {
        return static_cast<typename crowd::code*>(args->out[Call::own[code_column<crowd>]]) + cell_of<grid, code_column<crowd>>(x, y, z) +
               slot * grid::columns[code_column<crowd>].element;
    }
};

// ---- a phase callAll of agents

template<class Call> TESSERA_FN void call_agent(const arguments_of_call<Call>& args, int x, int y, int z, int slot) {
    const agent_view<Call> view{&args, x, y, z, slot, is_interior<Call>(x, y, z)};
    agent<typename Call::function, agent_view<Call>> self(view);
    Call::function::call(self);
    self.tessera_put();
}

#if TESSERA_GPU
template<class Call> TESSERA_FN void call_agents(const arguments_of_call<Call>& args) {
    using crowd = typename Call::crowd;
    if (is_given_up<Call>(args)) return;
    for_each_agent<crowd>(
        args, args.in[Call::own[code_column<crowd>]], [](typename crowd::code code) { return !slot_code<crowd>::is_empty(code); },
        [&](int x, int y, int z, int slot) { call_agent<Call>(args, x, y, z, slot); });
}
#else
template<class Call> inline void call_agents(const void* argument, std::int64_t first, std::int64_t last) {
    using crowd = typename Call::crowd;
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    for_each_agent<crowd>(
        args, args.in[Call::own[code_column<crowd>]], first, last,
        [](typename crowd::code code) { return !slot_code<crowd>::is_empty(code); },
        [&](int x, int y, int z, int slot) { call_agent<Call>(args, x, y, z, slot); });
}
#endif

} // namespace tessera
