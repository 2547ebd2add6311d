// Values of a column in compressed blocks, each of which is read by itself.
#pragma once

#include "host/checkpoint/hashed_file.hpp"
#include "host/checkpoint/zstd.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tessera::checkpoint {

// What the blocks are: so many bytes of values each, the last one fewer. Within a block the first bytes of all values come first, then the
// second ones, and so on. What they are compressed to stands one behind the other, in as many bytes as `sizes` says.
struct Packing {
    static constexpr std::uint64_t usual_block = std::uint64_t{1} << 20, largest_block = std::uint64_t{1} << 26;

    std::uint64_t block_bytes = usual_block; // whole values
    std::vector<std::uint64_t> sizes{};

    friend bool operator==(const Packing&, const Packing&) = default;
};

// Writes such a file. Throws what HashedFile throws.
class PackedFile {
public:
    // Of values of so many bytes: 1, 2, 4 or 8.
    PackedFile(FilePlace place, std::string name, std::size_t value_bytes);

    void write(const void* bytes, std::size_t count);
    // Once, at the end: it is on the disk when this returns.
    [[nodiscard]] FileRecord finish();
    [[nodiscard]] const Packing& packing() const noexcept { return packing_; } // once it is finished

private:
    void end_block();

    Zstd zstd_;
    HashedFile file_;
    Packing packing_;
    std::size_t value_bytes_;
    std::vector<std::byte> block_, shuffled_, frame_;
};

// Reads such a file; any thread.
class PackedValues {
public:
    // `bytes` is how many there are of values. Throws Failure::input where the blocks are not as many.
    PackedValues(std::shared_ptr<const KeptFile> file, Packing packing, std::uint64_t bytes, std::size_t value_bytes);

    // Of the values' bytes. Throws Failure::input for a block that does not hold what it should.
    void read(std::uint64_t offset, void* into, std::size_t count) const;

private:
    const std::vector<std::byte>& block(std::size_t number) const;

    Zstd zstd_;
    std::shared_ptr<const KeptFile> file_;
    std::uint64_t block_bytes_, bytes_;
    std::size_t value_bytes_;
    std::vector<std::uint64_t> begins_; // of each block's bytes in the file, and behind the last
    mutable std::mutex mutex_;
    mutable std::optional<std::size_t> number_; // of the block that was read last
    mutable std::vector<std::byte> values_, shuffled_, frame_;
};

} // namespace tessera::checkpoint
