#include "device_runtime/regular_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::string why_not(const struct stat& status) {
    switch (status.st_mode & S_IFMT) {
    case S_IFREG: return {};
    case S_IFDIR: return "it is a folder";
    case S_IFIFO: return "it is a pipe";
    case S_IFSOCK: return "it is a socket";
    default: return "it is a device";
    }
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    // Fewer bytes than asked for only at the end of the file; -1 if it cannot be read.
    std::int64_t read(char* into, std::size_t size) const {
        std::size_t done = 0;
        while (done < size) {
            const auto count = ::read(number_, into + done, size - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return -1;
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return static_cast<std::int64_t>(done);
    }
    std::uint64_t size() const {
        struct stat status {};
        return ::fstat(number_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

private:
    int number_;
};

} // namespace

std::string why_not_regular(const std::filesystem::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? why_not(status) : reason(errno);
}

int open_regular(const std::filesystem::path& path, std::string& why) {
    why = why_not_regular(path); // before it is opened: opening a device may do something
    if (!why.empty()) return -1;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // it may have become a pipe by now
    if (file < 0) {
        why = reason(errno);
        return -1;
    }
    struct stat status {};
    why = ::fstat(file, &status) == 0 ? why_not(status) : reason(errno);
    if (why.empty()) return file;
    ::close(file);
    return -1;
}

std::optional<std::string> read_regular(const std::filesystem::path& path, std::uint64_t most_bytes, std::string& why) {
    const int opened = open_regular(path, why);
    if (opened < 0) return std::nullopt;
    const Descriptor file(opened);
    const auto too_large = [&](std::uint64_t size) {
        why = fmt::format("it has {} bytes, and {} is the most", size, most_bytes);
        return std::nullopt;
    };
    const auto expected = file.size();
    if (expected > most_bytes) return too_large(expected);
    // What is not there to be counted, as in /proc, is read until it ends.
    std::string text;
    for (std::size_t step = static_cast<std::size_t>(expected) + 1;; step = text.size() + 4096) {
        const auto before = text.size();
        text.resize(before + step);
        const auto count = file.read(text.data() + before, step);
        if (count < 0) {
            why = reason(errno);
            return std::nullopt;
        }
        text.resize(before + static_cast<std::size_t>(count));
        if (text.size() > most_bytes) return too_large(text.size());
        if (static_cast<std::size_t>(count) < step) return text;
    }
}

} // namespace tessera
