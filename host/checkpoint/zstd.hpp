// Zstandard, which a run loads when it is asked for: nothing here is linked to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::checkpoint {

class Zstd {
public:
    // libzstd.so.1 where the system's loader looks; with TESSERA_ZSTD in the environment, that file and no other. Throws Failure::plugin,
    // with the loader's words.
    Zstd();

    // Why there is none; empty: there is.
    [[nodiscard]] static std::string why_not_there();

    // One frame of level 1. Any thread. Throws Failure::memory.
    void compress(std::span<const std::byte> bytes, std::vector<std::byte>& frame) const;
    // Fills all of `into` from a frame. Whether that is what it holds.
    [[nodiscard]] bool decompress(std::span<const std::byte> frame, std::span<std::byte> into) const;

private:
    // As zstd.h declares them.
    std::size_t (*compress_bound_)(std::size_t) = nullptr;
    std::size_t (*compress_)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
    std::size_t (*decompress_)(void*, std::size_t, const void*, std::size_t) = nullptr;
    unsigned (*is_error_)(std::size_t) = nullptr;
};

} // namespace tessera::checkpoint
