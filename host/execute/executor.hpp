// Hands tasks to the devices of a run: into the queue of the partition that makes their rows, and behind what they have to wait for there.
#pragma once

#include "device_runtime/kernel_fault.hpp"
#include "host/execute/binder.hpp"
#include "host/execute/partition.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace tessera {

// Tasks, bound: launches and copies in the order in which they are queued, and between queues what waits for what.
struct Work {
    struct Item {
        std::size_t partition = 0;
        Launch launch;                   // its number is that of the item
        std::vector<Copy> copies;        // instead of a launch, where there are any
        std::vector<std::size_t> behind; // items of other partitions that its queue has to wait for here
        bool awaited = false;            // by an item of another partition
    };
    std::vector<Item> items;
    std::vector<Task> tasks;              // of the items, until they are recorded, where that runs some side by side
    std::unique_ptr<Recording> recording; // of all of them, where one partition is all
};

// A point that all queues have come by: one mark a partition.
using Moment = std::vector<Mark>;

class Executor {
public:
    // Both must outlive the executor.
    Executor(const Partitions& partitions, const Binder& binder) : partitions_(partitions), binder_(binder) {}

    // `programs` are those that ProgramWork and ConvertWork number. Throws nothing that a device runs into.
    [[nodiscard]] Work bind(std::vector<Task> tasks, const LoadedPrograms& programs) const;
    // Has it replayed from now on, where there is one partition; several, and those of a checked run on a GPU, which is looked at after
    // each launch, are launched one by one, from the caller's thread.
    void record(Work& work) const;

    // From now on news of another partition's rows take so long to arrive: for experiments, on CPUs alone.
    void delay_copies(std::chrono::nanoseconds latency) { latency_ = latency; }

    // Queues it behind all that was queued before. The queue of a lone CPU, and a checked run on a GPU, throws what a kernel runs into
    // (KernelFault, with the number of the item), others when they are waited for.
    void start(const Work& work);
    // Behind all that was queued before, on every queue.
    [[nodiscard]] Moment now();
    // On each queue, behind what that one itself was given.
    [[nodiscard]] Moment end_of_each() const;
    // Blocks until it is reached. Throws what was run into before, and forgets it with all that was queued: of several partitions' faults,
    // the one with the least number.
    void wait(const Moment& moment);
    // Blocks until all queues are done; throws likewise.
    void synchronize();
    // Of each partition.
    [[nodiscard]] std::vector<double> seconds_between(const Moment& from, const Moment& to) const;
    // Of the one that took longest.
    [[nodiscard]] double longest_between(const Moment& from, const Moment& to) const;

private:
    [[nodiscard]] bool is_lone() const noexcept { return partitions_.size() == 1; }
    void join_chains(Work& work, std::vector<Task>& tasks) const;
    void join();

    const Partitions& partitions_;
    const Binder& binder_;
    std::chrono::nanoseconds latency_{0};
    bool joined_ = true; // nothing was queued since the queues have waited for each other
};

} // namespace tessera
