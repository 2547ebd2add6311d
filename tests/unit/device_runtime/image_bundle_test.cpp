#include "device_runtime/error.hpp"
#include "device_runtime/image_bundle.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tessera::image_bundle_test {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}
std::vector<std::string> texts_of(const std::vector<std::byte>& bytes) {
    std::vector<std::string> texts;
    for (const auto image : unbundled(bytes)) texts.emplace_back(reinterpret_cast<const char*>(image.data()), image.size());
    return texts;
}

TEST(ImageBundle, HasItsImagesInTheirOrder) {
    const std::vector<std::vector<std::byte>> images = {bytes_of("one"), bytes_of(""), bytes_of(std::string(1000, 'x'))};
    EXPECT_EQ(texts_of(bundled(images)), (std::vector<std::string>{"one", "", std::string(1000, 'x')}));
    EXPECT_TRUE(texts_of(bundled({})).empty());
}

TEST(ImageBundle, WhatIsNoneIsOneImage) {
    EXPECT_EQ(texts_of(bytes_of("an image")), (std::vector<std::string>{"an image"}));
    EXPECT_EQ(texts_of(bytes_of("")), (std::vector<std::string>{""}));
}

TEST(ImageBundle, ThatIsCutOffIsRefused) {
    const auto whole = bundled({bytes_of("one"), bytes_of("two")});
    for (std::size_t size = std::strlen("tessera bundle 1"); size < whole.size(); ++size) {
        const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THROW((void)unbundled(cut), Error) << size;
    }
}

} // namespace
} // namespace tessera::image_bundle_test
