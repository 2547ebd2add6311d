// manageAll of links that are born and die, by one device for all (link_work.hpp; on a CPU alone it is compiled with the program,
// host/manage/changing_links.hpp).
//
// Rows stand in an order, and those that stay keep it: a running sum says how many stay ahead of each. What is wanted is written down by
// another running sum, and sorted by its ends, those of the same ends in the order in which they are served. (Of places it is written down
// in that order; agents stand in others, and leave their ids.) By
// halving each finds by how many rows it is preceded, and whether it is refused; a third running sum numbers those that are not. So the new
// place of a row, or child, is known from how many rows that stay, and how many children, precede it, whatever is at one place. A list in
// which links stand in another order is made in the same way behind the rows.
#pragma once

#include <tessera/kernels/agents/link_work.hpp>
#include <tessera/kernels/agents/list_parts.hpp>

namespace tessera {

template<class Call> inline constexpr std::int64_t blocks_of_rows = blocks_of_links(words_of_links(Call::room));
template<class... Sources> constexpr std::int64_t blocks_of_authors(function_list<Sources...>*) {
    return (std::int64_t{0} + ... + blocks_of_links(Sources::authors));
}
template<class Call> inline constexpr std::int64_t blocks_of_wishes = blocks_of_authors(static_cast<typename Call::sources*>(nullptr));

// Which of a word's rows stay. Columns of flags have whole words, and flags are 0 or 1.
template<class Call> TESSERA_FN std::uint32_t staying_in_word(const link_work<Call>& work, std::int64_t word, std::int64_t rows) {
    const std::int64_t first = word * std::int64_t{links_a_word};
    if (first >= rows) return 0;
    const auto* const flags = work.template old<std::uint8_t>(Call::dying) + first;
    std::uint32_t dying = 0;
    for (int k = 0; k < static_cast<int>(links_a_word) / 8; ++k) {
#if TESSERA_GPU
        const std::uint64_t eight = *reinterpret_cast<const std::uint64_t*>(flags + 8 * k);
#else
        std::uint64_t eight;
        __builtin_memcpy(&eight, flags + 8 * k, 8);
#endif
        dying |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << 8 * k; // the lowest bit of each byte
    }
    const auto there = rows - first;
    return ~dying & (there < std::int64_t{links_a_word} ? (1u << there) - 1 : ~0u);
}

// Blocks of rows, and behind all of them blocks of places that may want links.
TESSERA_LIST_PART(sum_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = work.count(), words = words_of_links(rows);
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool) {
        auto* const sum = work.sums() + block;
        if (block < blocks_of_rows<Call>) {
            const auto begin = block * links_a_block;
            if (begin >= words) return;
            sum_block<links_a_block>(
                [&](int k) {
                    if (begin + k >= words) return 0;
                    const auto bits = staying_in_word(work, begin + k, rows);
                    work.rows().bits[begin + k] = bits;
                    return bits_set(bits);
                },
                sum);
            return;
        }
        work.with_source_of_block(
            block - blocks_of_rows<Call>,
            [&](auto* of, std::int64_t number) {
                using source = without_const<without_reference<decltype(*of)>>;
                sum_block<links_a_block>(
                    [&](int k) {
                        const auto author = number * links_a_block + k;
                        return author < source::authors ? work.template checked_wishes<source>(author) : 0;
                    },
                    sum);
            },
            static_cast<typename Call::sources*>(nullptr));
    });
}

// Of author k of a block of authors.
template<class Call, class Sources>
TESSERA_FN std::int32_t wanted_by(const link_work<Call>& work, std::int64_t block, int k, Sources* all) {
    std::int32_t count = 0;
    work.with_source_of_block(
        block,
        [&](auto* of, std::int64_t number) {
            count = work.template wanted<without_const<without_reference<decltype(*of)>>>(number * links_a_block + k);
        },
        all);
    return count;
}
template<class Call, class Sources>
TESSERA_FN void collect_wishes_of(const link_work<Call>& work, std::int64_t block, int k, std::int32_t ahead, Sources* all) {
    work.with_source_of_block(
        block,
        [&](auto* of, std::int64_t number) {
            work.template collect_wishes<without_const<without_reference<decltype(*of)>>>(number * links_a_block + k, ahead);
        },
        all);
}

TESSERA_LIST_PART(collect_links) {
    TESSERA_LIST_ARGUMENTS
    using sources = typename Call::sources;
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto words = words_of_links(work.count());
    std::int32_t before = 0, all = 0;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool is_first) {
        const bool is_of_rows = block < blocks_of_rows<Call>;
        const auto first = is_of_rows ? 0 : blocks_of_rows<Call>, begin = (block - first) * links_a_block;
        if (is_of_rows && begin >= words) return;
        if (is_first || block == first)
            before =
                sum_before_block(work.sums() + first, is_of_rows ? blocks_of_links(words) : blocks_of_wishes<Call>, block - first, all);
        if (block == first && is_first_of_block()) {
            if (is_of_rows)
                work.total(rows_before) = work.count(), work.total(rows_staying) = all;
            else
                work.total(children_wanted) = all, work.tell_vain_wish();
        }
        running_sums<links_a_block>(
            before,
            [&](int k) {
                if (is_of_rows) return begin + k < words ? bits_set(work.rows().bits[begin + k]) : 0;
                return wanted_by(work, block - first, k, static_cast<sources*>(nullptr));
            },
            [&](int k, std::int32_t ahead) {
                if (!is_of_rows)
                    collect_wishes_of(work, block - first, k, ahead, static_cast<sources*>(nullptr));
                else if (begin + k < words)
                    work.rows().staying[begin + k] = ahead;
            });
    });
}

// ---- children are sorted

#if TESSERA_GPU
template<class Call, class Ties> TESSERA_FN void sort_children(const link_work<Call>& work, std::int64_t children, const Ties& ties) {
    for_each_block([&](std::int64_t block, bool) {
#else
template<class Call, class Ties>
inline void sort_children(const link_work<Call>& work, std::int64_t children, const Ties& ties, std::int64_t first, std::int64_t last) {
    for_each_block(first, last, [&](std::int64_t block, bool) {
#endif
        const auto begin = block * links_a_run, left = children - begin;
        if (left > 0) sort_run(work.keys(0) + begin, work.refs(0) + begin, static_cast<int>(left < links_a_run ? left : links_a_run), ties);
    });
}
// Runs of so many bits are merged in a round.
constexpr int bits_of_round(int round) {
    int bits = 0;
    while ((std::int64_t{1} << bits) < links_a_run) ++bits;
    for (int r = 0; r < round; ++r)
        for (int ways = links_merged; ways > 1; ways /= 2) ++bits;
    return bits;
}
template<class Call, class Ties> TESSERA_FN void merge_child(const link_work<Call>& work, std::int64_t children, int i, const Ties& ties) {
    constexpr int from = Call::round % 2, to = 1 - from, bits = bits_of_round(Call::round);
    const auto at = merged_place<links_merged>(work.keys(from), work.refs(from), static_cast<std::uint32_t>(children),
                                               static_cast<std::uint32_t>(i), bits, ties);
    work.keys(to)[at] = work.keys(from)[i];
    work.refs(to)[at] = work.refs(from)[i];
}
#if TESSERA_GPU
#define TESSERA_SORT_CHILDREN(children, ties) sort_children(work, children, ties)
#else
#define TESSERA_SORT_CHILDREN(children, ties) sort_children(work, children, ties, first, last)
#endif
TESSERA_LIST_PART(sort_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (!work.is_over()) TESSERA_SORT_CHILDREN(work.total(children_wanted), order_of_service<Call>(work));
}
TESSERA_LIST_PART(merge_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    constexpr auto width = std::int64_t{1} << bits_of_round(Call::round);
    const auto children = work.total(children_wanted);
    if (work.is_over() || children <= width) return;
    TESSERA_EACH_NUMBER(children, [&](int i) { merge_child(work, children, i, order_of_service<Call>(work)); });
}

// ---- who is born

TESSERA_LIST_PART(judge_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto children = work.total(children_wanted);
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool) {
        const auto begin = block * links_a_block;
        if (begin >= children) return;
        sum_block<links_a_block>([&](int k) { return begin + k < children && work.judge(begin + k) ? 1 : 0; }, work.sums() + block);
    });
}

// More of them than there is room for: nothing is changed.
TESSERA_LIST_PART(enter_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto children = work.total(children_wanted);
    std::int32_t before = 0, all = 0;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool is_first) {
        const auto begin = block * links_a_block;
        if (block > 0 && begin >= children) return;
        if (is_first) before = sum_before_block(work.sums(), blocks_of_links(children), block, all);
        if (block == 0 && is_first_of_block()) {
            work.total(children_born) = all;
            if (work.count_after() > Call::room) report<Call>(args, outgrows_room, static_cast<std::uint64_t>(work.count_after()));
        }
        running_sums<links_a_block>(
            before, [&](int k) { return begin + k < children && work.judged()[begin + k] >= 0 ? 1 : 0; },
            [&](int k, std::int32_t born) {
                if (begin + k < children) work.enter(begin + k, born);
            });
    });
}

// ---- the new rows

// Over the words of rows, and the places to which links lead: where theirs begin.
TESSERA_LIST_PART(place_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = work.rows();
    const auto children = static_cast<std::int32_t>(work.total(children_born));
    TESSERA_EACH_NUMBER(words_of_links(work.count()) + 1, [&](int word) { rows.find_births(word, children); });
    if constexpr (Call::in_start >= 0)
        TESSERA_EACH_NUMBER(Call::to_places + 1, [&](int place) {
            auto& start = work.template column<std::int32_t>(Call::in_start)[place];
            const auto ahead = first_behind(0, children, [&](std::int32_t c) { return near_end(work.born_keys()[c]) >= place; });
            start = rows.staying_ahead(start) + ahead;
        });
}

template<class... Sources> constexpr std::int64_t most_authors(function_list<Sources...>*) {
    std::int64_t most = 0;
    ((most = Sources::authors > most ? Sources::authors : most), ...);
    return most;
}
template<class Call, class... Sources>
TESSERA_FN void forget_wishes(const link_work<Call>& work, std::int64_t author, function_list<Sources...>*) {
    const auto forget = [&](auto* of) {
        using source = without_const<without_reference<decltype(*of)>>;
        if (author >= source::authors) return;
        auto& asked = work.template column<std::int32_t>(source::asked)[author];
        if (asked != 0) asked = 0;
    };
    (forget(static_cast<Sources*>(nullptr)), ...);
}

// Over the rows that there were, the children, the rows that something else stood in, and the places that may want links.
TESSERA_LIST_PART(settle_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    using sources = typename Call::sources;
    TESSERA_EACH_NUMBER(work.total(rows_before), [&](int row) { work.settle_row(row, static_cast<typename Call::members*>(nullptr)); });
    TESSERA_EACH_NUMBER(work.total(children_born), [&](int child) { work.settle_child(child); });
    const auto after = work.count_after(), known = work.total(filled);
    TESSERA_EACH_NUMBER((known == 0 ? Call::room : known - 1) - after, [&](int row) { work.put_ends(after + row, -1, -1); });
    TESSERA_EACH_NUMBER(most_authors(static_cast<sources*>(nullptr)),
                        [&](int author) { forget_wishes(work, author, static_cast<sources*>(nullptr)); });
}

// ---- another list

// How many rows of children it has; where a link stands at both ends, the second of one that has but one is behind all others.
template<class Call> TESSERA_FN std::int32_t list_children(const link_work<Call>& work) {
    return static_cast<std::int32_t>(work.total(children_born)) * (Call::list::of_both ? 2 : 1);
}
template<class Call> TESSERA_FN std::int64_t rows_of_list_now(const link_work<Call>& work) {
    return work.template old<std::int32_t>(Call::list::start)[Call::list::places];
}
template<class Call> TESSERA_FN std::uint32_t staying_in_list_word(const link_work<Call>& work, std::int64_t word, std::int64_t rows) {
    const auto* const number = work.template old<std::int32_t>(Call::list::number);
    const auto of_links = work.rows();
    std::uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < static_cast<int>(links_a_word); ++i) {
        const auto row = word * std::int64_t{links_a_word} + i;
        if (row < rows && of_links.stays(number[row])) bits |= 1u << i;
    }
    return bits;
}
// A child as the list has it: by the place at which it stands, and the other end.
template<class Call> TESSERA_FN void enter_in_list(const link_work<Call>& work, std::int64_t child) {
    const auto ends = work.born_keys()[child], turned = key_of_ends(near_end(ends), far_end(ends));
    work.keys(0)[child] = Call::list::of_both ? ends : turned;
    work.refs(0)[child] = static_cast<std::int32_t>(child);
    if constexpr (Call::list::of_both) {
        const auto second = work.total(children_born) + child;
        work.keys(0)[second] = ends == turned ? no_ends : turned;
        work.refs(0)[second] = static_cast<std::int32_t>(child);
    }
}

TESSERA_LIST_PART(sum_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = rows_of_list_now(work), words = words_of_links(rows);
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool) {
        const auto begin = block * links_a_block;
        if (begin >= words) return;
        sum_block<links_a_block>(
            [&](int k) {
                if (begin + k >= words) return 0;
                const auto bits = staying_in_list_word(work, begin + k, rows);
                work.rows_of_list().bits[begin + k] = bits;
                return bits_set(bits);
            },
            work.sums() + block);
    });
    TESSERA_EACH_NUMBER(work.total(children_born), [&](int child) { enter_in_list(work, child); });
}

TESSERA_LIST_PART(collect_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = rows_of_list_now(work), words = words_of_links(rows);
    std::int32_t before = 0, all = 0;
    TESSERA_EACH_BLOCK([&](std::int64_t block, bool is_first) {
        const auto begin = block * links_a_block;
        if (begin >= words) return;
        if (is_first) before = sum_before_block(work.sums(), blocks_of_links(words), block, all);
        if (block == 0 && is_first_of_block()) work.total(list_rows_before) = rows;
        running_sums<links_a_block>(
            before, [&](int k) { return begin + k < words ? bits_set(work.rows_of_list().bits[begin + k]) : 0; },
            [&](int k, std::int32_t staying) {
                if (begin + k < words) work.rows_of_list().staying[begin + k] = staying;
            });
    });
}

TESSERA_LIST_PART(sort_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (!work.is_over()) TESSERA_SORT_CHILDREN(list_children(work), as_they_are{});
}
TESSERA_LIST_PART(merge_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    constexpr auto width = std::int64_t{1} << bits_of_round(Call::round);
    const auto children = list_children(work);
    if (work.is_over() || children <= width) return;
    TESSERA_EACH_NUMBER(children, [&](int i) { merge_child(work, children, i, as_they_are{}); });
}
#undef TESSERA_SORT_CHILDREN

// By how many rows of the list each child is preceded, of those at its place.
TESSERA_LIST_PART(judge_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto children = list_children(work);
    const auto* const keys = work.keys(work.sorted_in(children));
    const auto* const other = work.template old<std::int32_t>(Call::list::other);
    TESSERA_EACH_NUMBER(children, [&](int child) {
        const auto key = keys[child];
        if (key == no_ends) {
            work.judged()[child] = 0x7fffffff;
            return;
        }
        const auto* const start = work.template old<std::int32_t>(Call::list::start) + near_end(key);
        work.judged()[child] =
            static_cast<std::int32_t>(first_behind(start[0], start[1], [&](std::int64_t row) { return other[row] > far_end(key); }));
    });
}

TESSERA_LIST_PART(place_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = work.rows_of_list();
    const auto children = list_children(work);
    const auto* const keys = work.keys(work.sorted_in(children));
    TESSERA_EACH_NUMBER(words_of_links(work.total(list_rows_before)) + 1, [&](int word) { rows.find_births(word, children); });
    TESSERA_EACH_NUMBER(Call::list::places + 1, [&](int place) {
        auto& start = work.template column<std::int32_t>(Call::list::start)[place];
        const auto first = static_cast<std::uint64_t>(place) << 32;
        const auto ahead = first_behind(0, children, [&](std::int32_t c) { return keys[c] >= first; });
        start = rows.staying_ahead(start) + ahead;
    });
}

TESSERA_LIST_PART(settle_list_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    const auto rows = work.rows_of_list(), links = work.rows();
    const auto children = list_children(work);
    const auto buffer = work.sorted_in(children);
    const auto put = [&](std::int32_t at, std::int32_t other, std::int32_t number) {
        work.template column<std::int32_t>(Call::list::other)[at] = other;
        work.template column<std::int32_t>(Call::list::number)[at] = number;
    };
    TESSERA_EACH_NUMBER(work.total(list_rows_before), [&](int row) {
        if (rows.stays(row))
            put(rows.place(row), work.template old<std::int32_t>(Call::list::other)[row],
                links.place(work.template old<std::int32_t>(Call::list::number)[row]));
    });
    TESSERA_EACH_NUMBER(children, [&](int child) {
        if (const auto key = work.keys(buffer)[child]; key != no_ends)
            put(rows.place_of_child(child), far_end(key), links.place_of_child(work.refs(buffer)[child]));
    });
}

// ---- one thread

TESSERA_LIST_PART(finish_links) {
    TESSERA_LIST_ARGUMENTS
    const link_work<Call> work{args};
    if (work.is_over()) return;
    TESSERA_EACH_NUMBER(1, [&](int) {
        const auto born = work.total(children_born), before = work.total(rows_before);
        work.template column<std::int64_t>(Call::count)[0] = work.count_after();
        work.total(filled) = before + 1;
        args.counters->died += static_cast<std::uint64_t>(before - work.total(rows_staying));
        args.counters->born += static_cast<std::uint64_t>(born);
        args.counters->refused_births += static_cast<std::uint64_t>(work.total(children_wanted) - born);
    });
}

} // namespace tessera
