#include "host/inputs/input_file.hpp"

#include "device_runtime/printable.hpp"
#include "device_runtime/regular_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// from_chars says only that a number is out of range, not at which end; a number too small for a double is not an error here.
double rounded_out_of_range(std::string_view text) {
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(text).c_str(), nullptr, c_locale);
}

} // namespace

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
    std::string why;
    descriptor_ = open_regular(path, why);
    if (descriptor_ < 0) throw Error(Failure::input, fmt::format("could not read {}", in_quotes(name_)), why);
    struct stat status {};
    if (fstat(descriptor_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
    while (!into.empty()) {
        const ssize_t got = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error(Failure::input, fmt::format("could not read {}", in_quotes(name_)), reason(errno));
        if (got == 0)
            throw Error(Failure::input, fmt::format("{}: the file ends at byte {}", name_, offset),
                        fmt::format("{} more bytes were expected", into.size()));
        offset += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
}

std::string read_bytes(const std::filesystem::path& path, std::uint64_t most) {
    const InputFile file(path);
    if (file.size() > most)
        throw Error(Failure::input, fmt::format("{} has {} bytes", in_quotes(file.name()), file.size()),
                    fmt::format("the maximum for its grid is {}", most));
    std::string text(file.size(), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

std::optional<double> parse_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
        value = rounded_out_of_range(text);
        if (!std::isfinite(value)) return std::nullopt;
    }
    return value;
}

std::string in_quotes(std::string_view text) { return "'" + shown(text) + "'"; }

std::optional<std::string_view> Lines::next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    const std::size_t skip = rest_.substr(end, 2) == "\r\n" ? 2 : end < rest_.size() ? 1 : 0;
    rest_.remove_prefix(end + skip);
    return line;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace tessera
