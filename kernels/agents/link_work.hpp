// What the parts of a manageAll of links that are born and die share (changing_links.hpp). The host generates
// (host/generate/link_source.cpp) for a collection a type, from which a Call derives that also has the number of a round:
//     static constexpr int columns;                            arguments
//     static constexpr std::int64_t room, from_places, to_places;
//     static constexpr std::int64_t most_born, most_sorted;    children that may be wanted, and rows of them in the list
//     static constexpr bool is_directed, parallel, loops;      whether two of the same ends, and of one place, are allowed
//     static constexpr int from, to, dying, count;             arguments: of each row; and how many rows there are
//     static constexpr int totals, sums, bits, staying, births, keys, refs, judged, born_keys, born_refs, born_rows;
//     static constexpr int list_bits, list_staying, list_births;   likewise of the list
//     static constexpr int in_start, in_other;                 of the list of those that lead to a place, which stand as rows do; -1: none
//     using list;                                              another list (link_rows), or void
//     using members, sources;                                  function_list of link_member; of what wants links:
// a source has
//     static constexpr int asked, from, to, calls, phase;
//     static constexpr int author;                             of agents: the ids of those that asked; else -1
//     static constexpr std::int64_t authors, first;            places, or slots; wishes of the sources before it
//     using members;
#pragma once

#include <tessera/kernels/agents/faults.hpp>
#include <tessera/kernels/agents/sorted_links.hpp>
#include <tessera/kernels/launch/function_list.hpp>

namespace tessera {

// A column of values, element e of row i at i + e * Stride.
template<int Argument, class Scalar, int Elements, std::int64_t Stride> struct link_member {
    using scalar = Scalar;
    static constexpr int argument = Argument, elements = Elements;
    static constexpr std::int64_t stride = Stride;
};

// A list in which rows are found by their numbers. OfBoth: a link stands at each of its ends.
template<int Start, int Other, int Number, std::int64_t Places, bool OfBoth> struct link_rows {
    static constexpr int start = Start, other = Other, number = Number;
    static constexpr std::int64_t places = Places;
    static constexpr bool of_both = OfBoth;
};
template<class Call> inline constexpr bool has_list = !same_type<typename Call::list, void>;

TESSERA_FN constexpr std::uint64_t key_of_ends(std::int32_t far, std::int32_t place) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(place)) << 32 | static_cast<std::uint32_t>(far);
}
TESSERA_FN constexpr std::int32_t far_end(std::uint64_t key) { return static_cast<std::int32_t>(key & 0xffffffffu); }
TESSERA_FN constexpr std::int32_t near_end(std::uint64_t key) { return static_cast<std::int32_t>(key >> 32); }
inline constexpr std::uint64_t no_ends = ~std::uint64_t{0}; // behind all others

TESSERA_FN int bits_set(std::uint32_t bits) {
#if TESSERA_GPU
    return __popc(bits);
#else
    return __builtin_popcount(bits);
#endif
}

// Rows in an order, of which some stay, and children that come between them: of each child, by how many rows it is preceded.
struct staying_rows {
    std::uint32_t* bits;    // which stay
    std::int32_t* staying;  // how many do ahead of each word's first row
    std::int32_t* births;   // children ahead of each word's first row, or of the row behind the last word
    std::int32_t* preceded; // of each child, rising

    TESSERA_FN bool stays(std::int32_t row) const { return (bits[word_of(row)] >> bit_of(row) & 1) != 0; }
    TESSERA_FN std::int32_t staying_ahead(std::int32_t row) const {
        return staying[word_of(row)] + bits_set(bits[word_of(row)] & ((1u << bit_of(row)) - 1));
    }
    TESSERA_FN std::int32_t place(std::int32_t row) const {
        const auto* const births_here = births + word_of(row);
        return staying_ahead(row) + first_behind(births_here[0], births_here[1], [&](std::int32_t c) { return preceded[c] > row; });
    }
    TESSERA_FN std::int32_t place_of_child(std::int32_t child) const { return staying_ahead(preceded[child]) + child; }
    TESSERA_FN void find_births(std::int32_t word, std::int32_t children) const {
        const std::int64_t first = std::int64_t{word} * links_a_word;
        births[word] = first_behind(0, children, [&](std::int32_t c) { return preceded[c] > first; });
    }

private:
    static TESSERA_FN std::uint32_t word_of(std::int32_t row) { return static_cast<std::uint32_t>(row) / links_a_word; }
    static TESSERA_FN std::uint32_t bit_of(std::int32_t row) { return static_cast<std::uint32_t>(row) % links_a_word; }
};

template<class Call> struct link_work {
    const arguments_of_call<Call>& args;

    template<class T> TESSERA_FN T* column(int argument) const { return static_cast<T*>(args.out[argument]); }
    template<class T> TESSERA_FN const T* old(int argument) const { return static_cast<const T*>(args.in[argument]); }
    TESSERA_FN std::int64_t& total(link_total which) const { return column<std::int64_t>(Call::totals)[which]; }
    TESSERA_FN std::int32_t* sums() const { return column<std::int32_t>(Call::sums); }
    TESSERA_FN std::uint64_t* keys(int buffer) const { return column<std::uint64_t>(Call::keys) + buffer * Call::most_sorted; }
    TESSERA_FN std::int32_t* refs(int buffer) const { return column<std::int32_t>(Call::refs) + buffer * Call::most_sorted; }
    TESSERA_FN std::int32_t* judged() const { return column<std::int32_t>(Call::judged); }
    TESSERA_FN std::uint64_t* born_keys() const { return column<std::uint64_t>(Call::born_keys); }
    TESSERA_FN staying_rows rows() const {
        return {column<std::uint32_t>(Call::bits), column<std::int32_t>(Call::staying), column<std::int32_t>(Call::births),
                column<std::int32_t>(Call::born_rows)};
    }
    TESSERA_FN staying_rows rows_of_list() const {
        return {column<std::uint32_t>(Call::list_bits), column<std::int32_t>(Call::list_staying), column<std::int32_t>(Call::list_births),
                judged()};
    }

    // Whether nothing is to be done any more, this phase having found no room included.
    TESSERA_FN bool is_over() const { return is_given_up<Call>(args) || peek(&args.faults->ids[outgrows_room]) != ~std::uint64_t{0}; }
    // How many there are, until the last part says how many there are then.
    TESSERA_FN std::int64_t count() const { return old<std::int64_t>(Call::count)[0]; }
    TESSERA_FN std::int64_t count_after() const { return total(rows_staying) + total(children_born); }
    TESSERA_FN std::int32_t from(std::int64_t row) const { return old<std::int32_t>(Call::from)[row]; }
    TESSERA_FN std::int32_t to(std::int64_t row) const { return old<std::int32_t>(Call::to)[row]; }

    // ---- what is wanted: wish n of all is the call of an author of a source

    // `visit(source, n)` for the source that has block, or wish, n of all, and its number there.
    template<class Visit> TESSERA_FN static void with_source_of_block(std::int64_t, Visit&&, function_list<>*) {}
    template<class Visit, class Source, class... Others>
    TESSERA_FN static void with_source_of_block(std::int64_t block, Visit&& visit, function_list<Source, Others...>*) {
        constexpr std::int64_t blocks = blocks_of_links(Source::authors);
        if (block < blocks)
            visit(static_cast<Source*>(nullptr), block);
        else
            with_source_of_block(block - blocks, visit, static_cast<function_list<Others...>*>(nullptr));
    }
    template<class Visit> TESSERA_FN static void with_source_of_wish(std::int64_t, Visit&&, function_list<>*) {}
    template<class Visit, class Source, class... Others>
    TESSERA_FN static void with_source_of_wish(std::int64_t wish, Visit&& visit, function_list<Source, Others...>*) {
        if (wish < Source::first + Source::authors * Source::calls)
            visit(static_cast<Source*>(nullptr), wish - Source::first);
        else
            with_source_of_wish(wish, visit, static_cast<function_list<Others...>*>(nullptr));
    }
    template<class Source> TESSERA_FN std::int32_t wanted(std::int64_t author) const {
        if (author >= Source::authors) return 0;
        const auto asked = old<std::int32_t>(Source::asked)[author];
        return asked < Source::calls ? asked : Source::calls;
    }
    // The first who asked in vain is told, as they stand.
    template<class Source> TESSERA_FN std::int32_t checked_wishes(std::int64_t author) const {
        const auto number = wanted<Source>(author);
        if (number == 0) return 0;
        const auto *const from = old<std::int64_t>(Source::from), *const to = old<std::int64_t>(Source::to);
        bool goes_nowhere = false;
        for (auto at = author * Source::calls; at < author * Source::calls + number; ++at)
            goes_nowhere |= from[at] < 0 || from[at] >= Call::from_places || to[at] < 0 || to[at] >= Call::to_places;
        const bool are_too_many = old<std::int32_t>(Source::asked)[author] > Source::calls;
        if (goes_nowhere || are_too_many) note_vain_wish<Source>(author, are_too_many);
        return number;
    }
    template<class Source> TESSERA_FN void note_vain_wish(std::int64_t author, bool are_too_many) const {
        const std::uint64_t wish = static_cast<std::uint64_t>(Source::first + author * Source::calls) << 1 | (are_too_many ? 0 : 1);
        raise(reinterpret_cast<std::uint64_t*>(&total(worst_wish)), ~wish);
    }
    TESSERA_FN static void raise(std::uint64_t* number, std::uint64_t to) {
#if TESSERA_GPU
        atomicMax(reinterpret_cast<unsigned long long*>(number), static_cast<unsigned long long>(to));
#else
        for (std::uint64_t before = peek(number); to > before;)
            if (__atomic_compare_exchange_n(number, &before, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
#endif
    }
    TESSERA_FN void tell_vain_wish() const {
        const auto worst = static_cast<std::uint64_t>(total(worst_wish));
        if (worst == 0) return;
        with_source_of_wish(
            static_cast<std::int64_t>(~worst >> 1),
            [&](auto* of, std::int64_t wish) {
                using source = without_const<without_reference<decltype(*of)>>;
                auto author = static_cast<std::uint64_t>(wish / source::calls);
                if constexpr (source::author >= 0) author = old<std::uint64_t>(source::author)[author];
                report_of_phase<Call>(args, (~worst & 1) != 0 ? links_to_nowhere : spawns_too_many_links, author, source::phase);
            },
            static_cast<typename Call::sources*>(nullptr));
    }
    // Writes them down behind those that come before them.
    template<class Source> TESSERA_FN void collect_wishes(std::int64_t author, std::int32_t before) const {
        const auto number = wanted<Source>(author);
        const auto *const from = old<std::int64_t>(Source::from), *const to = old<std::int64_t>(Source::to);
        for (std::int32_t call = 0; call < number; ++call) {
            const auto at = author * Source::calls + call;
            const auto source = static_cast<std::int32_t>(from[at]), target = static_cast<std::int32_t>(to[at]);
            const bool is_turned = !Call::is_directed && source > target;
            keys(0)[before + call] = is_turned ? key_of_ends(target, source) : key_of_ends(source, target);
            refs(0)[before + call] = static_cast<std::int32_t>(Source::first + at);
        }
    }

    // Whether it is served before the other: by sources, authors, calls.
    TESSERA_FN bool is_served_before(std::int32_t wish, std::int32_t other) const {
        bool is_before = wish < other;
        with_source_of_wish(
            wish,
            [&](auto* of, std::int64_t its) {
                using source = without_const<without_reference<decltype(*of)>>;
                if constexpr (source::author >= 0) {
                    const std::int64_t others = other - source::first;
                    if (others < 0 || others >= source::authors * source::calls) return;
                    const auto* const ids = old<std::uint64_t>(source::author);
                    const std::uint64_t id = ids[its / source::calls], id_of_other = ids[others / source::calls];
                    if (id != id_of_other) is_before = id < id_of_other;
                }
            },
            static_cast<typename Call::sources*>(nullptr));
        return is_before;
    }

    // ---- which are born

    TESSERA_FN int sorted_in(std::int64_t children) const { return merges_of_links(children) % 2; }
    // By how many rows a link of these ends is preceded: by those of the same ends as well, which are older.
    TESSERA_FN std::int32_t rows_ahead(std::uint64_t ends) const {
        if constexpr (Call::in_start >= 0) {
            const auto* const start = old<std::int32_t>(Call::in_start) + near_end(ends);
            return first_behind(start[0], start[1], [&](std::int32_t row) { return from(row) > far_end(ends); });
        } else
            return first_behind(0, static_cast<std::int32_t>(total(rows_before)),
                                [&](std::int32_t row) { return key_of_ends(from(row), to(row)) > ends; });
    }
    TESSERA_FN bool judge(std::int64_t child) const {
        const auto* const sorted = keys(sorted_in(total(children_wanted)));
        const auto ends = sorted[child];
        const auto ahead = rows_ahead(ends);
        bool is_refused = !Call::loops && far_end(ends) == near_end(ends);
        if constexpr (!Call::parallel) {
            is_refused |= child > 0 && sorted[child - 1] == ends;
            is_refused |= ahead > 0 && key_of_ends(from(ahead - 1), to(ahead - 1)) == ends && rows().stays(ahead - 1);
        }
        judged()[child] = is_refused ? -1 : ahead;
        return !is_refused;
    }
    TESSERA_FN void enter(std::int64_t child, std::int32_t born_before) const {
        if (judged()[child] < 0) return;
        const auto buffer = sorted_in(total(children_wanted));
        born_keys()[born_before] = keys(buffer)[child];
        column<std::int32_t>(Call::born_refs)[born_before] = refs(buffer)[child];
        column<std::int32_t>(Call::born_rows)[born_before] = judged()[child];
    }

    // ---- the new rows

    template<class... Members, class... Wished>
    TESSERA_FN void spawn(std::int64_t wish, std::int64_t to, function_list<Members...>*, function_list<Wished...>*) const {
        (spawn_member<Members, Wished>(wish, to), ...);
    }
    template<class Member, class Wished> TESSERA_FN void spawn_member(std::int64_t wish, std::int64_t to) const {
        const auto* const from = old<typename Member::scalar>(Wished::argument) + wish;
        auto* const into = column<typename Member::scalar>(Member::argument) + to;
        for (int e = 0; e < Member::elements; ++e) into[e * Member::stride] = from[e * Wished::stride];
    }
    TESSERA_FN void put_ends(std::int64_t at, std::int32_t from, std::int32_t to) const {
        column<std::int32_t>(Call::from)[at] = from;
        column<std::int32_t>(Call::to)[at] = to;
        if constexpr (Call::in_other >= 0)
            if (from >= 0) column<std::int32_t>(Call::in_other)[at] = from;
    }
    // What it has is loaded before it is known where it goes.
    template<class... Members> TESSERA_FN void settle_row(std::int32_t row, function_list<Members...>*) const {
        settle_row_of<Members...>(row, from(row), to(row), old<typename Members::scalar>(Members::argument)[row]...);
    }
    template<class... Members>
    TESSERA_FN void settle_row_of(std::int32_t row, std::int32_t from, std::int32_t to, typename Members::scalar... values) const {
        if (!rows().stays(row)) {
            column<std::uint8_t>(Call::dying)[row] = 0;
            return;
        }
        const auto at = rows().place(row);
        put_ends(at, from, to);
        (put_member<Members>(row, at, values), ...);
    }
    template<class Member> TESSERA_FN void put_member(std::int64_t row, std::int64_t at, typename Member::scalar first) const {
        auto* const into = column<typename Member::scalar>(Member::argument) + at;
        *into = first;
        const auto* const values = old<typename Member::scalar>(Member::argument) + row;
        for (int e = 1; e < Member::elements; ++e) into[e * Member::stride] = values[e * Member::stride];
    }
    TESSERA_FN void settle_child(std::int32_t child) const {
        const auto at = rows().place_of_child(child);
        const auto ends = born_keys()[child];
        put_ends(at, far_end(ends), near_end(ends));
        with_source_of_wish(
            column<std::int32_t>(Call::born_refs)[child],
            [&](auto* of, std::int64_t wish) {
                using source = without_const<without_reference<decltype(*of)>>;
                spawn(wish, at, static_cast<typename Call::members*>(nullptr), static_cast<typename source::members*>(nullptr));
            },
            static_cast<typename Call::sources*>(nullptr));
    }
};

// The order among wishes of the same ends. Those of places alone are written down in it.
template<class Call> struct in_order_of_service {
    const link_work<Call>& work;
    TESSERA_FN bool operator()(const std::int32_t* refs, std::uint32_t one, std::uint32_t other) const {
        return work.is_served_before(refs[one], refs[other]);
    }
};
template<class... Sources> constexpr bool have_agents(function_list<Sources...>*) { return (false || ... || (Sources::author >= 0)); }
template<class Call> TESSERA_FN auto order_of_service(const link_work<Call>& work) {
    if constexpr (have_agents(static_cast<typename Call::sources*>(nullptr)))
        return in_order_of_service<Call>{work};
    else
        return as_they_are{};
}

} // namespace tessera
