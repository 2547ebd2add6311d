// Files that appear whole or not at all.
#pragma once

#include "device_runtime/error.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace tessera {

// Writes to a temporary name in the same folder; commit() gives it its own name, in place of a file that had it. Destroyed without
// a commit, nothing of it stays. All members throw Failure::output naming the file and the system's reason.
class OutputFile {
public:
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* bytes, std::size_t count);
    void commit();

private:
    std::filesystem::path path_, temporary_;
    int descriptor_ = -1;
};

// "could not write 'out/a.npy' (No space left on device) ...", for a system call that failed with `error`.
[[nodiscard]] Error output_error(const std::filesystem::path& path, int error);

// Writes all of it, whatever the system takes at a time. Returns 0, or the errno of the call that failed.
[[nodiscard]] int write_all(int descriptor, const void* bytes, std::size_t count) noexcept;

// Hands what was written to the disk. Returns 0 or errno; a file that cannot be synchronised (a pipe, say) is no failure.
[[nodiscard]] int synchronise(int descriptor) noexcept;

} // namespace tessera
