// Reductions as data (any_reduce.hpp) of the kinds that tables mostly have: the sum, mean, min or max of one member, and the count of the
// places where it compares with a constant, of float, std::int32_t, std::uint8_t and bool. What they make is the same; but each has a loop
// over its column, by its type, which takes about as long as reading it. Of all types there would be too many loops for one compilation.
#pragma once

#include <tessera/kernels/reduce/any_reduce.hpp>
#include <tessera/kernels/reduce/plain_parts.hpp>

namespace tessera {

// What a part of one of those kinds is (ReduceCode::is_plain): an element, which may be compared with a constant to its right or left.
struct plain_part {
    const reduce_instruction* element;
    const reduce_instruction* constant; // none: it is not compared
    reduce_op op;
    bool constant_is_left;
};
TESSERA_FN plain_part plain_part_of(const reduce_instruction* code, const reduce_part& part) {
    const reduce_instruction* const first = code + part.first;
    if (part.end - part.first == 1) return {first, nullptr, reduce_op::element, false};
    const reduce_instruction& compares = first[2];
    const bool element_is_first = first->op == reduce_op::element;
    const reduce_instruction* const element = element_is_first ? first : first + 1;
    return {element, element_is_first ? first + 1 : first, compares.op, compares.left != element->to};
}

// Calls `visit(T{})` for the type of a plain part; of bools, which are bytes of 0 and 1, as of these.
template<class Visit> TESSERA_FN void with_plain_type(int code, Visit&& visit) {
    if (code == scalar_code<float>) return visit(float{});
    if (code == scalar_code<std::int32_t>) return visit(std::int32_t{});
    visit(std::uint8_t{});
}

template<class T> TESSERA_FN bool compared(reduce_op op, T a, T b) {
    switch (op) {
    case reduce_op::equal: return a == b;
    case reduce_op::not_equal: return a != b;
    case reduce_op::less: return a < b;
    case reduce_op::less_equal: return a <= b;
    case reduce_op::greater: return a > b;
    default: break;
    }
    return a >= b;
}

// ---- the values of a column

// Lines of some rows, of which somebody takes all, or every so manieth place.
template<class T> struct column_values {
    const T* from;
    std::int64_t nx, ny, line, row; // places a line, lines a row; values from one line and one row to the next

    TESSERA_FN column_values(const any_reduce_arguments& args, const reduce_instruction& element)
        : from(static_cast<const T*>(args.in[element.number]) + element.element), nx(args.places_a_line), ny(args.lines_a_row),
          line(element.line), row(element.row) {}
#if TESSERA_GPU
    // Those of a thread. Some are on their way at a time, and no place's number is divided.
    template<class Visit> TESSERA_FN void each(const any_reduce_arguments& args, Visit&& visit) const {
        using counter = std::uint64_t;
        constexpr int at_a_time = 4;
        const counter width = static_cast<counter>(nx), lines = static_cast<counter>(ny), threads = counter{gridDim.x} * blockDim.x,
                      start = counter{blockIdx.x} * blockDim.x + threadIdx.x, all = static_cast<counter>(args.places);
        if (start >= all) return;
        const auto dx = static_cast<std::int64_t>(threads % width), dy = static_cast<std::int64_t>(threads / width % lines),
                   dr = static_cast<std::int64_t>(threads / width / lines);
        auto x = static_cast<std::int64_t>(start % width), y = static_cast<std::int64_t>(start / width % lines),
             r = args.first_row + static_cast<std::int64_t>(start / width / lines);
        for (counter left = (all - start + threads - 1) / threads; left > 0;) {
            const int count = left < at_a_time ? static_cast<int>(left) : at_a_time;
            T values[at_a_time];
#pragma unroll
            for (int k = 0; k < at_a_time; ++k)
                if (k < count) {
                    values[k] = from[x + y * line + r * row];
                    x += dx, y += dy, r += dr;
                    if (x >= nx) x -= nx, ++y;
                    if (y >= ny) y -= ny, ++r;
                }
#pragma unroll
            for (int k = 0; k < at_a_time; ++k)
                if (k < count) visit(values[k]);
            left -= static_cast<counter>(count);
        }
    }
#else
    // Those of some lines, counted from the first row's first.
    template<class Visit> void each(const any_reduce_arguments& args, std::int64_t first, std::int64_t last, Visit&& visit) const {
        for (std::int64_t l = first; l < last; ++l) {
            const T* const values = from + (l % ny) * line + (args.first_row + l / ny) * row;
            const std::int64_t end = places_of_line(args, l);
            for (std::int64_t x = 0; x < end; ++x) visit(values[x]);
        }
    }
#endif
};

// ---- what is made of them

template<class T> inline constexpr bool is_of_reals = T(1) / 2 != T(0);

template<class T> TESSERA_FN auto as_number(T value, [[maybe_unused]] std::uint32_t& faults) {
    if constexpr (is_of_reals<T>)
        return static_cast<double>(value);
    else
        return whole_of(value, faults);
}

// `each(visit)` calls it for each value of a thread.
template<class T, class Each> TESSERA_FN void add_plainly(counted_part& part, const plain_part& how, std::uint64_t*, Each&& each) {
    if (how.constant == nullptr) return each([&](T value) { part.count += as_number(value, part.faults) != 0 ? 1 : 0; });
    const reduce_op op = how.op;
    const bool is_left = how.constant_is_left;
    if (is_of_reals<T> || how.constant->op == reduce_op::real) {
        const double constant = how.constant->op == reduce_op::real ? how.constant->real : static_cast<double>(how.constant->whole);
        each([&](T value) {
            const auto real = static_cast<double>(as_number(value, part.faults));
            part.count += (is_left ? compared(op, constant, real) : compared(op, real, constant)) ? 1 : 0;
        });
    } else {
        const std::int64_t constant = how.constant->whole;
        each([&](T value) {
            const std::int64_t whole = whole_of(value, part.faults);
            part.count += (is_left ? compared(op, constant, whole) : compared(op, whole, constant)) ? 1 : 0;
        });
    }
}
template<class T, class Each> TESSERA_FN void add_plainly(whole_sum_part& part, const plain_part&, std::uint64_t* words, Each&& each) {
    if constexpr (!is_of_reals<T>) each([&](T value) { part.add(whole_of(value, part.faults), words); });
}
template<class T, class Each> TESSERA_FN void add_plainly(real_sum_part& part, const plain_part&, std::uint64_t* words, Each&& each) {
    if constexpr (same_type<T, float>) {
        float_sum sum;
        each([&](float value) { sum.add(value, words); });
        sum.put(part, words);
    }
}
template<class T, bool Largest, class Each>
TESSERA_FN void add_plainly(extreme_part<std::int64_t, Largest>& part, const plain_part&, std::uint64_t* words, Each&& each) {
    if constexpr (!is_of_reals<T>) each([&](T value) { part.add(whole_of(value, part.faults), words); });
}
template<class T, bool Largest, class Each>
TESSERA_FN void add_plainly(extreme_part<double, Largest>& part, const plain_part&, std::uint64_t*, Each&& each) {
    if constexpr (same_type<T, float>) {
        float_extreme<Largest> extreme;
        each([&](float value) { extreme.add(value); });
        extreme.put(part);
    }
}

// A Reduction (reduce.hpp) of one part. `each` is called with the values' type: each(T{}, visit).
template<class Part> struct plain_reduction {
    using launch = typename reduction_of_part<Part>::launch;
    static constexpr int columns = 1, words = Part::words;
    using sums = typename reduction_of_part<Part>::sums;

    template<class Elements> static TESSERA_FN void add(const Elements& elements, std::int64_t, sums& to) {
        with_plain_type(elements.part.element->type, [&](auto zero) {
            using scalar = decltype(zero);
            add_plainly<scalar>(to.part, elements.part, to.words, [&](auto&& visit) { elements.go(scalar{}, visit); });
        });
    }
};

template<class Go> struct plain_elements {
    plain_part part;
    Go go;
};
template<class Go> plain_elements(plain_part, Go) -> plain_elements<Go>;

template<class Values> TESSERA_FN void add_plain_parts_up(const any_reduce_arguments& args, const Values& values) {
    for (int p = 0; p < args.code.part_count; ++p) {
        const reduce_part& one = args.code.parts[p];
        if (one.collection != args.collection) continue;
        const plain_part part = plain_part_of(args.code.instructions, one);
        with_part(one.kind, [&](auto zero) {
            using reduction = plain_reduction<decltype(zero)>;
            const typename reduction::launch launch{args, {args.words + one.first_word}};
            add_up<reduction>(launch, [&](auto&& add) {
                add(plain_elements{
                    part, [&](auto scalar, auto&& visit) { values(column_values<decltype(scalar)>(args, *part.element), visit); }});
            });
        });
#if TESSERA_GPU
        __syncthreads(); // the next part may have the same words of the block
#endif
    }
}

#if TESSERA_GPU
template<class Places> TESSERA_FN void reduce_plain(const typename Places::launch& args) {
    add_plain_parts_up(args, [&](const auto& column, auto&& visit) { column.each(args, visit); });
}
#else
// Items are lines.
template<class Places> inline void reduce_plain(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const typename Places::launch*>(argument);
    add_plain_parts_up(args, [&](const auto& column, auto&& visit) { column.each(args, first, last, visit); });
}
#endif

} // namespace tessera

#if TESSERA_GPU
// So few registers that enough loads are on their way.
extern "C" __global__ void __launch_bounds__(256, 5) tessera_plain_reduce(const __grid_constant__ tessera::any_reduce_arguments args) {
    tessera::follow_last_launch();
    tessera::reduce_plain<tessera::any_places>(args);
}
#else
TESSERA_REDUCE(tessera_plain_reduce, tessera::any_places, reduce_plain)
#endif
