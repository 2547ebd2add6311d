// Reads the bytes of a record in a compiled image. An image is as little to be trusted as any file: a model can write into its own
// records, and a cache can be damaged, so that every length, type and name is checked before it is believed.
#pragma once

#include "host/model/description.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace tessera::model {

// From front to back. Throws Failure::plugin, with the model's path, for what is no record.
class RecordReader {
public:
    // Both have to live as long as the reader does.
    RecordReader(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    // The next `size` bytes.
    [[nodiscard]] std::span<const std::byte> take(std::size_t size);

    template<class T> [[nodiscard]] T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }

    // Up to the next zero, which has to be there.
    [[nodiscard]] std::string text();

    // A text that is a name of C++: code and run files are made with it.
    [[nodiscard]] std::string identifier();

    // A type, a number of elements and a value of these; its name stands elsewhere.
    [[nodiscard]] Member member();

    // On to the next multiple of `to`, as far as there are bytes.
    void align(std::size_t to);

    [[noreturn]] void damaged(const std::string& why) const;

private:
    [[nodiscard]] Scalar type();

    std::span<const std::byte> bytes_;
    const std::string& path_;
    std::size_t at_ = 0;
};

// Letters, digits and `_`, and no digit first. Bytes above 127 count as letters: compilers allow letters of every script.
[[nodiscard]] bool is_cpp_name(const std::string& text) noexcept;

} // namespace tessera::model
