// A library that tests preload (LD_PRELOAD) into the program: it counts the calls by which files below a folder come to be what they are,
// and at one of them ends the process or has the call fail. The environment says how:
//     FAILING_FILES_BELOW=/a/folder   whose files these are
//     FAILING_FILES_AT=17             at which call, counted from 1; without it, all are only counted
//     FAILING_FILES_HOW=kill          what happens there. kill: the process is killed, of what it was to write a half is written.
//                                     power: likewise, and what was not synchronised is lost: of a file, what was written since its last
//                                     fsync; of a folder, what became of its names since. some_power: of each file and each folder it is
//                                     drawn whether that is lost. ENOSPC, EIO: the call fails, once. full: from there on, what needs space
//                                     fails with ENOSPC
//     FAILING_FILES_SEED=1            of what is drawn
//     FAILING_FILES_NAMED=.npy        only calls of paths with this in them are counted, and slow
//     FAILING_FILES_SLOW=20           each fsync takes so many milliseconds more
//     FAILING_FILES_LOG=/a/file       gets a line for each call: its function and its path
// What the program starts has none of this.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

template<class Function> Function* real(const char* name) { return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name)); }

std::string given(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Nothing that the library does itself is counted.
thread_local bool is_ours = false;
struct Ours {
    Ours() { is_ours = true; }
    ~Ours() { is_ours = false; }
    Ours(const Ours&) = delete;
    Ours& operator=(const Ours&) = delete;
};

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// ---- what is on the disk

// A file's bytes, or a folder's names and which files or folders these are.
struct Node {
    bool is_folder = false;
    std::string bytes{};
    std::map<std::string, std::uint64_t> names{};
};

class Disk {
public:
    // All that is there now is on it.
    void begin(const fs::path& root) {
        root_ = root;
        keep_all(root);
    }
    // A file or folder was made, of nothing; another one may have had its number.
    void make(const std::string& path) {
        struct stat found {};
        if (::lstat(path.c_str(), &found) != 0) return;
        numbers_[found.st_ino] = ++last_;
        durable_[last_].is_folder = S_ISDIR(found.st_mode);
    }
    void synchronise(const std::string& path) {
        if (const auto number = number_of(path)) durable_[number] = node_at(path);
    }
    // Has the files be what is on it; with a generator, each as it is on it or as it is now.
    void lose(std::mt19937* draw) {
        std::map<std::uint64_t, Node> now;
        collect(root_, now);
        const auto root = number_of(root_);
        for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry.path());
        write(root, root_, now, draw);
    }

private:
    std::uint64_t number_of(const fs::path& path) {
        struct stat found {};
        if (::lstat(path.c_str(), &found) != 0 || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return 0;
        auto& number = numbers_[found.st_ino];
        if (number == 0) number = ++last_;
        return number;
    }
    Node node_at(const fs::path& path) {
        if (!fs::is_directory(fs::symlink_status(path))) return {false, text_of(path), {}};
        Node node{true, {}, {}};
        for (const auto& entry : fs::directory_iterator(path))
            if (const auto number = number_of(entry.path())) node.names[entry.path().filename()] = number;
        return node;
    }
    void collect(const fs::path& path, std::map<std::uint64_t, Node>& nodes) {
        const auto number = number_of(path);
        if (number == 0) return;
        const auto& node = nodes[number] = node_at(path);
        for (const auto& [name, below] : node.names) collect(path / name, nodes);
    }
    void keep_all(const fs::path& path) { collect(path, durable_); }

    const Node& chosen(std::uint64_t number, const std::map<std::uint64_t, Node>& now, std::mt19937* draw) {
        const auto living = now.find(number);
        const bool is_kept = draw != nullptr && living != now.end() && (*draw)() % 2 == 0;
        auto& durable = durable_[number];
        if (!is_kept) return durable;
        if (!living->second.is_folder && living->second.bytes.size() > durable.bytes.size() &&
            (*draw)() % 2 == 0) { // of what is new, a part
            durable.bytes =
                living->second.bytes.substr(0, durable.bytes.size() + (*draw)() % (living->second.bytes.size() - durable.bytes.size() + 1));
            return durable;
        }
        return living->second;
    }
    void write(std::uint64_t number, const fs::path& path, const std::map<std::uint64_t, Node>& now, std::mt19937* draw) {
        const auto& node = chosen(number, now, draw);
        if (!node.is_folder) {
            std::ofstream(path, std::ios::binary) << node.bytes;
            return;
        }
        fs::create_directories(path);
        for (const auto& [name, below] : node.names) {
            const auto living = now.find(below);
            durable_[below].is_folder = durable_[below].is_folder || (living != now.end() && living->second.is_folder);
            write(below, path / name, now, draw);
        }
    }

    fs::path root_;
    std::map<ino_t, std::uint64_t> numbers_; // of those that are there, by which they are known
    std::map<std::uint64_t, Node> durable_;
    std::uint64_t last_ = 0;
};

// ---- what happens

enum class Takes { space, nothing };

class Failing {
public:
    static Failing& one() {
        static auto* const failing = new Failing; // never destroyed: files are written while a process ends
        return *failing;
    }

    // Makes the call, or does what is to happen at it. `write`: as much of it as is told.
    template<class Call> auto call(const char* name, const std::string& path, Takes takes, std::size_t bytes, const Call& make) {
        if (is_ours || !is_below(path)) return make(bytes);
        const bool is_named = path.find(named_) != std::string::npos;
        if (is_named && std::string_view(name) == "fsync") std::this_thread::sleep_for(slow_);
        const std::lock_guard lock(mutex_);
        begin_once();
        if (!is_named) return make(bytes);
        const auto result = counted(name, path, takes, bytes, make);
        return result;
    }
    void made(const std::string& path) {
        if (is_ours || !is_below(path)) return;
        const Ours ours;
        const std::lock_guard lock(mutex_);
        disk_.make(path);
    }
    void synchronised(const std::string& path) {
        if (is_ours || !is_below(path)) return;
        const Ours ours;
        const std::lock_guard lock(mutex_);
        disk_.synchronise(path);
    }

private:
    Failing() {
        ::unsetenv("LD_PRELOAD");
        if (const auto at = given("FAILING_FILES_AT"); !at.empty()) at_ = std::stoull(at);
        if (const auto slow = given("FAILING_FILES_SLOW"); !slow.empty()) slow_ = std::chrono::milliseconds(std::stoul(slow));
        if (const auto seed = given("FAILING_FILES_SEED"); !seed.empty()) draw_.seed(static_cast<unsigned>(std::stoul(seed)));
    }
    bool is_below(const std::string& path) const {
        return path.compare(0, below_.size(), below_) == 0 && (path.size() == below_.size() || path[below_.size()] == '/');
    }
    void begin_once() {
        if (is_begun_) return;
        is_begun_ = true;
        const Ours ours;
        if (loses()) disk_.begin(below_);
    }
    bool loses() const { return how_ == "power" || how_ == "some_power"; }

    template<class Call>
    auto counted(const char* name, const std::string& path, Takes takes, std::size_t bytes, const Call& make) -> decltype(make(bytes)) {
        ++count_;
        tell(name, path);
        const bool is_it = count_ == at_;
        if (is_it && (how_ == "kill" || loses())) {
            if (bytes > 1) make(bytes / 2);
            end();
        }
        const bool is_full = (is_it && how_ == "ENOSPC") || (how_ == "full" && at_ != 0 && count_ >= at_ && takes == Takes::space);
        if (is_full || (is_it && how_ == "EIO")) {
            errno = is_full ? ENOSPC : EIO;
            return -1;
        }
        return make(bytes);
    }
    [[noreturn]] void end() {
        const Ours ours;
        if (loses()) disk_.lose(how_ == "power" ? nullptr : &draw_);
        ::kill(::getpid(), SIGKILL);
        while (true) ::pause();
    }
    void tell(const char* name, const std::string& path) const {
        if (log_.empty()) return;
        const Ours ours;
        std::ofstream(log_, std::ios::app) << name << ' ' << path << '\n';
    }

    const std::string below_ = given("FAILING_FILES_BELOW"), how_ = given("FAILING_FILES_HOW"), log_ = given("FAILING_FILES_LOG"),
                      named_ = given("FAILING_FILES_NAMED");
    std::chrono::milliseconds slow_{0};
    std::uint64_t at_ = 0, count_ = 0;
    std::mt19937 draw_;
    std::recursive_mutex mutex_;
    bool is_begun_ = false;
    Disk disk_;
};

[[gnu::constructor]] void begin() { (void)Failing::one(); }

std::string path_of(int descriptor) {
    char path[4096];
    const auto length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

std::string path_of(int folder, const char* name) {
    if (name[0] == '/') return fs::path(name).lexically_normal();
    const auto in = folder == AT_FDCWD ? fs::current_path().string() : path_of(folder);
    return (fs::path(in) / name).lexically_normal();
}

bool is_there(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

int open_counted(int folder, const char* name, int flags, mode_t mode) {
    static auto* const open_file = real<int(int, const char*, int, ...)>("openat");
    const auto make = [&](std::size_t) { return open_file(folder, name, flags, mode); };
    if ((flags & (O_CREAT | O_TRUNC)) == 0 || (flags & O_TMPFILE) == O_TMPFILE) return make(0);
    const auto path = path_of(folder, name);
    const bool is_new = !is_there(path);
    const int descriptor = Failing::one().call("open", path, Takes::space, 0, make);
    if (descriptor >= 0 && is_new) Failing::one().made(path);
    return descriptor;
}

int make_folder(int folder, const char* name, mode_t mode) {
    static auto* const make_it = real<int(int, const char*, mode_t)>("mkdirat");
    const auto path = path_of(folder, name);
    if (is_there(path)) return make_it(folder, name, mode);
    const int result = Failing::one().call("mkdir", path, Takes::space, 0, [&](std::size_t) { return make_it(folder, name, mode); });
    if (result == 0) Failing::one().made(path);
    return result;
}

int remove_counted(int folder, const char* name, int flags) {
    static auto* const remove_it = real<int(int, const char*, int)>("unlinkat");
    return Failing::one().call("unlink", path_of(folder, name), Takes::nothing, 0,
                               [&](std::size_t) { return remove_it(folder, name, flags); });
}

int rename_counted(int from, const char* name, int to, const char* other, unsigned flags) {
    static auto* const rename_it = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return Failing::one().call("rename", path_of(from, name), Takes::nothing, 0,
                               [&](std::size_t) { return rename_it(from, name, to, other, flags); });
}

int synchronise_counted(int file) {
    static auto* const synchronise_it = real<int(int)>("fsync");
    const auto path = path_of(file);
    const int result = Failing::one().call("fsync", path, Takes::nothing, 0, [&](std::size_t) { return synchronise_it(file); });
    if (result == 0) Failing::one().synchronised(path);
    return result;
}

mode_t mode_in(std::va_list list, int flags) { return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(list, unsigned)) : 0; }

} // namespace

// ---- the functions that a program calls

#define OPENED(folder, name, flags)         \
    std::va_list list;                      \
    va_start(list, flags);                  \
    const auto mode = mode_in(list, flags); \
    va_end(list);                           \
    return open_counted(folder, name, flags, mode)

extern "C" {

int open(const char* name, int flags, ...) { OPENED(AT_FDCWD, name, flags); }
int open64(const char* name, int flags, ...) { OPENED(AT_FDCWD, name, flags); }
int openat(int folder, const char* name, int flags, ...) { OPENED(folder, name, flags); }
int openat64(int folder, const char* name, int flags, ...) { OPENED(folder, name, flags); }

ssize_t write(int file, const void* bytes, std::size_t count) {
    static auto* const write_it = real<ssize_t(int, const void*, std::size_t)>("write");
    return Failing::one().call("write", path_of(file), Takes::space, count, [&](std::size_t part) { return write_it(file, bytes, part); });
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t at) {
    static auto* const write_it = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
    return Failing::one().call("pwrite", path_of(file), Takes::space, count,
                               [&](std::size_t part) { return write_it(file, bytes, part, at); });
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off_t at) { return pwrite(file, bytes, count, at); }

int ftruncate(int file, off_t length) noexcept {
    static auto* const cut_it = real<int(int, off_t)>("ftruncate");
    return Failing::one().call("ftruncate", path_of(file), Takes::nothing, 0, [&](std::size_t) { return cut_it(file, length); });
}
int ftruncate64(int file, off_t length) noexcept { return ftruncate(file, length); }
int fallocate(int file, int mode, off_t at, off_t length) {
    static auto* const reserve_it = real<int(int, int, off_t, off_t)>("fallocate");
    return Failing::one().call("fallocate", path_of(file), Takes::space, 0,
                               [&](std::size_t) { return reserve_it(file, mode, at, length); });
}
int fallocate64(int file, int mode, off_t at, off_t length) { return fallocate(file, mode, at, length); }

int fsync(int file) { return synchronise_counted(file); }
int fdatasync(int file) { return synchronise_counted(file); }

int rename(const char* name, const char* other) noexcept { return rename_counted(AT_FDCWD, name, AT_FDCWD, other, 0); }
int renameat(int from, const char* name, int to, const char* other) noexcept { return rename_counted(from, name, to, other, 0); }
int renameat2(int from, const char* name, int to, const char* other, unsigned flags) noexcept {
    return rename_counted(from, name, to, other, flags);
}
int unlink(const char* name) noexcept { return remove_counted(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char* name, int flags) noexcept { return remove_counted(folder, name, flags); }
int rmdir(const char* name) noexcept { return remove_counted(AT_FDCWD, name, AT_REMOVEDIR); }
int mkdir(const char* name, mode_t mode) noexcept { return make_folder(AT_FDCWD, name, mode); }
int mkdirat(int folder, const char* name, mode_t mode) noexcept { return make_folder(folder, name, mode); }

int close(int file) {
    static auto* const close_it = real<int(int)>("close");
    const int flags = is_ours ? O_RDONLY : ::fcntl(file, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return close_it(file);
    return Failing::one().call("close", path_of(file), Takes::nothing, 0, [&](std::size_t) { return close_it(file); });
}

} // extern "C"
