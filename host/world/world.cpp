#include "host/world/world.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/world/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

std::string gibibytes(std::uint64_t bytes) { return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30)); }

bool all_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Ghosts that no kernel writes, and that are not as memory is from the start.
bool has_constant_ghosts(const ColumnSetup& column) {
    return column.layout.ghost != std::array<int, 3>{} && !(all_zero(column.outside) && all_zero(column.missing));
}

} // namespace

World::World(const Setup& setup, Device& device, Queue& queue, ThreadPool& pool)
    : setup_(setup), device_(device), queue_(queue), pool_(pool) {
    refuse_too_large();
    step_ = device_.allocate(sizeof(std::uint64_t));
    for (const auto column : setup_.columns.ids()) {
        placement_.current.push_back(add_buffer(column));
        placement_.spare.push_back(setup_[column].has_spare ? add_buffer(column) : Placement::none);
    }
}

void World::refuse_too_large() const {
    const auto needed = static_cast<std::uint64_t>(setup_.column_bytes()), free = device_.free_memory();
    if (needed <= free) return;
    std::string columns;
    for (const auto id : setup_.columns.ids()) {
        const auto& column = setup_[id];
        const auto bytes = static_cast<std::uint64_t>(column.layout.bytes) * (column.has_spare ? 2 : 1);
        columns += fmt::format("{}{} {}{}", columns.empty() ? "" : ", ", setup_.name_of(id), gibibytes(bytes),
                               column.has_spare ? " (two buffers)" : "");
    }
    throw Error(
        Failure::memory,
        fmt::format("{} needs {} and {} has {} free", setup_.description().name, gibibytes(needed), device_.info().name, gibibytes(free)),
        columns, "make the grid smaller, or use a device with more memory");
}

bool World::add_spare(ColumnId column) {
    if (placement_.spare_of(column) != Placement::none) return false;
    const int spare = add_buffer(column);
    if (has_constant_ghosts(setup_[column])) try {
            const auto& current = buffer(placement_.current_of(column)).memory;
            std::vector<std::byte> image(current.size());
            queue_.read(image.data(), current.address(), image.size());
            upload(spare, image);
        } catch (...) {
            release(spare);
            throw;
        }
    placement_.spare_of(column) = spare;
    return true;
}

void World::remove_spare(ColumnId column) { release(std::exchange(placement_.spare_of(column), Placement::none)); }

int World::add_buffer(ColumnId like) {
    const auto& layout = setup_[like].layout;
    const int number = add_buffer(static_cast<std::size_t>(layout.bytes));
    buffers_[static_cast<std::size_t>(number)].layout = &layout;
    return number;
}

int World::add_buffer(std::size_t bytes) {
    const auto is_free = [](const Buffer& b) { return b.memory.address() == nullptr; };
    auto place = std::find_if(buffers_.begin(), buffers_.end(), is_free);
    if (place == buffers_.end()) place = buffers_.insert(place, Buffer{});
    *place = {device_.allocate(bytes), nullptr};
    return static_cast<int>(place - buffers_.begin());
}

void World::release(int number) { buffers_[static_cast<std::size_t>(number)] = {}; }

void* World::origin(int number) const {
    const auto& b = buffer(number);
    const auto offset = b.layout == nullptr ? 0 : b.layout->origin * static_cast<std::int64_t>(size_of(b.layout->type));
    return static_cast<std::byte*>(b.memory.address()) + offset;
}

void World::set_step(std::uint64_t step) { queue_.write(step_.address(), &step, sizeof(step)); }

void World::upload(int number, const std::vector<std::byte>& image) {
    queue_.write(buffer(number).memory.address(), image.data(), image.size());
}

void World::write(ColumnId id, const Array& values) {
    const auto& collection = setup_.collections[setup_.columns[id].collection];
    const auto& column = setup_[id];
    std::vector<std::byte> image;
    fill_frame(image, column.layout, collection.dimensions, collection.boundary, values, column.outside, column.missing, pool_);
    upload(placement_.current_of(id), image);
    if (placement_.spare_of(id) != Placement::none && has_constant_ghosts(column))
        upload(placement_.spare_of(id), image); // only its ghosts matter
}

Array World::read(ColumnId id) const {
    const auto& collection = setup_.collections[setup_.columns[id].collection];
    const auto& layout = setup_[id].layout;
    Array values = make_array(layout.type, layout.size, collection.dimensions, layout.elements, collection.name);
    std::vector<std::byte> image(static_cast<std::size_t>(layout.bytes));
    queue_.read(image.data(), buffer(placement_.current_of(id)).memory.address(), image.size());
    take_places(image.data(), layout, values, pool_);
    return values;
}

} // namespace tessera
