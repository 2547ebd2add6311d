#include "jit/ahead.hpp"

#include "device_runtime/error.hpp"
#include "jit/log.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace tessera::jit {

Ahead::~Ahead() { give_up(); } // a future of std::async waits where it goes

void Ahead::begin(const std::string& key, std::function<void(const std::atomic<bool>& cancel)> work) {
    const std::lock_guard lock(guard_);
    auto& mine = works_.emplace_back();
    mine.key = key;
    try {
        mine.done = std::async(std::launch::async, [work = std::move(work), &cancelled = mine.cancelled] {
            try {
                work(cancelled);
            } catch (const std::exception& error) {
                log_debug("ahead of its use: {}", error.what());
            }
        });
    } catch (const std::system_error& error) { // it is compiled when it is asked for
        log_debug("no thread for what is compiled ahead: {}", error.what());
        works_.pop_back();
    }
}

void Ahead::ask_for(const std::string& key, const std::atomic<bool>* cancel) {
    std::shared_future<void> done;
    {
        const std::lock_guard lock(guard_);
        const auto found = std::find_if(works_.begin(), works_.end(), [&](const Work& work) { return work.key == key && !work.cancelled; });
        if (found != works_.end()) done = found->done;
    }
    if (!done.valid()) return give_up();
    while (done.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready)
        if (cancel != nullptr && *cancel) throw Error(Failure::interrupted, "interrupted", "a model was being compiled");
}

void Ahead::give_up() {
    const std::lock_guard lock(guard_);
    for (auto& work : works_) work.cancelled = true;
}

} // namespace tessera::jit
