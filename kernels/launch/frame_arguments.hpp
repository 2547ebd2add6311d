// What the kernels of a frame get at a launch, and what bytes they make (frame.hpp). For kernels, and for the host
// (host/execute/frame_maker.cpp).
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

enum class frame_reduction : std::int32_t { nearest, mean, largest, smallest };

// Places [first, end) along an axis of a picture, and how far apart they are in memory, in values.
struct frame_axis {
    std::int64_t stride, first, end;
};

// What several devices know of a pixel, where each has some of its places.
struct frame_sum {
    std::int64_t sum, count;
};

inline constexpr std::uint8_t frame_no_number = 255; // 0 to 254 are colours
inline constexpr double frame_steps = 254;

// Pixels of `across` x `across` places, and of all along z. An item is a row of them; the first is `first_row`, and stands where `bytes` or
// `sums` begins.
struct frame_arguments {
    const void* values; // of the place (0, 0, 0)
    std::uint8_t* bytes;
    frame_sum* sums;                   // of a mean, instead of bytes
    double low, scale;                 // of what stands for 0, and a colour's steps for 1; no scale: all above `low` is the last colour
    std::int64_t x, y;                 // the first place of the picture
    frame_axis axis_x, axis_y, axis_z; // what there is of it
    std::int64_t across, width, first_row, rows;
    std::int32_t type; // scalar_code
    frame_reduction by;
    std::int32_t categorical, lanes; // of a GPU: threads of a pixel, a power of 2 up to 32
};

TESSERA_FN std::uint8_t frame_rounded(double step) {
    step += 0.5;
    return static_cast<std::uint8_t>(step < 0 ? 0 : step > frame_steps ? frame_steps : step);
}
TESSERA_FN double frame_step_of(double value, double low, double scale) {
    return scale > 0 ? (value - low) * scale : value > low ? frame_steps : 0;
}
TESSERA_FN std::uint8_t frame_byte(double value, double low, double scale) {
    return value - value == 0 ? frame_rounded(frame_step_of(value, low, scale)) : frame_no_number;
}

inline constexpr double frame_shares_a_step = 4096;
// Of what values of a type were added up to.
TESSERA_FN std::uint8_t frame_byte_of_sum(const frame_sum& of, bool of_shares, double low, double scale) {
    if (of.count == 0) return frame_no_number;
    const double mean = static_cast<double>(of.sum) / static_cast<double>(of.count);
    return of_shares ? frame_rounded(mean / frame_shares_a_step) : frame_byte(mean, low, scale);
}

// ---- the least and the largest number of a column

struct frame_ends {
    double low, high; // low > high: there is no number
};

// An item is a part: it takes every `parts`-th piece of so many places of a row.
inline constexpr std::int64_t frame_places_a_piece = 1 << 14;
struct frame_ends_arguments {
    const void* values;
    frame_ends* ends; // of each part
    frame_axis axis_x, axis_y, axis_z;
    std::int64_t parts;
    std::int32_t type;
};

// ---- agents, and places one by one

// What is made of each agent in sight.
enum class frame_product : std::int32_t { pixels, points, ends };

// A column of agents: of slots a value at a place, of a list one of an agent. Strides are in values.
struct frame_column {
    const void* values; // null: none
    std::int64_t row, plane, slot;
};

// An agent that is drawn by itself, or a place of a volume.
struct frame_point {
    std::uint64_t id;    // of a place its number
    float x, y, z;       // in places from the grid's edge
    std::uint8_t number; // of its collection; 0: a place
    std::uint8_t shade;  // where its value is among the colours, as a byte of places
    std::uint8_t unused[2];
};

// Where points go. All are counted; those are put down whose ids, mixed, are at most `limit`, and for which there is room.
struct frame_points {
    frame_point* points;
    std::uint64_t* count;
    std::uint64_t room, limit;
};

// A number as a word, in the same order: of numbers alone.
TESSERA_FN std::uint64_t frame_ordered(double value) {
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
TESSERA_FN double frame_of_ordered(std::uint64_t word) {
    return __builtin_bit_cast(double, word >> 63 != 0 ? word & ~(std::uint64_t{1} << 63) : ~word);
}

// The least and the largest number of agents, as such words.
struct frame_ordered_ends {
    std::uint64_t low, high;
};

// Agents of a collection leave its number in the pixels where they stand, unless a larger one is there, and with it the number of their
// colour; or points; or the ends of their values. In slots an item is a row of the box along x; in a list it is an agent.
struct frame_agents_arguments {
    std::uint32_t* pixels; // number * 256 + shade
    frame_points points;
    frame_ordered_ends* ends;
    frame_column codes;            // of slots: a code that is not 0 is an agent
    const std::int32_t* stands_on; // of a list
    frame_column ids;
    frame_column positions;                   // in space
    std::int64_t position_element;            // stride from x to y
    frame_column shades;                      // the values that colours stand for
    double low, scale;                        // as of places
    std::int64_t size[3];                     // of the grid
    double extent[3];                         // of space
    std::int64_t first[3], end[3];            // places of the picture along its axes; of the last, which are in sight
    std::int64_t box_first[3], box_end[3];    // of slots: the places of the grid that are looked at
    std::int64_t count;                       // of a list
    std::int64_t across, fine, width, height; // pixels: `fine` along `across` places
    std::int32_t axes[3];                     // of the grid: those of the picture, and the one that it looks along
    std::int32_t dimensions, slots, code_bytes, position_is_double, shade_type, categorical;
    frame_product product;
    std::uint32_t number;
};

// Pixels of agents as bytes; and all of them back to 0, for the next frame.
struct frame_pack_arguments {
    std::uint32_t* pixels;
    std::uint8_t *bytes, *shades; // no shades: null
    std::int64_t count;
};

// Places of a volume whose values are above the lower end of the colours, each a point. An item is a row along x of planes
// [axis_z.first, axis_z.end).
struct frame_volume_arguments {
    frame_arguments values;
    frame_points points;
};

} // namespace tessera
