#include "host/outputs/outbox.hpp"

#include "device_runtime/float_environment.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

namespace tessera {

// ---- memory

struct CaptureMemory::Shared {
    struct Idle {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0;
    };
    explicit Shared(std::size_t most_) : most(most_) {}

    std::size_t idle_bytes() const {
        std::size_t sum = 0;
        for (const auto& each : idle) sum += each.size;
        return sum;
    }
    // Until so many bytes are somebody's; idle memory goes where there would be too much with it.
    void claim(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
        freed.wait(lock, [&] { return used + bytes <= most; });
        used += bytes;
        while (!idle.empty() && used + idle_bytes() > most) idle.pop_back();
    }
    // An idle block that is as large, or not much larger: it counts as what it is.
    std::vector<Idle>::iterator suitable(std::size_t bytes) {
        return std::find_if(idle.begin(), idle.end(),
                            [&](const Idle& each) { return each.size >= bytes && each.size <= bytes + bytes / 4; });
    }

    const std::size_t most;
    std::mutex mutex;
    std::condition_variable freed;
    std::size_t used = 0; // bytes that are somebody's
    std::vector<Idle> idle;
};

CaptureMemory::CaptureMemory(std::size_t most) : shared_(std::make_shared<Shared>(most)) {}

bool CaptureMemory::fits(std::size_t bytes) const noexcept { return bytes <= shared_->most; }

std::shared_ptr<std::byte[]> CaptureMemory::take(std::size_t bytes) {
    auto shared = shared_;
    std::unique_ptr<std::byte[]> block;
    auto size = bytes;
    {
        std::unique_lock lock(shared->mutex);
        shared->freed.wait(lock, [&] { return shared->used + bytes <= shared->most; });
        const auto found = shared->suitable(bytes);
        if (found != shared->idle.end() && shared->used + found->size <= shared->most) {
            size = found->size;
            block = std::move(found->bytes);
            shared->idle.erase(found);
        }
        shared->claim(lock, size);
    }
    const auto give_back = [shared, size](std::byte* given) {
        const std::lock_guard lock(shared->mutex);
        shared->used -= size;
        shared->idle.push_back({std::unique_ptr<std::byte[]>(given), size});
        shared->freed.notify_all();
    };
    if (block == nullptr) try {
            block.reset(new std::byte[size]);
        } catch (...) {
            const std::lock_guard lock(shared->mutex);
            shared->used -= size;
            throw;
        }
    return std::shared_ptr<std::byte[]>(block.release(), give_back);
}

std::shared_ptr<void> CaptureMemory::count(std::size_t bytes) {
    {
        std::unique_lock lock(shared_->mutex);
        shared_->claim(lock, bytes);
    }
    return {nullptr, [shared = shared_, bytes](void*) {
                const std::lock_guard lock(shared->mutex);
                shared->used -= bytes;
                shared->freed.notify_all();
            }};
}

// ---- work

Outbox::Outbox(int threads, std::size_t bytes, std::size_t checkpoint_bytes)
    : threads_(std::max(threads, 1)), memory_(bytes), checkpoint_memory_(checkpoint_bytes) {}

Outbox::~Outbox() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        changed_.notify_all();
    }
    for (auto& worker : workers_) worker.join();
}

void Outbox::add(std::function<void(Ticket)> work) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(++last_, std::move(work));
    try {
        if (static_cast<int>(workers_.size()) < threads_) workers_.emplace_back([this] { this->work(); });
    } catch (const std::system_error&) { // there may be no more threads: those that there are do it
        if (!workers_.empty()) return changed_.notify_all();
        waiting_.pop_back();
        throw;
    }
    changed_.notify_all();
}

void Outbox::work() {
    using Clock = std::chrono::steady_clock;
    const DefaultArithmetic ours;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        auto [ticket, work] = std::move(waiting_.front());
        waiting_.pop_front();
        under_way_.insert(ticket);
        lock.unlock();
        const auto begun = Clock::now();
        std::exception_ptr failure;
        try {
            work(ticket);
        } catch (...) {
            failure = std::current_exception();
        }
        work = nullptr; // with what it holds, before anybody hears that it is done
        lock.lock();
        working_seconds_ += std::chrono::duration<double>(Clock::now() - begun).count();
        under_way_.erase(ticket);
        if (failure && !std::exchange(has_failed_, true)) failure_ = failure;
        changed_.notify_all();
    }
}

// What was handed over before was begun before.
bool Outbox::wait_before(Ticket mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return *under_way_.begin() >= mine; });
    return !has_failed_;
}

void Outbox::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && under_way_.empty(); });
}

bool Outbox::has_failed() const {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
}

void Outbox::check() {
    std::exception_ptr failure;
    {
        const std::lock_guard lock(mutex_);
        failure = std::exchange(failure_, nullptr);
    }
    if (failure) std::rethrow_exception(failure);
}

double Outbox::working_seconds() const {
    const std::lock_guard lock(mutex_);
    return working_seconds_;
}

} // namespace tessera
