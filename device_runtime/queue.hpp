// What a device is asked to do, in order: launches, copies, recordings to replay, and marks that the host and other queues wait for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

// The bytes that Launch::args may hold.
inline constexpr std::size_t max_launch_args = 32764;

// Entry point of a loaded program. Owned by its Program.
class Kernel {
public:
    virtual ~Kernel() = default;
    [[nodiscard]] virtual const std::string& name() const noexcept = 0;
};

// One kernel launch. `args` is the one struct that the kernel takes by value, as bytes.
struct Launch {
    const Kernel* kernel = nullptr;
    std::array<unsigned, 3> grid{1, 1, 1};  // CUDA: blocks
    std::array<unsigned, 3> block{1, 1, 1}; // CUDA: threads a block
    std::int64_t items = 1;                 // CPU: [0, items) is split over the threads in contiguous pieces
    std::vector<std::byte> args;            // at most max_launch_args; aligned for any scalar when the kernel sees it
    std::size_t number = 0;                 // by which a fault names it; in a recording it is the launch's place
};

// The bytes of a kernel's argument struct, for Launch::args.
template<class Args> [[nodiscard]] std::vector<std::byte> bytes_of(const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= max_launch_args);
    const auto* first = reinterpret_cast<const std::byte*>(&args);
    return {first, first + sizeof(Args)};
}

// Bytes from one place to another; the two do not overlap.
struct Copy {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
};

// What each of some launches has to wait for: earlier ones, by their numbers, none of which comes before another of them anyway. Without
// any entries each launch waits for the one before it.
using LaunchOrder = std::vector<std::vector<std::size_t>>;

// Whether a launch waits for one other alone: only then may it follow closely (kernels/launch/launch.hpp), for it comes onto the GPU when
// the blocks of that one have ended, and what came before that was waited for there.
[[nodiscard]] inline bool waits_for_one(const LaunchOrder& order, std::size_t launch) {
    return order.empty() ? launch > 0 : order[launch].size() == 1;
}

// Launches, fixed with their arguments, to replay on any queue of the device that recorded them: a CUDA graph, or a list.
// It may be destroyed while a replay is queued; the programs whose kernels it launches must outlive it.
class Recording {
public:
    virtual ~Recording() = default;
    [[nodiscard]] virtual std::size_t launches() const noexcept = 0;
};

// A point in a queue's order of work: reached when all that was queued before it is done or, behind a fault, skipped. A copy is the same
// point. It may outlive its queue and its device. Thread-safe.
class Mark {
public:
    // What a queue hands out.
    class Point {
    public:
        virtual ~Point() = default;
        virtual void wait() const = 0;
        [[nodiscard]] virtual bool done() const = 0;
    };

    Mark() = default; // reached from the start, and on no device
    explicit Mark(std::shared_ptr<const Point> point) noexcept : point_(std::move(point)) {}

    // Blocks until it is reached. Throws the fault that it stands behind, each time.
    void wait() const {
        if (point_) point_->wait();
    }
    // Without waiting; throws likewise.
    [[nodiscard]] bool done() const { return !point_ || point_->done(); }

    [[nodiscard]] const std::shared_ptr<const Point>& point() const noexcept { return point_; }

private:
    std::shared_ptr<const Point> point_;
};

enum class Timed { no, yes };

enum class Priority { normal, high };

// Who does the work of a CPU's queue. A GPU's queue is asynchronous either way.
enum class Execution {
    queued, // a thread of its own, so that the host and other queues go on
    inline_ // the thread that asks, before the call returns: fastest for a partition that is alone
};

// An order of work on a device. What is asked of one queue is done in the order in which it was asked for; different queues know nothing of
// each other but by marks. The calls that queue something do not wait for it, unless the queue is inline, and copy what they are given.
//
// A fault (a division by zero in a kernel, an address that is nobody's) does not throw where it is queued. It travels: what is queued
// behind it is skipped, and so is what waits, by after(), for a mark behind it; waiting for such a mark throws the fault; other queues run
// on. synchronize() throws it as well, and from then on the queue takes work again (a GPU that ran into one does not: open its device
// anew). An inline queue throws at the call that ran into the fault, and goes on.
//
// A queue serves one thread at a time; several queues, of one device or of many, may be driven from several threads. It may outlive its
// Device. Destroying it waits for what is queued; a fault that nobody waited for ends there. All errors are Error: Failure::memory when
// memory is short, KernelFault (Failure::model) for what a kernel ran into on a CPU, else Failure::device.
class Queue {
public:
    virtual ~Queue() = default;

    // Queues the launch; `launch.args` is copied before the call returns, and its kernel's program may be destroyed any time after.
    virtual void launch(const Launch& launch) = 0;

    // Whether launches of a recording that need not wait for each other run side by side; else it is of no use to know which they are.
    [[nodiscard]] virtual bool runs_side_by_side() const noexcept { return false; }
    // Runs nothing. Throws Failure::internal for launches that are not this device's.
    [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder& order) = 0;
    [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Launch> launches) { return record(launches, {}); }
    // Queues the recorded launches, in their order. Of one recording, one replay runs at a time: another queue's waits.
    virtual void replay(const Recording& recording) = 0;

    // Behind all that was queued so far. One that tells no time costs a GPU less; Device::seconds_between wants one that does.
    [[nodiscard]] virtual Mark mark(Timed timed = Timed::yes) = 0;
    // What is queued from now on waits for the mark, of any queue of any device. The waiting is the device's: the host goes on (an inline
    // queue has no thread but the caller's, which waits).
    virtual void after(const Mark& mark) = 0;

    // Queues a copy into memory of this device, from memory of it or of one that it reaches; or between it and memory of the host
    // (Device::host_memory).
    virtual void copy(const Copy& copy) = 0;

    // Copies between host and device memory, in order with the launches. They block until the copy is complete, and throw the fault behind
    // which it would have been skipped.
    virtual void write(void* device, const void* host, std::size_t bytes) = 0;
    virtual void read(void* host, const void* device, std::size_t bytes) = 0;

    // Blocks until all that was queued is done. Throws the first fault since the last call, and forgets it.
    virtual void synchronize() = 0;
};

} // namespace tessera
