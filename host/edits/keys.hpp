// What somebody at a terminal types while a run waits, without Enter.
#pragma once

#include <chrono>
#include <optional>

#include <termios.h>

namespace tessera {

// While one lives keys come at once and are not shown, Ctrl-C and Ctrl-Z aside, which do what they always do; afterwards the terminal is as
// it was. Hears nothing where standard input is no terminal, or the one of another process group. One at a time, on the main thread.
class Keys {
public:
    Keys();
    ~Keys();
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;

    [[nodiscard]] bool heard() const noexcept { return before_.has_value(); }
    // The next one; waits for it so long at most, or until a signal comes.
    [[nodiscard]] std::optional<char> next(std::chrono::milliseconds patience) const;

private:
    std::optional<termios> before_;
};

} // namespace tessera
