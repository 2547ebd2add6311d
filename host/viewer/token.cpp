#include "host/viewer/token.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <random>

namespace tessera::viewer {

std::string new_token() {
    std::random_device device; // the system's generator
    std::string token;
    for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
    return token;
}

bool is_same_secret(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
    return different == 0;
}

} // namespace tessera::viewer
