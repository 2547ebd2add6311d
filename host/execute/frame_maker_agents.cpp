// Agents of a frame, and places one by one.
#include "host/execute/frame_maker.hpp"
#include "host/setup/names.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tessera {

AgentPixels FrameMaker::agents(const FrameView& view, const ShownAgents& agents, std::int64_t fine) {
    if (model_.partitions().size() > 1) model_.executor().synchronize(); // one may have written what another one has
    const bool any_shade = std::any_of(agents.begin(), agents.end(), [](const auto& each) { return each && each->shade; });
    const auto count = view.width * view.height * fine * fine;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        (void)room(parts_[p].pixels, p, count * 4);
        (void)room(parts_[p].bytes, p, count);
        if (any_shade) (void)room(parts_[p].shades, p, count);
    }
    for (std::size_t k = 0; k < agents.size(); ++k)
        if (agents[k])
            launch_agents(view, *agents[k], static_cast<std::uint32_t>(k + 1), fine, [&](frame_agents_arguments& arguments, std::size_t p) {
                arguments.product = frame_product::pixels;
                arguments.pixels = static_cast<std::uint32_t*>(parts_[p].pixels.address());
            });
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const frame_pack_arguments arguments{static_cast<std::uint32_t*>(parts_[p].pixels.address()),
                                             static_cast<std::uint8_t*>(parts_[p].bytes.address()),
                                             any_shade ? static_cast<std::uint8_t*>(parts_[p].shades.address()) : nullptr, count};
        launch(parts_[p].kernels.pack, p, count, count, bytes_of(arguments));
    }
    AgentPixels all{std::string(static_cast<std::size_t>(count), '\0'), std::string(any_shade ? static_cast<std::size_t>(count) : 0, '\0')};
    std::string numbers(all.numbers), shades(all.shades);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        auto& queue = *model_.partitions()[p].queue;
        queue.read(numbers.data(), parts_[p].bytes.address(), numbers.size());
        if (any_shade) queue.read(shades.data(), parts_[p].shades.address(), shades.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto word = [i](const std::string& number, const std::string& shade) {
                return static_cast<unsigned char>(number[i]) << 8 | (shade.empty() ? 0 : static_cast<unsigned char>(shade[i]));
            };
            if (word(numbers, shades) <= word(all.numbers, all.shades)) continue;
            all.numbers[i] = numbers[i];
            if (any_shade) all.shades[i] = shades[i];
        }
    }
    return all;
}

std::optional<frame_ends> FrameMaker::ends_of_agents(ColumnId column, int element) {
    const auto& setup = model_.setup();
    const auto id = setup.columns[column].collection;
    const frame_ordered_ends none{UINT64_MAX, 0};
    const auto into_ends = [&](std::size_t p) {
        return static_cast<frame_ordered_ends*>(room(parts_[p].counts, p, static_cast<std::int64_t>(sizeof none)));
    };
    for (std::size_t p = 0; p < parts_.size(); ++p) model_.partitions()[p].queue->write(into_ends(p), &none, sizeof none);
    FrameView whole;
    whole.width = setup.collections[id].size[0], whole.height = setup.collections[id].size[1], whole.end = setup.collections[id].size[2];
    launch_agents(whole, {id, FrameShade{column, element, 0, 1, false}}, 1, 1, [&](frame_agents_arguments& arguments, std::size_t p) {
        arguments.product = frame_product::ends;
        arguments.ends = into_ends(p);
    });
    auto all = none;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        frame_ordered_ends some{};
        model_.partitions()[p].queue->read(&some, into_ends(p), sizeof some);
        all = {std::min(all.low, some.low), std::max(all.high, some.high)};
    }
    return all.low > all.high ? std::nullopt : std::optional(frame_ends{frame_of_ordered(all.low), frame_of_ordered(all.high)});
}

// ---- points

frame_points FrameMaker::points_of(std::size_t partition) const {
    const auto& part = parts_[partition];
    return {static_cast<frame_point*>(part.points.address()), static_cast<std::uint64_t*>(part.counts.address()), most_points_, limit_};
}

std::optional<FramePoints> FrameMaker::put_points(std::uint64_t most, PointChoice choice, const std::function<void()>& launch) {
    constexpr double all_ids = 18446744073709551616.0, nearly = 0.98; // ids are not spread quite evenly
    most_points_ = most, limit_ = UINT64_MAX;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        (void)room(parts_[p].points, p, static_cast<std::int64_t>(most * sizeof(frame_point)));
        (void)room(parts_[p].counts, p, static_cast<std::int64_t>(sizeof(frame_ordered_ends)));
    }
    std::vector<std::uint64_t> counts(parts_.size());
    FramePoints found;
    for (double share = 1;; share *= nearly) {
        const std::uint64_t none = 0;
        for (std::size_t p = 0; p < parts_.size(); ++p) model_.partitions()[p].queue->write(parts_[p].counts.address(), &none, sizeof none);
        launch();
        std::uint64_t all = 0;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            model_.partitions()[p].queue->read(&counts[p], parts_[p].counts.address(), sizeof counts[p]);
            all += counts[p];
        }
        if (share == 1) found.all = all;
        if (all <= most) break;
        if (choice == PointChoice::all) return std::nullopt;
        if (share == 1) share = static_cast<double>(most) / static_cast<double>(all);
        limit_ = static_cast<std::uint64_t>(all_ids * share * nearly);
    }
    auto& points = found.points;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const auto before = points.size();
        points.resize(before + counts[p]);
        if (counts[p] > 0)
            model_.partitions()[p].queue->read(points.data() + before, parts_[p].points.address(), counts[p] * sizeof(frame_point));
    }
    std::sort(points.begin(), points.end(),
              [](const frame_point& a, const frame_point& b) { return std::tie(a.number, a.id) < std::tie(b.number, b.id); });
    return found;
}

std::optional<FramePoints> FrameMaker::points(const FrameView& view, const ShownAgents& agents, std::uint64_t most, PointChoice choice) {
    if (model_.partitions().size() > 1) model_.executor().synchronize();
    return put_points(most, choice, [&] {
        for (std::size_t k = 0; k < agents.size(); ++k)
            if (agents[k])
                launch_agents(view, *agents[k], static_cast<std::uint32_t>(k + 1), 1,
                              [&](frame_agents_arguments& arguments, std::size_t p) {
                                  arguments.product = frame_product::points;
                                  arguments.points = points_of(p);
                              });
    });
}

FramePoints FrameMaker::points_of_places(const FrameValues& values, std::uint64_t most) {
    if (model_.partitions().size() > 1) model_.executor().synchronize();
    const auto id = model_.setup().columns[values.column].collection;
    const auto& collection = model_.setup().collections[id];
    FrameView view;
    view.width = collection.size[0], view.height = collection.size[1], view.end = collection.size[2];
    return *put_points(most, PointChoice::some, [&] {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const auto stripe = model_.setup().stripe(id, p);
            if (stripe.rows() <= 0) continue;
            Rows rows{p, 0, view.height, {0, 0, collection.size[1]}, {0, 0, collection.size[2]}};
            (collection.dimensions == 3 ? rows.axis_z : rows.axis_y) = {0, stripe.first, stripe.end};
            const frame_volume_arguments arguments{arguments_of(view, values, rows), points_of(p)};
            const auto lines = rows.axis_y.end * (rows.axis_z.end - rows.axis_z.first);
            launch(parts_[p].kernels.volume, p, lines, lines * view.width, bytes_of(arguments));
        }
    });
}

// ---- launches

// Of slots an element of each of them; `elements` a slot.
frame_column FrameMaker::column_of_agents(ColumnId column, int element, int elements, std::size_t partition) const {
    const auto& layout = model_.setup()[column].layout;
    return {values_of(column, element, partition), layout.row, layout.plane, layout.element * elements};
}

void FrameMaker::launch_agents(const FrameView& view, const FrameAgents& agents, std::uint32_t number, std::int64_t fine,
                               const Into& into) {
    const auto& setup = model_.setup();
    const auto& collection = setup.collections[agents.id];
    frame_agents_arguments arguments{};
    const std::array<std::int64_t, 3> first{view.x, view.y, view.first},
        end{view.x + view.width * view.across, view.y + view.height * view.across, view.end};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = view.axes[i];
        arguments.axes[i] = static_cast<std::int32_t>(axis);
        arguments.first[i] = first[i], arguments.end[i] = end[i];
        const std::int64_t beside = collection.agents->space && i < 2 ? 1 : 0; // where rounding might put someone
        arguments.box_first[axis] = std::max<std::int64_t>(first[i] - beside, 0);
        arguments.box_end[axis] = std::min(end[i] + beside, collection.size[axis]);
        arguments.size[i] = collection.size[i];
        if (collection.agents->space) arguments.extent[i] = collection.agents->space->extent[i];
    }
    arguments.across = view.across, arguments.fine = fine;
    arguments.width = view.width * fine, arguments.height = view.height * fine;
    arguments.dimensions = collection.dimensions;
    arguments.number = number;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (setup.stripe(agents.id, p).rows() <= 0) continue;
        put_columns(arguments, agents, p);
        into(arguments, p);
        if (collection.agents->in_list()) return launch_list(arguments, agents.id, p); // which is whole, wherever it is
        launch_slots(arguments, agents.id, p);
    }
}

void FrameMaker::put_columns(frame_agents_arguments& arguments, const FrameAgents& agents, std::size_t partition) const {
    const auto& setup = model_.setup();
    const auto& collection = setup.collections[agents.id];
    arguments.ids = column_of_agents(setup.ids_of(agents.id), 0, 1, partition);
    if (collection.agents->space) {
        const auto& layout = setup[setup.positions_of(agents.id)].layout;
        arguments.positions = column_of_agents(setup.positions_of(agents.id), 0, collection.dimensions, partition);
        arguments.position_is_double = layout.type == Scalar::f64 ? 1 : 0;
        arguments.position_element = layout.element;
    }
    if (!agents.shade) return;
    const auto& shade = *agents.shade;
    const auto& layout = setup[shade.column].layout;
    arguments.shades = column_of_agents(shade.column, shade.element,
                                        layout.elements / (collection.agents->in_list() ? 1 : collection.agents->capacity), partition);
    arguments.shade_type = static_cast<std::int32_t>(layout.type);
    arguments.low = shade.low, arguments.scale = frame_scale(shade.low, shade.high);
    arguments.categorical = shade.categorical ? 1 : 0;
}

void FrameMaker::launch_slots(frame_agents_arguments arguments, CollectionId id, std::size_t partition) {
    const auto& setup = model_.setup();
    const auto& collection = setup.collections[id];
    arguments.codes = column_of_agents(setup.codes_of(id), 0, 1, partition);
    arguments.code_bytes = static_cast<std::int32_t>(size_of(setup[setup.codes_of(id)].layout.type));
    arguments.slots = collection.agents->capacity;
    const auto divided = static_cast<std::size_t>(collection.dimensions == 3 ? 2 : 1);
    const auto stripe = setup.stripe(id, partition);
    arguments.box_first[divided] = std::max(arguments.box_first[divided], stripe.first);
    arguments.box_end[divided] = std::min(arguments.box_end[divided], stripe.end);
    std::array<std::int64_t, 3> count{};
    for (std::size_t i = 0; i < 3; ++i) count[i] = std::max<std::int64_t>(arguments.box_end[i] - arguments.box_first[i], 0);
    launch(parts_[partition].kernels.slots, partition, count[1] * count[2], count[0] * count[1] * count[2], bytes_of(arguments));
}

void FrameMaker::launch_list(frame_agents_arguments arguments, CollectionId id, std::size_t partition) {
    const auto& setup = model_.setup();
    const auto places = setup.collections[id].places();
    std::int32_t population = 0;
    model_.world().read(setup.starts_of(id), 0, {places, places + 1}, reinterpret_cast<std::byte*>(&population));
    arguments.stands_on = static_cast<const std::int32_t*>(values_of(setup.places_of(id), 0, partition));
    arguments.count = population;
    launch(parts_[partition].kernels.list, partition, population, population, bytes_of(arguments));
}

} // namespace tessera
