// The way to the pages: HTTP for the page's own files, WebSockets for the rest, on a thread of its own. It knows who may look, and nothing
// of runs.
#pragma once

#include "host/viewer/inbox.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::viewer {

struct ServerOptions {
    std::string host = "127.0.0.1";           // the address that is listened at
    std::uint16_t port = 0;                   // 0: any that is free
    std::vector<std::string> allowed_hosts{}; // names besides localhost and `host` by which browsers reach it, such as a proxy's
};

class Server {
public:
    // Listens from now on. The inbox must outlive it. Throws Failure::input where the port is taken or the address is not this machine's.
    Server(const ServerOptions& options, Inbox& inbox);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // What a browser opens, with the token that it has to know: "http://127.0.0.1:40123/#…".
    [[nodiscard]] const std::string& address() const noexcept;
    // The same for pages that look and steer nothing.
    [[nodiscard]] const std::string& look_address() const noexcept;

    // For any thread. A page that has left gets nothing.
    void send_words(PageId page, std::string json);
    void send_picture(PageId page, std::string bytes);
    void send_all(std::string json); // to each page

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace tessera::viewer
