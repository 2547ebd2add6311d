// Agents in a list: where a place has room for any number. They stand in the order of places, and on a place in that of their ids, with a
// column that says where each place's begin.
//
// manageAll makes the list anew. Everybody counts itself where it will be, and keeps which of those who go there it is, in any order;
// running sums over the places are where each place's agents begin, so that everybody has an entry there; and each entry finds its place
// among those of its segment by their ids and copies its columns there. Children come behind those who are there, for their ids are higher,
// in the order in which they are served.
#pragma once

#include <tessera/kernels/agents/birth_flags.hpp>
#include <tessera/kernels/agents/births.hpp>
#include <tessera/kernels/agents/list_blocks.hpp>
#include <tessera/kernels/agents/list_parts.hpp>

namespace tessera {

// ---- going over a list

// How many agents there are: what stands behind the last place.
template<class Call> TESSERA_FN std::int32_t population_of(const arguments_of_call<Call>& args) {
    using grid = typename Call::places;
    constexpr std::int64_t places = grid::size[0] * grid::size[1] * grid::size[2];
    return static_cast<const std::int32_t*>(args.in[Call::arguments[start_column<typename Call::agents>]])[places];
}

// Those that stand in the launch's rows: they follow each other.
struct list_segment {
    std::int32_t first, end;
};
template<class Call> TESSERA_FN list_segment segment_of(const arguments_of_call<Call>& args) {
    using grid = typename Call::places;
    if constexpr (!grid::in_bands) return {0, population_of<Call>(args)};
    constexpr std::int64_t places_a_row = grid::size[0] * (grid::dims == 3 ? grid::size[1] : 1);
    const auto* const start = static_cast<const std::int32_t*>(args.in[Call::arguments[start_column<typename Call::agents>]]);
    return {start[args.first_row * places_a_row], start[args.end_row * places_a_row]};
}

template<class Call> TESSERA_FN place_in_memory place_in_list(const arguments_of_call<Call>& args, int i) {
    return place_of_number<typename Call::places>(
        static_cast<const std::int32_t*>(args.in[Call::arguments[place_column<typename Call::agents>]])[i]);
}
// `visit(number, place)` for each agent.
#if TESSERA_GPU
template<class Call, class Visit> TESSERA_FN void for_each_in_list(const arguments_of_call<Call>& args, Visit&& visit) {
    const auto segment = segment_of<Call>(args);
    for_each_number(segment.end - segment.first, [&](int i) { visit(segment.first + i, place_in_list<Call>(args, segment.first + i)); });
}
#else
template<class Call, class Visit>
inline void for_each_in_list(const arguments_of_call<Call>& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    const auto segment = segment_of<Call>(args);
    for_each_number_of(Call::agents::capacity, segment.end - segment.first, first, last,
                       [&](int i) { visit(segment.first + i, place_in_list<Call>(args, segment.first + i)); });
}
#endif

// ---- manageAll, by one device for all

// What became of those whom a thread has settled.
struct list_counts {
    std::uint32_t born = 0, moved = 0, refused = 0;
};

// What its parts share.
template<class Call> struct list_work {
    using agents = typename Call::agents;
    using grid = typename Call::places;
    using codes = slot_code<agents>;
    static constexpr std::int64_t places = grid::size[0] * grid::size[1] * grid::size[2];
    static constexpr int places_a_block = tessera::places_a_block(places);
    static constexpr std::int64_t blocks = blocks_of_places(places);
    const arguments_of_call<Call>& args;

    template<class T, int Column> TESSERA_FN T* column() const { return static_cast<T*>(args.out[Call::arguments[Column]]); }
    TESSERA_FN std::int32_t* start() const { return column<std::int32_t, start_column<agents>>(); }
    TESSERA_FN std::int32_t* coming() const { return column<std::int32_t, coming_column<agents>>(); }
    TESSERA_FN std::int32_t* order() const { return column<std::int32_t, order_column<agents>>(); }
    TESSERA_FN std::int32_t* target() const { return column<std::int32_t, target_column<agents>>(); }
    // Behind the sums of the blocks: how many there will be, and how many there were.
    TESSERA_FN std::int32_t* sums() const { return column<std::int32_t, sum_column<agents>>(); }
    TESSERA_FN std::int32_t after() const { return sums()[blocks]; }
    TESSERA_FN std::int32_t before() const { return sums()[blocks + 1]; }
    TESSERA_FN void note_populations(std::int32_t before, std::int32_t after) const {
        sums()[blocks + 1] = before;
        sums()[blocks] = after;
        // Who died was there before and is not after, for whom nobody was born: whoever settles children counts those.
        add_to(&args.counters->died, static_cast<std::uint64_t>(std::int64_t{before} - after));
    }

    TESSERA_FN typename agents::code code(int i) const {
        return static_cast<const typename agents::code*>(args.in[Call::arguments[code_column<agents>]])[i];
    }
    TESSERA_FN std::uint64_t id(int i) const { return static_cast<const std::uint64_t*>(args.in[Call::arguments[id_column<agents>]])[i]; }

    // Whether nothing is to be done any more, this phase having found no room included.
    TESSERA_FN bool is_over() const { return is_given_up<Call>(args) || peek(&args.faults->ids[outgrows_room]) != ~std::uint64_t{0}; }

    // Whether a place has several as a rule, so that it pays to look whom a block of threads has together.
    static constexpr bool crowded = agents::capacity >= 4 * places;

    // Adds to the count of a place, which may be that of others who are about to do so too. What it was before.
    TESSERA_FN static std::int32_t add(std::int32_t* counts, std::int32_t place, std::int32_t by) {
#if TESSERA_GPU
        // Neighbours in a list often go to one place: then one of a warp adds for all of them. GPUs before sm_70 cannot ask that.
#if __CUDA_ARCH__ >= 700
        if constexpr (crowded) {
            const std::uint32_t together = __match_any_sync(__activemask(), place);
            const int leader = __ffs(static_cast<int>(together)) - 1, lane = static_cast<int>(threadIdx.x % 32);
            std::int32_t before = 0;
            if (lane == leader) before = atomicAdd(counts + place, by * __popc(together));
            return __shfl_sync(together, before, leader) + by * __popc(together & ((1u << lane) - 1));
        }
#endif
        return atomicAdd(counts + place, by);
#else
        return __atomic_fetch_add(counts + place, by, __ATOMIC_RELAXED);
#endif
    }

    // Where one that stands there wants to go: -1, beyond an edge.
    TESSERA_FN std::int32_t place_aimed_at(int i, const place_in_memory& at, typename agents::code code) const {
        if constexpr (is_in_space<agents>) {
            const auto aim = aim_of(i);
            return aim.x < 0 ? -1 : place_that_holds<agents>(aim);
        } else if constexpr (goes_anywhere<agents>)
            return goal_of<agents>(args.in[Call::arguments[agents::column::goal]], at, i);
        else {
            const auto there = place_beside<grid>(at.x, at.y, at.z, codes::move_request(code), is_interior<Call>(at.x, at.y, at.z));
            return there.inside ? static_cast<std::int32_t>(number_of_place<grid>(there.x, there.y, there.z)) : -1;
        }
    }
    TESSERA_FN auto aim_of(int i) const { return load_point<agents, aim_column<agents>>(args.in[Call::arguments[aim_column<agents>]], i); }
    // Where an agent will be that stands there: -1, nowhere.
    TESSERA_FN void find_target(int i, const place_in_memory& at) const {
        auto to = static_cast<std::int32_t>(number_of_place<grid>(at.x, at.y, at.z));
        const auto now = code(i);
        if (codes::is_dying(now))
            to = -1;
        else if (codes::is_going(now)) {
            const auto there = place_aimed_at(i, at, now);
            if (there >= 0) to = there;
        }
        target()[i] = to;
        if constexpr (agents::column::refused_births >= 0) column<std::uint32_t, agents::column::refused_births>()[i] = 0;
        if (to >= 0) column<std::uint8_t, agents::column::arrived>()[i] = arrive_at(to);
    }

    // Counts one who goes to a place. Which of them it is, if it is one of the first; else `late`.
    static constexpr std::uint8_t late = 254;
    TESSERA_FN std::uint8_t arrive_at(std::int32_t place) const {
        const auto before = add(coming(), place, 1);
        return static_cast<std::uint8_t>(before < late ? before : late);
    }
    // Those who are late take the entries that are left, from the last one on.
    TESSERA_FN void enter(int place, std::uint8_t arrived, std::int32_t entry) const {
        order()[start()[place] + (arrived < late ? arrived : add(coming(), place, -1) - 1)] = entry;
    }
    TESSERA_FN void enter_agent(int i) const {
        if (const auto to = target()[i]; to >= 0) enter(to, column<std::uint8_t, agents::column::arrived>()[i], i);
    }
    // Counts of arrivals are forgotten where starts are found, but for those that the late ones take their entries from, and those of few
    // places, which each block looks at: by the one of a place's that will be its first.
    static constexpr bool forgets_early = !makes_sums_by_itself(places);
    TESSERA_FN std::int32_t taken_count(std::int64_t place) const {
        const auto count = coming()[place];
        if (forgets_early && count <= late) coming()[place] = 0;
        return count;
    }
    TESSERA_FN void forget_arrivals(std::int32_t place, std::int64_t to) const {
        if (to == start()[place] && (!forgets_early || start()[place + 1] - to > late)) coming()[place] = 0;
    }

    // ---- birth requests: entry capacity + n is birth request n of all

    template<class Source> static constexpr std::int64_t birth_requests_of_source() {
        return Source::in_list ? std::int64_t{Source::parents} * Source::calls : places * Source::parents * Source::calls;
    }
    template<class Source> static constexpr std::int64_t words_of_source() { return words_of_flags(birth_requests_of_source<Source>()); }
    // Of the birth request with this number among the source's: its place, its parent's slot and the number of the call.
    struct birth_request {
        place_in_memory at;
        int slot, call;
    };
    template<class Source> TESSERA_FN static birth_request birth_request_of(std::int32_t number) {
        if constexpr (Source::in_list)
            return {{0, 0, 0, true}, number % Source::parents, number / Source::parents};
        else {
            const auto plane = static_cast<int>(number / places);
            return {place_of_number<grid>(static_cast<std::int32_t>(number % places)), plane / Source::calls, plane % Source::calls};
        }
    }
    template<class Source> TESSERA_FN std::int32_t* birth_request_at(const birth_request& n) const {
        return column<std::int32_t, Source::column>() + birth_request_cell<Source, Source::column>(n.at, n.slot, n.call, 1);
    }
    // A flag says where the child comes from the time on when that is known.
    TESSERA_FN static std::uint8_t flag_of_arrival(std::uint8_t arrived) { return static_cast<std::uint8_t>(arrived + 1); }
    TESSERA_FN static std::uint8_t arrival_of_flag(std::uint8_t flag) { return static_cast<std::uint8_t>(flag - 1); }
    // `visit(number, flag)` for each birth request of a source that there is, of those in a word of flags.
    template<class Source, class Visit> TESSERA_FN void for_each_birth_request(int word, Visit&& visit) const {
        std::uint8_t* const flags = column<std::uint8_t, Source::flags>() + std::int64_t{word} * flags_a_word;
        struct alignas(flags_a_word) halves {
            std::uint64_t of[2];
        };
#if TESSERA_GPU
        const halves set = *reinterpret_cast<const halves*>(flags);
#else
        halves set;
        __builtin_memcpy(&set, flags, flags_a_word);
#endif
#pragma unroll
        for (int half = 0; half < 2; ++half)
            for (std::uint64_t left = set.of[half]; left != 0;) {
                const int byte = lowest_bit(left) / 8, i = 8 * half + byte;
                visit(word * flags_a_word + i, flags[i]);
                left &= ~(std::uint64_t{0xff} << 8 * byte);
            }
    }
    template<class Source> TESSERA_FN birth_turn turn(const birth_request& n) const {
        return turn_of<Call, Source>(args, n.at, n.slot * Source::calls + n.call);
    }
    // `visit(request, source)` for the birth request that an entry is.
    template<class Visit> TESSERA_FN static void with_birth_request(std::int32_t, Visit&&, function_list<>*) {}
    template<class Visit, class Source, class... Others>
    TESSERA_FN static void with_birth_request(std::int32_t number, Visit&& visit, function_list<Source, Others...>*) {
        if (number < Source::first_birth_request + birth_requests_of_source<Source>())
            visit(birth_request_of<Source>(number - Source::first_birth_request), static_cast<Source*>(nullptr));
        else
            with_birth_request(number, visit, static_cast<function_list<Others...>*>(nullptr));
    }

    // ---- the new list

    TESSERA_FN move_result copy_agent(std::int32_t from, std::int64_t to) const {
        copy_members(from, to, indices_to<agents::members::member_count>{});
        column<std::uint64_t, id_column<agents>>()[to] = id(from);
        const auto was = code(from);
        const bool goes = codes::is_going(was), went = goes && place_aimed_at(from, place_in_list<Call>(args, from), was) >= 0;
        if constexpr (is_in_space<agents>) {
            constexpr int P = position_column<agents>;
            put_position(to, went ? aim_of(from) : load_point<agents, P>(args.in[Call::arguments[P]], from));
        }
        const auto result = went ? move_result::moved : goes ? move_result::refused : move_result::none;
        settle_code(to, result);
        if constexpr (agents::column::refused_births >= 0) {
            constexpr int R = agents::column::refused_births;
            column<std::uint32_t, R>()[to] = static_cast<const std::uint32_t*>(args.in[Call::arguments[R]])[from];
        }
        return result;
    }
    template<class Point> TESSERA_FN void put_position(std::int64_t to, const Point& at) const {
        constexpr int P = position_column<agents>;
        store_point<agents, P>(args.out[Call::arguments[P]], to, at);
    }
    TESSERA_FN void settle_code(std::int64_t to, move_result result) const {
        column<typename agents::code, code_column<agents>>()[to] =
            codes::of(codes::nothing, agents::keeps_results ? static_cast<int>(result) : 0);
    }
    template<int... I> TESSERA_FN void copy_members(std::int32_t from, std::int64_t to, index_list<I...>) const {
        (copy_member_of<I>(from, to), ...);
    }
    template<int I> TESSERA_FN void copy_member_of(std::int32_t from, std::int64_t to) const {
        using scalar = scalar_in<typename agents::members, I>;
        for (int e = 0; e < elements_in<typename agents::members, I>; ++e)
            column<scalar, I>()[to + e * agents::grid::columns[I].element] =
                static_cast<const scalar*>(args.in[Call::arguments[I]])[from + e * agents::grid::columns[I].element];
    }
    template<class Source, int... I> TESSERA_FN void spawn(const birth_request& n, std::int64_t to, index_list<I...>) const {
        (spawn_member<Source, I>(n, to), ...);
    }
    template<class Source, int I> TESSERA_FN void spawn_member(const birth_request& n, std::int64_t to) const {
        using members = typename agents::members;
        using scalar = scalar_in<members, I>;
        constexpr int C = birth_request_member_column<Source, I>, elements = elements_in<members, I>;
        const auto* const from =
            static_cast<const scalar*>(args.in[Call::arguments[C]]) + birth_request_cell<Source, C>(n.at, n.slot, n.call, elements);
        for (int e = 0; e < elements; ++e)
            column<scalar, I>()[to + e * agents::grid::columns[I].element] = from[e * agents::grid::columns[C].element];
    }

    // Where who stands there in `order` will be.
    TESSERA_FN std::int32_t place_of(std::int32_t entry) const {
        if (entry < agents::capacity) return target()[entry];
        std::int32_t place = -1;
        with_birth_request(
            entry - agents::capacity,
            [&](const birth_request& n, auto* source) {
                place = *birth_request_at<without_const<without_reference<decltype(*source)>>>(n) - 1;
            },
            static_cast<typename agents::sources*>(nullptr));
        return place;
    }
    // The id, of an agent; children come behind all of them.
    TESSERA_FN std::uint64_t id_in_order(std::int32_t entry) const { return entry < agents::capacity ? id(entry) : ~std::uint64_t{0}; }
    TESSERA_FN int agents_before(std::int32_t place, std::uint64_t mine) const {
        int before = 0;
        const int end = start()[place + 1];
#pragma unroll 4 // so that several wait for ids at once
        for (int k = start()[place]; k < end; ++k) before += id_in_order(order()[k]) < mine ? 1 : 0;
        return before;
    }

    // Who stands there in `order` goes where it belongs among those of its place: behind all whom `before(place, id)` counts.
    template<class Before>
    TESSERA_FN void settle_entry(std::int32_t entry, std::int32_t place, Before&& before, list_counts& counts) const {
        if (entry < agents::capacity) {
            const std::int64_t to = start()[place] + before(place, id(entry));
            const auto result = copy_agent(entry, to);
            column<std::int32_t, place_column<agents>>()[to] = place;
            counts.moved += result == move_result::moved ? 1 : 0;
            counts.refused += result == move_result::refused ? 1 : 0;
            return forget_arrivals(place, to);
        }
        ++counts.born;
        with_birth_request(
            entry - agents::capacity,
            [&](const birth_request& n, auto* source) { settle_child<without_const<without_reference<decltype(*source)>>>(n, place); },
            static_cast<typename agents::sources*>(nullptr));
    }
    template<class Source> TESSERA_FN void settle_child(const birth_request& n, std::int32_t place) const {
        const auto mine = turn<Source>(n);
        int staying = 0, before = 0;
        for (int k = start()[place]; k < start()[place + 1]; ++k) {
            const auto other = order()[k];
            if (other < agents::capacity)
                ++staying;
            else
                with_birth_request(
                    other - agents::capacity,
                    [&](const birth_request& its, auto* source) {
                        before += turn<without_const<without_reference<decltype(*source)>>>(its).is_before(mine) ? 1 : 0;
                    },
                    static_cast<typename agents::sources*>(nullptr));
        }
        const std::int64_t to = start()[place] + staying + before;
        put_child<Source>(n, place, to, before, mine.id);
        forget_arrivals(place, to);
    }
    // A child goes where it belongs, behind so many others who are born on its place.
    template<class Source>
    TESSERA_FN void put_child(const birth_request& n, std::int32_t place, std::int64_t to, int before, std::uint64_t parent) const {
        spawn<Source>(n, to, indices_to<agents::members::member_count>{});
        if constexpr (is_in_space<agents>) {
            constexpr int P = birth_request_position_column<Source>;
            put_position(
                to, load_point<agents, P>(args.in[Call::arguments[P]], birth_request_cell<Source, P>(n.at, n.slot, n.call, grid::dims)));
        }
        const auto cycle = cycle_of<agents>(step_of<Call>(args), args.phase);
        if (cycle >> id_bits_of_cycle != 0) report<Call>(args, births_too_often, parent);
        constexpr int place_bits = bits_of_places(places);
        if (static_cast<std::uint64_t>(before + 1) >> (id_bits_of_birth - place_bits) != 0) report<Call>(args, births_too_many, parent);
        column<std::uint64_t, id_column<agents>>()[to] =
            agent_id(cycle, static_cast<std::uint64_t>(place), static_cast<std::uint64_t>(before + 1), place_bits);
        settle_code(to, move_result::none);
        if constexpr (agents::column::refused_births >= 0) column<std::uint32_t, agents::column::refused_births>()[to] = 0;
        column<std::int32_t, place_column<agents>>()[to] = place;
        *birth_request_at<Source>(n) = 0; // which nobody else looks at meanwhile
    }
};

// The parts, in their order. On a GPU a thread has a number; but of sums, where a block has places.

TESSERA_LIST_PART(find_targets) {
    TESSERA_LIST_ARGUMENTS
    const list_work<Call> work{args};
    if (work.is_over()) return;
    TESSERA_EACH_NUMBER_OF(Call::agents::capacity, population_of<Call>(args),
                           [&](int i) { work.find_target(i, place_in_list<Call>(args, i)); });
}

TESSERA_LIST_PART(count_birth_requests) {
    TESSERA_LIST_ARGUMENTS
    using source = typename Call::source;
    const list_work<Call> work{args};
    if (work.is_over()) return;
    std::uint32_t refused = 0;
    const auto count = [&](std::int32_t n, std::uint8_t& flag) {
        const auto request = work.template birth_request_of<source>(n);
        auto& code = *work.template birth_request_at<source>(request);
        if (code > 0) {
            flag = work.flag_of_arrival(work.arrive_at(code - 1));
            return;
        }
        ++refused;
        tell_parent<Call, source>(args, request.at, request.slot);
        code = 0;
        flag = 0;
    };
    TESSERA_EACH_NUMBER(list_work<Call>::template words_of_source<source>(),
                        [&](int word) { work.template for_each_birth_request<source>(word, count); });
    add_up_counted(counted{&args.counters->refused_births, refused});
}

TESSERA_LIST_PART(enter_agents) {
    TESSERA_LIST_ARGUMENTS
    const list_work<Call> work{args};
    if (work.is_over()) return;
    TESSERA_EACH_NUMBER_OF(Call::agents::capacity, work.before(), [&](int i) { work.enter_agent(i); });
}

TESSERA_LIST_PART(enter_birth_requests) {
    TESSERA_LIST_ARGUMENTS
    using source = typename Call::source;
    const list_work<Call> work{args};
    if (work.is_over()) return;
    const auto enter = [&](std::int32_t n, std::uint8_t& flag) {
        const auto code = *work.template birth_request_at<source>(work.template birth_request_of<source>(n));
        work.enter(code - 1, work.arrival_of_flag(flag),
                   static_cast<std::int32_t>(Call::agents::capacity + source::first_birth_request + n));
        flag = 0;
    };
    TESSERA_EACH_NUMBER(list_work<Call>::template words_of_source<source>(),
                        [&](int word) { work.template for_each_birth_request<source>(word, enter); });
}

#if TESSERA_GPU
// Where places have several: entries that follow each other are those of some places, whose ids a block then has at hand.
template<class Call> TESSERA_FN void settle_crowded(const list_work<Call>& work, list_counts& counts) {
    constexpr int most = 1024;
    __shared__ std::uint64_t ids[most];
    __shared__ int first, end;
    const int after = work.after(), t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int tile = static_cast<int>(blockIdx.x) * threads; tile < after; tile += static_cast<int>(gridDim.x) * threads) {
        const int j = tile + t;
        std::int32_t entry = 0, place = 0;
        if (j < after) entry = work.order()[j], place = work.place_of(entry);
        if (t == 0) first = work.start()[place];
        if (j < after && (t == threads - 1 || j == after - 1)) end = work.start()[place + 1];
        __syncthreads();
        const bool at_hand = end - first <= most;
        for (int k = first + t; at_hand && k < end; k += threads) ids[k - first] = work.id_in_order(work.order()[k]);
        __syncthreads();
        const auto before = [&](std::int32_t of, std::uint64_t mine) {
            if (!at_hand) return work.agents_before(of, mine);
            int count = 0;
            const int last = work.start()[of + 1] - first;
#pragma unroll 4
            for (int k = work.start()[of] - first; k < last; ++k) count += ids[k] < mine ? 1 : 0;
            return count;
        };
        if (j < after) work.settle_entry(entry, place, before, counts);
        __syncthreads();
    }
}
#endif
TESSERA_LIST_PART(settle_list) {
    TESSERA_LIST_ARGUMENTS
    const list_work<Call> work{args};
    if (work.is_over()) return;
    list_counts counts;
    const auto one_by_one = [&] {
        TESSERA_EACH_NUMBER_OF(Call::agents::capacity, work.after(), [&](int j) {
            const auto entry = work.order()[j];
            const auto before = [&](std::int32_t place, std::uint64_t mine) { return work.agents_before(place, mine); };
            work.settle_entry(entry, work.place_of(entry), before, counts);
        });
    };
#if TESSERA_GPU
    if constexpr (list_work<Call>::crowded)
        settle_crowded(work, counts);
    else
#endif
        one_by_one();
    add_up_counted(counted{&args.counters->born, counts.born}, counted{&args.counters->died, counts.born},
                   counted{&args.counters->moved, counts.moved}, counted{&args.counters->refused_moves, counts.refused});
}

// ---- running sums over the places

TESSERA_LIST_PART(sum_blocks) {
    TESSERA_LIST_ARGUMENTS
    using work_type = list_work<Call>;
    const work_type work{args};
    if (work.is_over()) return;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool) {
        const std::int64_t begin = block * work_type::places_a_block;
        sum_block<work_type::places_a_block>([&](int k) { return begin + k < work_type::places ? work.coming()[begin + k] : 0; },
                                             work.sums() + block);
    });
}

// Each block of places for itself. More agents than there is room for: nothing is changed.
TESSERA_LIST_PART(find_starts) {
    TESSERA_LIST_ARGUMENTS
    using work_type = list_work<Call>;
    const work_type work{args};
    if (work.is_over()) return;
    std::int32_t before = 0, all = 0;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool is_first) {
        if (is_first)
            before = work_type::forgets_early ? sum_before_block(work.sums(), work_type::blocks, block, all)
                                              : sum_before_block(work.coming(), work_type::places, block * work_type::places_a_block, all);
        const bool tells = block == 0 && is_first_of_block();
        if (all > Call::agents::capacity) {
            if (tells) report<Call>(args, outgrows_room, static_cast<std::uint64_t>(all));
            return;
        }
        if (tells) {
            work.note_populations(work.start()[work_type::places], all);
            work.start()[work_type::places] = all;
        }
        const std::int64_t begin = block * work_type::places_a_block;
        running_sums<work_type::places_a_block>(
            before, [&](int k) { return begin + k < work_type::places ? work.taken_count(begin + k) : 0; },
            [&](int k, std::int32_t start) {
                if (begin + k < work_type::places) work.start()[begin + k] = start;
            });
    });
}

} // namespace tessera
