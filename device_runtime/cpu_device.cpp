#include "device_runtime/cpu_device.hpp"

#include "device_runtime/cpu_core.hpp"
#include "device_runtime/cpu_memory.hpp"
#include "device_runtime/cpu_queue.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/handed_in.hpp"
#include "device_runtime/machine.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

class CpuDevice final : public Device {
public:
    CpuDevice(int threads, Overruns overruns) : info_(cpu_info(threads)), overruns_(overruns), core_(std::make_shared<CpuCore>(threads)) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::uint64_t free_memory() const override { return memory_available(); }

    Memory allocate(std::size_t bytes) override {
        if (bytes == 0) return {};
        auto range = std::make_unique<CpuRange>(std::vector{core_}, bytes, overruns_);
        range->back(*core_, 0, bytes);
        return Memory(std::move(range));
    }

    Memory host_memory(std::size_t bytes) override { return allocate(bytes); }

    Memory reserve(std::size_t bytes, std::span<Device* const> sharers, Paging) override {
        if (bytes == 0) return {};
        std::vector cores{core_};
        for (const auto* device : sharers) {
            if (!reaches(*device)) does_not_reach(info_, device->info());
            cores.push_back(static_cast<const CpuDevice*>(device)->core_);
        }
        return Memory(std::make_unique<CpuRange>(std::move(cores), bytes, Overruns::pass));
    }

    void back(const Memory& range, std::size_t offset, std::size_t bytes) override {
        made_by<CpuRange>(info_.name, range).back(*core_, offset, bytes);
    }

    std::size_t granularity() const override { return CpuRange::page(); }

    bool reaches(const Device& other) const override { return dynamic_cast<const CpuDevice*>(&other) != nullptr; }

    std::unique_ptr<Program> load(const ProgramImage& image) override {
        try {
            if (image.bytes.empty()) return std::make_unique<CpuProgram>(std::filesystem::absolute(image.file));
            return std::make_unique<CpuProgram>(image.file, SharedLibrary(image.bytes));
        } catch (const Error&) {
            throw;
        } catch (const std::exception& error) {
            throw Error(Failure::plugin, fmt::format("the compiled model {} could not be loaded", image.file.string()), error.what());
        }
    }

    std::unique_ptr<Queue> queue(Priority, Execution execution) override { return make_cpu_queue(core_, execution); }

    double seconds_between(const Mark& from, const Mark& to) const override {
        const auto time = [this](const Mark& mark) { return made_by<TaskPoint>(info_.name, mark).time(); };
        return std::chrono::duration<double>(time(to) - time(from)).count();
    }

private:
    DeviceInfo info_;
    Overruns overruns_;
    std::shared_ptr<CpuCore> core_;
};

} // namespace

DeviceInfo cpu_info(int threads) {
    return {"cpu", DeviceKind::cpu, fmt::format("{}, {} {}", cpu_model(), threads, threads == 1 ? "thread" : "threads"),
            "cpu", memory_total(),  threads};
}

std::unique_ptr<Device> open_cpu_device(int threads, Overruns overruns) { return std::make_unique<CpuDevice>(threads, overruns); }

} // namespace tessera
