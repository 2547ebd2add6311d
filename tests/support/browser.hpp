// Chromium without a screen, told what to do over a pipe: a page as a browser has it, clicked and typed into.
#pragma once

#include "tests/support/child_process.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include <poll.h>

namespace tessera::test {

// Where it is; empty where there is none.
inline std::string find_browser() {
    for (const std::string name : {"chromium-headless-shell", "chromium", "google-chrome"})
        for (const std::string folder : {"/usr/bin/", "/usr/local/bin/"})
            if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
    return {};
}

class Browser {
public:
    using Json = nlohmann::json;

    explicit Browser(const std::string& program) {
        int down[2], up[2];
        if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        const std::string data = "--user-data-dir=" + folder_.path().string();
        const std::array<const char*, 8> arguments{program.c_str(), "--headless",    "--remote-debugging-pipe",
                                                   "--no-sandbox",  "--disable-gpu", "--no-first-run",
                                                   data.c_str(),    nullptr};
        process_ = ::fork();
        if (process_ == 0) { // commands come by descriptor 3, and answers go by 4
            const int from = ::fcntl(down[0], F_DUPFD, 10), to = ::fcntl(up[1], F_DUPFD, 10), quiet = ::open("/dev/null", O_RDWR);
            ::dup2(from, 3), ::dup2(to, 4), ::dup2(quiet, 1), ::dup2(quiet, 2);
            ::execv(program.c_str(), const_cast<char* const*>(arguments.data()));
            ::_exit(127);
        }
        to_ = down[1], from_ = up[0];
        ::close(down[0]), ::close(up[1]);
        const auto target = ask("Target.createTarget", {{"url", "about:blank"}})["targetId"];
        session_ = ask("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
        ask("Page.enable"), ask("Runtime.enable");
    }
    ~Browser() {
        ::close(to_), ::close(from_);
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    void resize(int width, int height) {
        ask("Emulation.setDeviceMetricsOverride", {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    }
    void prefer(const std::string& scheme) { // "dark", "light"
        ask("Emulation.setEmulatedMedia", {{"features", Json::array({{{"name", "prefers-color-scheme"}, {"value", scheme}}})}});
    }
    void open(const std::string& address) { ask("Page.navigate", {{"url", address}}); }

    // What an expression of the page is; of a promise what it comes to.
    Json value(const std::string& expression) {
        const auto answer = ask("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
        if (answer.contains("exceptionDetails")) throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
        return answer["result"].value("value", Json());
    }
    // Until it is true. Whether it was within some seconds.
    bool comes(const std::string& expression) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < end) {
            if (value("(() => { try { return !!(" + expression + "); } catch { return false; } })()") == true) return true; // no page yet
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    // The middle of the first that the selector finds.
    void click(const std::string& selector) {
        const auto box = value("(() => { const box = document.querySelector('" + selector +
                               "').getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()");
        for (const char* const type : {"mousePressed", "mouseReleased"})
            ask("Input.dispatchMouseEvent", {{"type", type}, {"x", box[0]}, {"y", box[1]}, {"button", "left"}, {"clickCount", 1}});
    }
    void press(const std::string& key) {
        ask("Input.dispatchKeyEvent", {{"type", "keyDown"}, {"key", key}, {"text", key}});
        ask("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}});
    }
    // A PNG, in base64.
    std::string screenshot() { return ask("Page.captureScreenshot", {{"format", "png"}})["data"]; }

    Json ask(const std::string& method, const Json& parameters = Json::object()) {
        Json message{{"id", ++last_}, {"method", method}, {"params", parameters}};
        if (!session_.empty()) message["sessionId"] = session_;
        auto text = message.dump();
        text += '\0';
        for (std::size_t done = 0; done < text.size();) {
            const auto more = ::write(to_, text.data() + done, text.size() - done);
            if (more <= 0) throw std::runtime_error("the browser has ended");
            done += static_cast<std::size_t>(more);
        }
        for (;;) {
            const auto answer = Json::parse(hear());
            if (answer.value("id", 0) != last_) continue; // an event
            if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
            return answer["result"];
        }
    }

private:
    // A message, which ends with a zero.
    std::string hear() {
        for (;;) {
            if (const auto end = heard_.find('\0'); end != std::string::npos) {
                auto message = heard_.substr(0, end);
                heard_.erase(0, end + 1);
                return message;
            }
            pollfd waits{from_, POLLIN, 0};
            if (::poll(&waits, 1, 30000) <= 0) throw std::runtime_error("the browser says nothing");
            std::array<char, 65536> bytes{};
            const auto count = ::read(from_, bytes.data(), bytes.size());
            if (count <= 0) throw std::runtime_error("the browser has ended");
            heard_.append(bytes.data(), static_cast<std::size_t>(count));
        }
    }

    tessera::testing::TemporaryFolder folder_;
    pid_t process_ = -1;
    int to_ = -1, from_ = -1, last_ = 0;
    std::string session_, heard_;
};

} // namespace tessera::test
