#include "host/world/column_copies.hpp"

#include "device_runtime/error.hpp"
#include "host/world/frame.hpp"

#include <algorithm>
#include <map>

namespace tessera {
namespace {

constexpr std::size_t copied_line = 256; // bytes, so that each column is copied as fast as it can be

std::size_t bytes_of_copy(const Layout& layout) {
    return (static_cast<std::size_t>(layout.bytes) + copied_line - 1) / copied_line * copied_line;
}

// Its first byte, where one device has all of it.
const std::byte* start_of(const Setup& setup, const World& world, ColumnId column) {
    const auto& layout = setup[column].layout;
    const auto* origin = static_cast<const std::byte*>(world.origin(world.placement().current_of(column), 0));
    return origin - layout.origin * static_cast<std::int64_t>(size_of(layout.type));
}

// Memory, or none where it is short.
template<class Allocate> Memory unless_short(const Allocate& allocate) {
    try {
        return allocate();
    } catch (const Error& error) {
        if (error.kind() != Failure::memory) throw;
        return {};
    }
}

} // namespace

std::optional<ColumnCopies::Where> ColumnCopies::where() const { return room_ ? std::optional(room_->where) : std::nullopt; }

void ColumnCopies::give_way() {
    if (room_ && room_->where == Where::device && room_->device->free_memory() < room_->memory.size()) room_.reset();
}

bool ColumnCopies::make_room(Device& device, std::size_t bytes) {
    if (room_ && room_->device == &device && room_->memory.size() >= bytes) return true;
    room_.reset();
    auto room = std::make_shared<Room>();
    room->device = &device;
    if (device.free_memory() / 2 >= bytes) room->memory = unless_short([&] { return device.allocate(bytes); });
    if (room->memory.address() == nullptr && fits_on_host_(bytes)) {
        room->where = Where::host;
        room->memory = unless_short([&] { return device.host_memory(bytes); });
    }
    if (room->memory.address() == nullptr) return false;
    room->queue = device.queue();
    room_ = std::move(room);
    return true;
}

std::optional<StateReader> ColumnCopies::take(const Setup& setup, const World& world, const StripeOwner& owner,
                                              const std::vector<ColumnId>& columns) {
    std::size_t bytes = 0;
    std::map<ColumnId, std::size_t> offsets;
    for (const auto column : columns) {
        offsets[column] = bytes;
        bytes += bytes_of_copy(setup[column].layout);
    }
    if (bytes == 0 || !make_room(*owner.device, bytes)) return std::nullopt;
    auto* const memory = static_cast<std::byte*>(room_->memory.address());
    for (const auto& [column, offset] : offsets)
        owner.queue->copy({memory + offset, start_of(setup, world, column), static_cast<std::size_t>(setup[column].layout.bytes)});
    const auto copied = owner.queue->mark(Timed::no);
    return
        [room = room_, offsets = std::move(offsets), copied, &setup](ColumnId id, int element, const PlaceRange& places, std::byte* into) {
            if (places.count() <= 0) return;
            copied.wait();
            const auto& column = setup[id];
            const Frame frame(setup.collections[setup.columns[id].collection], column);
            const auto first = frame.cell_of(places.first), end = frame.cell_of(places.end - 1) + 1;
            const auto* const from = static_cast<const std::byte*>(room->memory.address()) + offsets.at(id);
            for_each_piece(end - first, frame.cells_in(setup.bytes_at_a_time / 8, 1), [&](const PlaceRange& piece) {
                const CellRange cells{first + piece.first, first + piece.end};
                const auto range = frame.bytes_of(cells, element);
                if (room->where == Where::host) return frame.take(cells, from + range.offset, places, into, room->alone);
                room->image.resize(std::max(room->image.size(), range.size));
                room->queue->read(room->image.data(), from + range.offset, range.size);
                frame.take(cells, room->image.data(), places, into, room->alone);
            });
        };
}

} // namespace tessera
