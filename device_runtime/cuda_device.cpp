#include "device_runtime/cuda_device.hpp"

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/cuda_memory.hpp"
#include "device_runtime/cuda_program.hpp"
#include "device_runtime/cuda_queue.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/handed_in.hpp"
#include "device_runtime/machine.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

using Context = std::shared_ptr<const CudaContext>;

class CudaDevice final : public Device {
public:
    CudaDevice(DeviceInfo info, Context context) : info_(std::move(info)), context_(std::move(context)) {}

    const DeviceInfo& info() const noexcept override { return info_; }

    std::uint64_t free_memory() const override {
        std::size_t free = 0, total = 0;
        context_->check(context_->enter().cuMemGetInfo(&free, &total), "tell its free memory");
        return free;
    }

    Memory allocate(std::size_t bytes) override {
        if (bytes == 0) return {};
        auto range = std::make_unique<CudaRange>(std::vector{context_}, bytes);
        range->back(*context_, 0, bytes);
        return Memory(std::move(range));
    }

    Memory host_memory(std::size_t bytes) override {
        if (bytes == 0) return {};
        return Memory(std::make_unique<PinnedMemory>(context_, bytes));
    }

    Memory reserve(std::size_t bytes, std::span<Device* const> sharers, Paging paging) override {
        if (bytes == 0) return {};
        std::vector<const Device*> all{this};
        all.insert(all.end(), sharers.begin(), sharers.end());
        for (const auto* device : all)
            for (const auto* other : all)
                if (!device->reaches(*other)) does_not_reach(device->info(), other->info());
        std::vector<Context> contexts;
        for (const auto* device : all) contexts.push_back(static_cast<const CudaDevice*>(device)->context_);
        if (paging == Paging::migrating) return Memory(std::make_unique<ManagedRange>(std::move(contexts), bytes));
        return Memory(std::make_unique<CudaRange>(std::move(contexts), bytes));
    }

    void back(const Memory& range, std::size_t offset, std::size_t bytes) override {
        made_by<BackedRange>(info_.name, range).back(*context_, offset, bytes);
    }

    std::size_t granularity() const override { return granularity_of(*context_); }

    bool reaches(const Device& other) const override {
        const auto* gpu = dynamic_cast<const CudaDevice*>(&other);
        if (gpu == nullptr) return false;
        if (gpu->context_->device() == context_->device()) return true;
        int reached = 0;
        context_->check(context_->enter().cuDeviceCanAccessPeer(&reached, context_->device(), gpu->context_->device()),
                        "tell which GPUs it reaches");
        return reached != 0;
    }

    bool is_atomic_on(const Device& other) const override {
        const auto* gpu = dynamic_cast<const CudaDevice*>(&other);
        if (gpu == nullptr || gpu->context_->device() == context_->device()) return gpu != nullptr;
        int atomic = 0;
        context_->check(context_->enter().cuDeviceGetP2PAttribute(&atomic, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                                                                  context_->device(), gpu->context_->device()),
                        "tell where its atomic operations are atomic");
        return atomic != 0;
    }

    std::unique_ptr<Program> load(const ProgramImage& image) override { return std::make_unique<CudaProgram>(context_, image); }

    std::unique_ptr<Queue> queue(Priority priority, Execution) override { return std::make_unique<CudaQueue>(context_, priority); }

    double seconds_between(const Mark& from, const Mark& to) const override { return point_of(to).seconds_since(point_of(from)); }

private:
    const CudaPoint& point_of(const Mark& mark) const {
        const auto& point = made_by<CudaPoint>(info_.name, mark);
        if (!point.is_of(*context_)) made_by_another(info_.name);
        return point;
    }

    DeviceInfo info_;
    Context context_;
};

DeviceInfo describe(const CudaFunctions& cuda, int index) {
    DeviceInfo info;
    info.name = fmt::format("cuda:{}", index);
    info.kind = DeviceKind::cuda;
    const auto check = [&](CUresult result) {
        if (result != CUDA_SUCCESS)
            throw Error(Failure::device, fmt::format("{} does not describe itself", info.name), text_of(cuda, result));
    };
    CUdevice device = 0;
    check(cuda.cuDeviceGet(&device, index));
    const auto attribute = [&](CUdevice_attribute which) {
        int value = 0;
        check(cuda.cuDeviceGetAttribute(&value, which, device));
        return value;
    };
    char model[256] = {};
    check(cuda.cuDeviceGetName(model, sizeof model, device));
    std::size_t memory = 0;
    check(cuda.cuDeviceTotalMem(&memory, device));
    info.memory_total = memory;
    info.processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info.architecture = fmt::format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                    attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    constexpr double transfers_a_clock = 2, hertz = 1e3, bits = 8;
    info.memory_bandwidth = transfers_a_clock * hertz * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                            attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / bits;
    info.description = fmt::format("{}, {} SMs, {}", model, info.processors, readable_bytes(memory));
    return info;
}

} // namespace

std::vector<DeviceInfo> cuda_devices(const CudaDriver& driver) {
    std::vector<DeviceInfo> all;
    for (int index = 0; index < driver.devices(); ++index) all.push_back(describe(driver.functions(), index));
    return all;
}

std::unique_ptr<Device> open_cuda_device(std::shared_ptr<const CudaDriver> driver, int index) {
    auto info = describe(driver->functions(), index);
    return std::make_unique<CudaDevice>(std::move(info), std::make_shared<const CudaContext>(std::move(driver), index));
}

} // namespace tessera
