// Which requests a server answers, by the names that they give.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::viewer {

// "localhost:8080" -> "localhost"; "[::1]:80" -> "[::1]". Empty where something else than a port follows the name.
[[nodiscard]] std::string_view without_port(std::string_view host) noexcept;

// Whether a request names this server: a page of another name might be somebody else's whose name leads here (DNS rebinding).
[[nodiscard]] bool is_known_host(std::string_view host, const std::vector<std::string>& allowed) noexcept;

// Of a WebSocket, the page that opens it. No browser gives none, and other programs need the token anyway.
[[nodiscard]] bool is_known_origin(std::string_view origin, const std::vector<std::string>& allowed) noexcept;

} // namespace tessera::viewer
