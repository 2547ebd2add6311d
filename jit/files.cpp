#include "jit/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) { throw std::system_error(errno, std::generic_category(), path.string()); }

class File {
public:
    File(const fs::path& path, int flags, mode_t mode = 0)
        : path_(path), handle_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {
        if (handle_ < 0) fail(path);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (handle_ >= 0) ::close(handle_);
    }

    std::size_t size() const {
        struct stat status {};
        if (::fstat(handle_, &status) != 0) fail(path_);
        if (!S_ISREG(status.st_mode)) throw std::system_error(EINVAL, std::generic_category(), path_.string());
        return static_cast<std::size_t>(status.st_size);
    }

    std::size_t read(std::span<std::byte> into) {
        std::size_t done = 0;
        while (done < into.size()) {
            const auto count = ::read(handle_, into.data() + done, into.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail(path_);
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }

    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const auto count = ::write(handle_, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail(path_);
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
    }

    void close() { // a full disk may show here alone
        if (::close(std::exchange(handle_, -1)) != 0) fail(path_);
    }

private:
    fs::path path_;
    int handle_;
};

} // namespace

std::vector<std::byte> read_file(const fs::path& path) {
    File file(path, O_RDONLY | O_NONBLOCK);
    std::vector<std::byte> bytes(file.size());
    bytes.resize(file.read(bytes));
    return bytes;
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, std::as_bytes(std::span(text))); }

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
    if (std::error_code error; path.has_parent_path() && !fs::create_directories(path.parent_path(), error) && error)
        throw std::system_error(error, path.parent_path().string());
    File file(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    try {
        file.write(bytes);
        file.close();
    } catch (...) {
        ::unlink(path.c_str());
        throw;
    }
}

void replace_file(const fs::path& path, std::span<const std::byte> bytes) {
    const PrivateFolder folder(path.parent_path(), "tmp-"); // its name is new, for other machines that share the disk too
    write_file(folder.path() / path.filename(), bytes);
    if (::rename((folder.path() / path.filename()).c_str(), path.c_str()) != 0) fail(path);
}

PrivateFolder::PrivateFolder(const fs::path& parent, const std::string& prefix) {
    std::string name = (parent / (prefix + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) fail(parent);
    path_ = name;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored; // nothing can be done about it here, and the next clean-up of the folder above finds it
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace tessera::jit
