// Files that are written beside the steps: what goes into them is captured in memory, and threads of their own write it while the run goes
// on.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace tessera {

// Memory for what is captured, so many bytes at most. Memory that is given back stays for whoever wants as much next: fresh pages take
// longer than what is put into them. Its blocks may outlive it. Any thread.
class CaptureMemory {
public:
    explicit CaptureMemory(std::size_t most);

    // As much as that is there at all; one that is larger than all of it is never had.
    [[nodiscard]] bool fits(std::size_t bytes) const noexcept;
    // Waits until so much is free. `bytes` must fit. Throws std::bad_alloc.
    [[nodiscard]] std::shared_ptr<std::byte[]> take(std::size_t bytes);
    // Counts memory that is somebody else's, for as long as what is returned lives. Waits as take() does.
    [[nodiscard]] std::shared_ptr<void> count(std::size_t bytes);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

// Work is begun in the order in which it is handed over, and done by some threads, which start when there is something to do.
class Outbox {
public:
    // Number of what was handed over, from 1.
    using Ticket = std::uint64_t;

    // For the files of states `bytes` of captured memory, for checkpoints `checkpoint_bytes`.
    Outbox(int threads, std::size_t bytes, std::size_t checkpoint_bytes);
    ~Outbox(); // waits as wait() does
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    [[nodiscard]] CaptureMemory& memory() noexcept { return memory_; }
    [[nodiscard]] CaptureMemory& checkpoint_memory() noexcept { return checkpoint_memory_; }

    // Work may throw: the first failure is kept, and the rest is done nevertheless.
    void add(std::function<void(Ticket)> work);
    // In work: waits for all that was handed over before. Whether all of that, and whatever else is done by now, was written.
    [[nodiscard]] bool wait_before(Ticket mine);
    // Waits until all is done; by the one who hands over.
    void wait();

    // Whether something could not be written, and nobody was told.
    [[nodiscard]] bool has_failed() const;
    // Throws that, once.
    void check();

    [[nodiscard]] double working_seconds() const; // of all threads

private:
    void work();

    const int threads_;
    CaptureMemory memory_, checkpoint_memory_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<Ticket, std::function<void(Ticket)>>> waiting_;
    std::set<Ticket> under_way_;
    Ticket last_ = 0;
    bool ends_ = false, has_failed_ = false;
    std::exception_ptr failure_; // that nobody was told
    double working_seconds_ = 0;
    std::vector<std::thread> workers_;
};

} // namespace tessera
