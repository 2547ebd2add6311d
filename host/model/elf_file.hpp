// A shared library as the file that it is: its segments, our note, and what it says to a loader. Nothing of it is run, and nothing is
// mapped. However the file is made, no more than a bounded part of it is looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <elf.h>

namespace tessera::model {

// Why a file cannot be used.
struct Unusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ElfFile {
public:
    // Reads the headers of a regular file, or of bytes, which outlive it. Throws Unusable if it is no shared library for x86-64.
    explicit ElfFile(const std::filesystem::path& path);
    explicit ElfFile(std::span<const std::byte> bytes);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    [[nodiscard]] bool has(std::uint64_t at, std::uint64_t size) const noexcept { return at <= size_ && size <= size_ - at; }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; } // of the file
    // Bytes [at, at + size). Throws Unusable where they are not there.
    void read(std::uint64_t at, void* into, std::uint64_t size) const;
    template<class T> [[nodiscard]] T value(std::uint64_t at) const {
        T result;
        read(at, &result, sizeof(result));
        return result;
    }

    [[nodiscard]] const Elf64_Ehdr& header() const noexcept { return header_; }
    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const noexcept { return segments_; }

    // Where `size` bytes that are loaded at an address stand in the file. Throws Unusable where they are not all in one segment.
    [[nodiscard]] std::uint64_t place_of(std::uint64_t address, std::uint64_t size) const;

    struct Note {
        std::uint64_t at = 0, size = 0, address = 0; // of its contents
    };
    // Our note. Throws Unusable where there is none.
    [[nodiscard]] Note note() const;

    // The texts of the dynamic section's entries with this tag, as DT_NEEDED. Throws Unusable where one lies outside of it.
    [[nodiscard]] std::vector<std::string> dynamic_texts(Elf64_Sxword tag) const;

private:
    void read_headers();

    int file_ = -1; // none: bytes
    const std::byte* bytes_ = nullptr;
    std::uint64_t size_ = 0;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Phdr> segments_;
};

} // namespace tessera::model
