#include "host/viewer/guests.hpp"

#include <algorithm>

namespace tessera::viewer {

std::string_view without_port(std::string_view host) noexcept {
    const auto bracket = host.find(']');
    const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    return host.substr(0, colon);
}

bool is_known_host(std::string_view host, const std::vector<std::string>& allowed) noexcept {
    const auto name = without_port(host);
    return name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
           std::any_of(allowed.begin(), allowed.end(), [&](const std::string& each) { return name == each; });
}

bool is_known_origin(std::string_view origin, const std::vector<std::string>& allowed) noexcept {
    if (origin.empty()) return true;
    const auto scheme = origin.find("://");
    return scheme != std::string_view::npos && is_known_host(origin.substr(scheme + 3), allowed);
}

} // namespace tessera::viewer
