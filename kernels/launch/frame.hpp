// A frame: places and agents at the resolution of a screen, a byte a pixel, for whoever looks at a run. One text for all devices: the host
// compiles it for CPUs, and GPUs load it as an image that has nothing of a model (host/execute/frame_maker.hpp).
//
// What a pixel shows depends on no order: whole numbers are added up as such, others as whole parts of a colour's step (frame_share). So
// threads, and devices that have some of a pixel's places each, add up as they come.
#pragma once

#include <tessera/detail/member.hpp>
#include <tessera/kernels/launch/frame_agents.hpp>
#include <tessera/kernels/launch/frame_arguments.hpp>
#include <tessera/kernels/launch/frame_colours.hpp>
#include <tessera/kernels/launch/launch.hpp>

namespace tessera {

// ---- what of a pixel's places is known so far

template<class T> struct frame_mean {
    frame_sum all{0, 0};

    TESSERA_FN void add(const T* from, std::int64_t stride, std::int64_t count, const frame_arguments& args) {
        if constexpr (frame_is_wide<T>) {
            for (std::int64_t i = 0; i < count; ++i) {
                const T value = from[i * stride];
                if (!frame_is_number(value)) continue;
                all.sum += frame_share(static_cast<double>(value), args.low, args.scale);
                ++all.count;
            }
        } else {
            all.sum += whole_sum(from, stride, count);
            all.count += count;
        }
    }
    TESSERA_FN void join(const frame_mean& other) {
        all.sum += other.all.sum;
        all.count += other.all.count;
    }
    TESSERA_FN void put(std::int64_t pixel, const frame_arguments& args) const {
        if (args.sums != nullptr)
            args.sums[pixel] = all;
        else
            args.bytes[pixel] = frame_byte_of_sum(all, frame_is_wide<T>, args.low, args.scale);
    }

private:
    // Of short values by 32 bits, so many of which a CPU adds at a time.
    static TESSERA_FN std::int64_t whole_sum(const T* from, std::int64_t stride, std::int64_t count) {
        std::int64_t sum = 0;
        if constexpr (sizeof(T) <= 2) {
            constexpr std::int64_t most = 1 << 15;
            for (std::int64_t done = 0; done < count; done += most) {
                std::int32_t some = 0;
                const std::int64_t end = count - done < most ? count : done + most;
                if (stride == 1)
                    for (std::int64_t i = done; i < end; ++i) some += from[i];
                else
                    for (std::int64_t i = done; i < end; ++i) some += from[i * stride];
                sum += some;
            }
        } else {
            for (std::int64_t i = 0; i < count; ++i) sum += static_cast<std::int64_t>(from[i * stride]);
        }
        return sum;
    }
};

template<class T> TESSERA_FN T frame_lowest() {
    if constexpr (frame_is_real<T> && sizeof(T) == 4)
        return __builtin_bit_cast(T, std::uint32_t{0xff800000});
    else if constexpr (frame_is_real<T>)
        return __builtin_bit_cast(T, std::uint64_t{0xfff0000000000000});
    else if constexpr (T(0) < T(-1))
        return T(0);
    else
        return static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1));
}
template<class T> TESSERA_FN T frame_highest() {
    if constexpr (frame_is_real<T>)
        return -frame_lowest<T>();
    else if constexpr (same_type<T, bool>)
        return true;
    else
        return static_cast<T>(~static_cast<std::uint64_t>(frame_lowest<T>()));
}

// The largest, or the smallest; of none an infinity, or, of integers, which a pixel has at least one of, the last that there is.
template<class T, bool Largest> struct frame_extreme {
    T best = Largest ? frame_lowest<T>() : frame_highest<T>();

    TESSERA_FN void take(T value) {
        const bool better = frame_is_number(value) && (Largest ? best < value : value < best);
        best = better ? value : best;
    }
    TESSERA_FN void add(const T* from, std::int64_t stride, std::int64_t count, const frame_arguments&) {
        frame_extreme some;
        if (stride == 1)
            for (std::int64_t i = 0; i < count; ++i) some.take(from[i]);
        else
            for (std::int64_t i = 0; i < count; ++i) some.take(from[i * stride]);
        take(some.best);
    }
    TESSERA_FN void join(const frame_extreme& other) { take(other.best); }
    TESSERA_FN void put(std::int64_t pixel, const frame_arguments& args) const {
        args.bytes[pixel] = frame_byte(static_cast<double>(best), args.low, args.scale);
    }
};

template<class T> TESSERA_FN const T* frame_value(const frame_arguments& args, std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<const T*>(args.values) + x * args.axis_x.stride + y * args.axis_y.stride + z * args.axis_z.stride;
}

// The places of a pixel, or a row of it, that there are.
struct frame_span {
    std::int64_t first, end;
};
TESSERA_FN frame_span frame_places_of_pixel(std::int64_t begin, std::int64_t pixel, std::int64_t across, const frame_axis& axis) {
    const std::int64_t first = begin + pixel * across, end = first + across;
    return {first < axis.first ? axis.first : first, end < axis.end ? end : axis.end};
}

template<class T> TESSERA_FN void put_nearest(const frame_arguments& args, std::int64_t row, std::int64_t px) {
    const double value = static_cast<double>(
        *frame_value<T>(args, args.x + px * args.across, args.y + (args.first_row + row) * args.across, args.axis_z.first));
    args.bytes[row * args.width + px] = args.categorical != 0 ? frame_category(value) : frame_byte(value, args.low, args.scale);
}

// Calls `visit` with an empty pixel of the kind.
template<class T, class Visit> TESSERA_FN void with_frame_pixel(frame_reduction by, Visit&& visit) {
    if (by == frame_reduction::mean) return visit(frame_mean<T>{});
    if (by == frame_reduction::largest) return visit(frame_extreme<T, true>{});
    visit(frame_extreme<T, false>{});
}

template<class T> struct frame_ends_so_far {
    frame_extreme<T, false> low;
    frame_extreme<T, true> high;
};

// Thread `lane` of `lanes` takes every so-manieth place.
template<class T>
TESSERA_FN void find_ends(const frame_ends_arguments& args, std::int64_t part, std::int64_t lane, std::int64_t lanes,
                          frame_ends_so_far<T>& found) {
    const frame_axis &x = args.axis_x, &y = args.axis_y, &z = args.axis_z;
    const std::int64_t rows = y.end - y.first, pieces = (x.end - x.first + frame_places_a_piece - 1) / frame_places_a_piece;
    for (std::int64_t p = part; p < pieces * rows * (z.end - z.first); p += args.parts) {
        const std::int64_t line = p / pieces, first = x.first + p % pieces * frame_places_a_piece;
        const std::int64_t end = x.end - first < frame_places_a_piece ? x.end : first + frame_places_a_piece;
        const T* const from = static_cast<const T*>(args.values) + (y.first + line % rows) * y.stride + (z.first + line / rows) * z.stride;
        for (std::int64_t i = first + lane; i < end; i += lanes) {
            found.low.take(from[i]);
            found.high.take(from[i]);
        }
    }
}

// ---- on a CPU

#if !TESSERA_GPU
inline constexpr std::int64_t frame_columns = 2048;
std::uint16_t short_sum_of(std::uint8_t);
std::uint16_t short_sum_of(bool);
std::int16_t short_sum_of(std::int8_t); // of 256 at most, and -128 * 256 is the last that there is

// Of bytes: rows of places are added up side by side, many at a time, and then the places of each pixel. To `pixels`, those from `begin`
// on.
template<class T>
inline void add_bytes(const frame_arguments& args, const frame_span& down, std::int64_t z, std::int64_t begin, std::int64_t count,
                      frame_mean<T>* pixels) {
    using short_sum = decltype(short_sum_of(T{}));
    constexpr std::int64_t rows_at_most = 256; // of which no sum overflows
    const std::int64_t first = args.x + begin * args.across, end = first + count * args.across,
                       places = (end < args.axis_x.end ? end : args.axis_x.end) - first;
    for (std::int64_t y = down.first; y < down.end; y += rows_at_most) {
        const std::int64_t rows = down.end - y < rows_at_most ? down.end - y : rows_at_most;
        short_sum sums[frame_columns] = {};
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* const from = frame_value<T>(args, first, y + r, z);
            for (std::int64_t i = 0; i < places; ++i) sums[i] = static_cast<short_sum>(sums[i] + from[i]);
        }
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t left = k * args.across, right = left + args.across < places ? left + args.across : places;
            std::int32_t sum = 0;
            for (std::int64_t i = left; i < right; ++i) sum += sums[i];
            pixels[k].all.sum += sum;
            pixels[k].all.count += (right - left) * rows;
        }
    }
}

template<class T, class Pixel> inline void make_frame_row(const frame_arguments& args, std::int64_t row, Pixel) {
    constexpr std::int64_t at_a_time = 64;
    const frame_span down = frame_places_of_pixel(args.y, args.first_row + row, args.across, args.axis_y);
    for (std::int64_t begin = 0; begin < args.width; begin += at_a_time) {
        const std::int64_t count = args.width - begin < at_a_time ? args.width - begin : at_a_time;
        Pixel pixels[at_a_time];
        for (std::int64_t z = args.axis_z.first; z < args.axis_z.end; ++z) {
            if constexpr (sizeof(T) == 1 && same_type<Pixel, frame_mean<T>>)
                if (args.axis_x.stride == 1 && args.across * at_a_time <= frame_columns) {
                    add_bytes(args, down, z, begin, count, pixels);
                    continue;
                }
            for (std::int64_t y = down.first; y < down.end; ++y)
                for (std::int64_t k = 0; k < count; ++k) {
                    const frame_span along = frame_places_of_pixel(args.x, begin + k, args.across, args.axis_x);
                    pixels[k].add(frame_value<T>(args, along.first, y, z), args.axis_x.stride, along.end - along.first, args);
                }
        }
        for (std::int64_t k = 0; k < count; ++k) pixels[k].put(row * args.width + begin + k, args);
    }
}

// A byte is looked up.
template<class T> inline void put_nearest_row(const frame_arguments& args, std::int64_t row) {
    if constexpr (sizeof(T) > 1) {
        for (std::int64_t px = 0; px < args.width; ++px) put_nearest<T>(args, row, px);
    } else {
        std::uint8_t table[256];
        for (int i = 0; i < 256; ++i) {
            const auto value = static_cast<double>(same_type<T, std::int8_t> ? (i < 128 ? i : i - 256) : i);
            table[i] = args.categorical != 0 ? frame_category(value) : frame_byte(value, args.low, args.scale);
        }
        const auto* const from = reinterpret_cast<const std::uint8_t*>(
            frame_value<T>(args, args.x, args.y + (args.first_row + row) * args.across, args.axis_z.first));
        const std::int64_t step = args.across * args.axis_x.stride, width = args.width;
        std::uint8_t* const to = args.bytes + row * width;
        for (std::int64_t px = 0; px < width; ++px) to[px] = table[from[px * step]];
    }
}

inline void frame_places_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const frame_arguments*>(argument);
    with_frame_scalar(args.type, [&](auto zero) {
        using scalar = decltype(zero);
        for (std::int64_t row = first; row < last; ++row)
            if (args.by == frame_reduction::nearest)
                put_nearest_row<scalar>(args, row);
            else
                with_frame_pixel<scalar>(args.by, [&](auto pixel) { make_frame_row<scalar>(args, row, pixel); });
    });
}
inline void frame_ends_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const frame_ends_arguments*>(argument);
    with_frame_scalar(args.type, [&](auto zero) {
        for (std::int64_t part = first; part < last; ++part) {
            frame_ends_so_far<decltype(zero)> found;
            find_ends(args, part, 0, 1, found);
            args.ends[part] = {static_cast<double>(found.low.best), static_cast<double>(found.high.best)};
        }
    });
}
inline void frame_slots_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const frame_agents_arguments*>(argument);
    for (std::int64_t line = first; line < last; ++line)
        for (std::int64_t along = 0; along < args.box_end[0] - args.box_first[0]; ++along) put_agents_of_place(args, line, along);
}
inline void frame_volume_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const frame_volume_arguments*>(argument);
    for (std::int64_t line = first; line < last; ++line)
        for (std::int64_t along = 0; along < args.values.axis_x.end; ++along) put_place_of_volume(args, line, along);
}
inline void frame_list_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    for (std::int64_t agent = first; agent < last; ++agent) put_agent_of_list(*static_cast<const frame_agents_arguments*>(argument), agent);
}
inline void frame_pack_on_cpu(const void* argument, std::int64_t first, std::int64_t last) {
    for (std::int64_t pixel = first; pixel < last; ++pixel) pack_pixel(*static_cast<const frame_pack_arguments*>(argument), pixel);
}
#else

// ---- on a GPU, by blocks of 256 threads

TESSERA_FN std::int64_t frame_thread() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

// What another thread of the warp has.
template<class T> TESSERA_FN frame_mean<T> frame_from_lane(const frame_mean<T>& mine, int distance) {
    frame_mean<T> other;
    other.all.sum = __shfl_xor_sync(0xffffffff, static_cast<long long>(mine.all.sum), distance);
    other.all.count = __shfl_xor_sync(0xffffffff, static_cast<long long>(mine.all.count), distance);
    return other;
}
template<class T, bool Largest> TESSERA_FN frame_extreme<T, Largest> frame_from_lane(const frame_extreme<T, Largest>& mine, int distance) {
    frame_extreme<T, Largest> other;
    if constexpr (frame_is_real<T>)
        other.best = __shfl_xor_sync(0xffffffff, mine.best, distance);
    else
        other.best = static_cast<T>(__shfl_xor_sync(0xffffffff, static_cast<long long>(mine.best), distance));
    return other;
}

// `lanes` threads of a warp make a pixel; those beyond the last one help to shuffle.
template<class T, class Pixel> TESSERA_FN void make_frame_pixel(const frame_arguments& args, Pixel pixel) {
    const std::int64_t lane = threadIdx.x % static_cast<unsigned>(args.lanes), number = frame_thread() / args.lanes;
    const std::int64_t row = number / args.width, px = number % args.width;
    const bool is_there = row < args.rows;
    if (is_there) {
        const frame_span along = frame_places_of_pixel(args.x, px, args.across, args.axis_x);
        const frame_span down = frame_places_of_pixel(args.y, args.first_row + row, args.across, args.axis_y);
        for (std::int64_t z = args.axis_z.first; z < args.axis_z.end; ++z)
            for (std::int64_t y = down.first; y < down.end; ++y)
                for (std::int64_t x = along.first + lane; x < along.end; x += args.lanes)
                    pixel.add(frame_value<T>(args, x, y, z), 1, 1, args);
    }
    for (int distance = args.lanes / 2; distance > 0; distance /= 2) pixel.join(frame_from_lane(pixel, distance));
    if (is_there && lane == 0) pixel.put(number, args);
}

TESSERA_FN void make_frame_places(const frame_arguments& args) {
    with_frame_scalar(args.type, [&](auto zero) {
        using scalar = decltype(zero);
        if (args.by != frame_reduction::nearest)
            return with_frame_pixel<scalar>(args.by, [&](auto pixel) { make_frame_pixel<scalar>(args, pixel); });
        const std::int64_t number = frame_thread();
        if (number < args.rows * args.width) put_nearest<scalar>(args, number / args.width, number % args.width);
    });
}

// A block is a part.
TESSERA_FN void make_frame_ends(const frame_ends_arguments& args) {
    __shared__ frame_ends of_threads[256];
    with_frame_scalar(args.type, [&](auto zero) {
        frame_ends_so_far<decltype(zero)> found;
        find_ends(args, blockIdx.x, threadIdx.x, blockDim.x, found);
        of_threads[threadIdx.x] = {static_cast<double>(found.low.best), static_cast<double>(found.high.best)};
    });
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        frame_ends& mine = of_threads[threadIdx.x];
        const frame_ends& other = of_threads[threadIdx.x + half];
        mine = {other.low < mine.low ? other.low : mine.low, mine.high < other.high ? other.high : mine.high};
    }
    if (threadIdx.x == 0) args.ends[blockIdx.x] = of_threads[0];
}

TESSERA_FN void make_frame_slots(const frame_agents_arguments& args) {
    const std::int64_t width = args.box_end[0] - args.box_first[0], number = frame_thread(), line = number / width;
    if (line < (args.box_end[1] - args.box_first[1]) * (args.box_end[2] - args.box_first[2]))
        put_agents_of_place(args, line, number % width);
}
TESSERA_FN void make_frame_list(const frame_agents_arguments& args) {
    if (frame_thread() < args.count) put_agent_of_list(args, frame_thread());
}
TESSERA_FN void make_frame_volume(const frame_volume_arguments& args) {
    const std::int64_t width = args.values.axis_x.end, line = frame_thread() / width;
    if (line < args.values.axis_y.end * (args.values.axis_z.end - args.values.axis_z.first))
        put_place_of_volume(args, line, frame_thread() % width);
}
TESSERA_FN void pack_frame(const frame_pack_arguments& args) {
    if (frame_thread() < args.count) pack_pixel(args, frame_thread());
}
#endif

} // namespace tessera

#if TESSERA_GPU
#define TESSERA_FRAME(symbol, Arguments, make)                                                                  \
    extern "C" __global__ void __launch_bounds__(256) symbol(const __grid_constant__ tessera::Arguments args) { \
        tessera::follow_last_launch();                                                                          \
        tessera::make(args);                                                                                    \
    }
TESSERA_FRAME(tessera_frame_places, frame_arguments, make_frame_places)
TESSERA_FRAME(tessera_frame_ends, frame_ends_arguments, make_frame_ends)
TESSERA_FRAME(tessera_frame_slots, frame_agents_arguments, make_frame_slots)
TESSERA_FRAME(tessera_frame_list, frame_agents_arguments, make_frame_list)
TESSERA_FRAME(tessera_frame_volume, frame_volume_arguments, make_frame_volume)
TESSERA_FRAME(tessera_frame_pack, frame_pack_arguments, pack_frame)
#endif
