#include "host/execute/executor.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/task_thread.hpp"
#include "host/execute/mistakes.hpp"
#include "host/schedule/branches.hpp"
#include "host/schedule/chained_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace tessera {
namespace {

// Up to which item of every partition each queue has come, by what it has waited for: a clock a queue.
class Clocks {
public:
    explicit Clocks(std::size_t partitions) : of_queue_(partitions, Clock(partitions, 0)) {}

    // Of the items `after`, those that item `number` of the partition still has to wait for; `partition_of` tells whose they are.
    template<class PartitionOf>
    std::vector<std::size_t> enter(std::size_t number, std::size_t partition, std::vector<std::size_t> after,
                                   const PartitionOf& partition_of) {
        auto& own = of_queue_[partition];
        std::vector<std::size_t> behind;
        std::sort(after.rbegin(), after.rend()); // the last one of a queue stands for those before it
        for (const auto other : after) {
            const auto of = partition_of(other);
            if (of == partition || own[of] > other) continue;
            behind.push_back(other);
            for (std::size_t p = 0; p < own.size(); ++p) own[p] = std::max(own[p], of_item_[other][p]);
        }
        own[partition] = number + 1;
        of_item_.push_back(own);
        return behind;
    }

private:
    using Clock = std::vector<std::size_t>; // of each partition, one more than the last item that is known to be done
    std::vector<Clock> of_queue_, of_item_;
};

// Does it for a partition; a device that fails is told from others of its name.
template<class Act> void of_partition(std::size_t partition, std::size_t partitions, const Act& act) try {
    act();
} catch (const Error& error) {
    if (error.kind() != Failure::device || partitions == 1) throw;
    throw error.with_prefix(fmt::format("device {} of {}: ", partition + 1, partitions));
}

// Calls `visit(partition's number)` for each and throws, when all are done, the fault with the least number; other errors come first.
template<class Visit> void for_each_fault(std::size_t partitions, const Visit& visit) {
    std::optional<KernelFault> least;
    std::exception_ptr other;
    for (std::size_t p = 0; p < partitions; ++p) try {
            of_partition(p, partitions, [&] { visit(p); });
        } catch (const KernelFault& fault) {
            if (!least || fault.launch() < least->launch()) least = fault;
        } catch (...) {
            if (!other) other = std::current_exception();
        }
    if (other) std::rethrow_exception(other);
    if (least) throw KernelFault(*least);
}

} // namespace

// On one GPU: makes one launch of those of a chain's parts. It stands where the last part stood, and keeps that one's number.
void Executor::join_chains(Work& work, std::vector<Task>& tasks) const {
    const auto& chains = partitions_.front().kernels.chains;
    if (!is_lone() || chains.empty()) return;
    const auto launches = launched_together(chains, tasks);
    std::vector<Work::Item> items;
    for (const auto& [parts, chain] : launches) {
        auto item = std::move(work.items[parts.back()]);
        if (chain != nullptr) {
            std::vector<Launch> of_parts;
            for (const auto part : parts) of_parts.push_back(part == parts.back() ? item.launch : work.items[part].launch);
            item.launch = binder_.join(*chain, of_parts);
            item.launch.number = parts.back();
        }
        items.push_back(std::move(item));
    }
    work.items = std::move(items);
    tasks = joined_tasks(binder_.setup(), launches, std::move(tasks));
}

Work Executor::bind(std::vector<Task> tasks, const LoadedPrograms& programs) const {
    if (!is_lone()) order_by_touches(tasks);
    Work work;
    Clocks clocks(partitions_.size());
    for (std::size_t number = 0; number < tasks.size(); ++number) {
        const auto& task = tasks[number];
        Work::Item item;
        item.partition = task.partition;
        if (std::holds_alternative<CopyWork>(task.work) || std::holds_alternative<ShareWork>(task.work))
            item.copies = binder_.copies(task);
        else
            item.launch = binder_.bind(task, programs);
        item.launch.number = number;
        if (!is_lone())
            item.behind = clocks.enter(number, task.partition, task.after, [&](std::size_t other) { return tasks[other].partition; });
        for (const auto other : item.behind) work.items[other].awaited = true;
        work.items.push_back(std::move(item));
    }
    join_chains(work, tasks);
    if (is_lone() && partitions_.front().queue->runs_side_by_side()) work.tasks = std::move(tasks);
    return work;
}

void Executor::record(Work& work) const {
    if (!is_lone() || partitions_.front().mistake != nullptr) return;
    std::vector<Launch> launches;
    for (const auto& item : work.items) launches.push_back(item.launch);
    const auto order = work.tasks.empty() ? LaunchOrder{} : branches_of(binder_.setup(), std::exchange(work.tasks, {}));
    work.recording = partitions_.front().queue->record(launches, order);
}

void Executor::start(const Work& work) {
    if (work.recording) return partitions_.front().queue->replay(*work.recording);
    join();
    joined_ = false;
    std::vector<Mark> marks(work.items.size());
    for (std::size_t number = 0; number < work.items.size(); ++number) {
        const auto& item = work.items[number];
        of_partition(item.partition, partitions_.size(), [&] {
            auto& queue = *partitions_[item.partition].queue;
            const bool is_late = latency_.count() > 0 && !item.copies.empty();
            for (const auto other : item.behind) queue.after(is_late ? later_than(marks[other], latency_) : marks[other]);
            for (const auto& copy : item.copies) queue.copy(copy);
            if (item.copies.empty()) queue.launch(item.launch);
            if (partitions_[item.partition].mistake != nullptr) expect_no_mistake(partitions_[item.partition], item.launch);
            if (item.awaited) marks[number] = queue.mark(Timed::no);
        });
    }
}

// Each queue waits for all others.
void Executor::join() {
    if (is_lone() || joined_) return;
    joined_ = true;
    std::vector<Mark> ends;
    for (const auto& partition : partitions_) ends.push_back(partition.queue->mark(Timed::no));
    for (std::size_t p = 0; p < partitions_.size(); ++p)
        for (std::size_t other = 0; other < partitions_.size(); ++other)
            if (other != p) partitions_[p].queue->after(ends[other]);
}

Moment Executor::now() {
    join();
    return end_of_each();
}

Moment Executor::end_of_each() const {
    Moment moment;
    for (const auto& partition : partitions_) moment.push_back(partition.queue->mark());
    return moment;
}

void Executor::wait(const Moment& moment) {
    try {
        for_each_fault(moment.size(), [&](std::size_t p) { moment[p].wait(); });
    } catch (...) {
        try {
            synchronize();
        } catch (const std::exception&) { // the same, or what follows from it
        }
        throw;
    }
}

void Executor::synchronize() {
    for_each_fault(partitions_.size(), [&](std::size_t p) { partitions_[p].queue->synchronize(); });
}

std::vector<double> Executor::seconds_between(const Moment& from, const Moment& to) const {
    std::vector<double> seconds;
    for (std::size_t p = 0; p < partitions_.size(); ++p) seconds.push_back(partitions_[p].device->seconds_between(from[p], to[p]));
    return seconds;
}

double Executor::longest_between(const Moment& from, const Moment& to) const {
    const auto seconds = seconds_between(from, to);
    return *std::max_element(seconds.begin(), seconds.end());
}

} // namespace tessera
