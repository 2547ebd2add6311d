#include "host/run_file/toml_text.hpp"

#include "device_runtime/printable.hpp"

#include <fmt/format.h>

namespace tessera::run_file {

std::string toml_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : valid_utf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (byte < 32 || byte == 127)
            result += fmt::format("\\u{:04x}", byte);
        else
            result += c;
    }
    return result + '"';
}

std::string toml_key(const std::string& name) {
    const bool bare =
        !name.empty() && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
    return bare ? name : toml_text(name);
}

} // namespace tessera::run_file
