#include "host/outputs/output_file.hpp"

#include "host/run_file/file_name.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace tessera {
Error output_error(const std::filesystem::path& path, int error) {
    std::string why = std::generic_category().message(error), suggestion;
    std::error_code ignored;
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (error == ENOENT && !std::filesystem::exists(folder, ignored)) why = fmt::format("the folder '{}' does not exist", folder.string());
    if (error == ENOSPC || error == EDQUOT) suggestion = "free some space, or write elsewhere";
    if (error == ELOOP) {
        why = "it is a symbolic link, and results are not written through links";
        suggestion = "remove the link, or write elsewhere";
    }
    return Error(Failure::output, fmt::format("could not write '{}'", path.string()), why, suggestion);
}

int write_all(int descriptor, const void* bytes, std::size_t count, const Interrupted& interrupted) {
    constexpr int patience = 100; // milliseconds, then it is asked whether to go on
    const auto* next = static_cast<const std::byte*>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(descriptor, next, count);
        if (written < 0 && errno == EAGAIN) {
            pollfd waiting{descriptor, POLLOUT, 0};
            if (::poll(&waiting, 1, patience) == 0 && interrupted && interrupted()) return EINTR;
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        if (written == 0) return EIO;
        next += written;
        count -= static_cast<std::size_t>(written);
    }
    return 0;
}

int synchronise(int descriptor) noexcept {
    while (fsync(descriptor) != 0) {
        if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
        if (errno != EINTR) return errno;
    }
    return 0;
}

OutputFile::OutputFile(FilePlace place) : place_(std::move(place)), temporary_(place_) {
    static std::atomic<unsigned> files{0};
    do {
        temporary_ = place_.beside(fmt::format("{}{}-{}{}", run_file::temporary_begin, getpid(), files++, run_file::temporary_end));
        descriptor_ = openat(temporary_.folder(), temporary_.path(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST); // left by a process that was killed
    if (descriptor_ < 0) throw output_error(place_.shown(), errno);
    is_there_ = true;
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (is_there_) unlinkat(temporary_.folder(), temporary_.path(), 0);
}

void OutputFile::write(const void* bytes, std::size_t count) {
    if (const int error = write_all(descriptor_, bytes, count)) throw output_error(place_.shown(), error);
}

void OutputFile::commit() {
    if (const int error = synchronise(descriptor_)) throw output_error(place_.shown(), error);
    if (close(std::exchange(descriptor_, -1)) != 0) throw output_error(place_.shown(), errno);
    if (renameat(temporary_.folder(), temporary_.path(), place_.folder(), place_.path()) != 0) throw output_error(place_.shown(), errno);
    is_there_ = false;
}

} // namespace tessera
