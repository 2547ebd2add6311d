#include "device_runtime/image_bundle.hpp"

#include "device_runtime/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tessera {
namespace {

// In front of it; then how many images there are, their sizes, and the images, one behind the other.
constexpr std::string_view mark = "tessera bundle 1";

bool is_bundle(std::span<const std::byte> bytes) {
    return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

// What is left of a bundle, read from its beginning.
class Rest {
public:
    explicit Rest(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > bytes_.size()) throw Error(Failure::plugin, "a compiled model is damaged", "it ends too early", "compile it again");
        const auto taken = bytes_.first(static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(taken.size());
        return taken;
    }
    std::uint64_t number() {
        std::uint64_t result = 0;
        std::memcpy(&result, take(sizeof result).data(), sizeof result);
        return result;
    }

private:
    std::span<const std::byte> bytes_;
};

} // namespace

std::vector<std::byte> bundled(const std::vector<std::vector<std::byte>>& images) {
    std::size_t all = mark.size() + (1 + images.size()) * sizeof(std::uint64_t);
    for (const auto& image : images) all += image.size();
    std::vector<std::byte> bytes(all);
    auto* to = bytes.data();
    const auto append = [&](const void* from, std::size_t size) {
        if (size != 0) std::memcpy(to, from, size);
        to += size;
    };
    const auto append_number = [&](std::uint64_t number) { append(&number, sizeof number); };
    append(mark.data(), mark.size());
    append_number(images.size());
    for (const auto& image : images) append_number(image.size());
    for (const auto& image : images) append(image.data(), image.size());
    return bytes;
}

std::vector<std::span<const std::byte>> unbundled(std::span<const std::byte> bytes) {
    if (!is_bundle(bytes)) return {bytes};
    Rest rest(bytes.subspan(mark.size()));
    std::vector<std::uint64_t> sizes(std::min<std::uint64_t>(rest.number(), bytes.size()));
    for (auto& size : sizes) size = rest.number();
    std::vector<std::span<const std::byte>> images;
    for (const auto size : sizes) images.push_back(rest.take(size));
    return images;
}

} // namespace tessera
