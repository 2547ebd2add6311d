// What pages say to a run: letters in the order in which they came. The server puts them in, the run's thread takes them out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tessera::viewer {

using PageId = std::uint64_t; // of one connection of a page that has said the token

struct Letter {
    enum class Kind : unsigned char { came, said, left };
    PageId page = 0;
    Kind kind = Kind::said;
    std::string text;    // of one that said something
    bool steers = false; // the page may do more than look
};

// For any thread. Pages that steer have a queue of their own, so that they never wait for those that look.
class Inbox {
public:
    // What a page may have said that nobody has heard yet; and all pages together, with those that have left.
    static constexpr std::size_t most_letters = 4096, most_bytes = std::size_t{1} << 20, most_bytes_of_all = 16 * most_bytes;

    // False: the page has said too much, and this is not kept. What a page that looks had said before it left is not kept either.
    [[nodiscard]] bool put(Letter letter);
    [[nodiscard]] bool any() const noexcept { return count_[1].load(std::memory_order_relaxed) != 0; } // of pages that steer
    [[nodiscard]] bool any_of_lookers() const noexcept { return count_[0].load(std::memory_order_relaxed) != 0; }
    // The next one of pages that steer; where there is none, of those that look, if wanted.
    [[nodiscard]] std::optional<Letter> take(bool of_lookers_too);
    // Until there is one that `take` would give, or for so long.
    void wait(std::chrono::milliseconds most, bool of_lookers_too);

private:
    struct Unheard {
        std::size_t letters = 0, bytes = 0;
    };
    using Letters = std::deque<Letter>;
    void note(const Letter& letter, bool comes);
    bool forget(PageId page, Letters& letters); // all that is there of a page; whether that it came was among it
    void count() noexcept;

    std::mutex guard_;
    std::condition_variable came_;
    Letters letters_[2]; // of pages that look, of those that steer
    std::atomic<std::size_t> count_[2]{};
    std::map<PageId, Unheard> unheard_; // of each page
    std::size_t bytes_ = 0;             // of all
};

} // namespace tessera::viewer
