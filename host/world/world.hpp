// The state of a run on its devices: buffers, and which of them holds each column.
//
// A buffer is one range of addresses that all devices reach; behind its rows is memory of the device that makes them. Or, where partitions
// have memory of their own (Distribution::own_memory), a range a partition: it is as large and addressed alike, and has memory behind the
// rows that the partition makes and the ghosts around them, or behind all rows, where functions read them anywhere (has_all_rows).
#pragma once

#include "device_runtime/device.hpp"
#include "host/array.hpp"
#include "host/setup/setup.hpp"
#include "host/world/list_slices.hpp"
#include "host/world/place_box.hpp"
#include "host/world/placement.hpp"
#include "host/world/row_bytes.hpp"
#include "host/world/state_reader.hpp"
#include "host/world/words.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

class ThreadPool;

// A device that makes a stripe, and the queue for copies, in order with its launches.
struct StripeOwner {
    Device* device = nullptr;
    Queue* queue = nullptr;
};

class World {
public:
    // Allocates every column, zero-filled. One owner a stripe (Setup); they must outlive the world. Throws Failure::memory, before
    // allocating, with the sum per column if a device has too little, and Failure::device for devices that do not reach each other's
    // memory.
    World(const Setup& setup, std::vector<StripeOwner> owners, ThreadPool& pool);

    // Throws that Failure::memory alone. One device a stripe.
    static void refuse_too_large(const Setup& setup, const std::vector<Device*>& devices);

    [[nodiscard]] Placement& placement() noexcept { return placement_; }
    [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

    // Gives a column a spare if it has none, with the constants of its ghosts; whether it had none. Throws Failure::memory.
    bool add_spare(ColumnId column);
    void remove_spare(ColumnId column); // again, with nothing in it

    // Another buffer, of a column's layout or for words; its number. Throws Failure::memory.
    [[nodiscard]] int add_buffer(ColumnId like);
    [[nodiscard]] int add_buffer(const Words& words);
    void release(int buffer);

    // Device address of element 0 of place (0, 0, 0) in a buffer, for a partition; of its first byte if it is no column's.
    [[nodiscard]] void* origin(int buffer, std::size_t partition) const;
    // Rows of a column's buffer where they stand for a partition, those of each element; or of words in its own memory, plane by plane; or
    // of either in its staging (Setup::staging_of), which has room for the rows around its stripe.
    [[nodiscard]] std::vector<std::span<std::byte>> rows_at(int buffer, std::size_t partition, const RowRange& rows) const;

    // Puts values into a column and fills its ghost frame, in both buffers where ghosts hold constants. Behind the launches before; blocks
    // until done. Asks for the places in rising order, except for those that ghosts repeat, and holds Setup::bytes_at_a_time of them;
    // passes on what `values` throws. Of a list it may be the first `cells` alone; the others stay what they are.
    void write(ColumnId column, const ArraySource& values, std::optional<std::int64_t> cells = std::nullopt);
    // The same of one element of the places of a box, which lies in the grid, and nothing else is moved: `values` are dense.
    void write(ColumnId column, int element, const PlaceBox& box, const std::byte* values);
    // The values of places of one element of a column. Waits for the launches before. By one thread at a time.
    void read(ColumnId column, int element, const PlaceRange& places, std::byte* into) const;
    [[nodiscard]] StateReader reader() const; // the same; the world must outlive it
    // All of a column.
    [[nodiscard]] Array read(ColumnId column) const;

private:
    struct Part { // bytes of a buffer, and whose memory is behind them
        std::size_t owner = 0, offset = 0, size = 0;
    };
    struct Buffer {
        std::vector<Memory> memories;   // one for all, or one a partition
        std::vector<Memory> staging;    // of partitions with their own: rows of others on their way to it, where they go by way of the host
        std::size_t lead = 0;           // bytes before the first one, so that the first seam is where a page begins
        const Layout* layout = nullptr; // null: words
        CollectionId collection;        // of partitions with their own
        RowPlaces rows;                 // of columns, and of words in own memory
        std::vector<bool> has_all;      // of partitions with their own: whether they have all rows
        std::vector<Part> parts, copies; // where its bytes are, each once; and where some are again, for an owner's own use

        [[nodiscard]] bool is_free() const noexcept { return memories.empty(); }
        [[nodiscard]] std::byte* start(std::size_t partition) const noexcept {
            return static_cast<std::byte*>(memories[memories.size() == 1 ? 0 : partition].address()) + lead;
        }
    };
    [[nodiscard]] std::vector<std::span<std::byte>> rows_of_staging(int buffer, std::size_t partition, const RowRange& rows) const;
    [[nodiscard]] Memory make_staging(CollectionId collection, const RowPlaces& rows, int ghosts, std::size_t partition,
                                      bool has_all) const;
    [[nodiscard]] Buffer make_own_buffer(CollectionId collection, const RowPlaces& rows, int ghosts, std::size_t bytes,
                                         std::vector<bool> has_all);
    [[nodiscard]] Buffer make_whole_buffer(CollectionId collection, const RowPlaces& rows, std::size_t bytes);
    [[nodiscard]] Buffer make_buffer_of_list(const Layout& layout, const std::vector<ListSlice>& slices);
    std::size_t back_pages(const Buffer& buffer, std::size_t partition, const ByteRange& range, std::size_t done, std::size_t bytes);
    template<class RowOf, class ByteOf>
    Buffer make_buffer(CollectionId collection, std::size_t bytes, const RowOf& row_of, const ByteOf& byte_of);
    int keep(Buffer buffer);
    void settle() const;
    // Bytes of a buffer from where they are, and to wherever they are; bytes that nobody has are left alone.
    void upload(int buffer, const ByteRange& range, const std::byte* bytes);
    void download(int buffer, const ByteRange& range, std::byte* into) const;
    [[nodiscard]] const std::byte* downloaded(int buffer, const ByteRange& range) const;
    [[nodiscard]] bool stands_in_host() const;
    void copy_all(int from, int to); // one column's buffer into another's
    [[nodiscard]] const Buffer& buffer(int number) const { return buffers_[static_cast<std::size_t>(number)]; }

    const Setup& setup_;
    std::vector<StripeOwner> owners_;
    ThreadPool& pool_;
    std::vector<Buffer> buffers_; // a number is given again once its buffer is released
    Placement placement_;
    mutable std::unique_ptr<std::byte[]> read_; // what was downloaded last
    mutable std::size_t read_room_ = 0;
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
