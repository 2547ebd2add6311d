#include "host/checkpoint/packed_file.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::checkpoint {
namespace {

// The first bytes of all values, then the second ones, and so on.
void shuffle(const std::vector<std::byte>& values, std::size_t value_bytes, std::vector<std::byte>& shuffled) {
    shuffled.resize(values.size());
    const auto count = values.size() / value_bytes;
    for (std::size_t b = 0; b < value_bytes; ++b) {
        auto* const plane = shuffled.data() + b * count;
        for (std::size_t i = 0; i < count; ++i) plane[i] = values[i * value_bytes + b];
    }
}

void unshuffle(const std::vector<std::byte>& shuffled, std::size_t value_bytes, std::vector<std::byte>& values) {
    values.resize(shuffled.size());
    const auto count = shuffled.size() / value_bytes;
    for (std::size_t b = 0; b < value_bytes; ++b) {
        const auto* const plane = shuffled.data() + b * count;
        for (std::size_t i = 0; i < count; ++i) values[i * value_bytes + b] = plane[i];
    }
}

} // namespace

// ---- writing

PackedFile::PackedFile(FilePlace place, std::string name, std::size_t value_bytes)
    : file_(std::move(place), std::move(name)), value_bytes_(value_bytes) {
    block_.reserve(packing_.block_bytes);
}

void PackedFile::write(const void* bytes, std::size_t count) {
    const auto* next = static_cast<const std::byte*>(bytes);
    while (count > 0) {
        const auto part = std::min<std::size_t>(count, packing_.block_bytes - block_.size());
        block_.insert(block_.end(), next, next + part);
        next += part;
        count -= part;
        if (block_.size() == packing_.block_bytes) end_block();
    }
}

void PackedFile::end_block() {
    shuffle(block_, value_bytes_, shuffled_);
    zstd_.compress(shuffled_, frame_);
    file_.write(frame_.data(), frame_.size());
    packing_.sizes.push_back(frame_.size());
    block_.clear();
}

FileRecord PackedFile::finish() {
    if (!block_.empty()) end_block();
    return file_.finish();
}

// ---- reading

PackedValues::PackedValues(std::shared_ptr<const KeptFile> file, Packing packing, std::uint64_t bytes, std::size_t value_bytes)
    : file_(std::move(file)), block_bytes_(packing.block_bytes), bytes_(bytes), value_bytes_(value_bytes) {
    begins_.push_back(0);
    for (const auto size : packing.sizes)
        if (size <= file_->size() - begins_.back()) begins_.push_back(begins_.back() + size);
    const bool is_of_values = block_bytes_ >= value_bytes && block_bytes_ <= Packing::largest_block && block_bytes_ % value_bytes == 0;
    const bool is_all = is_of_values && packing.sizes.size() == (bytes + block_bytes_ - 1) / block_bytes_ &&
                        begins_.size() == packing.sizes.size() + 1 && begins_.back() == file_->size();
    if (!is_all) throw Error(Failure::input, "its blocks are not as many as its values need");
}

void PackedValues::read(std::uint64_t offset, void* into, std::size_t count) const {
    const std::lock_guard lock(mutex_);
    auto* next = static_cast<std::byte*>(into);
    while (count > 0) {
        const auto& values = block(static_cast<std::size_t>(offset / block_bytes_));
        const auto first = static_cast<std::size_t>(offset % block_bytes_);
        const auto part = std::min(count, values.size() - first);
        std::memcpy(next, values.data() + first, part);
        next += part;
        offset += part;
        count -= part;
    }
}

const std::vector<std::byte>& PackedValues::block(std::size_t number) const {
    if (number_ == number) return values_;
    number_.reset(); // of nothing, should reading fail
    const auto refuse = [&] { throw Error(Failure::input, fmt::format("block {} of a column cannot be read", number)); };
    if (number + 1 >= begins_.size()) refuse();
    frame_.resize(static_cast<std::size_t>(begins_[number + 1] - begins_[number]));
    file_->read(begins_[number], frame_.data(), frame_.size());
    shuffled_.resize(static_cast<std::size_t>(std::min(block_bytes_, bytes_ - number * block_bytes_)));
    if (!zstd_.decompress(frame_, shuffled_)) refuse();
    unshuffle(shuffled_, value_bytes_, values_);
    number_ = number;
    return values_;
}

} // namespace tessera::checkpoint
