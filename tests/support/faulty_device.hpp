// A device in front of another that fails as a test asks, and counts what is not given back.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/kernel_fault.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test {

// What is called before a device does something, and may throw; outlives the device.
struct Faults {
    std::function<void(std::size_t)> at_allocate{}; // bytes
    std::function<void()> at_load{};
    std::function<void(const Launch&)> at_launch{}, at_record{}, at_replay{};
    std::function<void(const Launch&)> after_replay{};
    std::function<bool(const Launch&)> leaves_out{}; // whether it does nothing; then what is recorded may run side by side
    std::function<void()> at_wait{};                 // for marks and for everything
    std::function<void()> at_mark{};                 // before a mark is waited for; given when it is made
    std::function<double()> duration{};              // between two marks, in seconds; else it is the device's own
    std::function<double()> clock{};                 // what marks tell, in seconds; else they are the device's own
    std::int64_t bytes = 0;                          // allocated, and not given back
    int recordings = 0;                              // that there are
};

class FaultyDevice final : public Device {
public:
    FaultyDevice(std::unique_ptr<Device> device, Faults& faults) : device_(std::move(device)), faults_(faults) {}

    const DeviceInfo& info() const noexcept override { return device_->info(); }
    std::uint64_t free_memory() const override { return device_->free_memory(); }

    Memory allocate(std::size_t bytes) override {
        call(faults_.at_allocate, bytes);
        auto block = std::make_unique<CountedBlock>(device_->allocate(bytes), faults_);
        return bytes == 0 ? Memory() : Memory(std::move(block));
    }
    Memory host_memory(std::size_t bytes) override { return device_->host_memory(bytes); }
    Memory reserve(std::size_t bytes, std::span<Device* const> sharers, Paging paging) override {
        return device_->reserve(bytes, sharers, paging);
    }
    void back(const Memory& range, std::size_t offset, std::size_t bytes) override { device_->back(range, offset, bytes); }
    std::size_t granularity() const override { return device_->granularity(); }
    bool reaches(const Device& other) const override { return device_->reaches(other); }

    std::unique_ptr<Program> load(const ProgramImage& image) override {
        call(faults_.at_load);
        return device_->load(image);
    }
    std::unique_ptr<Queue> queue(Priority priority, Execution execution) override {
        return std::make_unique<FaultyQueue>(device_->queue(priority, execution), faults_);
    }
    double seconds_between(const Mark& from, const Mark& to) const override {
        call(faults_.at_wait);
        if (faults_.duration) return faults_.duration();
        const auto *first = dynamic_cast<const Told*>(from.point().get()), *last = dynamic_cast<const Told*>(to.point().get());
        if (first != nullptr && last != nullptr) return last->seconds - first->seconds;
        return device_->seconds_between(behind(from), behind(to));
    }

private:
    struct CountedBlock final : Memory::Block {
        CountedBlock(Memory of, Faults& counted) : memory(std::move(of)), faults(counted) {
            address = memory.address();
            size = memory.size();
            faults.bytes += static_cast<std::int64_t>(size);
        }
        ~CountedBlock() override { faults.bytes -= static_cast<std::int64_t>(size); }
        Memory memory;
        Faults& faults;
    };
    struct Told final : Mark::Point {
        explicit Told(double at) : seconds(at) {}
        void wait() const override {}
        bool done() const override { return true; }
        double seconds;
    };
    struct Watched final : Mark::Point {
        Watched(Mark of, Faults& watching) : mark(std::move(of)), faults(watching) {}
        void wait() const override {
            call(faults.at_mark);
            mark.wait();
        }
        bool done() const override { return mark.done(); }
        Mark mark;
        Faults& faults;
    };
    static Mark behind(const Mark& mark) {
        const auto* watched = dynamic_cast<const Watched*>(mark.point().get());
        return watched == nullptr ? mark : watched->mark;
    }
    struct Recorded final : Recording {
        Recorded(std::span<const Launch> launches, Faults& counted) : list(launches.begin(), launches.end()), faults(counted) {
            ++faults.recordings;
        }
        ~Recorded() override { --faults.recordings; }
        std::size_t launches() const noexcept override { return list.size(); }
        std::vector<Launch> list;
        Faults& faults;
    };
    class FaultyQueue final : public Queue {
    public:
        FaultyQueue(std::unique_ptr<Queue> queue, Faults& faults) : queue_(std::move(queue)), faults_(faults) {}

        void launch(const Launch& launch) override {
            call(faults_.at_launch, launch);
            make(launch);
        }
        [[nodiscard]] bool runs_side_by_side() const noexcept override { return static_cast<bool>(faults_.leaves_out); }
        std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder&) override {
            for (const auto& launch : launches) call(faults_.at_record, launch);
            return std::make_unique<Recorded>(launches, faults_);
        }
        void replay(const Recording& recording) override {
            for (const auto& launch : dynamic_cast<const Recorded&>(recording).list) {
                call(faults_.at_replay, launch);
                make(launch);
                call(faults_.after_replay, launch);
            }
        }
        Mark mark(Timed timed) override {
            if (faults_.clock) return Mark(std::make_shared<const Told>(faults_.clock()));
            return faults_.at_mark ? Mark(std::make_shared<const Watched>(queue_->mark(timed), faults_)) : queue_->mark(timed);
        }
        void after(const Mark& mark) override { queue_->after(behind(mark)); }
        void copy(const Copy& copy) override { queue_->copy(copy); }
        void write(void* device, const void* host, std::size_t bytes) override { queue_->write(device, host, bytes); }
        void read(void* host, const void* device, std::size_t bytes) override { queue_->read(host, device, bytes); }
        void synchronize() override {
            call(faults_.at_wait);
            queue_->synchronize();
        }

    private:
        void make(const Launch& launch) {
            if (!faults_.leaves_out || !faults_.leaves_out(launch)) queue_->launch(launch);
        }

        std::unique_ptr<Queue> queue_;
        Faults& faults_;
    };
    template<class... What> static void call(const std::function<void(What...)>& fault, const std::type_identity_t<What>&... what) {
        if (fault) fault(what...);
    }

    std::unique_ptr<Device> device_;
    Faults& faults_;
};

} // namespace tessera::test
