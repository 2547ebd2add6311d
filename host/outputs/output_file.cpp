#include "host/outputs/output_file.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tessera {

Error output_error(const std::filesystem::path& path, int error) {
    std::string why = std::generic_category().message(error), suggestion;
    std::error_code ignored;
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (error == ENOENT && !std::filesystem::exists(folder, ignored)) why = fmt::format("the folder '{}' does not exist", folder.string());
    if (error == ENOSPC || error == EDQUOT) suggestion = "Free some space, or write elsewhere.";
    return Error(Failure::output, fmt::format("could not write '{}'", path.string()), why, suggestion);
}

int write_all(int descriptor, const void* bytes, std::size_t count) noexcept {
    const auto* next = static_cast<const std::byte*>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(descriptor, next, count);
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

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
    static std::atomic<unsigned> files{0};
    do {
        temporary_ = path_.parent_path() / fmt::format(".tessera-{}-{}.partial", getpid(), files++);
        descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST); // left by a process that was killed
    if (descriptor_ < 0) throw output_error(path_, errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(const void* bytes, std::size_t count) {
    if (const int error = write_all(descriptor_, bytes, count)) throw output_error(path_, error);
}

void OutputFile::commit() {
    if (const int error = synchronise(descriptor_)) throw output_error(path_, error);
    if (close(std::exchange(descriptor_, -1)) != 0) throw output_error(path_, errno);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw output_error(path_, errno);
    temporary_.clear();
}

} // namespace tessera
