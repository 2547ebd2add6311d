// Compiled images on disk, for this user alone, shared by all processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

// Makes a key: XXH3-128, in hexadecimal, over parts that each carry their length, so that moving a byte from one to the next changes it.
class Key {
public:
    Key();
    ~Key();
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;

    Key& add(std::string_view part);
    [[nodiscard]] std::string hex() const; // 32 digits

private:
    struct State;
    std::unique_ptr<State> state_;
};

// What the cache holds under a key.
struct Entry {
    std::vector<std::byte> payload;
    std::string log;                 // what the compiler said
    double compile_milliseconds = 0; // what it took to make
    bool is_library = false;         // also kept as a file that the system's loader can open
    std::filesystem::path file;      // that file; empty without `is_library`. Set by the cache
};

// $TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera; empty when none of these is set.
[[nodiscard]] std::filesystem::path default_cache_folder();

// $TESSERA_CACHE_LIMIT in MiB, else 2 GiB. Throws Error (Failure::usage) when it is no positive number.
[[nodiscard]] std::uint64_t default_cache_limit();

// All members may be called from several threads, and several processes may use one folder. Nothing here waits for another process.
class Cache {
public:
    // On a disk that is mounted `noexec` entries are kept, and libraries loaded from copies in a temporary folder, with a warning.
    // Makes the folder if need be. One that cannot be made or written is replaced by a temporary folder, with a warning; that one goes when
    // the cache does, while libraries that were loaded from it stay usable.
    // It holds code that gets loaded: one that others may enter is closed to them, with a warning, and emptied of what they may have
    // changed. Throws Error (Failure::compile) when the folder belongs to someone else.
    explicit Cache(const std::filesystem::path& folder = default_cache_folder(), std::uint64_t limit_bytes = default_cache_limit());
    ~Cache();
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    // What was stored under this key. An entry that is damaged or foreign is removed, warned of, and not found.
    [[nodiscard]] std::optional<Entry> find(const std::string& key);

    // Stores an entry, replacing one that is there, and removes the least recently used ones beyond the limit (never this one).
    // Returns it as `find` would. When it cannot be written it is kept in a temporary folder if it is a library, with a warning.
    Entry store(const std::string& key, Entry entry);

    // Where compilers may work: on the same disk, private, swept of what killed processes left.
    [[nodiscard]] const std::filesystem::path& folder() const noexcept;
    // Where they may when there is no room: a private folder that goes when the cache does. Throws Error when that cannot be made either.
    [[nodiscard]] const std::filesystem::path& temporary_folder();
    [[nodiscard]] bool is_temporary() const noexcept;
    // Where what was compiled can be loaded: folder(), unless its disk is mounted `noexec`. Throws as temporary_folder().
    [[nodiscard]] const std::filesystem::path& loadable_folder();

private:
    struct Store;
    std::unique_ptr<Store> store_;
};

} // namespace tessera::jit
