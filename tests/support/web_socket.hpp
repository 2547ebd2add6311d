// A page in a few lines: a connection to a server of the viewer, by the words of RFC 6455. Independent of the library that the server uses.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace tessera::test {

// "http://127.0.0.1:40123/#5f…".
struct Address {
    std::uint16_t port = 0;
    std::string token;

    explicit Address(const std::string& url)
        : port(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))), token(url.substr(url.find('#') + 1)) {}
};

// A connection by which something is asked. Reads give up after a minute.
class Connection {
public:
    explicit Connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{60, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) throw std::runtime_error("nobody listens");
    }
    ~Connection() { ::close(socket_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void write(const std::string& bytes) { (void)::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
    // So many bytes, or as many as there are before the connection ends.
    std::string read(std::size_t count) {
        std::string bytes(count, '\0');
        std::size_t have = 0;
        while (have < count) {
            const auto more = ::recv(socket_, bytes.data() + have, count - have, 0);
            if (more < 0 && errno == EINTR) continue; // a compiler that ended, for one
            if (more <= 0) break;
            have += static_cast<std::size_t>(more);
        }
        bytes.resize(have);
        return bytes;
    }
    std::string read_head() {
        std::string head;
        for (std::string next; head.find("\r\n\r\n") == std::string::npos; head += next)
            if ((next = read(1)).empty()) break;
        return head;
    }
    // A request, and what is answered to it.
    std::string ask(const std::string& target, const std::string& headers) {
        write("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
        return read_head();
    }

private:
    int socket_;
};

class WebSocket {
public:
    explicit WebSocket(std::uint16_t port, const std::string& host = "localhost", const std::string& origin = "http://localhost")
        : connection_(port) {
        answer_ = connection_.ask("/ws", "Host: " + host + "\r\n" + (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
                                             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    }
    [[nodiscard]] const std::string& answer() const { return answer_; }

    void say(const std::string& text) {
        std::string frame(1, static_cast<char>(0x81));
        if (text.size() < 126)
            frame += static_cast<char>(0x80 | text.size());
        else if (text.size() < 65536)
            frame += {static_cast<char>(0x80 | 126), static_cast<char>(text.size() >> 8), static_cast<char>(text.size() & 255)};
        else {
            frame += static_cast<char>(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(text.size() >> shift & 255);
        }
        const std::array<char, 4> mask{1, 2, 3, 4};
        frame.append(mask.begin(), mask.end());
        for (std::size_t i = 0; i < text.size(); ++i) frame += static_cast<char>(text[i] ^ mask[i % 4]);
        connection_.write(frame);
    }
    struct Message {
        int kind = 8; // 1: text, 2: bytes, 8: the end
        std::string payload;
    };
    Message hear() {
        for (;;) {
            const auto head = connection_.read(2);
            if (head.size() < 2) return {};
            std::size_t size = static_cast<unsigned char>(head[1]) & 127;
            if (size >= 126) {
                const auto more = connection_.read(size == 126 ? 2 : 8);
                size = 0;
                for (const char byte : more) size = size << 8 | static_cast<unsigned char>(byte);
            }
            Message message{head[0] & 15, connection_.read(size)};
            if (message.kind == 1 || message.kind == 2 || message.kind == 8) return message;
        }
    }

private:
    Connection connection_;
    std::string answer_;
};

} // namespace tessera::test
