#include "jit/cache.hpp"

#include "device_runtime/error.hpp"
#include "jit/environment.hpp"
#include "jit/files.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

// ---- the record: what the file of an entry holds ----

constexpr std::array<char, 8> magic = {'T', 'e', 's', 's', 'e', 'r', 'a', '\n'};
constexpr std::uint32_t format_version = 1;

struct RecordHeader { // little-endian, no padding; followed by the log, the library's name, and the payload unless it is a library
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t is_library;
    std::uint64_t checksum; // XXH3-64 of all that follows
    std::array<char, 32> key;
    double compile_milliseconds;
    std::uint64_t log_size;
    std::uint64_t library_name_size;
    std::uint64_t payload_size;
    std::uint64_t payload_checksum; // XXH3-64
};
static_assert(sizeof(RecordHeader) == 96);
constexpr std::size_t checked_from = offsetof(RecordHeader, key);

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
void append(std::vector<std::byte>& bytes, std::string_view text) { append(bytes, std::as_bytes(std::span(text))); }

std::uint64_t checksum_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::vector<std::byte> record_of(const std::string& key, const Entry& entry) {
    const std::string library = entry.is_library ? entry.file.filename().string() : std::string();
    RecordHeader header{
        magic,          format_version,       entry.is_library ? 1u : 0u, 0, {}, entry.compile_milliseconds, entry.log.size(),
        library.size(), entry.payload.size(), checksum_of(entry.payload)};
    std::memcpy(header.key.data(), key.data(), std::min(key.size(), header.key.size()));
    std::vector<std::byte> bytes(sizeof header);
    append(bytes, entry.log);
    append(bytes, library);
    if (!entry.is_library) append(bytes, std::span<const std::byte>(entry.payload));
    std::memcpy(bytes.data(), &header, sizeof header);
    header.checksum = checksum_of(std::span(bytes).subspan(checked_from));
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

// Throws std::runtime_error that says what is wrong with the record. `file` is still a bare name then.
Entry entry_of(const std::string& key, std::span<const std::byte> bytes, std::uint64_t& payload_size, std::uint64_t& payload_checksum) {
    RecordHeader header;
    if (bytes.size() < sizeof header) throw std::runtime_error("it is too short");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != magic) throw std::runtime_error("it is no entry of this cache");
    if (header.version != format_version) throw std::runtime_error("it is of another version of Tessera");
    if (header.checksum != checksum_of(bytes.subspan(checked_from))) throw std::runtime_error("its checksum is wrong");
    if (std::string_view(header.key.data(), header.key.size()) != key) throw std::runtime_error("it belongs to another key");
    const std::uint64_t inside = header.is_library != 0 ? 0 : header.payload_size;
    const auto rest = bytes.subspan(sizeof header);
    if (header.log_size > rest.size() || header.library_name_size > rest.size() - header.log_size ||
        inside != rest.size() - header.log_size - header.library_name_size)
        throw std::runtime_error("its parts do not add up");
    const auto* text = reinterpret_cast<const char*>(rest.data());
    Entry entry;
    entry.log.assign(text, header.log_size);
    entry.compile_milliseconds = header.compile_milliseconds;
    entry.is_library = header.is_library != 0;
    entry.file = std::string(text + header.log_size, header.library_name_size);
    if (entry.file != entry.file.filename()) throw std::runtime_error("it leads out of the cache");
    const auto payload = rest.subspan(header.log_size + header.library_name_size);
    entry.payload.assign(payload.begin(), payload.end());
    payload_size = header.payload_size;
    payload_checksum = header.payload_checksum;
    return entry;
}

// ---- the folder ----

constexpr const char* record_suffix = ".entry";
constexpr const char* library_suffix = ".so";

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Whether a file is one that this cache writes: nothing else in the folder is touched.
bool is_ours(const fs::path& path) {
    const auto name = path.filename().string();
    return name.size() > 32 && is_hex(name.substr(0, 32)) && (name.ends_with(record_suffix) || name.ends_with(library_suffix));
}

bool is_work_folder(const fs::path& path) {
    const auto name = path.filename().string();
    return name.starts_with("build-") || name.starts_with("tmp-");
}

struct OpenFolder {
    explicit OpenFolder(const fs::path& path) : handle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
    ~OpenFolder() {
        if (handle >= 0) ::close(handle);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;
    const int handle;
};

[[noreturn]] void refuse(const fs::path& folder, const std::string& why, const std::string& suggestion) {
    throw Error(Failure::compile, fmt::format("the cache folder {} cannot be used", folder.string()), why, suggestion);
}

// What others could write may be theirs, and is not loaded.
void remove_entries(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (is_ours(entry->path())) ::unlink(entry->path().c_str());
}

// Nobody else may enter a folder of code that gets loaded. One of ours is closed, most likely it was made by hand.
void close_to_others(const fs::path& folder, int handle, mode_t mode) {
    if ((mode & 077) == 0) return;
    struct stat now {};
    if (::fchmod(handle, 0700) != 0 || ::fstat(handle, &now) != 0 || (now.st_mode & 077) != 0)
        refuse(folder, fmt::format("its mode is {:04o}: others may enter it, and it holds code that gets loaded", mode & 07777),
               fmt::format("close it with: chmod 700 {}", folder.string()));
    const bool written = (mode & 022) != 0;
    if (written) remove_entries(folder);
    log_warning("the cache folder {} is now closed to others (its mode was {:04o}, and it holds code that gets loaded){}", folder.string(),
                mode & 07777, written ? "; it was emptied, since they could write to it" : "");
}

// Throws std::system_error when the folder cannot be had, and Error when it must not be used.
void prepare(const fs::path& folder) {
    fs::create_directories(folder.parent_path());
    const auto fail = [&] { throw std::system_error(errno, std::generic_category(), folder.string()); };
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail();
    const OpenFolder opened(folder);
    struct stat status {};
    if (opened.handle < 0 || ::fstat(opened.handle, &status) != 0) fail();
    if (status.st_uid != ::geteuid())
        refuse(folder, "it belongs to another user, and holds code that gets loaded", "name a folder of your own in $TESSERA_CACHE");
    close_to_others(folder, opened.handle, status.st_mode);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail();
}

fs::path temporary_root() {
    std::error_code error;
    const auto root = fs::temp_directory_path(error);
    return error ? fs::path("/tmp") : root;
}

// No code is loaded from such a disk.
bool is_noexec(const fs::path& folder) {
    struct statvfs status {};
    return ::statvfs(folder.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0;
}

void touch(const fs::path& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); }

} // namespace

// ---- keys ----

struct Key::State {
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> hash{XXH3_createState()};
};

Key::Key() : state_(std::make_unique<State>()) {
    if (!state_->hash) throw std::bad_alloc();
    XXH3_128bits_reset(state_->hash.get());
}
Key::~Key() = default;

Key& Key::add(std::string_view part) {
    const std::uint64_t size = part.size();
    XXH3_128bits_update(state_->hash.get(), &size, sizeof size);
    XXH3_128bits_update(state_->hash.get(), part.data(), part.size());
    return *this;
}

std::string Key::hex() const {
    const auto hash = XXH3_128bits_digest(state_->hash.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// ---- where and how large ----

fs::path default_cache_folder() {
    if (const auto chosen = variable("TESSERA_CACHE"); !chosen.empty()) return chosen;
    if (const auto base = variable("XDG_CACHE_HOME"); fs::path(base).is_absolute()) return fs::path(base) / "tessera";
    if (const auto home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "tessera";
    return {};
}

std::uint64_t default_cache_limit() {
    const auto text = variable("TESSERA_CACHE_LIMIT");
    if (text.empty()) return std::uint64_t{2} << 30;
    std::uint64_t mebibytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
    if (error != std::errc() || end != text.data() + text.size() || mebibytes == 0 || mebibytes > (std::uint64_t{1} << 40))
        throw Error(Failure::usage, fmt::format("TESSERA_CACHE_LIMIT is \"{}\"", text), "it is the cache's size in MiB, at least 1",
                    "set it to a number such as 2048");
    return mebibytes << 20;
}

// ---- the cache ----

struct Cache::Store {
    fs::path folder;
    std::uint64_t limit;
    std::optional<PrivateFolder> temporary; // instead of a folder that cannot be written
    bool warned_of_damage = false, warned_of_writing = false, warned_of_noexec = false;
    std::mutex guard;

    Store(const fs::path& wanted, std::uint64_t limit_bytes) : limit(limit_bytes) {
        if (!wanted.empty()) {
            try {
                folder = fs::absolute(wanted).lexically_normal();
                if (!folder.has_filename()) folder = folder.parent_path(); // "cache/"
                prepare(folder);
                return;
            } catch (const std::system_error& failure) {
                log_warning("the cache folder {} cannot be used ({}); models are compiled again in every run", folder.string(),
                            failure.code().message());
            }
        } else {
            log_warning("there is no cache folder (neither $TESSERA_CACHE nor $HOME is set); models are compiled again in every run");
        }
        folder = temporary_folder();
    }

    const fs::path& temporary_folder() {
        if (!temporary) {
            try {
                temporary.emplace(temporary_root(), "tessera-");
            } catch (const std::system_error& failure) {
                throw Error(Failure::compile, fmt::format("{} cannot be written", temporary_root().string()), failure.code().message(),
                            "name a folder of your own in $TMPDIR");
            }
        }
        return temporary->path();
    }

    const fs::path& loadable_folder() {
        if (!is_noexec(folder)) return folder;
        const auto& other = temporary_folder();
        if (is_noexec(other))
            throw Error(Failure::compile, "a compiled model cannot be loaded",
                        fmt::format("the disks of the cache folder {} and of {} are mounted noexec", folder.string(), other.string()),
                        "name a folder on another disk in $TESSERA_CACHE or in $TMPDIR");
        if (!warned_of_noexec)
            log_warning("the disk of the cache folder {} is mounted noexec; compiled models are loaded from copies in {}", folder.string(),
                        other.string());
        warned_of_noexec = true;
        return other;
    }

    // An entry whose library can be loaded from where it is.
    Entry loadable(Entry entry) {
        if (!entry.is_library || !is_noexec(entry.file.parent_path())) return entry;
        const auto copy = loadable_folder() / entry.file.filename();
        try {
            if (!fs::exists(copy)) replace_file(copy, entry.payload);
        } catch (const std::system_error& failure) {
            throw Error(Failure::compile, "a compiled model cannot be stored",
                        fmt::format("{}: {}", copy.string(), failure.code().message()), "make room on the disk");
        }
        entry.file = copy;
        return entry;
    }

    [[nodiscard]] fs::path record_of_key(const std::string& key) const { return folder / (key + record_suffix); }

    void drop(const fs::path& record, const fs::path& library, const char* why) {
        if (!warned_of_damage) log_warning("{} is damaged ({}); it is compiled again", record.string(), why);
        warned_of_damage = true;
        ::unlink(record.c_str());
        if (!library.empty()) ::unlink(library.c_str());
    }

    void warn_of_writing(const std::string& why) {
        if (!warned_of_writing) log_warning("a compiled model cannot be stored in {} ({})", folder.string(), why);
        warned_of_writing = true;
    }

    // The files of the cache, and what killed processes left.
    struct Item {
        fs::path path;
        std::uint64_t size;
        fs::file_time_type used;
    };
    std::vector<Item> items() const {
        std::vector<Item> result;
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
            std::error_code gone; // another process may be faster
            if (is_work_folder(entry->path())) remove_if_abandoned(entry->path());
            const auto used = fs::last_write_time(entry->path(), gone);
            if (gone) continue;
            if (!is_ours(entry->path()) || !entry->is_regular_file(gone) || entry->is_symlink(gone)) continue;
            const auto size = entry->file_size(gone);
            if (!gone) result.push_back({entry->path(), size, used});
        }
        return result;
    }

    void make_room(const std::set<fs::path>& keep) const {
        auto all = items();
        std::uint64_t total = 0;
        for (const auto& item : all) total += item.size;
        std::sort(all.begin(), all.end(), [](const Item& a, const Item& b) { return a.used < b.used; });
        for (const auto& item : all) {
            if (total <= limit) return;
            if (keep.contains(item.path)) continue;
            ::unlink(item.path.c_str());
            total -= item.size;
        }
    }
};

Cache::Cache(const fs::path& folder, std::uint64_t limit_bytes) : store_(std::make_unique<Store>(folder, limit_bytes)) {}
Cache::~Cache() = default;

const fs::path& Cache::folder() const noexcept { return store_->folder; }
const fs::path& Cache::temporary_folder() {
    const std::lock_guard lock(store_->guard);
    return store_->temporary_folder();
}
const fs::path& Cache::loadable_folder() {
    const std::lock_guard lock(store_->guard);
    return store_->loadable_folder();
}
bool Cache::is_temporary() const noexcept { return store_->temporary && store_->temporary->path() == store_->folder; }

std::optional<Entry> Cache::find(const std::string& key) {
    const std::lock_guard lock(store_->guard);
    const auto record = store_->record_of_key(key);
    fs::path library;
    try {
        std::uint64_t size = 0, checksum = 0;
        auto entry = entry_of(key, read_file(record), size, checksum);
        if (entry.is_library) {
            library = entry.file = store_->folder / entry.file;
            entry.payload = read_file(library);
        }
        if (entry.payload.size() != size || checksum_of(entry.payload) != checksum) throw std::runtime_error("its image has been changed");
        touch(record);
        if (entry.is_library) touch(library);
        return store_->loadable(std::move(entry));
    } catch (const std::system_error& failure) {
        if (failure.code() == std::errc::no_such_file_or_directory) {
            if (!library.empty()) ::unlink(record.c_str()); // its library was the older file, and has made room
            return std::nullopt;
        }
        store_->drop(record, library, failure.code().message().c_str());
    } catch (const std::runtime_error& failure) {
        store_->drop(record, library, failure.what());
    }
    return std::nullopt;
}

Entry Cache::store(const std::string& key, Entry entry) {
    const std::lock_guard lock(store_->guard);
    const auto name =
        fmt::format("{}-{:016x}{}", key, checksum_of(entry.payload), library_suffix); // two processes may make different bytes
    const auto record = store_->record_of_key(key);
    try {
        if (entry.is_library) {
            entry.file = store_->folder / name;
            replace_file(entry.file, entry.payload);
        }
        replace_file(record, record_of(key, entry));
        store_->make_room({record, entry.file});
    } catch (const std::system_error& failure) {
        store_->warn_of_writing(failure.code().message());
        if (!entry.is_library) return entry;
        ::unlink(entry.file.c_str());
        entry.file = store_->temporary_folder() / name;
        try {
            replace_file(entry.file, entry.payload);
        } catch (const std::system_error& again) {
            throw Error(Failure::compile, "a compiled model cannot be stored",
                        fmt::format("{}: {}", store_->temporary_folder().string(), again.code().message()), "make room on the disk");
        }
    }
    return store_->loadable(std::move(entry));
}

} // namespace tessera::jit
