#include "device_runtime/plain_name.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {
namespace {

std::string why_no_part(std::string_view part) {
    constexpr std::size_t longest = 255; // which file systems take
    if (part.empty()) return "it has an empty part";
    if (part == "." || part == "..") return "it has a part `" + std::string(part) + "`";
    return part.size() > longest ? "a part of it has more than 255 bytes" : "";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

} // namespace

std::string why_no_plain_name(std::string_view name) {
    if (name.empty()) return "it is empty";
    if (name.size() > 4095) return "it has more than 4095 bytes"; // which systems take
    if (name.front() == '/') return "it is not relative";
    if (name.back() == '/') return "it ends in `/`";
    if (std::any_of(name.begin(), name.end(), is_control)) return "it has control characters";
    for (std::size_t begin = 0; begin <= name.size();) {
        const auto end = std::min(name.find('/', begin), name.size());
        if (auto why = why_no_part(name.substr(begin, end - begin)); !why.empty()) return why;
        begin = end + 1;
    }
    return {};
}

} // namespace tessera
