// sanitizers: address, thread
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>

namespace tessera::jit::cache_test {
namespace {

using namespace testing;
using ::testing::ElementsAre;
namespace fs = std::filesystem;

std::vector<std::byte> bytes(const std::string& text) {
    const auto view = std::as_bytes(std::span(text));
    return {view.begin(), view.end()};
}

std::string key_of(const std::string& part) { return Key().add(part).hex(); }

Entry entry_of(const std::string& payload, bool is_library = false) {
    Entry entry;
    entry.payload = bytes(payload);
    entry.log = "a log";
    entry.compile_milliseconds = 12.5;
    entry.is_library = is_library;
    return entry;
}

class CacheTest : public ::testing::Test {
protected:
    std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator())); }
    // A folder as a compilation has one.
    fs::path left_by_a_process_that_died() const {
        const pid_t child = ::fork();
        if (child == 0) {
            const PrivateFolder folder(path_, "build-");
            write_file(path_ / "name", folder.path().string());
            ::_exit(0);
        }
        EXPECT_EQ(::waitpid(child, nullptr, 0), child);
        const auto name = read_file(path_ / "name");
        return std::string(reinterpret_cast<const char*>(name.data()), name.size());
    }
    mode_t mode() const {
        struct stat status {};
        EXPECT_EQ(::stat(path_.c_str(), &status), 0);
        return status.st_mode & 07777;
    }
    TemporaryFolder folder_;
    fs::path path_ = folder_.path() / "cache";
    static constexpr std::uint64_t plenty = 1u << 30;
};

TEST(CacheKey, IsTheHashOfTheLengthsAndTheBytes) {
    // XXH3-128 of nothing, from the hash's own published test vectors
    EXPECT_EQ(Key().hex(), "99aa06d3014798d86001c324468d497f");
    EXPECT_NE(Key().add("ab").add("c").hex(), Key().add("a").add("bc").hex());
    EXPECT_NE(Key().add("").hex(), Key().hex());
    EXPECT_EQ(Key().add("a").add("b").hex(), Key().add("a").add("b").hex());
}

TEST_F(CacheTest, GivesBackWhatWasStored) {
    const auto key = key_of("a");
    EXPECT_FALSE(Cache(path_, plenty).find(key));
    Cache(path_, plenty).store(key, entry_of("payload"));
    const auto found = Cache(path_, plenty).find(key); // another process would see the same
    ASSERT_TRUE(found);
    EXPECT_EQ(found->payload, bytes("payload"));
    EXPECT_EQ(found->log, "a log");
    EXPECT_EQ(found->compile_milliseconds, 12.5);
    EXPECT_TRUE(found->file.empty());
    EXPECT_FALSE(Cache(path_, plenty).find(key_of("b")));
}

TEST_F(CacheTest, ALibraryIsAFileOfItsOwn) {
    Cache cache(path_, plenty);
    const auto stored = cache.store(key_of("a"), entry_of("code", true));
    const auto found = cache.find(key_of("a"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->file, stored.file);
    EXPECT_EQ(read_file(found->file), bytes("code"));
    EXPECT_NE(cache.store(key_of("a"), entry_of("other code", true)).file, stored.file); // the loader must see a new name for new code
    EXPECT_EQ(cache.find(key_of("a"))->payload, bytes("other code"));
}

TEST_F(CacheTest, TheFolderIsPrivate) {
    const Cache cache(path_, plenty);
    EXPECT_EQ(mode(), 0700u);
}

TEST_F(CacheTest, AFolderThatOthersMayEnterIsClosed) {
    Cache(path_, plenty).store(key_of("a"), entry_of("payload"));
    ::chmod(path_.c_str(), 0755);
    const Logged logged;
    EXPECT_TRUE(Cache(path_, plenty).find(key_of("a")));
    EXPECT_TRUE(Cache(path_, plenty).find(key_of("a")));
    EXPECT_EQ(mode(), 0700u);
    EXPECT_THAT(logged.warnings(), ElementsAre("the cache folder " + path_.string() +
                                               " is now closed to others (its mode was 0755, and it holds code that gets loaded)"));
}

TEST_F(CacheTest, WhatOthersCouldWriteIsNotLoaded) {
    Cache(path_, plenty).store(key_of("a"), entry_of("payload", true));
    write_file(path_ / "a note of the user's.txt", std::string("x"));
    ::chmod(path_.c_str(), 0770);
    const Logged logged;
    EXPECT_FALSE(Cache(path_, plenty).find(key_of("a")));
    EXPECT_EQ(mode(), 0700u);
    EXPECT_EQ(files(), 1u);
    EXPECT_THAT(logged.warnings(), ElementsAre("the cache folder " + path_.string() +
                                               " is now closed to others (its mode was 0770, and it holds code that gets loaded); it was "
                                               "emptied, since they could write to it"));
}

TEST_F(CacheTest, AFolderOfAnotherUserIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
    fs::create_directories(path_);
    ::chmod(path_.c_str(), 0700);
    ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
    EXPECT_EQ(
        message_of(Failure::compile, [&] { const Cache cache(path_, plenty); }),
        "the cache folder " + path_.string() +
            " cannot be used (it belongs to another user, and holds code that gets loaded) name a folder of your own in $TESSERA_CACHE");
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsReplacedByATemporaryOne) {
    folder_.write("file", "");
    fs::path temporary, library;
    {
        Cache cache(folder_.path() / "file" / "cache", plenty);
        EXPECT_TRUE(cache.is_temporary());
        temporary = cache.folder();
        library = cache.store(key_of("a"), entry_of("code", true)).file;
        EXPECT_EQ(read_file(library), bytes("code"));
    }
    EXPECT_FALSE(fs::exists(temporary));
}

// Every way to harm a record: it is missed, removed, and can be stored anew.
TEST_F(CacheTest, ADamagedEntryIsAMissAndGone) {
    rc::check([this] {
        Cache cache(path_, plenty);
        const auto key = key_of("a");
        const bool is_library = *rc::gen::arbitrary<bool>();
        const auto stored = cache.store(key, entry_of("the payload", is_library));
        const auto record = path_ / (key + ".entry");
        const auto victim = is_library && *rc::gen::arbitrary<bool>() ? stored.file : record;
        auto content = read_file(victim);
        const auto at = *rc::gen::inRange<std::size_t>(0, content.size());
        if (*rc::gen::arbitrary<bool>())
            content.resize(at);
        else
            content[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
        write_file(victim, content);
        RC_ASSERT(!cache.find(key));
        RC_ASSERT(!fs::exists(record));
        cache.store(key, entry_of("the payload", is_library));
        RC_ASSERT(cache.find(key)->payload == bytes("the payload"));
    });
}

TEST_F(CacheTest, ForeignFilesAreNoEntries) {
    Cache cache(path_, plenty);
    const auto key = key_of("a");
    write_file(path_ / (key + ".entry"), std::string("#!/bin/sh\n"));
    EXPECT_FALSE(cache.find(key));
    cache.store(key, entry_of("payload"));
    fs::rename(path_ / (key + ".entry"), path_ / (key_of("b") + ".entry")); // whole, but of another key
    EXPECT_FALSE(cache.find(key_of("b")));
    const auto outside = folder_.write("outside", "secret");
    fs::create_symlink(outside, path_ / (key_of("c") + ".entry"));
    EXPECT_FALSE(cache.find(key_of("c")));
    EXPECT_TRUE(fs::exists(outside));
}

TEST_F(CacheTest, ALostLibraryIsAMiss) {
    Cache cache(path_, plenty);
    fs::remove(cache.store(key_of("a"), entry_of("code", true)).file);
    EXPECT_FALSE(cache.find(key_of("a")));
    EXPECT_EQ(files(), 0u);
}

TEST_F(CacheTest, TheLeastRecentlyUsedMakesRoom) {
    const std::string payload(10'000, 'x');
    Cache cache(path_, 35'000);
    const auto age = [&](const std::string& key, int hours) {
        fs::last_write_time(path_ / (key + ".entry"), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (const char* name : {"a", "b", "c"}) cache.store(key_of(name), entry_of(payload));
    age(key_of("a"), 3);
    age(key_of("b"), 2);
    age(key_of("c"), 1);
    ASSERT_TRUE(cache.find(key_of("a"))); // a hit makes it the newest
    write_file(path_ / "a note of the user's.txt", payload);
    cache.store(key_of("d"), entry_of(payload));
    EXPECT_FALSE(cache.find(key_of("b")));
    for (const char* name : {"a", "c", "d"}) EXPECT_TRUE(cache.find(key_of(name))) << name;
    EXPECT_TRUE(fs::exists(path_ / "a note of the user's.txt"));
}

TEST_F(CacheTest, WhatWasJustStoredStaysHoweverSmallTheLimit) {
    Cache cache(path_, 1);
    const auto stored = cache.store(key_of("a"), entry_of("code", true));
    EXPECT_TRUE(fs::exists(stored.file));
    EXPECT_TRUE(cache.find(key_of("a")));
    cache.store(key_of("b"), entry_of("code", true));
    EXPECT_FALSE(cache.find(key_of("a")));
}

// Of this machine when its process has died, whatever its age; of another machine, which has locks of its own, when it is old.
TEST_F(CacheTest, WhatKilledProcessesLeftIsSwept) {
    Cache cache(path_, plenty);
    for (const char* name : {"build-elsewhere-old", "tmp-elsewhere-old", "build-elsewhere-new"})
        write_file(path_ / name / "main.cpp", std::string("x"));
    for (const char* name : {"build-elsewhere-old", "tmp-elsewhere-old"})
        fs::last_write_time(path_ / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
    const PrivateFolder in_use(path_, "build-");
    fs::last_write_time(in_use.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
    const auto left = left_by_a_process_that_died();
    ASSERT_TRUE(fs::exists(left));
    cache.store(key_of("a"), entry_of("payload"));
    EXPECT_FALSE(fs::exists(path_ / "build-elsewhere-old"));
    EXPECT_FALSE(fs::exists(path_ / "tmp-elsewhere-old"));
    EXPECT_TRUE(fs::exists(path_ / "build-elsewhere-new"));
    EXPECT_TRUE(fs::exists(in_use.path()));
    EXPECT_FALSE(fs::exists(left));
}

// Processes that store, evict and read the same few keys: a reader sees a whole entry of that key, or none.
TEST_F(CacheTest, ProcessesMayShareIt) {
    std::vector<pid_t> children;
    { const Cache made(path_, plenty); }
    for (int id = 0; id < 4; ++id) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            int wrong = 0;
            Cache cache(path_, 40'000);
            for (int round = 0; round < 150; ++round) {
                const std::string name(1, static_cast<char>('a' + (round + id) % 5));
                const std::string payload(static_cast<std::size_t>(5000 + id), name[0]); // each process makes other bytes
                if (round % 3 == id % 3) cache.store(key_of(name), entry_of(payload, round % 2 == 0));
                if (const auto found = cache.find(key_of(name))) {
                    const std::set<std::byte> letters(found->payload.begin(), found->payload.end());
                    if (letters != std::set<std::byte>{static_cast<std::byte>(name[0])}) ++wrong;
                }
            }
            ::_exit(wrong == 0 ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const auto child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    for (const auto& entry : fs::directory_iterator(path_))
        EXPECT_TRUE(entry.is_regular_file()) << entry.path(); // nothing half done is left
}

// The same for the threads of a process, which have one Cache: a run's and its tuner's.
TEST_F(CacheTest, ThreadsMayShareIt) {
    Cache cache(path_, 40'000);
    std::atomic<int> wrong = 0, found_ones = 0;
    const auto work = [&](int id) {
        for (int round = 0; round < 100; ++round) {
            const std::string name(1, static_cast<char>('a' + (round + id) % 5));
            if (round % 3 == id % 3)
                cache.store(key_of(name), entry_of(std::string(static_cast<std::size_t>(5000 + id), name[0]), round % 2 == 0));
            const auto found = cache.find(key_of(name));
            if (!found) continue;
            ++found_ones;
            const std::set<std::byte> letters(found->payload.begin(), found->payload.end());
            if (letters != std::set<std::byte>{static_cast<std::byte>(name[0])}) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id) threads.emplace_back(work, id);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(found_ones, 0);
}

TEST_F(CacheTest, TheEnvironmentSaysWhereAndHowMuch) {
    const Variable chosen("TESSERA_CACHE", "/a/b"), base("XDG_CACHE_HOME", "/xdg"), home("HOME", "/home/u");
    EXPECT_EQ(default_cache_folder(), "/a/b");
    const Variable unset("TESSERA_CACHE", nullptr);
    EXPECT_EQ(default_cache_folder(), "/xdg/tessera");
    const Variable relative("XDG_CACHE_HOME", "xdg"); // the specification says to ignore it
    EXPECT_EQ(default_cache_folder(), "/home/u/.cache/tessera");
    const Variable homeless("HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "");

    const Variable none("TESSERA_CACHE_LIMIT", nullptr);
    EXPECT_EQ(default_cache_limit(), std::uint64_t{2} << 30);
    const Variable some("TESSERA_CACHE_LIMIT", "3");
    EXPECT_EQ(default_cache_limit(), 3u << 20);
    for (const char* wrong : {"0", "-1", "2 GiB", "99999999999999999999"}) {
        const Variable limit("TESSERA_CACHE_LIMIT", wrong);
        EXPECT_EQ(message_of(Failure::usage, [] { static_cast<void>(default_cache_limit()); }),
                  std::string("TESSERA_CACHE_LIMIT is \"") + wrong +
                      "\" (it is the cache's size in MiB, at least 1) set it to a number such as 2048");
    }
}

} // namespace
} // namespace tessera::jit::cache_test
