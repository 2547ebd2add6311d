// What pages say to a run: letters in the order in which they came. The server puts them in, the run's thread takes them out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tessera::viewer {

using PageId = std::uint64_t; // of one connection of a page that has said the token

struct Letter {
    enum class Kind : unsigned char { came, said, left };
    PageId page = 0;
    Kind kind = Kind::said;
    std::string text;    // of one that said something
    bool steers = false; // of one that came: it may do more than look
};

// For any thread.
class Inbox {
public:
    void put(Letter letter);
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::vector<Letter> take();
    // Until there is one, or for so long.
    void wait(std::chrono::milliseconds most);

private:
    std::atomic<bool> any_{false};
    std::mutex guard_;
    std::condition_variable came_;
    std::vector<Letter> letters_;
};

} // namespace tessera::viewer
