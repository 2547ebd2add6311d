// Files of a checkpoint, of which each block has a hash: what was written is known from what became of it.
#pragma once

#include "host/outputs/file_place.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::checkpoint {

inline constexpr std::size_t block_bytes = std::size_t{16} << 20;

struct FileRecord {
    std::string name;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> hashes{}; // XXH3-64 of each block, the last one shorter

    friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

[[nodiscard]] std::uint64_t hash_of(std::string_view bytes);

// A new file that is written from its beginning to its end. Throws Failure::output naming the file and the system's reason.
class HashedFile {
public:
    // `name` is what its record says.
    HashedFile(FilePlace place, std::string name);
    ~HashedFile();
    HashedFile(const HashedFile&) = delete;
    HashedFile& operator=(const HashedFile&) = delete;

    void write(const void* bytes, std::size_t count);
    // Once, at the end: it is on the disk when this returns.
    [[nodiscard]] FileRecord finish();

private:
    void end_block();

    FilePlace place_;
    FileRecord record_;
    int descriptor_ = -1;
    std::vector<char> block_;
};

// A file of that text.
FileRecord write_text(FilePlace place, std::string name, std::string_view text);

// A file that is read, and held open: it may lose its name meanwhile.
class KeptFile {
public:
    // Throws Failure::input where it cannot be opened, or is no file. A link is none.
    explicit KeptFile(const FilePlace& place);

    // Throws Failure::input for fewer bytes than that.
    void read(std::uint64_t offset, void* into, std::size_t count) const;
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::string text() const;

    // Why it is not what was written: "it has 12 bytes instead of 16", "bytes 0 to 16777215 are others"; empty: it is.
    [[nodiscard]] std::string why_damaged(const FileRecord& record) const;

private:
    std::string shown_;
    Descriptor file_;
    std::uint64_t size_ = 0;
};

} // namespace tessera::checkpoint
