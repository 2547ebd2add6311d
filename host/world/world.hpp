// The state of a run on its device: a current buffer for each column, a spare where one is needed, and the step number.
#pragma once

#include "device_runtime/device.hpp"
#include "host/array.hpp"
#include "host/world/setup.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

class ThreadPool;

// Where the columns of a collection stand at the moment: an index into World's buffers. What a plan changes.
struct Placement {
    std::vector<int> current, spare; // one a column of all collections, in order; -1: none
    friend bool operator==(const Placement&, const Placement&) = default;
    friend bool operator<(const Placement& a, const Placement& b) {
        return a.current != b.current ? a.current < b.current : a.spare < b.spare;
    }
};

class World {
public:
    // Allocates every column, zero-filled. Throws Failure::memory, before allocating, with the sum per column if the device has too little.
    World(const Setup& setup, Device& device, ThreadPool& pool);

    // Throws that Failure::memory alone.
    static void refuse_too_large(const Setup& setup, Device& device);

    // Number of a column in Placement.
    [[nodiscard]] std::size_t slot(std::size_t collection, std::size_t member) const { return first_slot_[collection] + member; }

    [[nodiscard]] Placement& placement() noexcept { return placement_; }
    [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

    // Gives a column a second buffer if it has none, with the constants of its ghosts; whether it had none. Throws Failure::memory.
    bool add_spare(std::size_t collection, std::size_t member);
    void remove_spare(std::size_t collection, std::size_t member); // again, with nothing in it

    // Another buffer for a column, for a trial; its number, and giving it back. Throws Failure::memory.
    [[nodiscard]] int add_scratch(std::size_t collection, std::size_t member);
    void release(int buffer) { buffers_[static_cast<std::size_t>(buffer)].memory = {}; }

    // Device address of element 0 of place (0, 0, 0) in a buffer.
    [[nodiscard]] void* origin(int buffer) const;
    [[nodiscard]] std::uint64_t* step_counter() const { return static_cast<std::uint64_t*>(step_.address()); }
    void set_step(std::uint64_t step);

    // Puts values into a column and fills its ghost frame, in both buffers where ghosts hold constants. Blocks until done.
    void write(std::size_t collection, std::size_t member, const Array& values);
    // The values of a column, without ghosts. Waits for the launches before.
    [[nodiscard]] Array read(std::size_t collection, std::size_t member) const;

private:
    struct Buffer {
        Memory memory;
        const Layout* layout;
    };
    void upload(int buffer, const std::vector<std::byte>& image);

    const Setup& setup_;
    Device& device_;
    ThreadPool& pool_;
    std::vector<Buffer> buffers_;
    std::vector<std::size_t> first_slot_; // one a collection
    Placement placement_;
    Memory step_;
};

} // namespace tessera
