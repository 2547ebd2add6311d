// Columns as they stood on a GPU at a moment, in memory of their own: steps go on while they are read.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/setup/setup.hpp"
#include "host/world/state_reader.hpp"
#include "host/world/world.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

// The memory is kept from one time to the next: that of the device for as long as as much again is free there.
class ColumnCopies {
public:
    enum class Where { device, host };

    // `fits_on_host` says whether so many bytes of page-locked memory may be used.
    explicit ColumnCopies(std::function<bool(std::size_t)> fits_on_host) : fits_on_host_(std::move(fits_on_host)) {}

    // Columns of a world that one device makes, of its placement now. Nothing is waited for: they are copied behind what the device was
    // asked before. On the device, if twice as much is free there, else on the host; nothing is returned where neither has room. The reader
    // is for one thread at a time, any one; it throws what the device ran into. What it reads is there until the next call: nobody may
    // read it any more then. `setup` must outlive it. Throws Failure::device.
    [[nodiscard]] std::optional<StateReader> take(const Setup& setup, const World& world, const StripeOwner& owner,
                                                  const std::vector<ColumnId>& columns);
    // Gives memory of the device back where less than as much again is free; nobody reads any more.
    void give_way();
    void give_back() { room_.reset(); }
    // Where the last ones are; nothing where there is no memory.
    [[nodiscard]] std::optional<Where> where() const;

private:
    struct Room {
        Memory memory;
        Where where = Where::device;
        Device* device = nullptr;
        std::unique_ptr<Queue> queue; // that reads
        ThreadPool alone{1};
        std::vector<std::byte> image; // what it read last
    };
    [[nodiscard]] bool make_room(Device& device, std::size_t bytes);

    std::function<bool(std::size_t)> fits_on_host_;
    std::shared_ptr<Room> room_;
};

} // namespace tessera
