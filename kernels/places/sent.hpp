// What functions send along links: notes of it beside the members that are sent to, and what these become.
//
// A member that is sent to has a column of words (tessera/detail/sent_sums.hpp) in planes, one for each number of steps that it can be late
// by: what is due in step s is in plane s modulo their number. The host generates (host/generate/numbered.cpp) which columns these are.
#pragma once

#include <tessera/detail/fold.hpp>
#include <tessera/detail/sent_sums.hpp>
#include <tessera/kernels/places/direct.hpp>

namespace tessera {

// Of a member: which argument and which column of its grid the words are, and their planes. No argument: it is not sent to.
struct due_column {
    int argument = -1, column = 0, planes = 1;
};

#if TESSERA_GPU
TESSERA_FN unsigned long long* as_word(std::uint64_t* at) { return reinterpret_cast<unsigned long long*>(at); }
TESSERA_FN void add_atomically(std::uint64_t* at, std::uint64_t by) { atomicAdd(as_word(at), static_cast<unsigned long long>(by)); }
TESSERA_FN void set_atomically(std::uint64_t* at, std::uint64_t bits) { atomicOr(as_word(at), static_cast<unsigned long long>(bits)); }
TESSERA_FN void raise_atomically(std::uint64_t* at, std::uint64_t to) {
    if (*static_cast<volatile std::uint64_t*>(at) < to) atomicMax(as_word(at), static_cast<unsigned long long>(to));
}
// Whether the word is now this number: it was, or it was 0.
TESSERA_FN bool claim_atomically(std::uint64_t* at, std::uint64_t number) {
    const auto before = atomicCAS(as_word(at), 0ULL, static_cast<unsigned long long>(number));
    return before == 0 || before == number;
}
#else
inline void add_atomically(std::uint64_t* at, std::uint64_t by) { __atomic_fetch_add(at, by, __ATOMIC_RELAXED); }
inline void set_atomically(std::uint64_t* at, std::uint64_t bits) { __atomic_fetch_or(at, bits, __ATOMIC_RELAXED); }
inline void raise_atomically(std::uint64_t* at, std::uint64_t to) {
    auto now = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (now < to && !__atomic_compare_exchange_n(at, &now, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
inline bool claim_atomically(std::uint64_t* at, std::uint64_t number) {
    std::uint64_t before = 0;
    return __atomic_compare_exchange_n(at, &before, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || before == number;
}
#endif

// `words`: those of a place and plane, `apart` from one to the next.
template<int Folds, class T> TESSERA_FN void note_sent(std::uint64_t* words, std::int64_t apart, T value) {
    if constexpr ((Folds & access_adds) != 0)
        add_to_sum(
            value, [&](int word, std::uint64_t by) { add_atomically(words + word * apart, by); },
            [&](int word, std::uint64_t bits) { set_atomically(words + word * apart, bits); });
    else if (!is_no_number(value)) {
        const std::uint64_t rank = rank_of_value(value);
        raise_atomically(words, (Folds & access_most) != 0 ? rank : ~rank);
    }
}

// That something was sent later than there is room for, or earlier than now. What other launches say later does not matter.
TESSERA_FN void note_late(const launch_arguments& args, std::uint64_t kernel, std::int64_t place, std::int64_t steps) {
    auto* const words = const_cast<std::uint64_t*>(args.first_step) + send_fault_word;
    const auto step = *args.first_step + args.step_after_first;
    if (!claim_atomically(words, launch_number(step, kernel))) return;
    const auto late =
        static_cast<std::uint32_t>(steps < 0 ? (steps < -0x7fffffff ? -0x7fffffff : steps) : (steps > 0x7fffffff ? 0x7fffffff : steps));
    raise_atomically(words + 1, ~(static_cast<std::uint64_t>(place) << 32 | late));
}

// Member I of a place becomes what is due. Of the least and the most: what it is, with what is due. With the last of a step's phases that
// send to it nothing of that is left.
template<class Grid, int I, int Folds, int Due, int Planes, bool IsLast, class T>
TESSERA_FN void arrive(T* member, std::uint64_t* due, std::uint64_t step, std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr column_layout words_at = Grid::columns[Due], at = Grid::columns[I];
    constexpr bool is_sum = (Folds & access_adds) != 0;
    constexpr int words = is_sum ? words_of_sum<T> : 1;
    auto* const first = due + x + y * words_at.row + z * words_at.plane +
                        static_cast<std::int64_t>(step % static_cast<std::uint64_t>(Planes)) * words * words_at.element;
    std::uint64_t held[words], any = 0;
    for (int i = 0; i < words; ++i) {
        held[i] = first[i * words_at.element];
        any |= held[i];
    }
    if (any == 0 && !is_sum) return;
    if (IsLast || !is_sum)
        for (int i = 0; i < words; ++i)
            if (held[i] != 0) first[i * words_at.element] = 0;
    T* const here = member + x + y * at.row + z * at.plane;
    T value{};
    if constexpr (is_sum) {
        if (any != 0) value = rounded_sent<T>(held);
    } else
        value = folded<Folds>(*here, value_of_rank<T>((Folds & access_most) != 0 ? held[0] : ~held[0]));
    *here = value;
    if (has_copies<Grid, I>(x, 1, y, z)) write_copies<Grid, I>(member, value, x, y, z);
}

// Of each place of the launch's rows: Call::arrive(args, step, x, y, z). Tiles as those of the view `direct`.
template<class Call, class Grid, int Width>
TESSERA_FN void call_arrivals_tile(const arguments_of<Call>& args, counter_of<Grid> tile, int lane) {
    using counter = counter_of<Grid>;
    constexpr auto ny = static_cast<counter>(Grid::size[1]), across = static_cast<counter>((Grid::size[0] + Width - 1) / Width);
    const counter line = tile / across;
    const std::int64_t x = static_cast<std::int64_t>(tile % across) * Width + lane, y = line % ny, z = line / ny;
    if (x >= Grid::size[0] || z >= Grid::size[2]) return;
    if constexpr (is_numbered<Grid>)
        if (y * Grid::size[0] + x >= Grid::count) return;
    Call::arrive(args, *args.first_step + args.step_after_first, x, y, z);
}
#if TESSERA_GPU
template<class Call, class Grid, int Width> TESSERA_FN void call_arrivals(const arguments_of<Call>& args) {
    const counter_of<Grid> tiles = blockDim.x / Width;
    call_arrivals_tile<Call, Grid, Width>(args, blockIdx.x * tiles + threadIdx.x / Width, threadIdx.x % Width);
}
#else
template<class Call, class Grid, int Width> inline void call_arrivals(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        for (int lane = 0; lane < Width; ++lane)
            call_arrivals_tile<Call, Grid, Width>(*static_cast<const arguments_of<Call>*>(args), static_cast<counter_of<Grid>>(tile), lane);
}
#endif

} // namespace tessera
