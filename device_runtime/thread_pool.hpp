// A fixed team of threads that splits a range of items into contiguous pieces, one a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {

// The calling thread is one of the team. Each thread has its piece, always the same for the same number of items, so that memory which a
// thread touched first stays near it; when the caller is done with its own, it takes over those that their threads have not begun, so that
// no call waits for a thread that the system does not let run. The other threads are pinned to CPUs of the process's affinity mask, unless
// there are more threads than CPUs. Idle threads spin for some microseconds and then sleep.
class ThreadPool {
public:
    // `threads`: at least 1; throws Failure::device when the system refuses so many.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

    // Calls `body(begin, end)` for disjoint pieces that together are [0, items), and returns when all have returned. The body may not
    // throw (the process ends if it does). Calls from several threads take turns; a call from within a body runs alone in its thread.
    template<class Body> void run(std::int64_t items, const Body& body) {
        run(
            items,
            [](const void* context, std::int64_t begin, std::int64_t end) noexcept { (*static_cast<const Body*>(context))(begin, end); },
            &body);
    }

    // Piece `part` of [0, items) cut into `parts` pieces whose sizes differ by one at most.
    [[nodiscard]] static constexpr std::pair<std::int64_t, std::int64_t> piece(std::int64_t items, int parts, int part) noexcept {
        const auto size = items / parts, longer = items % parts;
        const auto begin = part * size + (part < longer ? part : longer);
        return {begin, begin + size + (part < longer ? 1 : 0)};
    }

private:
    using Call = void (*)(const void* context, std::int64_t begin, std::int64_t end) noexcept;

    void run(std::int64_t items, Call call, const void* context);
    void serve(int part);
    [[nodiscard]] bool take(int part, std::uint32_t call) noexcept; // whether the piece is the asker's to do: nobody has begun it
    void do_piece(int part) const noexcept;
    void pin_workers();
    void stop() noexcept;

    bool spins_;      // whether a waiting thread spins before it sleeps
    std::mutex turn_; // held by the thread whose call is being run
    Call call_ = nullptr;
    const void* context_ = nullptr;
    std::int64_t items_ = 0;
    std::atomic<bool> stopping_{false};                    // a late thread may look while it is set
    alignas(64) std::atomic<std::uint32_t> calls_{0};      // counts up at each call: what idle threads wait for
    alignas(64) std::atomic<std::uint32_t> unfinished_{0}; // pieces that are not done: what the caller waits for
    struct alignas(64) Turn {
        std::atomic<std::uint32_t> call{0}; // the last one whose piece was taken
    };
    std::vector<Turn> turns_; // one a worker
    std::vector<std::thread> workers_;
};

} // namespace tessera
