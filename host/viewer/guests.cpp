#include "host/viewer/guests.hpp"

#include <algorithm>

namespace tessera::viewer {

std::string_view without_port(std::string_view host) noexcept {
    const auto bracket = host.find(']');
    const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const auto port = colon == std::string_view::npos ? std::string_view() : host.substr(colon + 1);
    constexpr std::size_t most_digits = 5;
    const bool is_port = port.size() <= most_digits && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_port ? host.substr(0, colon) : std::string_view();
}

bool is_known_host(std::string_view host, const std::vector<std::string>& allowed) noexcept {
    const auto name = without_port(host);
    return name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
           std::any_of(allowed.begin(), allowed.end(), [&](const std::string& each) { return name == each; });
}

bool is_known_origin(std::string_view origin, const std::vector<std::string>& allowed) noexcept {
    if (origin.empty()) return true;
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.substr(0, scheme.size()) == scheme) return is_known_host(origin.substr(scheme.size()), allowed);
    return false;
}

} // namespace tessera::viewer
