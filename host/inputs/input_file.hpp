// Files that are read: bytes, text, numbers in text, and how errors quote what was found.
#pragma once

#include "device_runtime/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// An open regular file. Errors are Failure::input and name the file and the system's reason.
class InputFile {
public:
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; } // when it was opened
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    // Fills `into` with the bytes from `offset` on; fewer bytes than that is an error.
    void read(std::uint64_t offset, std::span<std::byte> into) const;

private:
    std::string name_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

constexpr std::uint64_t any_size = ~std::uint64_t{0};

// The bytes of a whole file, which are `most` of them or fewer, else it is Failure::input.
[[nodiscard]] std::string read_bytes(const std::filesystem::path& path, std::uint64_t most = any_size);

// What a reader tells an array's extents, nx, ny and nz, before it takes memory for it. Throws to end the reading.
using SizeCheck = std::function<void(const std::array<std::int64_t, 3>&)>;

// A number as C writes it, whatever the locale, rounded to the nearest double: "-1.5e3", "+2", "inf", "nan". Nothing for other
// text, blanks around it included, and for a finite number that no double can hold.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// `text` as an error message quotes it: in quotes, shortened, and free of control characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Text that is read line by line. A byte order mark in front of it, as Windows' editors write, is no part of the first line.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {
        if (text.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
    }

    // The next line without its end (LF, CRLF or CR), or nothing at the end of the text.
    [[nodiscard]] std::optional<std::string_view> next();
    [[nodiscard]] std::int64_t number() const noexcept { return number_; } // of the line that next() gave last, from 1

private:
    std::string_view rest_;
    std::int64_t number_ = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text); // without blanks around it

} // namespace tessera
