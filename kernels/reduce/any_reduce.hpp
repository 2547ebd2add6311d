// The kernels of a phase `reduce` that is given as data (reduce_code.hpp): for code that goes with any run. They carry instructions out by
// the functions that generated text calls, so that what they make is the same.
//
// Whether a value is whole or real is known of each instruction, but told by the values themselves. On a CPU an instruction is carried out
// for several elements at a time.
#pragma once

#include <tessera/kernels/launch/entry.hpp>
#include <tessera/kernels/reduce/reduce.hpp>
#include <tessera/kernels/reduce/reduce_code.hpp>
#include <tessera/kernels/reduce/remainder.hpp>

namespace tessera {

inline constexpr int reduce_lanes = TESSERA_GPU ? 1 : 64;

struct reduce_values {
    whole_or_real of[most_reduce_values][reduce_lanes];
};

// There are seven kinds of parts, and what adds each up need not have the whole of it.
#if TESSERA_GPU
#define TESSERA_OUT_OF_LINE __device__ __noinline__
#else
#define TESSERA_OUT_OF_LINE inline __attribute__((noinline, visibility("hidden")))
#endif

// Calls `visit(Part{})`.
template<class Visit> TESSERA_FN void with_part(reduce_part_kind kind, Visit&& visit) {
    switch (kind) {
    case reduce_part_kind::counted: return visit(counted_part{});
    case reduce_part_kind::whole_sum: return visit(whole_sum_part{});
    case reduce_part_kind::real_sum: return visit(real_sum_part{});
    case reduce_part_kind::least_whole: return visit(extreme_part<std::int64_t, false>{});
    case reduce_part_kind::largest_whole: return visit(extreme_part<std::int64_t, true>{});
    case reduce_part_kind::least_real: return visit(extreme_part<double, false>{});
    case reduce_part_kind::largest_real: break;
    }
    visit(extreme_part<double, true>{});
}

// ---- instructions

// For the first `count` lanes. What only elements or only parts have is `leaf`'s: leaf(instruction, values, faults).
template<class Leaf>
TESSERA_OUT_OF_LINE void carry_out(const reduce_instruction* first, const reduce_instruction* end, int count, std::int64_t step,
                                   const Leaf& leaf, reduce_values& values, std::uint32_t& faults) {
    for (; first != end; ++first) {
        const reduce_instruction& next = *first;
        whole_or_real* const to = values.of[next.to];
        const whole_or_real *const left = values.of[next.left], *const right = values.of[next.right];
        const auto each = [&](auto&& make) {
            for (int k = 0; k < count; ++k) to[k] = make(left[k], right[k]);
        };
        using value = const whole_or_real&;
        switch (next.op) {
        case reduce_op::whole: each([&](value, value) { return whole_value(next.whole); }); break;
        case reduce_op::real: each([&](value, value) { return real_value(next.real); }); break;
        case reduce_op::step: each([&](value, value) { return whole_value(step); }); break;
        case reduce_op::negate: each([&](value a, value) { return negative_of(a, faults); }); break;
        case reduce_op::logical_not: each([&](value a, value) { return whole_value(!as_truth(a)); }); break;
        case reduce_op::add: each([&](value a, value b) { return sum_of(a, b, faults); }); break;
        case reduce_op::subtract: each([&](value a, value b) { return difference_of(a, b, faults); }); break;
        case reduce_op::multiply: each([&](value a, value b) { return product_of(a, b, faults); }); break;
        case reduce_op::divide: each([&](value a, value b) { return quotient_of(a, b, faults); }); break;
        case reduce_op::remainder: each([&](value a, value b) { return remainder_of(a, b, faults); }); break;
        case reduce_op::equal: each([&](value a, value b) { return is_equal(a, b); }); break;
        case reduce_op::not_equal: each([&](value a, value b) { return is_not_equal(a, b); }); break;
        case reduce_op::less: each([&](value a, value b) { return is_less(a, b); }); break;
        case reduce_op::less_equal: each([&](value a, value b) { return is_less_or_equal(a, b); }); break;
        case reduce_op::greater: each([&](value a, value b) { return is_greater(a, b); }); break;
        case reduce_op::greater_equal: each([&](value a, value b) { return is_greater_or_equal(a, b); }); break;
        case reduce_op::logical_and: each([&](value a, value b) { return whole_value(as_truth(a) & as_truth(b)); }); break;
        case reduce_op::logical_or: each([&](value a, value b) { return whole_value(as_truth(a) | as_truth(b)); }); break;
        default: leaf(next, to, faults);
        }
    }
}

// ---- adding up

template<class T> TESSERA_FN whole_or_real value_of_element(T element, [[maybe_unused]] std::uint32_t& faults) {
    if constexpr (T(1) / 2 != T(0))
        return real_value(static_cast<double>(element));
    else
        return whole_value(whole_of(element, faults));
}

// Adjacent places of a line, and what is to be added up of them.
struct reduce_elements {
    const any_reduce_arguments* args;
    const reduce_part* part;
    std::int64_t x, line, row;
    int count;

    TESSERA_FN void operator()(const reduce_instruction& load, whole_or_real* to, std::uint32_t& faults) const {
        with_scalar(load.type, [&](auto zero) {
            using scalar = decltype(zero);
            const auto* const from =
                static_cast<const scalar*>(args->in[load.number]) + (x + line * load.line + row * load.row + load.element);
            for (int k = 0; k < count; ++k) to[k] = value_of_element(from[k], faults);
        });
    }
};

TESSERA_FN void add_to(counted_part& part, const whole_or_real& value, std::uint64_t* words) { part.add(as_truth(value), words); }
TESSERA_FN void add_to(whole_sum_part& part, const whole_or_real& value, std::uint64_t* words) { part.add(value.whole, words); }
TESSERA_FN void add_to(real_sum_part& part, const whole_or_real& value, std::uint64_t* words) { part.add(as_real(value), words); }
template<bool Largest> TESSERA_FN void add_to(extreme_part<std::int64_t, Largest>& part, const whole_or_real& value, std::uint64_t* words) {
    part.add(value.whole, words);
}
template<bool Largest> TESSERA_FN void add_to(extreme_part<double, Largest>& part, const whole_or_real& value, std::uint64_t* words) {
    part.add(as_real(value), words);
}

// A Reduction (reduce.hpp) of one part.
template<class Part> struct reduction_of_part {
    struct launch : launch_arguments {
        void* out[1];
    };
    static constexpr int columns = 1, words = Part::words;
    struct sums {
        std::uint64_t* words;
        Part part;

        template<class Visit> TESSERA_FN void each(Visit&& visit) { visit(part, 0); }
    };
    static TESSERA_FN void add(const reduce_elements& elements, std::int64_t step, sums& to) {
        const auto* const code = elements.args->code.instructions;
        reduce_values values;
        carry_out(code + elements.part->first, code + elements.part->end, elements.count, step, elements, values, to.part.faults);
        for (int k = 0; k < elements.count; ++k) add_to(to.part, values.of[0][k], to.words);
    }
};

// Each part of the launch's collection on its own. `go(part, add)` calls `add(elements)` for all of a thread, or of a chunk.
template<class Go> TESSERA_FN void add_parts_up(const any_reduce_arguments& args, const Go& go) {
    for (int p = 0; p < args.code.part_count; ++p) {
        const reduce_part& one = args.code.parts[p];
        if (one.collection != args.collection) continue;
        with_part(one.kind, [&](auto part) {
            using reduction = reduction_of_part<decltype(part)>;
            const typename reduction::launch launch{args, {args.words + one.first_word}};
            add_up<reduction>(launch, [&](auto&& add) { go(one, add); });
        });
#if TESSERA_GPU
        __syncthreads(); // the next part may have the same words of the block
#endif
    }
}

// Of a line, counted from the first row's first.
TESSERA_FN std::int64_t places_of_line(const any_reduce_arguments& args, std::int64_t line) {
    const std::int64_t left = args.places - line * args.places_a_line;
    return left < args.places_a_line ? left : args.places_a_line;
}

struct any_places {
    using launch = any_reduce_arguments;
};
#if TESSERA_GPU
template<class Places> TESSERA_FN void reduce_any(const typename Places::launch& args) {
    using counter = std::uint64_t;
    const auto nx = static_cast<counter>(args.places_a_line), ny = static_cast<counter>(args.lines_a_row);
    const counter all = static_cast<counter>(args.places), threads = static_cast<counter>(gridDim.x) * blockDim.x;
    add_parts_up(args, [&](const reduce_part& part, auto&& add) {
        for (counter number = static_cast<counter>(blockIdx.x) * blockDim.x + threadIdx.x; number < all; number += threads) {
            const counter line = number / nx;
            const auto x = static_cast<std::int64_t>(number % nx), y = static_cast<std::int64_t>(line % ny);
            add(reduce_elements{&args, &part, x, y, args.first_row + static_cast<std::int64_t>(line / ny), 1});
        }
    });
}
#else
// Items are lines.
template<class Places> inline void reduce_any(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const typename Places::launch*>(argument);
    const std::int64_t ny = args.lines_a_row;
    add_parts_up(args, [&](const reduce_part& part, auto&& add) {
        for (std::int64_t line = first; line < last; ++line) {
            const std::int64_t end = places_of_line(args, line);
            for (std::int64_t x = 0; x < end; x += reduce_lanes) {
                const auto count = static_cast<int>(end - x < reduce_lanes ? end - x : reduce_lanes);
                add(reduce_elements{&args, &part, x, line % ny, args.first_row + line / ny, count});
            }
        }
    });
}
#endif

// ---- joining

// A Joined (reduce.hpp).
struct any_joined {
    const reduce_code& code;
    std::uint64_t words = static_cast<std::uint64_t>(code.words);

    template<class Visit> TESSERA_FN void each(Visit&& visit) const {
        for (int p = 0; p < code.part_count; ++p) with_part(code.parts[p].kind, [&](auto part) { visit(part, code.parts[p].first_word); });
    }
    TESSERA_FN void make(const join_arguments& args, std::uint64_t* words_of_all, std::uint64_t step) const {
        for (int v = 0; v < code.value_count; ++v) {
            const reduce_value& value = code.values[v];
            std::uint32_t faults = 0;
            for (int p = 0; p < code.part_count; ++p)
                if (code.parts[p].value == v) faults |= static_cast<std::uint32_t>(words_of_all[code.parts[p].first_word]);
            reduce_values values;
            const auto part_of = [&](const reduce_instruction& from, whole_or_real* to, std::uint32_t& of) {
                *to = value_of_part(from, words_of_all, of);
            };
            carry_out(code.instructions + value.first, code.instructions + value.end, 1, static_cast<std::int64_t>(step), part_of, values,
                      faults);
            put(args, step, value, static_cast<std::uint32_t>(v), values.of[0][0], faults);
        }
    }

private:
    TESSERA_FN whole_or_real value_of_part(const reduce_instruction& from, std::uint64_t* words_of_all, std::uint32_t& faults) const {
        const reduce_part& part = code.parts[from.number];
        whole_or_real made{};
        with_part(part.kind, [&](auto zero) {
            using type = decltype(zero);
            if constexpr (requires { type::mean(words_of_all, faults); })
                if (from.op == reduce_op::mean_of_part) {
                    made = type::mean(words_of_all + part.first_word, faults);
                    return;
                }
            made = type::value(words_of_all + part.first_word, faults);
        });
        return made;
    }
    static TESSERA_FN void put(const join_arguments& args, std::uint64_t step, const reduce_value& value, std::uint32_t number,
                               const whole_or_real& made, std::uint32_t faults) {
        if (value.slot < 0) return put_decision(args, step, made, faults);
        with_scalar(value.type, [&](auto zero) { put_value<decltype(zero)>(args, step, value.slot, number, made, faults); });
    }
};

} // namespace tessera

TESSERA_REDUCE(tessera_any_reduce, tessera::any_places, reduce_any)
TESSERA_TASK(tessera_any_join, tessera::any_join_arguments, tessera::join_partitions(args, tessera::any_joined{args.code}))
