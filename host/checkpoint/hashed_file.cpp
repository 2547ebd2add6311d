#include "host/checkpoint/hashed_file.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::checkpoint {

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

HashedFile::HashedFile(FilePlace place, std::string name) : place_(std::move(place)) {
    record_.name = std::move(name);
    descriptor_ = ::openat(place_.folder(), place_.path(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw output_error(place_.shown(), errno);
}

HashedFile::~HashedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void HashedFile::write(const void* bytes, std::size_t count) {
    const auto* next = static_cast<const char*>(bytes);
    while (count > 0) {
        const auto part = std::min(count, block_bytes - block_.size());
        block_.insert(block_.end(), next, next + part);
        next += part;
        count -= part;
        if (block_.size() == block_bytes) end_block();
    }
}

void HashedFile::end_block() {
    record_.hashes.push_back(hash_of({block_.data(), block_.size()}));
    record_.size += block_.size();
    if (const int error = write_all(descriptor_, block_.data(), block_.size())) throw output_error(place_.shown(), error);
    block_.clear();
}

FileRecord HashedFile::finish() {
    if (!block_.empty()) end_block();
    const int not_synchronised = synchronise(descriptor_);
    const int not_closed = ::close(std::exchange(descriptor_, -1)) != 0 ? errno : 0;
    if (not_synchronised != 0 || not_closed != 0) throw output_error(place_.shown(), not_synchronised != 0 ? not_synchronised : not_closed);
    return record_;
}

FileRecord write_text(FilePlace place, std::string name, std::string_view text) {
    HashedFile file(std::move(place), std::move(name));
    file.write(text.data(), text.size());
    return file.finish();
}

KeptFile::KeptFile(const FilePlace& place)
    : shown_(place.shown().string()), file_(::openat(place.folder(), place.path(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    struct stat found {};
    const auto fail = [&](const std::string& why) { throw Error(Failure::input, fmt::format("{} cannot be read", shown_), why); };
    if (file_.number() < 0) fail(std::generic_category().message(errno));
    if (::fstat(file_.number(), &found) != 0 || !S_ISREG(found.st_mode)) fail("it is not a file");
    size_ = static_cast<std::uint64_t>(found.st_size);
}

void KeptFile::read(std::uint64_t offset, void* into, std::size_t count) const {
    auto* next = static_cast<char*>(into);
    while (count > 0) {
        const auto got = ::pread(file_.number(), next, count, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            throw Error(Failure::input, fmt::format("{} cannot be read", shown_),
                        got < 0 ? std::generic_category().message(errno) : "it ends too early");
        next += got;
        offset += static_cast<std::uint64_t>(got);
        count -= static_cast<std::size_t>(got);
    }
}

std::string KeptFile::text() const {
    std::string text(size_, '\0');
    read(0, text.data(), text.size());
    return text;
}

std::string KeptFile::why_damaged(const FileRecord& record) const {
    if (size_ != record.size) return fmt::format("it has {} bytes instead of {}", size_, record.size);
    std::vector<char> block(std::min<std::uint64_t>(block_bytes, size_));
    std::uint64_t first = 0;
    for (const auto hash : record.hashes) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size_ - first));
        read(first, block.data(), count);
        if (hash_of({block.data(), count}) != hash)
            return fmt::format("bytes {} to {} are not those that were written", first, first + count - 1);
        first += count;
    }
    return first == size_ ? "" : "not all of its bytes have a hash";
}

} // namespace tessera::checkpoint
