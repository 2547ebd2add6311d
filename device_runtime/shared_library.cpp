#include "device_runtime/shared_library.hpp"

#include "device_runtime/float_environment.hpp"

#include <boost/dll/shared_library.hpp>

#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera {
namespace {

using Library = boost::dll::shared_library;

// Boost wraps what the loader said into a sentence of its own; the user needs the loader's words alone.
std::string words_of_the_loader(const std::string& text) {
    const std::string before = "dlerror system message: ", after = "): ";
    const auto begin = text.find(before);
    if (begin == std::string::npos) return text;
    const auto end = text.rfind(after);
    return text.substr(begin + before.size(), end == std::string::npos ? end : end - begin - before.size());
}

Library load(const std::filesystem::path& file, bool& changed_arithmetic) {
    auto mode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
    if (!file.has_parent_path()) mode |= boost::dll::load_mode::search_system_folders;
    const DefaultArithmetic kept; // start-up code of what was linked with -ffast-math changes it
    try {
        Library library(boost::dll::fs::path(file.native()), mode);
        changed_arithmetic = !has_default_arithmetic();
        return library;
    } catch (const std::exception& error) {
        throw std::runtime_error(words_of_the_loader(error.what()));
    }
}

// A file that no folder has. It stays open as long as the process lives: the loader takes a name that it knows for the library that it
// knows by it, and the name has the descriptor's number.
std::string file_in_memory(std::span<const std::byte> bytes) {
    const int file = ::memfd_create("tessera", MFD_CLOEXEC);
    if (file < 0) throw std::runtime_error(std::string("there is no memory for a file: ") + std::strerror(errno));
    for (std::size_t done = 0; done < bytes.size();) {
        const auto written = ::write(file, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            const std::string why = std::strerror(errno);
            ::close(file);
            throw std::runtime_error("there is no memory for it: " + why);
        }
        done += static_cast<std::size_t>(written);
    }
    return "/proc/self/fd/" + std::to_string(file);
}

// The same where there is no /proc, by which the loader finds a file in memory: one that has a name until it is loaded.
class NamedFile {
public:
    explicit NamedFile(std::span<const std::byte> bytes) {
        std::error_code none;
        const auto folder = std::filesystem::temp_directory_path(none);
        name_ = ((none ? std::filesystem::path("/tmp") : folder) / "tessera-XXXXXX").string();
        const int file = ::mkostemp(name_.data(), O_CLOEXEC);
        if (file < 0) throw std::runtime_error("there is no room for a file: " + std::string(std::strerror(errno)));
        std::size_t done = 0;
        for (ssize_t written = 1; done < bytes.size() && (written > 0 || errno == EINTR); done += written > 0 ? std::size_t(written) : 0)
            written = ::write(file, bytes.data() + done, bytes.size() - done);
        const std::string why = std::strerror(errno);
        ::close(file);
        if (done == bytes.size()) return;
        ::unlink(name_.c_str());
        throw std::runtime_error("there is no room for it: " + why);
    }
    ~NamedFile() { ::unlink(name_.c_str()); }
    NamedFile(const NamedFile&) = delete;
    NamedFile& operator=(const NamedFile&) = delete;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
};

bool has_proc() { return ::access("/proc/self/fd", X_OK) == 0; }

const Library* keep(Library library) {
    static std::mutex guard;
    static auto& kept = *new std::deque<Library>; // leaked on purpose: no library is unloaded, not even while the process ends
    const std::lock_guard lock(guard);
    return &kept.emplace_back(std::move(library));
}

} // namespace

SharedLibrary::SharedLibrary(const std::filesystem::path& file) : library_(keep(load(file, changed_arithmetic_))) {}
SharedLibrary::SharedLibrary(std::span<const std::byte> bytes)
    : SharedLibrary(std::filesystem::path(has_proc() ? file_in_memory(bytes) : std::string(NamedFile(bytes).name()))) {}

void* SharedLibrary::find(const std::string& symbol) const noexcept {
    return dlsym(static_cast<const Library*>(library_)->native(), symbol.c_str());
}

std::size_t SharedLibrary::size_of_object(const void* address) noexcept {
    Dl_info info{};
    void* extra = nullptr;
    if (dladdr1(address, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == nullptr) return 0;
    const auto* symbol = static_cast<const ElfW(Sym)*>(extra);
    return info.dli_saddr == address ? symbol->st_size : 0;
}

} // namespace tessera
