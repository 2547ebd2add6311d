// Work that is begun before somebody asks for what comes of it.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>

namespace tessera::jit {

// Thread-safe.
class Ahead {
public:
    ~Ahead(); // gives up what is under way, and waits for that

    // Begins to work in a thread of its own. What `work` throws is dropped: whoever asks runs into it again. It ends early where `cancel`
    // becomes true.
    void begin(const std::string& key, std::function<void(const std::atomic<bool>& cancel)> work);
    // Somebody needs what belongs to this key now: waits for the work on it, and gives up all that is under way where there is none. Throws
    // Failure::interrupted where `cancel` becomes true meanwhile (may be null).
    void ask_for(const std::string& key, const std::atomic<bool>* cancel);
    // Whoever is at work ends it soon.
    void give_up();

private:
    struct Work {
        std::string key;
        std::atomic<bool> cancelled = false;
        std::shared_future<void> done;
    };

    std::mutex guard_;
    std::list<Work> works_;
};

} // namespace tessera::jit
