// Agents of a frame: in pixels, as points, or the ends of their values. Which one comes first does not show.
#pragma once

#include <tessera/detail/member.hpp>
#include <tessera/kernels/launch/frame_colours.hpp>

#ifndef TESSERA_FRAME_TYPES
#define TESSERA_FRAME_TYPES ~0u // of which types values may be shown, a bit for each scalar_code
#endif

namespace tessera {

template<class Visit> TESSERA_FN void with_frame_scalar(int code, Visit&& visit) {
    with_scalar(code, [&](auto zero) {
        if constexpr ((TESSERA_FRAME_TYPES >> scalar_code<decltype(zero)> & 1u) != 0) visit(zero);
    });
}

// ---- what several threads write to

TESSERA_FN void raise_pixel(std::uint32_t* pixel, std::uint32_t number) {
#if TESSERA_GPU
    if (*static_cast<volatile std::uint32_t*>(pixel) < number) atomicMax(pixel, number);
#else
    std::uint32_t there = __atomic_load_n(pixel, __ATOMIC_RELAXED);
    while (there < number && !__atomic_compare_exchange_n(pixel, &there, number, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}

TESSERA_FN void take_end(std::uint64_t* end, std::uint64_t word, bool is_high) {
#if TESSERA_GPU
    const std::uint64_t there = *static_cast<volatile std::uint64_t*>(end);
    auto* const to = reinterpret_cast<unsigned long long*>(end);
    if (is_high && there < word) atomicMax(to, static_cast<unsigned long long>(word));
    if (!is_high && word < there) atomicMin(to, static_cast<unsigned long long>(word));
#else
    std::uint64_t there = __atomic_load_n(end, __ATOMIC_RELAXED);
    while ((is_high ? there < word : word < there) &&
           !__atomic_compare_exchange_n(end, &there, word, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}

TESSERA_FN void put_point(const frame_points& to, const frame_point& point) {
    if (frame_mixed(point.id) > to.limit) return;
#if TESSERA_GPU
    const std::uint64_t at = atomicAdd(reinterpret_cast<unsigned long long*>(to.count), 1ULL);
#else
    const std::uint64_t at = __atomic_fetch_add(to.count, std::uint64_t{1}, __ATOMIC_RELAXED);
#endif
    if (at < to.room) to.points[at] = point;
}

// ---- an agent

// Where it stands, and where its values are.
struct frame_agent {
    std::int64_t place[3], cell[3], slot;
};

TESSERA_FN std::int64_t frame_index(const frame_column& column, const frame_agent& agent) {
    return agent.cell[0] + agent.cell[1] * column.row + agent.cell[2] * column.plane + agent.slot * column.slot;
}

// Where an agent is along an axis, in places; in the middle of its place where it is nowhere else.
TESSERA_FN double frame_along(const frame_agents_arguments& args, std::int32_t axis, const frame_agent& agent, double middle) {
    if (args.positions.values == nullptr || axis >= args.dimensions) return static_cast<double>(agent.place[axis]) + middle;
    const std::int64_t at = frame_index(args.positions, agent) + axis * args.position_element;
    const double value = args.position_is_double != 0 ? static_cast<const double*>(args.positions.values)[at]
                                                      : static_cast<double>(static_cast<const float*>(args.positions.values)[at]);
    return value / args.extent[axis] * static_cast<double>(args.size[axis]);
}

TESSERA_FN double frame_value_of_agent(const frame_agents_arguments& args, const frame_agent& agent) {
    double value = 0;
    with_frame_scalar(args.shade_type, [&](auto zero) {
        value = static_cast<double>(static_cast<const decltype(zero)*>(args.shades.values)[frame_index(args.shades, agent)]);
    });
    return value;
}
TESSERA_FN std::uint8_t frame_shade(const frame_agents_arguments& args, const frame_agent& agent) {
    if (args.shades.values == nullptr) return 0;
    const double value = frame_value_of_agent(args, agent);
    return args.categorical != 0 ? frame_category(value) : frame_byte(value, args.low, args.scale);
}

TESSERA_FN void take_ends(const frame_agents_arguments& args, const frame_agent& agent) {
    const double value = frame_value_of_agent(args, agent);
    if (!frame_is_number(value)) return;
    take_end(&args.ends->low, frame_ordered(value), false);
    take_end(&args.ends->high, frame_ordered(value), true);
}

TESSERA_FN void put_agent(const frame_agents_arguments& args, const frame_agent& agent) {
    if (args.product == frame_product::ends) return take_ends(args, agent);
    const std::int64_t depth = agent.place[args.axes[2]];
    if (depth < args.first[2] || depth >= args.end[2]) return;
    double pixel[2];
    for (int i = 0; i < 2; ++i)
        pixel[i] = (frame_along(args, args.axes[i], agent, 0) - static_cast<double>(args.first[i])) / static_cast<double>(args.across) *
                   static_cast<double>(args.fine);
    if (!(pixel[0] >= 0 && pixel[1] >= 0 && pixel[0] < static_cast<double>(args.width) && pixel[1] < static_cast<double>(args.height)))
        return;
    const std::uint8_t shade = frame_shade(args, agent);
    if (args.product == frame_product::pixels)
        return raise_pixel(args.pixels + static_cast<std::int64_t>(pixel[1]) * args.width + static_cast<std::int64_t>(pixel[0]),
                           args.number << 8 | shade);
    frame_point point{};
    point.id = static_cast<const std::uint64_t*>(args.ids.values)[frame_index(args.ids, agent)];
    point.x = static_cast<float>(frame_along(args, 0, agent, 0.5));
    point.y = static_cast<float>(frame_along(args, 1, agent, 0.5));
    point.z = static_cast<float>(frame_along(args, 2, agent, 0.5));
    point.number = static_cast<std::uint8_t>(args.number), point.shade = shade;
    put_point(args.points, point);
}

// ---- in slots and in a list

TESSERA_FN bool frame_has_agent(const frame_agents_arguments& args, const frame_agent& agent) {
    const auto* const bytes = static_cast<const unsigned char*>(args.codes.values) + frame_index(args.codes, agent) * args.code_bytes;
    bool any = false;
    for (int b = 0; b < args.code_bytes; ++b) any |= bytes[b] != 0;
    return any;
}

TESSERA_FN void put_agents_of_place(const frame_agents_arguments& args, std::int64_t line, std::int64_t along) {
    const std::int64_t rows = args.box_end[1] - args.box_first[1];
    const std::int64_t x = args.box_first[0] + along, y = args.box_first[1] + line % rows, z = args.box_first[2] + line / rows;
    frame_agent agent{{x, y, z}, {x, y, z}, 0};
    for (; agent.slot < args.slots; ++agent.slot)
        if (frame_has_agent(args, agent)) put_agent(args, agent);
}

TESSERA_FN void put_agent_of_list(const frame_agents_arguments& args, std::int64_t number) {
    const std::int64_t place = args.stands_on[number], line = place / args.size[0];
    put_agent(args, {{place % args.size[0], line % args.size[1], line / args.size[1]}, {number, 0, 0}, 0});
}

TESSERA_FN void pack_pixel(const frame_pack_arguments& args, std::int64_t pixel) {
    args.bytes[pixel] = static_cast<std::uint8_t>(args.pixels[pixel] >> 8);
    if (args.shades != nullptr) args.shades[pixel] = static_cast<std::uint8_t>(args.pixels[pixel]);
    args.pixels[pixel] = 0;
}

// ---- places of a volume

// A value at the lower end of the colours, or below it, is nothing; so is what is no number.
TESSERA_FN void put_place_of_volume(const frame_volume_arguments& args, std::int64_t line, std::int64_t x) {
    const frame_arguments& of = args.values;
    const std::int64_t rows = of.axis_y.end, y = line % rows, z = of.axis_z.first + line / rows;
    double value = 0;
    with_frame_scalar(of.type, [&](auto zero) {
        value = static_cast<double>(static_cast<const decltype(zero)*>(of.values)[x + y * of.axis_y.stride + z * of.axis_z.stride]);
    });
    const std::uint8_t shade = of.categorical != 0 ? frame_category(value) : frame_byte(value, of.low, of.scale);
    if (shade == 0 || shade == frame_no_number) return;
    frame_point point{};
    point.id = static_cast<std::uint64_t>((z * rows + y) * of.axis_x.end + x);
    point.x = static_cast<float>(x) + 0.5F, point.y = static_cast<float>(y) + 0.5F, point.z = static_cast<float>(z) + 0.5F;
    point.shade = shade;
    put_point(args.points, point);
}

} // namespace tessera
