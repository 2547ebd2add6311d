#include "host/viewer/server.hpp"

#include "device_runtime/error.hpp"
#include "host/viewer/guests.hpp"
#include "host/viewer/page_files.hpp"
#include "host/viewer/read_message.hpp"
#include "host/viewer/token.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace tessera::viewer {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using std::chrono::seconds;

constexpr std::size_t most_bytes_of_header = 8192, most_bytes_of_message = 65536, most_pages = 16, most_lookers = 12, most_strangers = 16,
                      most_queued = 1024, most_bytes_queued = std::size_t{32} << 20;

// What the connections of a server have in common; on the server's thread alone.
struct House {
    Inbox& inbox;
    std::string token, look_token; // of pages that steer, and of those that look alone
    std::vector<std::string> allowed_hosts;
    std::map<PageId, class Connection*> pages; // those that have said a token
    std::list<class Connection*> strangers;    // those that have not, the oldest first
    PageId last = 0;
    std::size_t lookers = 0; // of the pages
};

std::string type_of(const std::string& name) {
    const auto ends = [&](std::string_view end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    return ends(".html")  ? "text/html; charset=utf-8"
           : ends(".js")  ? "text/javascript; charset=utf-8"
           : ends(".css") ? "text/css; charset=utf-8"
           : ends(".svg") ? "image/svg+xml"
                          : "application/octet-stream";
}

// A browser's connection: one request of HTTP, or a WebSocket for as long as the page is open.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, House& house) : stream_(std::move(socket)), house_(house) {
        if (house_.strangers.size() >= most_strangers) house_.strangers.front()->drop(); // they could lock the owner out
        place_ = house_.strangers.insert(house_.strangers.end(), this);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
        if (is_stranger_) house_.strangers.erase(place_);
        if (page_ == 0) return;
        house_.pages.erase(page_);
        if (!steers_) --house_.lookers;
        (void)house_.inbox.put({page_, Letter::Kind::left, {}, steers_});
    }

    void begin() {
        parser_.emplace();
        parser_->header_limit(most_bytes_of_header);
        parser_->body_limit(0);
        socket().expires_after(seconds(5));
        http::async_read(socket(), buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
            if (!error) self->answer(self->parser_->release());
        });
    }
    // Says what is left to be said, and closes.
    void finish() {
        finishes_ = true;
        if (waiting_.empty()) close();
    }
    void send(std::shared_ptr<const std::string> text, bool binary) {
        if (waiting_.size() >= most_queued || bytes_waiting_ >= most_bytes_queued) return drop(); // it reads nothing any more
        bytes_waiting_ += text->size();
        waiting_.emplace_back(std::move(text), binary);
        if (waiting_.size() == 1) write_next();
    }

    void drop() { socket().cancel(), socket().close(); }

private:
    using Request = http::request<http::empty_body>;

    [[nodiscard]] beast::tcp_stream& socket() { return beast::get_lowest_layer(stream_); }

    void answer(Request request) {
        const std::string host(request[http::field::host]), origin(request[http::field::origin]);
        if (request.count(http::field::host) > 1 || request.count(http::field::origin) > 1 || (!host.empty() && without_port(host).empty()))
            return reply(request, http::status::bad_request, "text/plain", "one Host and one Origin are needed, each a name with a port\n");
        if (!is_known_host(host, house_.allowed_hosts))
            return reply(request, http::status::misdirected_request, "text/plain",
                         "this viewer is not asked for by that name: name it by `--allow-host " + std::string(without_port(host)) + "`\n");
        if (websocket::is_upgrade(request)) {
            if (!is_known_origin(origin, house_.allowed_hosts))
                return reply(request, http::status::forbidden, "text/plain",
                             "the page is not this viewer's: name its host by `--allow-host`\n");
            return open(request);
        }
        const std::string target(request.target().substr(0, request.target().find('?')));
        const auto name = target == "/" ? std::string("index.html") : target.substr(std::min<std::size_t>(1, target.size()));
        const auto& files = page_files();
        const auto file = std::find_if(files.begin(), files.end(), [&](const PageFile& each) { return each.name == name; });
        if (file == files.end() || request.method() != http::verb::get)
            return reply(request, http::status::not_found, "text/plain", "there is nothing of that name\n");
        reply(request, http::status::ok, type_of(name), file->text);
    }
    void reply(const Request& request, http::status status, const std::string& type, std::string text) {
        auto response = std::make_shared<http::response<http::string_body>>(status, request.version());
        response->set(http::field::content_type, type);
        response->set("Content-Security-Policy",
                      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
                      "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*");
        response->set("X-Content-Type-Options", "nosniff");
        response->set("Referrer-Policy", "no-referrer");
        response->set("Cache-Control", "no-store");
        response->keep_alive(false);
        response->body() = std::move(text);
        response->prepare_payload();
        http::async_write(socket(), *response, [self = shared_from_this(), response](beast::error_code, std::size_t) {
            beast::error_code ignored;
            self->socket().socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    void open(const Request& request) {
        auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
        timeout.idle_timeout = seconds(40); // of which a ping comes at the half
        timeout.keep_alive_pings = true;
        socket().expires_never();
        stream_.set_option(timeout);
        stream_.read_message_max(most_bytes_of_message);
        stream_.auto_fragment(false);
        stream_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
            if (error) return;
            self->wait_for_token();
            self->listen();
        });
    }
    void wait_for_token() {
        patience_.emplace(stream_.get_executor(), seconds(5));
        patience_->async_wait([self = weak_from_this()](beast::error_code error) {
            if (const auto here = self.lock(); !error && here && here->is_stranger_) here->drop();
        });
    }
    void listen() {
        stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
            if (error) return;
            auto text = beast::buffers_to_string(self->buffer_.data());
            self->buffer_.consume(self->buffer_.size());
            if (self->hear(std::move(text))) self->listen();
        });
    }
    bool hear(std::string text) {
        if (page_ != 0) {
            if (house_.inbox.put({page_, Letter::Kind::said, std::move(text), steers_})) return true;
            drop(); // it says more than the run hears; an honest page comes again
            return false;
        }
        const auto json = read_message(text);
        const auto token = json.is_object() && json.contains("token") && json["token"].is_string() ? json["token"].get<std::string>() : "";
        const bool looks = is_same_secret(token, house_.look_token), steers = is_same_secret(token, house_.token);
        if (!looks && !steers) return refuse("the token is wrong");
        if (house_.pages.size() >= most_pages || (looks && house_.lookers >= most_lookers)) return refuse("too many pages are open");
        steers_ = steers;
        if (!steers_) ++house_.lookers; // some room is left for whoever steers
        is_stranger_ = false;
        house_.strangers.erase(place_);
        page_ = ++house_.last;
        house_.pages[page_] = this;
        return house_.inbox.put({page_, Letter::Kind::came, {}, steers_});
    }
    bool refuse(const char* why) {
        stream_.async_close({websocket::close_code::policy_error, why}, [self = shared_from_this()](beast::error_code) {});
        return false;
    }

    void close() {
        stream_.async_close(websocket::close_code::going_away, [self = shared_from_this()](beast::error_code) {});
    }
    void write_next() {
        const auto [text, binary] = waiting_.front();
        stream_.binary(binary);
        stream_.async_write(net::buffer(*text), [self = shared_from_this(), text = text](beast::error_code error, std::size_t) {
            if (error) return self->drop();
            self->bytes_waiting_ -= self->waiting_.front().first->size();
            self->waiting_.pop_front();
            if (!self->waiting_.empty()) return self->write_next();
            if (self->finishes_) self->close();
        });
    }

    websocket::stream<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_{most_bytes_of_message};
    std::optional<http::request_parser<http::empty_body>> parser_;
    std::optional<net::steady_timer> patience_;
    std::deque<std::pair<std::shared_ptr<const std::string>, bool>> waiting_;
    std::size_t bytes_waiting_ = 0;
    House& house_;
    std::list<Connection*>::iterator place_;
    bool is_stranger_ = true, finishes_ = false, steers_ = false;
    PageId page_ = 0;
};

} // namespace

struct Server::Parts {
    House house;
    net::io_context io{1};
    tcp::acceptor acceptor{io};
    net::steady_timer next_try{io};
    std::string address, look_address;
    std::thread thread;

    explicit Parts(Inbox& inbox) : house{inbox, new_token(), new_token(), {}, {}, {}, 0, 0} {}

    void listen(const ServerOptions& options) try {
        const tcp::endpoint at(net::ip::make_address(options.host), options.port);
        acceptor.open(at.protocol());
        acceptor.set_option(net::socket_base::reuse_address(true));
        acceptor.bind(at);
        acceptor.listen();
        const auto name = at.address().is_v6() ? "[" + options.host + "]" : options.host;
        const auto with_token = [&](const std::string& token) {
            return fmt::format("http://{}:{}/#{}", name, acceptor.local_endpoint().port(), token);
        };
        address = with_token(house.token), look_address = with_token(house.look_token);
        house.allowed_hosts = options.allowed_hosts;
        house.allowed_hosts.push_back(name);
    } catch (const boost::system::system_error& error) {
        throw Error(Failure::input, fmt::format("the viewer cannot listen at {}, port {}", options.host, options.port),
                    error.code().message(), "leave `--port` and `--host` out, or name others");
    }
    void accept() {
        acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
            if (!acceptor.is_open()) return;
            if (error) return accept_later();
            socket.set_option(tcp::no_delay(true), error);
            std::make_shared<Connection>(std::move(socket), house)->begin();
            accept();
        });
    }
    // Such as without descriptors for another connection: until some are free, every try would fail at once.
    void accept_later() {
        next_try.expires_after(std::chrono::milliseconds(100));
        next_try.async_wait([this](beast::error_code) {
            if (acceptor.is_open()) accept();
        });
    }
    // Ends the thread when the last page has gone.
    void end_when_alone(net::steady_timer& patience) {
        if (house.pages.empty() && house.strangers.empty()) {
            patience.cancel();
            return io.stop();
        }
        auto again = std::make_shared<net::steady_timer>(io, std::chrono::milliseconds(5));
        again->async_wait([this, again, &patience](beast::error_code) { end_when_alone(patience); });
    }
    void send(PageId page, std::string bytes, bool binary) {
        net::post(io, [this, page, text = std::make_shared<const std::string>(std::move(bytes)), binary] {
            if (const auto found = house.pages.find(page); found != house.pages.end()) found->second->send(text, binary);
        });
    }
};

Server::Server(const ServerOptions& options, Inbox& inbox) : parts_(std::make_unique<Parts>(inbox)) {
    parts_->listen(options);
    parts_->accept();
    parts_->thread = std::thread([this] { parts_->io.run(); });
}

// Pages hear what was said last, if they listen.
Server::~Server() {
    auto& parts = *parts_;
    net::steady_timer patience(parts.io, std::chrono::milliseconds(300)); // with pages that never end what they say
    net::post(parts.io, [&] {
        patience.async_wait([&](beast::error_code) { parts.io.stop(); });
        beast::error_code ignored;
        parts.acceptor.close(ignored);
        for (auto* stranger : std::list(parts.house.strangers)) stranger->drop();
        for (const auto& [page, connection] : std::map(parts.house.pages)) connection->finish();
        parts.end_when_alone(patience);
    });
    parts.thread.join();
}

const std::string& Server::address() const noexcept { return parts_->address; }
const std::string& Server::look_address() const noexcept { return parts_->look_address; }
void Server::send_all(std::string json) {
    net::post(parts_->io, [parts = parts_.get(), text = std::make_shared<const std::string>(std::move(json))] {
        for (const auto& [page, connection] : std::map(parts->house.pages)) connection->send(text, false); // which may close it
    });
}
void Server::send_words(PageId page, std::string json) { parts_->send(page, std::move(json), false); }
void Server::send_picture(PageId page, std::string bytes) { parts_->send(page, std::move(bytes), true); }

} // namespace tessera::viewer
