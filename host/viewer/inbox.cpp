#include "host/viewer/inbox.hpp"

#include <utility>

namespace tessera::viewer {

void Inbox::put(Letter letter) {
    {
        const std::lock_guard lock(guard_);
        letters_.push_back(std::move(letter));
        any_ = true;
    }
    came_.notify_one();
}

std::vector<Letter> Inbox::take() {
    const std::lock_guard lock(guard_);
    any_ = false;
    return std::exchange(letters_, {});
}

void Inbox::wait(std::chrono::milliseconds most) {
    std::unique_lock lock(guard_);
    came_.wait_for(lock, most, [this] { return !letters_.empty(); });
}

} // namespace tessera::viewer
