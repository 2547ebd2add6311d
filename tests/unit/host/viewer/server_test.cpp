// Who may look at a run, and what becomes of those who may not.
// sanitizers: address, thread
#include "host/viewer/guests.hpp"
#include "host/viewer/read_message.hpp"
#include "host/viewer/server.hpp"
#include "host/viewer/token.hpp"
#include "tests/support/web_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <thread>

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

namespace tessera::test::server_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ViewerServer : public ::testing::Test {
protected:
    [[nodiscard]] std::string token_text() const { return "{\"token\":\"" + address_.token + "\"}"; }
    // The next letter, which comes soon.
    viewer::Letter letter() {
        for (int i = 0; i < 500; ++i) {
            inbox_.wait(std::chrono::milliseconds(20), true);
            if (auto first = inbox_.take(true)) return *first;
        }
        ADD_FAILURE() << "no letter came";
        return {};
    }

    viewer::Inbox inbox_;
    viewer::ServerOptions options_{"127.0.0.1", 0, {"proxy.example"}};
    viewer::Server server_{options_, inbox_};
    Address address_{server_.address()};
};

TEST_F(ViewerServer, HandsOutThePageAndNothingElse) {
    const auto ask = [&](const std::string& target, const std::string& host = "localhost:1") {
        return Connection(address_.port).ask(target, "Host: " + host + "\r\n");
    };
    EXPECT_THAT(ask("/"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(ask("/"), HasSubstr("default-src 'none'"));
    EXPECT_THAT(ask("/main.js?x"), HasSubstr("text/javascript"));
    EXPECT_THAT(ask("/../main.js"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(ask("/etc/passwd"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(ask("/", "proxy.example"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(ask("/", "evil.example"), StartsWith("HTTP/1.1 421")) << "a name that leads here is not enough";
    EXPECT_THAT(ask("/", "localhost\r\nHost: localhost"), StartsWith("HTTP/1.1 400")) << "two names";
    EXPECT_THAT(ask("/", "localhost:1:evil.example"), StartsWith("HTTP/1.1 400")) << "no port";
}

// The run hears nothing meanwhile, as one that compiles: what is kept of a page has an end, and other pages are heard.
TEST_F(ViewerServer, DropsAPageThatSaysMoreThanIsHeard) {
    for (const auto& [said, times] : {std::pair(std::string(60000, '['), 20), std::pair(std::string("{}"), 4200)}) {
        WebSocket guest(address_.port);
        guest.say("{\"token\":\"" + Address(server_.look_address()).token + "\"}");
        const auto came = letter();
        EXPECT_FALSE(came.steers);
        for (int i = 0; i < times; ++i) guest.say(said); // what comes after its end is lost
        EXPECT_EQ(guest.hear().kind, 8);
        auto next = letter();
        std::size_t letters = 0, bytes = 0; // that are heard before the server knows that the page has gone
        for (; next.kind == viewer::Letter::Kind::said; next = letter()) ++letters, bytes += next.text.size();
        EXPECT_LE(letters, 4096U);
        EXPECT_LE(bytes, std::size_t{1} << 20);
        EXPECT_EQ(next.kind, viewer::Letter::Kind::left);
        EXPECT_EQ(next.page, came.page);
    }
    WebSocket owner(address_.port);
    owner.say(token_text());
    EXPECT_TRUE(letter().steers);
}

// Each try to accept a connection fails then at once; the thread does not try all the time.
TEST_F(ViewerServer, WaitsWhereThereAreNoDescriptors) {
    const auto port = address_.port; // a sanitizer needs a descriptor to look at an object for the first time
    rlimit usual{};
    ::getrlimit(RLIMIT_NOFILE, &usual);
    const int next = ::dup(0); // the first one that is free
    ::close(next);
    rlimit one = usual;
    one.rlim_cur = static_cast<rlim_t>(next + 1);
    ::setrlimit(RLIMIT_NOFILE, &one);
    Connection early(port); // takes the last one
    const auto processor = [] {
        timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    const double before = processor();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    const double taken = processor() - before;
    ::setrlimit(RLIMIT_NOFILE, &usual);
    EXPECT_LT(taken, 0.2);
    EXPECT_THAT(early.ask("/", "Host: localhost\r\n"), StartsWith("HTTP/1.1 200")) << "it is answered when there are some";
}

TEST_F(ViewerServer, OpensToPagesOfItsOwnThatKnowTheToken) {
    WebSocket page(address_.port);
    EXPECT_THAT(page.answer(), StartsWith("HTTP/1.1 101"));
    page.say(token_text());
    const auto came = letter();
    EXPECT_EQ(came.kind, viewer::Letter::Kind::came);
    page.say("{\"do\":\"play\"}");
    EXPECT_EQ(letter().text, "{\"do\":\"play\"}");
    server_.send_words(came.page, "{\"state\":1}");
    EXPECT_EQ(page.hear().payload, "{\"state\":1}");
    server_.send_picture(came.page, std::string(70000, 'x'));
    const auto picture = page.hear();
    EXPECT_EQ(picture.kind, 2);
    EXPECT_EQ(picture.payload.size(), 70000U);
}

TEST_F(ViewerServer, ClosesToAllOthers) {
    EXPECT_THAT(WebSocket(address_.port, "localhost", "http://evil.example").answer(), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(WebSocket(address_.port, "localhost", "null").answer(), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(WebSocket(address_.port, "evil.example").answer(), StartsWith("HTTP/1.1 421"));
    EXPECT_THAT(WebSocket(address_.port, "localhost", "").answer(), StartsWith("HTTP/1.1 101")) << "a program, which needs the token";
    for (const auto& said : {std::string("{\"token\":\"00000000000000000000000000000000\"}"), std::string("{\"do\":\"play\"}"),
                             std::string("{"), std::string("[1]"), std::string("{\"token\":5}")}) {
        WebSocket page(address_.port);
        page.say(said);
        EXPECT_EQ(page.hear().kind, 8) << said;
    }
    WebSocket page(address_.port);
    page.say(token_text());
    EXPECT_EQ(letter().kind, viewer::Letter::Kind::came) << "of all that came, the first with the token";
    page.say(std::string(70000, ' '));
    EXPECT_EQ(page.hear().kind, 8) << "a message of more than 64 kB";
    EXPECT_EQ(letter().kind, viewer::Letter::Kind::left);
}

TEST_F(ViewerServer, KeepsARoomForThoseWhoSteer) {
    const Address looks(server_.look_address());
    EXPECT_EQ(looks.port, address_.port);
    EXPECT_NE(looks.token, address_.token);
    std::vector<std::unique_ptr<WebSocket>> pages;
    for (int i = 0; i < 13; ++i) {
        pages.push_back(std::make_unique<WebSocket>(address_.port));
        pages.back()->say("{\"token\":\"" + looks.token + "\"}");
        if (i < 12) {
            EXPECT_FALSE(letter().steers);
        }
    }
    EXPECT_EQ(pages.back()->hear().kind, 8) << "the thirteenth of those that look alone";
    WebSocket page(address_.port);
    page.say(token_text());
    EXPECT_TRUE(letter().steers);
}

TEST_F(ViewerServer, KeepsARoomForItsOwnerAmongStrangers) {
    std::vector<std::unique_ptr<WebSocket>> strangers;
    for (int i = 0; i < 40; ++i) strangers.push_back(std::make_unique<WebSocket>(address_.port));
    WebSocket page(address_.port);
    page.say(token_text());
    EXPECT_EQ(letter().kind, viewer::Letter::Kind::came);
}

TEST_F(ViewerServer, SaysThatAPortIsTaken) {
    auto options = options_;
    options.port = address_.port;
    try {
        const viewer::Server second(options, inbox_);
        FAIL() << "two servers have one port";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("the viewer cannot listen at 127.0.0.1, port"));
    }
}

TEST(ViewerGuests, AreKnownByTheirNames) {
    using namespace viewer;
    EXPECT_EQ(without_port("[::1]:80"), "[::1]");
    for (const char* const host : {"localhost", "localhost:1", "127.0.0.1:80", "[::1]:80", "[::1]", "notebook"})
        EXPECT_TRUE(is_known_host(host, {"notebook"})) << host;
    for (const char* const host : {"", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example", "::1"})
        EXPECT_FALSE(is_known_host(host, {"notebook"})) << host;
    EXPECT_TRUE(is_known_origin("https://notebook:8443", {"notebook"}));
    for (const char* const host :
         {"localhost:1@evil.example", "localhost:80:evil.example", "127.0.0.1:x", "[::1]:80/evil", "[::1]evil:80", "localhost:123456"})
        EXPECT_FALSE(is_known_host(host, {"notebook"})) << host;
    for (const char* const origin : {"file:", "evil://localhost", "http://localhost:1@evil.example", "http://localhost:80/evil.example"})
        EXPECT_FALSE(is_known_origin(origin, {})) << origin;
}

viewer::Letter said_by(viewer::PageId page, bool steers, std::size_t bytes) {
    return {page, viewer::Letter::Kind::said, std::string(bytes, ' '), steers};
}

TEST(ViewerInbox, KeepsAsMuchOfAPageAsIsSaid) {
    viewer::Inbox inbox;
    std::size_t letters = 0, texts = 0;
    while (letters < 100000 && inbox.put(said_by(1, false, 1))) ++letters;
    while (texts < 100000 && inbox.put(said_by(2, false, 65536))) ++texts;
    EXPECT_EQ(letters, 4096U);
    EXPECT_EQ(texts, 16U) << "1 MiB";
    EXPECT_FALSE(inbox.put(said_by(2, false, 1)));
    EXPECT_TRUE(inbox.put(said_by(3, true, 65536))) << "another page";
    EXPECT_TRUE(inbox.put({2, viewer::Letter::Kind::left, {}, false}));
    EXPECT_EQ(inbox.take(true)->page, 3U) << "pages that steer come first";
    EXPECT_FALSE(inbox.take(false)) << "where no other one is wanted";
    for (std::size_t i = 0; i < letters; ++i) EXPECT_EQ(inbox.take(true)->page, 1U);
    EXPECT_EQ(inbox.take(true)->kind, viewer::Letter::Kind::left) << "the second page's texts are gone with it";
    EXPECT_FALSE(inbox.take(true));
    EXPECT_TRUE(inbox.put(said_by(1, false, 65536))) << "what was heard counts no longer";
}

TEST(ViewerInbox, HasABoundForAllPagesTogether) {
    viewer::Inbox inbox;
    std::size_t bytes = 0;
    for (viewer::PageId page = 1; page < 100; ++page) // one after the other: each says 1 MiB and leaves
        for (int i = 0; i < 16; ++i)
            if (inbox.put(said_by(page, true, 65536))) bytes += 65536;
    EXPECT_EQ(bytes, std::size_t{16} << 20);
}

TEST(ViewerMessages, AreNoDeeperThanEight) {
    const auto nested = [](int arrays) { return "{\"a\":" + std::string(arrays, '[') + std::string(arrays, ']') + "}"; };
    EXPECT_TRUE(viewer::read_message(nested(7)).is_object());
    EXPECT_TRUE(viewer::read_message(nested(8)).is_null());
    EXPECT_TRUE(viewer::read_message(std::string(65000, '[')).is_null());
    EXPECT_TRUE(viewer::read_message("[1]").is_null());
    EXPECT_TRUE(viewer::read_message("{").is_null());
    const auto message = viewer::read_message(R"({"a":"[[[[[[[[[[{{{{","b":"\"[[[[[[[[[[","c":"\\"})");
    EXPECT_EQ(message["a"], "[[[[[[[[[[{{{{") << "brackets in texts nest nothing";
    EXPECT_EQ(message["b"], "\"[[[[[[[[[[");
    EXPECT_EQ(message["c"], "\\");
}

TEST(ViewerTokens, AreLongAndNeverTheSame) {
    const auto token = viewer::new_token();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_NE(token, viewer::new_token());
    EXPECT_TRUE(viewer::is_same_secret(token, token));
    EXPECT_FALSE(viewer::is_same_secret(token, token.substr(1)));
    EXPECT_FALSE(viewer::is_same_secret("", token));
}

} // namespace
} // namespace tessera::test::server_test
