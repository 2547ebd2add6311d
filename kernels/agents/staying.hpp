// A manageAll of a list behind functions by which nobody moves: agents die, and children are born on their parents' places (list.hpp).
//
// Those who stay keep their order, so nothing is counted by places: each agent weighs one if it lives, and one more for each child, and a
// running sum over the weights says where each one's entry begins. The children of a place come behind all who stay there, as ever.
#pragma once

#include <tessera/kernels/agents/list.hpp>

namespace tessera {

template<class... Sources> constexpr bool are_any_at_parents(function_list<Sources...>*) { return (false || ... || Sources::at_parents); }

template<class Call> struct staying_work {
    using list_type = list_work<Call>;
    using agents = typename Call::agents;
    using sources = typename agents::sources;
    static constexpr int agents_a_block = tessera::agents_a_block(agents::capacity);
    static constexpr bool bears = are_any_at_parents(static_cast<sources*>(nullptr)); // anybody
    list_type list;

    TESSERA_FN std::int32_t population() const { return population_of<Call>(list.args); } // as it was before, until starts are moved
    TESSERA_FN std::int64_t blocks() const { return (std::int64_t{population()} + agents_a_block - 1) / agents_a_block; }
    TESSERA_FN std::int32_t* block_sums() const { return list.sums() + list_type::blocks + 2; }
    // Of each agent the weights of all before it.
    TESSERA_FN std::int32_t* entries() const { return list.target(); }

    TESSERA_FN std::int32_t place(int i) const {
        return static_cast<const std::int32_t*>(list.args.in[Call::arguments[place_column<agents>]])[i];
    }
    TESSERA_FN bool stays(int i) const { return !list_type::codes::is_dying(list.code(i)); }

    template<class Source> TESSERA_FN bool asks(int i, int call) const {
        return list.template column<std::uint8_t, Source::flags>()[i + std::int64_t{call} * Source::parents] != 0;
    }
    template<class Source> TESSERA_FN int children_of_source(int i) const {
        int children = 0;
        if constexpr (Source::at_parents)
            for (int call = 0; call < Source::calls; ++call) children += asks<Source>(i, call) ? 1 : 0;
        return children;
    }
    template<class... Sources> TESSERA_FN int children_of(int i, function_list<Sources...>*) const {
        return (0 + ... + children_of_source<Sources>(i));
    }
    TESSERA_FN int children(int i) const { return children_of(i, static_cast<sources*>(nullptr)); }
    TESSERA_FN int weight(int i) const { return (stays(i) ? 1 : 0) + children(i); }

    // ---- one agent, behind so many entries of those before it

    TESSERA_FN void settle(int i, std::int32_t before, list_counts& counts) const {
        entries()[i] = before;
        const auto here = place(i);
        const int born = children(i);
        counts.born += born;
        if (stays(i)) {
            std::int64_t to = before;
            if constexpr (bears)
                for (int other = i - 1; other >= 0 && place(other) == here; --other) to -= children(other);
            (void)list.copy_agent(i, to);
            list.template column<std::int32_t, place_column<agents>>()[to] = here;
        }
        if (born > 0) settle_children(i, here, before, static_cast<sources*>(nullptr));
    }
    template<class... Sources>
    TESSERA_FN void settle_children(int i, std::int32_t here, std::int32_t before, function_list<Sources...>*) const {
        int first = i, end = i;
        std::int32_t behind = before; // the entries before the place's children
        while (first > 0 && place(first - 1) == here) behind -= children(--first);
        for (const int all = population(); end < all && place(end) == here; ++end) behind += stays(end) ? 1 : 0;
        (settle_children_of<Sources>(i, here, behind, first, end), ...);
    }
    template<class Source> TESSERA_FN void settle_children_of(int i, std::int32_t here, std::int32_t behind, int first, int end) const {
        if constexpr (Source::at_parents)
            for (int call = 0; call < Source::calls; ++call) {
                if (!asks<Source>(i, call)) continue;
                const typename list_type::birth_request request{{0, 0, 0, true}, i, call};
                const auto mine = list.template turn<Source>(request);
                int rank = 0;
                for (int parent = first; parent < end; ++parent) rank += turns_before(parent, mine, static_cast<sources*>(nullptr));
                list.template put_child<Source>(request, here, behind + rank, rank, mine.id);
            }
    }
    template<class Source> TESSERA_FN int turns_of_source_before(int parent, const birth_turn& mine) const {
        int before = 0;
        if constexpr (Source::at_parents)
            for (int call = 0; call < Source::calls; ++call)
                if (asks<Source>(parent, call))
                    before += list.template turn<Source>({{0, 0, 0, true}, parent, call}).is_before(mine) ? 1 : 0;
        return before;
    }
    template<class... Sources> TESSERA_FN int turns_before(int parent, const birth_turn& mine, function_list<Sources...>*) const {
        return (0 + ... + turns_of_source_before<Sources>(parent, mine));
    }

    // ---- when all are settled

    TESSERA_FN void move_start(int p) const {
        auto& start = list.start()[p];
        start = start < list.before() ? entries()[start] : list.after();
    }
    // How many words of flags may say that there are birth requests: where a parent has one at most, those of all who were there.
    template<class Source> TESSERA_FN std::int64_t words_of_source() const {
        if constexpr (!Source::at_parents)
            return 0;
        else
            return Source::calls == 1 ? words_of_flags(list.before()) : list_type::template words_of_source<Source>();
    }
    template<class Each> TESSERA_FN void for_each_source(Each&& each) const { each_of(each, static_cast<sources*>(nullptr)); }
    template<class Each, class... Sources> TESSERA_FN static void each_of(Each&& each, function_list<Sources...>*) {
        (each(static_cast<Sources*>(nullptr)), ...);
    }
    template<class Source> TESSERA_FN void forget(int word) const {
        list.template for_each_birth_request<Source>(word, [](std::int32_t, std::uint8_t& flag) { flag = 0; });
    }
};

// The parts, in their order.
TESSERA_LIST_PART(sum_staying) {
    TESSERA_LIST_ARGUMENTS
    const staying_work<Call> work{{args}};
    if (work.list.is_over()) return;
    const auto population = work.population();
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool) {
        const std::int64_t begin = block * work.agents_a_block;
        if (begin >= population) return;
        sum_block<staying_work<Call>::agents_a_block>(
            [&](int k) { return begin + k < population ? work.weight(static_cast<int>(begin) + k) : 0; }, work.block_sums() + block);
    });
}

// More agents than there is room for: nothing is changed.
TESSERA_LIST_PART(settle_staying) {
    TESSERA_LIST_ARGUMENTS
    const staying_work<Call> work{{args}};
    if (work.list.is_over()) return;
    const auto population = work.population();
    list_counts counts;
    std::int32_t before = 0, all = 0;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool is_first) {
        const std::int64_t begin = block * work.agents_a_block;
        if (block > 0 && begin >= population) return;
        if (is_first) before = sum_before_block(work.block_sums(), work.blocks(), block, all);
        const bool tells = block == 0 && is_first_of_block();
        if (all > Call::agents::capacity) {
            if (tells) report<Call>(args, outgrows_room, static_cast<std::uint64_t>(all));
            return;
        }
        if (tells) work.list.note_populations(population, all);
        running_sums<staying_work<Call>::agents_a_block>(
            before, [&](int k) { return begin + k < population ? work.weight(static_cast<int>(begin) + k) : 0; },
            [&](int k, std::int32_t behind) {
                if (begin + k < population) work.settle(static_cast<int>(begin) + k, behind, counts);
            });
    });
    add_up_counted(counted{&args.counters->born, counts.born}, counted{&args.counters->died, counts.born});
}

TESSERA_LIST_PART(move_starts) {
    TESSERA_LIST_ARGUMENTS
    using work_type = staying_work<Call>;
    const work_type work{{args}};
    if (work.list.is_over()) return;
    TESSERA_EACH_NUMBER(work_type::list_type::places + 1, [&](int p) { work.move_start(p); });
    work.for_each_source([&](auto* of) {
        using source = without_const<without_reference<decltype(*of)>>;
        TESSERA_EACH_NUMBER(work.template words_of_source<source>(), [&](int word) { work.template forget<source>(word); });
    });
}

} // namespace tessera
