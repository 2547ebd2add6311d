// A phase `reduce`: its kernels add up what a partition has, and join what all partitions have to the values that functions read.
//
// The host generates (host/generate/reduce_source.cpp) for each collection that a reduce goes over a Reduction:
//     using launch; static constexpr int columns, words;    arguments of the launch; the last column is where the words stand
//     using element;                                        place_element, or agent_element
//     static constexpr int presence;                        of places: -1; of links that begin and end, the column of where they come from
//     struct sums { parts; template each(visit): visit(part, its first word) };
//     static void add(element, step, sums&)    evaluates the expressions for one element; element.at<I, E>() is element E of member I
// and for each reduce a Joined: each<visit>(visit) for the types of all parts, and make(...), which evaluates what is around them.
#pragma once

#include <tessera/kernels/launch/grid.hpp>
#include <tessera/kernels/launch/launch.hpp>
#include <tessera/kernels/reduce/reduction.hpp>

namespace tessera {

// ---- adding up

template<class Reduction> TESSERA_FN std::uint64_t* words_of(const typename Reduction::launch& args) {
    return static_cast<std::uint64_t*>(args.out[Reduction::columns - 1]);
}

// Whether a link is there: behind the last one stand others that come from no place.
template<class Reduction> TESSERA_FN bool is_link_there(const typename Reduction::launch& args, std::int64_t number) {
    if constexpr (Reduction::presence < 0)
        return true;
    else
        return static_cast<const std::int32_t*>(args.in[Reduction::arguments[Reduction::presence]])[number] >= 0;
}

#if TESSERA_GPU
// `go(add)` calls `add(element)` for the elements of a thread.
template<class Reduction, class Go> TESSERA_FN void add_up(const typename Reduction::launch& args, Go&& go) {
    __shared__ std::uint64_t words[Reduction::words];
    const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int w = t; w < Reduction::words; w += threads) words[w] = 0;
    __syncthreads();
    typename Reduction::sums sums;
    sums.words = words;
    const std::int64_t step = step_number(*args.first_step + args.step_after_first);
    go([&](const auto& element) { Reduction::add(element, step, sums); });
    __syncwarp();
    sums.each([&](const auto& part, int first) {
        join_warp(words + first + part_faults, part.faults, joining::by_bits);
        part.put([&](int word, std::uint64_t value) { join_warp(words + first + word, value, part.how(word)); });
        if constexpr (requires { part.put_warp(words); }) part.put_warp(words + first);
    });
    __syncthreads();
    std::uint64_t* const to = words_of<Reduction>(args);
    sums.each([&](const auto& part, int first) {
        if (t == 0) part.settle(words + first);
        __syncthreads();
        using type = without_const<without_reference<decltype(part)>>;
        for (int w = t; w < type::words; w += threads) join_atomically(to + first + w, words[first + w], joining_of<type>(w));
    });
}

template<class Reduction> TESSERA_FN void reduce_places(const typename Reduction::launch& args) {
    using grid = typename Reduction::grid;
    using counter = std::uint64_t;
    constexpr counter nx = grid::size[0], ny = grid::size[1];
    const counter first = grid::in_bands ? static_cast<counter>(args.first_row) : 0,
                  rows = grid::in_bands ? static_cast<counter>(args.end_row) - first
                                        : static_cast<counter>(grid::size[grid::dims == 3 ? 2 : 1]);
    const counter all = nx * (grid::dims == 3 ? ny : 1) * rows, threads = static_cast<counter>(gridDim.x) * blockDim.x;
    add_up<Reduction>(args, [&](auto&& add) {
        for (counter number = static_cast<counter>(blockIdx.x) * blockDim.x + threadIdx.x; number < all; number += threads) {
            const counter line = number / nx;
            const auto x = static_cast<std::int64_t>(number % nx);
            const auto y = static_cast<std::int64_t>(grid::dims == 3 ? line % ny : first + line);
            const auto z = static_cast<std::int64_t>(grid::dims == 3 ? first + line / ny : 0);
            if constexpr (is_numbered<grid>)
                if (y * static_cast<std::int64_t>(nx) + x >= grid::count ||
                    !is_link_there<Reduction>(args, y * static_cast<std::int64_t>(nx) + x))
                    break;
            add(typename Reduction::element{&args, x, y, z});
        }
    });
}
#define TESSERA_REDUCE(symbol, Reduction, reduce)                                                                       \
    extern "C" __global__ void __launch_bounds__(256) symbol(const __grid_constant__ typename Reduction::launch args) { \
        tessera::follow_last_launch();                                                                                  \
        if (tessera::is_left_out(args)) return;                                                                         \
        tessera::reduce<Reduction>(args);                                                                               \
    }
#else
template<class Reduction, class Go> inline void add_up(const typename Reduction::launch& args, Go&& go) {
    std::uint64_t words[Reduction::words] = {};
    typename Reduction::sums sums;
    sums.words = words;
    const std::int64_t step = step_number(*args.first_step + args.step_after_first);
    go([&](const auto& element) { Reduction::add(element, step, sums); });
    std::uint64_t* const to = words_of<Reduction>(args);
    sums.each([&](const auto& part, int first) {
        using type = without_const<without_reference<decltype(part)>>;
        words[first + part_faults] = part.faults;
        part.put([&](int word, std::uint64_t value) { words[first + word] = value; });
        part.settle(words + first);
        for (int w = 0; w < type::words; ++w) join_atomically(to + first + w, words[first + w], joining_of<type>(w));
    });
}

// Items are rows of x.
template<class Reduction> inline void reduce_places(const void* argument, std::int64_t first, std::int64_t last) {
    using grid = typename Reduction::grid;
    const auto& args = *static_cast<const typename Reduction::launch*>(argument);
    constexpr std::int64_t nx = grid::size[0], ny = grid::size[1];
    const std::int64_t first_row = grid::in_bands ? args.first_row : 0;
    add_up<Reduction>(args, [&](auto&& add) {
        for (std::int64_t line = first; line < last; ++line) {
            const std::int64_t y = grid::dims == 3 ? line % ny : first_row + line, z = grid::dims == 3 ? first_row + line / ny : 0;
            std::int64_t end = nx;
            if constexpr (is_numbered<grid>)
                if (y * nx + nx > grid::count) end = grid::count - y * nx;
            for (std::int64_t x = 0; x < end && is_link_there<Reduction>(args, y * nx + x); ++x)
                add(typename Reduction::element{&args, x, y, z});
        }
    });
}
#define TESSERA_REDUCE(symbol, Reduction, reduce) TESSERA_ENTRY(symbol, , reduce<Reduction>)
#endif

// A place, as an expression sees it.
template<class Reduction> struct place_element {
    using members = typename Reduction::members;
    const typename Reduction::launch* args;
    std::int64_t x, y, z;

    template<int I, int E> TESSERA_FN auto at() const {
        using scalar = typename member_type<typename pointed_to<decltype(members::template pointer_to<I>())>::type>::scalar;
        constexpr column_layout column = Reduction::grid::columns[I];
        return static_cast<const scalar*>(args->in[Reduction::arguments[I]])[x + y * column.row + z * column.plane + E * column.element];
    }
};

// ---- joining

template<class Joined> TESSERA_FN void join_partitions(const join_arguments& args, const Joined& joined = {}) {
    for (std::uint64_t p = 1; p < args.partitions; ++p)
        joined.each([&](auto part, int first) {
            using type = decltype(part);
            for (int w = 0; w < type::words; ++w)
                join_word(args.words[first + w], args.words[p * joined.words + static_cast<std::uint64_t>(first + w)], joining_of<type>(w));
        });
    joined.each([&](auto part, int first) { part.settle(args.words + first); });
    const std::uint64_t number = args.step_words[step_number_word] + args.step_after_first;
    joined.make(args, args.words, number);
    for (std::uint64_t w = 0; w < args.partitions * joined.words; ++w) args.words[w] = 0; // for the next time
}

TESSERA_FN void report_fault(const join_arguments& args, std::uint64_t step, std::uint32_t value, std::uint32_t faults,
                             std::int64_t whole) {
    std::uint64_t* const fault = args.step_words + reduce_fault_word;
    if (fault[0] != 0) return; // the first one counts
    fault[0] = launch_number(step, args.phase);
    fault[1] = std::uint64_t{value} << 32 | faults;
    fault[2] = static_cast<std::uint64_t>(whole);
}

// `value`, number `number` of the reduce, into a slot of type T.
template<class T>
TESSERA_FN void put_value(const join_arguments& args, std::uint64_t step, int slot, std::uint32_t number, const whole_or_real& value,
                          std::uint32_t faults) {
    T made{};
    if constexpr (T(1) / 2 != T(0)) {
        made = value.is_real ? static_cast<T>(value.real) : static_cast<T>(value.whole);
        if (made != made) made = static_cast<T>(__builtin_bit_cast(float, 0x7fc00000u));
    } else {
        made = static_cast<T>(value.whole);
        const bool is_wrapped = T(-1) > T(0) && value.whole < 0;
        if (value.is_real)
            faults |= reduce_of_nothing;
        else if (static_cast<std::int64_t>(made) != value.whole || is_wrapped)
            faults |= reduce_out_of_range;
    }
    if (faults != 0) report_fault(args, step, number, faults, value.whole);
    *reinterpret_cast<T*>(args.step_words + first_value_word + slot) = faults == 0 ? made : T{};
}
TESSERA_FN void put_decision(const join_arguments& args, std::uint64_t step, const whole_or_real& value, std::uint32_t faults) {
    if (faults != 0 && args.is_stop == 0) report_fault(args, step, 0, faults, 0);
    const bool is_yes = faults != 0 || as_truth(value);
    args.step_words[left_out_word] = is_yes ? 1 : 0;
    auto* const answer = reinterpret_cast<std::uint64_t*>(args.step_words[answer_word]);
    if (answer == nullptr || (!is_yes && args.tells_no == 0)) return;
    const std::uint64_t says = answer_to_until(is_yes ? answered_yes : answered_no, args.phase);
#if TESSERA_GPU
    *const_cast<volatile std::uint64_t*>(answer) = says; // memory of the host: it is seen there at once
#else
    __atomic_store_n(answer, says, __ATOMIC_RELEASE);
#endif
}

} // namespace tessera
