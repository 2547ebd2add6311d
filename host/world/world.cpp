#include "host/world/world.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/world/frame.hpp"

#include <fmt/format.h>

#include <algorithm>

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

World::World(const Setup& setup, Device& device, ThreadPool& pool) : setup_(setup), device_(device), pool_(pool) {
    refuse_too_large(setup_, device_);
    step_ = device_.allocate(sizeof(std::uint64_t));
    for (const auto& collection : setup_.collections) {
        first_slot_.push_back(placement_.current.size());
        for (const auto& column : collection.columns) {
            const auto add = [&] {
                buffers_.push_back({device_.allocate(static_cast<std::size_t>(column.layout.bytes)), &column.layout});
                return static_cast<int>(buffers_.size()) - 1;
            };
            placement_.current.push_back(add());
            placement_.spare.push_back(column.has_spare ? add() : -1);
        }
    }
}

void World::refuse_too_large(const Setup& setup, Device& device) {
    const auto needed = static_cast<std::uint64_t>(setup.column_bytes()), free = device.free_memory();
    if (needed <= free) return;
    std::string columns;
    for (const auto& collection : setup.collections)
        for (std::size_t i = 0; i < collection.columns.size(); ++i) {
            const auto& column = collection.columns[i];
            const auto bytes = static_cast<std::uint64_t>(column.layout.bytes) * (column.has_spare ? 2 : 1);
            columns += fmt::format("{}{}.{} {}{}", columns.empty() ? "" : ", ", collection.name, setup.row_of(collection).members[i].name,
                                   gibibytes(bytes), column.has_spare ? " (two buffers)" : "");
        }
    throw Error(
        Failure::memory,
        fmt::format("{} needs {} and {} has {} free", setup.description().name, gibibytes(needed), device.info().name, gibibytes(free)),
        columns, "make the grid smaller, or use a device with more memory");
}

bool World::add_spare(std::size_t collection, std::size_t member) {
    const auto at = slot(collection, member);
    if (placement_.spare[at] >= 0) return false;
    const int spare = add_scratch(collection, member);
    if (has_constant_ghosts(setup_.collections[collection].columns[member])) try {
            const auto& current = buffers_[static_cast<std::size_t>(placement_.current[at])].memory;
            std::vector<std::byte> image(current.size());
            device_.read(image.data(), current.address(), image.size());
            upload(spare, image);
        } catch (...) {
            release(spare);
            throw;
        }
    placement_.spare[at] = spare;
    return true;
}

void World::remove_spare(std::size_t collection, std::size_t member) {
    int& spare = placement_.spare[slot(collection, member)];
    release(spare);
    spare = -1;
}

int World::add_scratch(std::size_t collection, std::size_t member) {
    const auto& layout = setup_.collections[collection].columns[member].layout;
    buffers_.push_back({device_.allocate(static_cast<std::size_t>(layout.bytes)), &layout});
    return static_cast<int>(buffers_.size()) - 1;
}

void* World::origin(int buffer) const {
    const auto& b = buffers_[static_cast<std::size_t>(buffer)];
    return static_cast<std::byte*>(b.memory.address()) + b.layout->origin * static_cast<std::int64_t>(size_of(b.layout->type));
}

void World::set_step(std::uint64_t step) { device_.write(step_.address(), &step, sizeof(step)); }

void World::upload(int buffer, const std::vector<std::byte>& image) {
    device_.write(buffers_[static_cast<std::size_t>(buffer)].memory.address(), image.data(), image.size());
}

void World::write(std::size_t collection, std::size_t member, const Array& values) {
    const auto& bound = setup_.collections[collection];
    const auto& column = bound.columns[member];
    std::vector<std::byte> image;
    fill_frame(image, column.layout, bound.dimensions, bound.boundary, values, column.outside, column.missing, pool_);
    const auto at = slot(collection, member);
    upload(placement_.current[at], image);
    if (placement_.spare[at] >= 0 && has_constant_ghosts(column)) upload(placement_.spare[at], image); // only its ghosts matter
}

Array World::read(std::size_t collection, std::size_t member) const {
    const auto& bound = setup_.collections[collection];
    const auto& layout = bound.columns[member].layout;
    Array values = make_array(layout.type, layout.size, bound.dimensions, layout.elements, bound.name);
    std::vector<std::byte> image(static_cast<std::size_t>(layout.bytes));
    device_.read(image.data(), buffers_[static_cast<std::size_t>(placement_.current[slot(collection, member)])].memory.address(),
                 image.size());
    take_places(image.data(), layout, values, pool_);
    return values;
}

} // namespace tessera
