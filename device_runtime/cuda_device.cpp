#include "device_runtime/cuda_device.hpp"

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/cuda_memory.hpp"
#include "device_runtime/cuda_program.hpp"
#include "device_runtime/cuda_recording.hpp"
#include "device_runtime/cuda_staging.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/handed_in.hpp"
#include "device_runtime/machine.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

using Context = std::shared_ptr<const CudaContext>;

constexpr std::string_view queued_work = "finish the work queued on it";

CUdeviceptr on_device(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

class CudaMark final : public Mark {
public:
    explicit CudaMark(Context context) : context_(std::move(context)) {
        const auto& cuda = context_->enter();
        context_->check(cuda.cuEventCreate(&event_, CU_EVENT_DEFAULT), "create an event");
        if (const auto result = cuda.cuEventRecord(event_, context_->stream()); result != CUDA_SUCCESS) {
            cuda.cuEventDestroy(event_);
            context_->check(result, "mark its place");
        }
    }

    ~CudaMark() override { context_->enter_to_release().cuEventDestroy(event_); }

    void wait() const override { context_->check(context_->enter().cuEventSynchronize(event_), queued_work); }

    bool done() const override {
        const auto result = context_->enter().cuEventQuery(event_);
        if (result != CUDA_ERROR_NOT_READY) context_->check(result, queued_work);
        return result == CUDA_SUCCESS;
    }

    double seconds_since(const CudaMark& from) const {
        from.wait();
        wait();
        float milliseconds = 0;
        context_->check(context_->enter().event_elapsed_time(&milliseconds, from.event_, event_), "tell the time between two marks");
        return static_cast<double>(milliseconds) * 1e-3;
    }

private:
    Context context_;
    CUevent event_ = nullptr;
};

class CudaDevice final : public Device {
public:
    CudaDevice(DeviceInfo info, Context context) : info_(std::move(info)), context_(std::move(context)), staging_(context_) {}

    const DeviceInfo& info() const noexcept override { return info_; }

    std::uint64_t free_memory() const override {
        std::size_t free = 0, total = 0;
        context_->check(context_->enter().cuMemGetInfo(&free, &total), "tell its free memory");
        return free;
    }

    Memory allocate(std::size_t bytes) override {
        if (bytes == 0) return {};
        auto block = std::make_unique<CudaBlock>(context_, bytes);
        context_->check(context_->enter().cuMemsetD8Async(block->start(), 0, block->mapped(), context_->stream()), "clear its memory");
        return Memory(std::move(block));
    }

    void write(void* device, const void* host, std::size_t bytes) override {
        staging_.write(on_device(device), static_cast<const std::byte*>(host), bytes);
    }

    void read(void* host, const void* device, std::size_t bytes) override {
        staging_.read(static_cast<std::byte*>(host), on_device(device), bytes);
    }

    std::unique_ptr<Program> load(const ProgramImage& image) override { return std::make_unique<CudaProgram>(context_, image); }

    void launch(const Launch& launch) override {
        check(launch);
        const auto& cuda = context_->enter();
        const auto& [grid, block] = std::tie(launch.grid, launch.block);
        void* args[] = {const_cast<std::byte*>(launch.args.data())}; // read during the call
        const auto result = cuda.cuLaunchKernel(static_cast<const CudaKernel*>(launch.kernel)->function(), grid[0], grid[1], grid[2],
                                                block[0], block[1], block[2], 0, context_->stream(), args, nullptr);
        if (result != CUDA_SUCCESS) context_->check(result, fmt::format("launch \"{}\"", launch.kernel->name()));
    }

    std::unique_ptr<Recording> record(std::span<const Launch> launches) override {
        for (const auto& launch : launches) check(launch);
        return std::make_unique<CudaRecording>(context_, launches);
    }

    void replay(const Recording& recording) override {
        const auto& cuda = context_->enter();
        context_->check(cuda.cuGraphLaunch(ours<CudaRecording>(recording).graph(), context_->stream()), "replay the recorded launches");
    }

    std::unique_ptr<Mark> mark() override { return std::make_unique<CudaMark>(context_); }

    double seconds_between(const Mark& from, const Mark& to) const override {
        return ours<CudaMark>(to).seconds_since(ours<CudaMark>(from));
    }

    void synchronize() override { context_->check(context_->enter().cuStreamSynchronize(context_->stream()), queued_work); }

private:
    template<class Ours, class Theirs> const Ours& ours(const Theirs& thing) const { return made_by<Ours>(info_.name, thing); }

    void check(const Launch& launch) const {
        check_shape(launch);
        (void)ours<CudaKernel>(*launch.kernel);
    }

    DeviceInfo info_;
    Context context_;
    CudaStaging staging_;
};

DeviceInfo describe(const CudaFunctions& cuda, int index) {
    DeviceInfo info;
    info.name = fmt::format("cuda:{}", index);
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
