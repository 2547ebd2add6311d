#include "device_runtime/thread_pool.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "device_runtime/machine.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>

#include <pthread.h>
#include <sched.h>

namespace tessera {
namespace {

thread_local bool inside_a_body = false;

void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Waking a sleeping thread takes about this long: to spin for less saves nothing.
constexpr std::chrono::microseconds spin_time{50};

// Returns the value of `word` once it is not `old`.
std::uint32_t await_other_than(const std::atomic<std::uint32_t>& word, std::uint32_t old, bool spin) noexcept {
    using Clock = std::chrono::steady_clock;
    const auto end = spin ? Clock::now() + spin_time : Clock::time_point::min();
    while (spin && Clock::now() < end) {
        for (int look = 0; look < 64; ++look) { // between two looks at the clock
            const auto now = word.load(std::memory_order_acquire);
            if (now != old) return now;
            pause_briefly();
        }
    }
    word.wait(old, std::memory_order_acquire);
    return word.load(std::memory_order_acquire);
}

} // namespace

ThreadPool::ThreadPool(int threads) : spins_(threads <= usable_threads()), turns_(static_cast<std::size_t>(std::max(threads, 1) - 1)) {
    workers_.reserve(static_cast<std::size_t>(std::max(threads, 1) - 1));
    try {
        for (int part = 1; part < threads; ++part) workers_.emplace_back([this, part] { serve(part); });
    } catch (const std::system_error& error) {
        const auto started = workers_.size() + 1;
        stop();
        throw Error(Failure::device, "the system refused to start thread " + std::to_string(started + 1) + " of " + std::to_string(threads),
                    error.code().message(), "ask for fewer CPU threads");
    }
    if (spins_) pin_workers();
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
    stopping_ = true;
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
    for (auto& worker : workers_) worker.join();
}

// The calling thread stays where it is: what it starts later (a compiler, say) would inherit its mask.
void ThreadPool::pin_workers() {
    static std::atomic<std::size_t> next_cpu{0}; // pools of one process start on different CPUs
    const auto cpus = allowed_cpus();
    if (workers_.size() + 1 > cpus.size()) return;
    const auto first = next_cpu.fetch_add(workers_.size() + 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const auto cpu = static_cast<std::size_t>(cpus[(first + i + 1) % cpus.size()]);
        if (cpu >= CPU_SETSIZE) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(workers_[i].native_handle(), sizeof one, &one); // where it is not allowed, the system places the thread
    }
}

void ThreadPool::do_piece(int part) const noexcept {
    const auto [begin, end] = piece(items_, threads(), part);
    if (begin == end) return;
    inside_a_body = true;
    call_(context_, begin, end);
    inside_a_body = false;
}

// Who comes late finds its piece taken, and looks at nothing else: the call may have ended by then, and another be in the making.
bool ThreadPool::take(int part, std::uint32_t call) noexcept {
    auto before = call - 1;
    return turns_[static_cast<std::size_t>(part - 1)].call.compare_exchange_strong(before, call, std::memory_order_acq_rel,
                                                                                   std::memory_order_relaxed);
}

void ThreadPool::run(std::int64_t items, Call call, const void* context) {
    if (items <= 0) return;
    if (inside_a_body) return call(context, 0, items);
    const std::lock_guard lock(turn_);
    call_ = call;
    context_ = context;
    items_ = items;
    if (items == 1 || workers_.empty()) return do_piece(0); // the others have nothing to do
    unfinished_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    const auto number = calls_.fetch_add(1, std::memory_order_release) + 1;
    calls_.notify_all();
    do_piece(0);
    for (int part = 1; part < threads(); ++part) {
        if (!take(part, number)) continue;
        do_piece(part);
        unfinished_.fetch_sub(1, std::memory_order_relaxed);
    }
    for (auto left = unfinished_.load(std::memory_order_acquire); left != 0;) left = await_other_than(unfinished_, left, spins_);
}

void ThreadPool::serve(int part) {
    set_default_arithmetic();
    pthread_setname_np(pthread_self(), ("tessera-" + std::to_string(part)).c_str());
    for (std::uint32_t seen = 0;;) {
        seen = await_other_than(calls_, seen, spins_);
        if (stopping_) return;
        if (!take(part, seen)) continue; // the caller was faster
        do_piece(part);
        if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    }
}

} // namespace tessera
