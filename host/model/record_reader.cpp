#include "host/model/record_reader.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera::model {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool is_cpp_name(const std::string& text) noexcept {
    return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

void RecordReader::damaged(const std::string& why) const {
    throw Error(Failure::plugin, "cannot read the description of " + path_, why, "compile the model with the SDK of this version");
}

std::span<const std::byte> RecordReader::take(std::size_t size) {
    if (size > bytes_.size() - at_) damaged("a record ends too early"); // at_ never passes the end
    const auto taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
}

std::string RecordReader::text() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
    if (end == rest.end()) damaged("a text in a record does not end");
    const auto length = static_cast<std::size_t>(end - rest.begin());
    std::string result(reinterpret_cast<const char*>(rest.data()), length);
    at_ += length + 1;
    return result;
}

std::string RecordReader::identifier() {
    auto name = text();
    if (!is_cpp_name(name)) damaged(fmt::format("`{}` is no name", name));
    return name;
}

void RecordReader::align(std::size_t to) { at_ = std::min(bytes_.size(), at_ + (to - at_ % to) % to); }

Scalar RecordReader::type() {
    const auto code = number<std::uint32_t>();
    if (code < static_cast<std::uint32_t>(Scalar::boolean) || code > static_cast<std::uint32_t>(Scalar::f64))
        damaged(fmt::format("there is no type of number {}", code));
    return static_cast<Scalar>(code);
}

Member RecordReader::member() {
    Member member;
    align(8);
    member.type = type();
    const auto elements = number<std::uint32_t>();
    if (elements < 1 || elements > static_cast<std::uint32_t>(std::numeric_limits<int>::max()))
        damaged(fmt::format("a member of {} elements", elements));
    member.elements = static_cast<int>(elements);
    const auto value = take(member.bytes());
    member.initial.assign(value.begin(), value.end());
    if (member.type == Scalar::boolean && std::any_of(value.begin(), value.end(), [](std::byte b) { return b > std::byte{1}; }))
        damaged("a bool that is neither false nor true");
    align(8);
    return member;
}

} // namespace tessera::model
