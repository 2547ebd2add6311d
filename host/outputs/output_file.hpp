// Files that appear whole or not at all.
#pragma once

#include "device_runtime/error.hpp"
#include "host/outputs/file_place.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace tessera {

// Writes to a temporary name in the same folder; commit() gives it its own name, in place of a file (or link) that had it. Destroyed
// without a commit, nothing of it stays. All members throw Failure::output naming the file and the system's reason.
class OutputFile {
public:
    explicit OutputFile(FilePlace place);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* bytes, std::size_t count);
    void commit();

private:
    FilePlace place_, temporary_;
    int descriptor_ = -1;
    bool is_there_ = false; // the temporary file
};

// "could not write 'out/a.npy' (No space left on device) ...", for a system call that failed with `error`.
[[nodiscard]] Error output_error(const std::filesystem::path& path, int error);

// Whether waiting is to end because somebody wants the run to end; asked a few times a second.
using Interrupted = std::function<bool()>;

// Writes all of it, whatever the system takes at a time; where a pipe takes nothing, until somebody reads it. Returns 0, the errno of the
// call that failed, or EINTR if `interrupted` ended the wait. (Without one, a pipe is waited for without end.)
[[nodiscard]] int write_all(int descriptor, const void* bytes, std::size_t count, const Interrupted& interrupted = {});

// Hands what was written to the disk. Returns 0 or errno; a file that cannot be synchronised (a pipe, say) is no failure.
[[nodiscard]] int synchronise(int descriptor) noexcept;

} // namespace tessera
