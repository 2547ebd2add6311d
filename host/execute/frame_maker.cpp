#include "host/execute/frame_maker.hpp"

#include "host/setup/names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t parts_of_ends = 512; // more than a GPU runs blocks at a time

bool is_gpu(const Device& device) { return device.info().kind == DeviceKind::cuda; }

std::array<std::int64_t, 3> strides_of(const Layout& layout) { return {1, layout.row, layout.plane}; }

// As many lanes as help a pixel: of places that stand side by side in memory.
std::int32_t lanes_of(const FrameView& view) {
    std::int32_t lanes = 1;
    while (lanes < 32 && 2 * lanes <= view.across) lanes *= 2;
    return lanes;
}

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// What one pixel is by what two devices have of it.
std::uint8_t joined(std::uint8_t a, std::uint8_t b, frame_reduction by) {
    if (a == frame_no_number) return b;
    if (b == frame_no_number) return a;
    return by == frame_reduction::smallest ? std::min(a, b) : std::max(a, b);
}

// Rows of pixels of which places [first, end) are, and those of which all are.
struct PixelRows {
    std::int64_t first, first_whole, end_whole, end;
};
PixelRows pixel_rows(const FrameView& view, const frame_axis& axis, std::int64_t y_end) {
    const auto pixel_at = [&](std::int64_t place) { return std::clamp<std::int64_t>(place, 0, view.height); };
    const auto down = [&](std::int64_t place) { return pixel_at(place <= 0 ? 0 : place / view.across); };
    const auto up = [&](std::int64_t place) { return pixel_at(place <= 0 ? 0 : rounded_up(place, view.across)); };
    const std::int64_t from = axis.first - view.y, to = axis.end - view.y;
    return {down(from), up(from), axis.end == y_end ? view.height : down(to), up(to)};
}

// Pixels of which several devices have places.
void put_sums(const std::vector<frame_sum>& sums, const frame_arguments& made, std::string& picture) {
    const auto type = static_cast<Scalar>(made.type);
    const bool of_shares = size_of(type) == 8 || type == Scalar::f32;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i].count > 0) picture[i] = static_cast<char>(frame_byte_of_sum(sums[i], of_shares, made.low, made.scale));
}

} // namespace

double frame_scale(double low, double high) noexcept {
    const double scale = high > low ? frame_steps / (high - low) : 0;
    return std::isfinite(scale) ? scale : 0;
}

FrameMaker::FrameMaker(LoadedModel& model, jit::Compiler& compiler) : model_(model), images_(model, compiler) {}

bool FrameMaker::is_ready() const { return images_.are_ready(); }

void FrameMaker::load() {
    if (!parts_.empty()) return;
    for (const auto& partition : model_.partitions()) {
        auto& part = parts_.emplace_back();
        part.kernels = frame_kernels_of_cpus();
        if (!is_gpu(*partition.device)) continue;
        const auto& image = images_.image(partition.device->info().architecture);
        part.program = image.file.empty() ? partition.device->load({"frames", image.bytes}) : partition.device->load(image.file);
        const auto kernel = [&](const char* what) { return &part.program->kernel(std::string("tessera_frame_") + what); };
        part.kernels = {kernel("places"), kernel("ends"), kernel("slots"), kernel("list"), kernel("volume"), kernel("pack")};
    }
}

void* FrameMaker::room(Memory& memory, std::size_t partition, std::int64_t bytes) {
    if (memory.size() < static_cast<std::size_t>(bytes)) {
        memory = {};
        memory = model_.partitions()[partition].device->allocate(static_cast<std::size_t>(bytes));
    }
    return memory.address();
}

const void* FrameMaker::values_of(ColumnId column, int element, std::size_t partition) const {
    const auto& layout = model_.setup()[column].layout;
    const auto* const origin =
        static_cast<const std::byte*>(model_.world().origin(model_.world().placement().current_of(column), partition));
    return origin + element * layout.element * static_cast<std::int64_t>(size_of(layout.type));
}

void FrameMaker::launch(const Kernel* kernel, std::size_t partition, std::int64_t items, std::int64_t threads,
                        std::vector<std::byte> arguments) {
    if (items <= 0 || threads <= 0) return;
    constexpr unsigned block = 256;
    Launch launch;
    launch.kernel = kernel;
    launch.items = items;
    launch.block = {block, 1, 1};
    launch.grid = {static_cast<unsigned>(rounded_up(threads, block)), 1, 1};
    launch.args = std::move(arguments);
    model_.partitions()[partition].queue->launch(launch);
}

// Each partition the rows of pixels of which it has places; those of which it has not all by themselves.
std::vector<FrameMaker::Rows> FrameMaker::rows_of(const FrameView& view, const FrameValues& values) const {
    const auto& setup = model_.setup();
    const auto id = setup.columns[values.column].collection;
    const auto& collection = setup.collections[id];
    const auto along = static_cast<std::size_t>(collection.dimensions == 3 ? 2 : 1); // which axis is divided
    const std::int64_t y_end = collection.size[view.axes[1]];
    std::vector<Rows> all;
    for (std::size_t p = 0; p < setup.partitions(); ++p) {
        const auto stripe = setup.stripe(id, p);
        Rows rows{p, 0, view.height, {0, 0, y_end}, {0, view.first, view.end}};
        if (view.axes[2] == along) {
            rows.axis_z = {0, std::max(view.first, stripe.first), std::min(view.end, stripe.end)};
            rows.is_part = rows.axis_z.first > view.first || rows.axis_z.end < view.end;
            if (rows.axis_z.first < rows.axis_z.end) all.push_back(rows);
            continue;
        }
        const bool divided = view.axes[1] == along;
        if (divided) rows.axis_y = {0, stripe.first, std::min(stripe.end, y_end)};
        if (rows.axis_y.first >= rows.axis_y.end) continue;
        const auto [first, first_whole, end_whole, end] = pixel_rows(view, rows.axis_y, y_end);
        const auto add = [&](std::int64_t begin, std::int64_t last, bool is_part) {
            rows.first = begin, rows.end = last, rows.is_part = is_part;
            if (begin < last) all.push_back(rows);
        };
        if (values.by == frame_reduction::nearest) {
            add(first_whole, end, false); // whoever has a pixel's first place
        } else if (first_whole >= end_whole) {
            add(first, end, true);
        } else {
            add(first, first_whole, true);
            add(first_whole, end_whole, false);
            add(end_whole, end, true);
        }
    }
    return all;
}

frame_arguments FrameMaker::arguments_of(const FrameView& view, const FrameValues& values, const Rows& rows) {
    const auto& setup = model_.setup();
    const auto& layout = setup[values.column].layout;
    const auto strides = strides_of(layout);
    frame_arguments arguments{};
    arguments.values = values_of(values.column, values.element, rows.partition);
    arguments.low = values.low;
    arguments.scale = frame_scale(values.low, values.high);
    arguments.x = view.x, arguments.y = view.y;
    arguments.axis_x = {strides[view.axes[0]], 0, setup.collections[setup.columns[values.column].collection].size[view.axes[0]]};
    arguments.axis_y = {strides[view.axes[1]], rows.axis_y.first, rows.axis_y.end};
    arguments.axis_z = {strides[view.axes[2]], rows.axis_z.first, rows.axis_z.end};
    arguments.across = view.across, arguments.width = view.width;
    arguments.first_row = rows.first, arguments.rows = rows.end - rows.first;
    arguments.type = static_cast<std::int32_t>(layout.type);
    arguments.by = values.by;
    arguments.categorical = values.categorical ? 1 : 0;
    arguments.lanes = lanes_of(view);
    return arguments;
}

std::string FrameMaker::places(const FrameView& view, const FrameValues& values) {
    if (model_.partitions().size() > 1) model_.executor().synchronize(); // one may have written what another one has
    const auto all = rows_of(view, values);
    std::vector<frame_arguments> launched;
    std::vector<std::int64_t> bytes(parts_.size(), 0), sums(parts_.size(), 0); // where the next rows of a partition stand
    for (const auto& rows : all) {
        const auto pixels = (rows.end - rows.first) * view.width;
        if (rows.is_part && values.by == frame_reduction::mean)
            sums[rows.partition] += pixels;
        else
            bytes[rows.partition] += pixels;
    }
    std::vector<std::uint8_t*> next_bytes(parts_.size());
    std::vector<frame_sum*> next_sums(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        next_bytes[p] = static_cast<std::uint8_t*>(room(parts_[p].bytes, p, bytes[p]));
        next_sums[p] = static_cast<frame_sum*>(room(parts_[p].sums, p, sums[p] * static_cast<std::int64_t>(sizeof(frame_sum))));
    }
    for (const auto& rows : all) {
        auto arguments = arguments_of(view, values, rows);
        const auto pixels = arguments.rows * view.width;
        if (rows.is_part && values.by == frame_reduction::mean)
            arguments.sums = std::exchange(next_sums[rows.partition], next_sums[rows.partition] + pixels);
        else
            arguments.bytes = std::exchange(next_bytes[rows.partition], next_bytes[rows.partition] + pixels);
        const auto lanes = values.by == frame_reduction::nearest ? 1 : arguments.lanes;
        launch(parts_[rows.partition].kernels.places, rows.partition, arguments.rows, pixels * lanes, bytes_of(arguments));
        launched.push_back(arguments);
    }
    std::string picture(static_cast<std::size_t>(view.width * view.height), static_cast<char>(frame_no_number));
    std::vector<frame_sum> of_parts;
    for (std::size_t i = 0; i < all.size(); ++i) gather(all[i], launched[i], picture, of_parts);
    put_sums(of_parts, launched.front(), picture);
    return picture;
}

// What a launch has made, into the picture, or to the sums of its pixels.
void FrameMaker::gather(const Rows& rows, const frame_arguments& made, std::string& picture, std::vector<frame_sum>& sums) {
    auto& queue = *model_.partitions()[rows.partition].queue;
    const auto begin = static_cast<std::size_t>(rows.first * made.width), count = static_cast<std::size_t>(made.rows * made.width);
    if (made.sums != nullptr) {
        std::vector<frame_sum> some(count);
        queue.read(some.data(), made.sums, count * sizeof(frame_sum));
        sums.resize(picture.size());
        for (std::size_t i = 0; i < count; ++i) {
            sums[begin + i].sum += some[i].sum;
            sums[begin + i].count += some[i].count;
        }
    } else if (rows.is_part) {
        std::vector<std::uint8_t> some(count);
        queue.read(some.data(), made.bytes, count);
        for (std::size_t i = 0; i < count; ++i)
            picture[begin + i] = static_cast<char>(joined(static_cast<std::uint8_t>(picture[begin + i]), some[i], made.by));
    } else {
        queue.read(picture.data() + begin, made.bytes, count);
    }
}

std::optional<frame_ends> FrameMaker::ends(ColumnId column, int element) {
    if (model_.partitions().size() > 1) model_.executor().synchronize();
    const auto& setup = model_.setup();
    const auto id = setup.columns[column].collection;
    const auto& collection = setup.collections[id];
    if (collection.agents) return ends_of_agents(column, element);
    const auto& layout = setup[column].layout;
    std::vector<std::size_t> asked;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const auto stripe = setup.stripe(id, p);
        if (stripe.rows() <= 0) continue;
        frame_ends_arguments arguments{};
        arguments.values = values_of(column, element, p);
        arguments.ends = static_cast<frame_ends*>(room(parts_[p].sums, p, parts_of_ends * static_cast<std::int64_t>(sizeof(frame_ends))));
        arguments.axis_x = {1, 0, collection.size[0]};
        arguments.axis_y = {layout.row, 0, collection.size[1]};
        arguments.axis_z = {layout.plane, 0, 1};
        auto& divided = collection.dimensions == 3 ? arguments.axis_z : arguments.axis_y;
        divided.first = stripe.first, divided.end = stripe.end;
        arguments.parts = parts_of_ends;
        arguments.type = static_cast<std::int32_t>(layout.type);
        launch(parts_[p].kernels.ends, p, parts_of_ends, parts_of_ends * 256, bytes_of(arguments));
        asked.push_back(p);
    }
    frame_ends all{1, 0};
    for (const auto p : asked) {
        std::vector<frame_ends> found(parts_of_ends);
        model_.partitions()[p].queue->read(found.data(), parts_[p].sums.address(), found.size() * sizeof(frame_ends));
        for (const auto& each : found) {
            if (!(each.low <= each.high) || !std::isfinite(each.low) || !std::isfinite(each.high)) continue;
            all = all.low > all.high ? each : frame_ends{std::min(all.low, each.low), std::max(all.high, each.high)};
        }
    }
    return all.low > all.high ? std::nullopt : std::optional(all);
}

} // namespace tessera
