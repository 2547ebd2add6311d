#include "device_runtime/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace tessera {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; }

// The bytes of the UTF-8 character that starts the text, 0 if none does; which one in `character`.
std::size_t utf8_length(std::string_view text, std::uint32_t& character) {
    const unsigned lead = byte_at(text, 0);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    character = length < 2 ? lead : lead & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned next = byte_at(text, i);
        if ((next & 0xc0) != 0x80) return 0;
        character = character << 6 | (next & 0x3f);
    }
    const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
    const bool none = (character >= 0xd800 && character < 0xe000) || character > 0x10ffff;
    return overlong || none ? 0 : length;
}

bool is_control(std::uint32_t c) {
    const bool ascii = c < 0x20 || c == 0x7f, c1 = c >= 0x80 && c < 0xa0;
    const bool direction = c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return ascii || c1 || direction;
}

std::string escaped(std::string_view text, bool one_line) {
    std::string result;
    while (!text.empty()) {
        std::uint32_t character = 0;
        const auto length = utf8_length(text, character);
        const bool kept = length > 0 && (!is_control(character) || (!one_line && (character == '\n' || character == '\t')));
        const auto taken = length > 0 ? length : 1;
        for (std::size_t i = 0; i < taken; ++i)
            if (kept)
                result += text[i];
            else
                result += fmt::format("\\x{:02x}", byte_at(text, i));
        text.remove_prefix(taken);
    }
    return result;
}

} // namespace

std::string valid_utf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        std::uint32_t character = 0;
        const auto length = utf8_length(text, character);
        result += length > 0 ? text.substr(0, length) : "\xef\xbf\xbd";
        text.remove_prefix(length > 0 ? length : 1);
    }
    return result;
}

std::string printable(std::string_view text) { return escaped(text, false); }

std::string shown(std::string_view text, std::size_t longest) {
    // First cut, for the whole may be very long; then once more, for what is escaped is four times as long.
    return without_middle(escaped(without_middle(text, longest), true), longest);
}

std::string without_middle(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return std::string(text);
    const auto continues = [&](std::size_t at) { return (byte_at(text, at) & 0xc0) == 0x80; };
    auto head = longest * 2 / 3, tail = text.size() - longest / 3;
    for (int i = 0; i < 3 && continues(head); ++i) --head; // no character is cut in two
    for (int i = 0; i < 3 && continues(tail); ++i) ++tail;
    return std::string(text.substr(0, head)) + " ... " + std::string(text.substr(tail));
}

} // namespace tessera
