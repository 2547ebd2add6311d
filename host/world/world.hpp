// The state of a run on its device: buffers, which of them holds each column, and the step number.
#pragma once

#include "device_runtime/device.hpp"
#include "host/array.hpp"
#include "host/setup/setup.hpp"
#include "host/world/placement.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

class ThreadPool;

class World {
public:
    // Allocates every column, zero-filled. Throws Failure::memory, before allocating, with the sum per column if the device has too little.
    World(const Setup& setup, Device& device, Queue& queue, ThreadPool& pool);

    [[nodiscard]] Placement& placement() noexcept { return placement_; }
    [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

    // Gives a column a spare if it has none, with the constants of its ghosts; whether it had none. Throws Failure::memory.
    bool add_spare(ColumnId column);
    void remove_spare(ColumnId column); // again, with nothing in it

    // Another buffer, of a column's layout or of so many bytes; its number. Throws Failure::memory.
    [[nodiscard]] int add_buffer(ColumnId like);
    [[nodiscard]] int add_buffer(std::size_t bytes);
    void release(int buffer);

    // Device address of element 0 of place (0, 0, 0) in a buffer; of its first byte if it is no column's.
    [[nodiscard]] void* origin(int buffer) const;
    [[nodiscard]] std::uint64_t* step_counter() const { return static_cast<std::uint64_t*>(step_.address()); }
    void set_step(std::uint64_t step);

    // Puts values into a column and fills its ghost frame, in both buffers where ghosts hold constants. Blocks until done.
    void write(ColumnId column, const Array& values);
    // The values of a column, without ghosts. Waits for the launches before.
    [[nodiscard]] Array read(ColumnId column) const;

private:
    struct Buffer {
        Memory memory;
        const Layout* layout; // null: bytes
    };
    void refuse_too_large() const;
    void upload(int buffer, const std::vector<std::byte>& image);
    [[nodiscard]] const Buffer& buffer(int number) const { return buffers_[static_cast<std::size_t>(number)]; }

    const Setup& setup_;
    Device& device_;
    Queue& queue_; // for copies, in order with the launches
    ThreadPool& pool_;
    std::vector<Buffer> buffers_; // a number is given again once its buffer is released
    Placement placement_;
    Memory step_;
};

// Buffers of a world, given back at the end of a scope or of who holds them. The world must outlive them.
class HeldBuffers {
public:
    explicit HeldBuffers(World& world) : world_(&world) {}
    ~HeldBuffers() { release(); }
    HeldBuffers(HeldBuffers&& other) noexcept : world_(other.world_), buffers_(std::exchange(other.buffers_, {})) {}
    HeldBuffers& operator=(HeldBuffers&& other) noexcept {
        if (this != &other) {
            release();
            world_ = other.world_;
            buffers_ = std::exchange(other.buffers_, {});
        }
        return *this;
    }
    HeldBuffers(const HeldBuffers&) = delete;
    HeldBuffers& operator=(const HeldBuffers&) = delete;

    template<class Like> int add(const Like& like) {
        buffers_.reserve(buffers_.size() + 1);
        buffers_.push_back(world_->add_buffer(like));
        return buffers_.back();
    }

private:
    void release() noexcept {
        for (const int buffer : buffers_) world_->release(buffer);
        buffers_.clear();
    }

    World* world_;
    std::vector<int> buffers_;
};

} // namespace tessera
