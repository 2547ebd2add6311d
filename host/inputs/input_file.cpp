#include "host/inputs/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars says only that a number is out of range, not at which end; a number too small for a double is not an error here.
double rounded_out_of_range(std::string_view text) {
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(text).c_str(), nullptr, c_locale);
}

// Lead bytes followed by as many continuation bytes as they announce; what else UTF-8 forbids does not matter for showing it.
bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        int more = lead < 0x80                   ? 0
                   : lead >= 0xc2 && lead < 0xe0 ? 1
                   : lead >= 0xe0 && lead < 0xf0 ? 2
                   : lead >= 0xf0 && lead < 0xf5 ? 3
                                                 : -1;
        if (more < 0) return false;
        for (; more > 0; --more, ++i) {
            if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
        }
    }
    return true;
}

} // namespace

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
    // O_NONBLOCK, so that opening a pipe that nobody writes to does not hang.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) throw Error(Failure::input, fmt::format("could not read {}", in_quotes(name_)), reason(errno));
    struct stat status {};
    const bool known = fstat(descriptor_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        const std::string why = !known ? reason(errno) : S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file";
        close(descriptor_);
        throw Error(Failure::input, fmt::format("could not read {}", in_quotes(name_)), why);
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
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

std::string read_bytes(const std::filesystem::path& path) {
    const InputFile file(path);
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

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 200;
    const bool keep_utf8 = text.size() <= longest && is_utf8(text);
    std::string result = "'";
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !keep_utf8))
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result + (text.size() > longest ? "...'" : "'");
}

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
