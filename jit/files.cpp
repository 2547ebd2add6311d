#include "jit/files.hpp"

#include "device_runtime/plain_name.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) { throw std::system_error(errno, std::generic_category(), path.string()); }

class File {
public:
    File(const fs::path& path, int flags, mode_t mode = 0) : File(AT_FDCWD, path, flags, mode) {}
    File(int folder, const fs::path& path, int flags, mode_t mode = 0)
        : path_(path), handle_(::openat(folder, path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {
        if (handle_ < 0) fail(path);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (handle_ >= 0) ::close(handle_);
    }

    [[nodiscard]] int handle() const noexcept { return handle_; }

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

namespace {

// The folder `name` in one that is open; made, if it is not there.
std::unique_ptr<File> folder_in(const File& parent, const fs::path& name) {
    if (::mkdirat(parent.handle(), name.c_str(), 0700) != 0 && errno != EEXIST) fail(name);
    return std::make_unique<File>(parent.handle(), name, O_RDONLY | O_DIRECTORY);
}

} // namespace

void write_file_below(const fs::path& folder, const std::string& name, std::string_view text) {
    if (const auto why = why_no_plain_name(name); !why.empty()) throw std::system_error(EINVAL, std::generic_category(), name + ": " + why);
    const fs::path path(name);
    auto parent = std::make_unique<File>(folder, O_RDONLY | O_DIRECTORY);
    for (const auto& part : path.parent_path()) parent = folder_in(*parent, part);
    File file(parent->handle(), path.filename(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    try {
        file.write(std::as_bytes(std::span(text)));
        file.close();
    } catch (...) {
        ::unlinkat(parent->handle(), path.filename().c_str(), 0);
        throw;
    }
}

void replace_file(const fs::path& path, std::span<const std::byte> bytes) {
    const PrivateFolder folder(path.parent_path(), "tmp-"); // its name is new, for other machines that share the disk too
    write_file(folder.path() / path.filename(), bytes);
    if (::rename((folder.path() / path.filename()).c_str(), path.c_str()) != 0) fail(path);
}

namespace {

// The same for all processes that see each other's locks, also in containers; another after each start of the machine.
const std::string& name_of_machine() {
    static const std::string name = [] {
        std::string id;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
        return id.empty() ? "unknown" : id.substr(0, 8);
    }();
    return name;
}

// A lock on a folder, until it is released or this process ends.
struct FolderLock {
    enum class State { held, denied, unknown }; // denied: another process has it; unknown: there is no folder, or there are no locks
    State state = State::unknown;
    int handle = -1;
};

FolderLock lock(const fs::path& folder) {
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (handle < 0) return {};
    if (::flock(handle, LOCK_EX | LOCK_NB) == 0) return {FolderLock::State::held, handle};
    const bool denied = errno == EWOULDBLOCK;
    ::close(handle);
    return {denied ? FolderLock::State::denied : FolderLock::State::unknown, -1};
}

bool names(const fs::path& folder, int handle) {
    struct stat by_name {
    }, opened{};
    return ::stat(folder.c_str(), &by_name) == 0 && ::fstat(handle, &opened) == 0 && by_name.st_ino == opened.st_ino &&
           by_name.st_dev == opened.st_dev;
}

} // namespace

// Between its making and its locking another process may take it for abandoned, and remove it: then a new one is made.
PrivateFolder::PrivateFolder(const fs::path& parent, const std::string& prefix) {
    const auto pattern = (parent / (prefix + name_of_machine() + "-XXXXXX")).string();
    for (int tries = 0; tries < 100; ++tries) {
        std::string name = pattern;
        if (::mkdtemp(name.data()) == nullptr) fail(parent);
        const auto [state, handle] = lock(name);
        if (state == FolderLock::State::held && !names(name, handle))
            ::close(handle);
        else if (state != FolderLock::State::denied && fs::exists(name)) {
            path_ = name;
            lock_ = handle;
            return;
        }
    }
    errno = EAGAIN;
    fail(parent);
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored; // nothing can be done about it here, and the next clean-up of the folder above finds it
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
}

void remove_if_abandoned(const fs::path& folder) {
    const bool of_this_machine = folder.filename().string().find("-" + name_of_machine() + "-") != std::string::npos;
    const auto [state, handle] = of_this_machine ? lock(folder) : FolderLock{};
    if (state == FolderLock::State::denied) return;
    std::error_code gone; // another process may be faster
    const auto used = fs::last_write_time(folder, gone);
    const bool is_old = !gone && used < fs::file_time_type::clock::now() - std::chrono::hours(1);
    if (state == FolderLock::State::held || is_old) fs::remove_all(folder, gone);
    if (handle >= 0) ::close(handle);
}

} // namespace tessera::jit
