#include "host/edits/keys.hpp"

#include <thread>

#include <poll.h>
#include <unistd.h>

namespace tessera {

Keys::Keys() {
    termios now{};
    if (::isatty(STDIN_FILENO) == 0 || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp() || ::tcgetattr(STDIN_FILENO, &now) != 0) return;
    auto at_once = now;
    at_once.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    at_once.c_cc[VMIN] = 0;
    at_once.c_cc[VTIME] = 0;
    if (::tcsetattr(STDIN_FILENO, TCSANOW, &at_once) == 0) before_ = now;
}

Keys::~Keys() {
    if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

std::optional<char> Keys::next(std::chrono::milliseconds patience) const {
    if (!heard()) {
        std::this_thread::sleep_for(patience);
        return {};
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char key = 0;
    if (::poll(&input, 1, static_cast<int>(patience.count())) != 1) return {};
    if (::read(STDIN_FILENO, &key, 1) == 1) return key;
    std::this_thread::sleep_for(patience); // a terminal that is gone is always ready
    return {};
}

} // namespace tessera
