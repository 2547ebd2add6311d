#include "device_runtime/cpu_queue.hpp"

#include "device_runtime/handed_in.hpp"

#include <cstring>

namespace tessera {
namespace {

struct Call {
    std::shared_ptr<const CpuEntry> kernel;
    std::int64_t items = 0;
    std::vector<std::byte> args;
};

const CpuKernel& kernel_of(const Launch& launch) {
    check_shape(launch);
    return made_by<CpuKernel>("cpu", *launch.kernel);
}

Call call_of(const Launch& launch) { return {kernel_of(launch).entry(), launch.items, launch.args}; }

class CpuRecording final : public Recording {
public:
    explicit CpuRecording(std::span<const Launch> launches) {
        std::vector<Call> calls;
        for (const auto& launch : launches) calls.push_back(call_of(launch));
        calls_ = std::make_shared<const std::vector<Call>>(std::move(calls));
    }
    std::size_t launches() const noexcept override { return calls_->size(); }
    [[nodiscard]] const std::shared_ptr<const std::vector<Call>>& calls() const noexcept { return calls_; }

private:
    std::shared_ptr<const std::vector<Call>> calls_; // a replay that is queued has its own part in them
};

void run(CpuCore& core, const std::vector<Call>& calls) {
    std::size_t number = 0;
    for (const auto& call : calls) core.run(*call.kernel, call.args.data(), call.items, number++);
}

class CpuQueue : public Queue {
public:
    explicit CpuQueue(std::shared_ptr<CpuCore> core) : core_(std::move(core)) {}
    std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder&) override {
        return std::make_unique<CpuRecording>(launches);
    }

protected:
    [[nodiscard]] const std::shared_ptr<CpuCore>& core() const noexcept { return core_; }

private:
    std::shared_ptr<CpuCore> core_;
};

class InlineCpuQueue final : public CpuQueue {
public:
    using CpuQueue::CpuQueue;

    void launch(const Launch& launch) override { core()->run(*kernel_of(launch).entry(), launch.args.data(), launch.items, launch.number); }
    void replay(const Recording& recording) override { run(*core(), *made_by<CpuRecording>("cpu", recording).calls()); }
    Mark mark(Timed) override {
        const auto point = std::make_shared<TaskPoint>();
        point->reach(nullptr);
        return Mark(point);
    }
    void after(const Mark& mark) override { mark.wait(); }
    void copy(const Copy& copy) override { std::memcpy(copy.to, copy.from, copy.bytes); }
    void write(void* device, const void* host, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(device, host, bytes);
    }
    void read(void* host, const void* device, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(host, device, bytes);
    }
    void synchronize() override {}
};

class ThreadCpuQueue final : public CpuQueue {
public:
    explicit ThreadCpuQueue(std::shared_ptr<CpuCore> core) : CpuQueue(std::move(core)) { this->core()->queues().add(thread_); }
    ~ThreadCpuQueue() override { core()->queues().remove(thread_); } // and then ends the thread, behind its tasks
    ThreadCpuQueue(const ThreadCpuQueue&) = delete;
    ThreadCpuQueue& operator=(const ThreadCpuQueue&) = delete;

    void launch(const Launch& launch) override {
        thread_.push([&core = *core(), call = call_of(launch), number = launch.number] {
            core.run(*call.kernel, call.args.data(), call.items, number);
        });
    }
    void replay(const Recording& recording) override {
        thread_.push([&core = *core(), calls = made_by<CpuRecording>("cpu", recording).calls()] { run(core, *calls); });
    }
    Mark mark(Timed) override { return Mark(thread_.mark()); }
    void after(const Mark& mark) override {
        thread_.push([mark] { mark.wait(); });
    }
    void copy(const Copy& copy) override {
        thread_.push([copy] { std::memcpy(copy.to, copy.from, copy.bytes); });
    }
    void write(void* device, const void* host, std::size_t bytes) override {
        thread_.mark()->wait();
        if (bytes > 0) std::memcpy(device, host, bytes);
    }
    void read(void* host, const void* device, std::size_t bytes) override {
        thread_.mark()->wait();
        if (bytes > 0) std::memcpy(host, device, bytes);
    }
    void synchronize() override { thread_.synchronize(); }

private:
    TaskThread thread_; // ends before the core does
};

} // namespace

std::unique_ptr<Queue> make_cpu_queue(std::shared_ptr<CpuCore> core, Execution execution) {
    if (execution == Execution::inline_) return std::make_unique<InlineCpuQueue>(std::move(core));
    return std::make_unique<ThreadCpuQueue>(std::move(core));
}

} // namespace tessera
