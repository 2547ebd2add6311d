#include "device_runtime/cpu_device.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/handed_in.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/machine.hpp"
#include "device_runtime/shared_library.hpp"
#include "device_runtime/thread_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <system_error>

#include <sys/mman.h>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using Function = void (*)(const void* args, std::int64_t begin, std::int64_t end);

class CpuKernel final : public Kernel {
public:
    CpuKernel(std::string name, Function address) : name_(std::move(name)), entry_(address) {}
    const std::string& name() const noexcept override { return name_; }
    Function entry() const noexcept { return entry_; }

private:
    std::string name_;
    Function entry_;
};

class CpuProgram final : public Program {
public:
    explicit CpuProgram(std::filesystem::path file) : file_(std::move(file)), library_(file_) {}

    const Kernel& kernel(const std::string& name) override {
        auto found = kernels_.find(name);
        if (found == kernels_.end()) {
            found = kernels_.try_emplace(name, name, reinterpret_cast<Function>(address_of(name, "function"))).first;
        }
        return found->second;
    }

    Global global(const std::string& name) override {
        void* address = address_of(name, "variable");
        return {address, SharedLibrary::size_of_object(address)};
    }

private:
    void* address_of(const std::string& name, const char* what) const {
        if (void* address = library_.find(name)) return address;
        throw Error(Failure::plugin, fmt::format("the compiled model {} has no {} \"{}\"", file_.string(), what, name),
                    "it was made by another version of Tessera, or is not a model", "compile it again");
    }

    std::filesystem::path file_;
    SharedLibrary library_;
    std::map<std::string, CpuKernel> kernels_;
};

struct MappedBlock final : Memory::Block {
    MappedBlock(void* start, std::size_t bytes) {
        address = start;
        size = bytes;
    }
    ~MappedBlock() override { munmap(address, size); }
};

class CpuRecording final : public Recording {
public:
    explicit CpuRecording(std::span<const Launch> launches) : list_(launches.begin(), launches.end()) {}
    std::size_t launches() const noexcept override { return list_.size(); }
    const std::vector<Launch>& list() const noexcept { return list_; }

private:
    std::vector<Launch> list_;
};

// Launches are done when they return, so a mark is reached when it is made.
class CpuMark final : public Mark {
public:
    void wait() const override {}
    bool done() const override { return true; }
    Clock::time_point time() const noexcept { return time_; }

private:
    Clock::time_point time_ = Clock::now();
};

class CpuDevice final : public Device {
public:
    explicit CpuDevice(int threads) : info_(cpu_info(threads)), pool_(threads) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::uint64_t free_memory() const override { return memory_available(); }

    Memory allocate(std::size_t bytes) override {
        if (bytes == 0) return {};
        const auto available = memory_available();
        if (bytes > available) out_of_memory(bytes, fmt::format("{} are free", readable_bytes(available)));
        void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) out_of_memory(bytes, std::generic_category().message(errno));
        auto block = std::make_unique<MappedBlock>(start, bytes);
        if (bytes >= huge_page) madvise(start, bytes, MADV_HUGEPAGE);
        first_touch(start, bytes);
        return Memory(std::move(block));
    }

    void write(void* device, const void* host, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(device, host, bytes);
    }
    void read(void* host, const void* device, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(host, device, bytes);
    }

    std::unique_ptr<Program> load(const ProgramImage& image) override {
        try {
            return std::make_unique<CpuProgram>(std::filesystem::absolute(image.file));
        } catch (const Error&) {
            throw;
        } catch (const std::exception& error) {
            throw Error(Failure::plugin, fmt::format("the compiled model {} could not be loaded", image.file.string()), error.what());
        }
    }

    void launch(const Launch& launch) override {
        check(launch);
        run(launch, 0);
    }

    std::unique_ptr<Recording> record(std::span<const Launch> launches) override {
        for (const auto& launch : launches) check(launch);
        return std::make_unique<CpuRecording>(launches);
    }

    void replay(const Recording& recording) override {
        std::size_t number = 0;
        for (const auto& launch : ours<CpuRecording>(recording).list()) run(launch, number++);
    }

    std::unique_ptr<Mark> mark() override { return std::make_unique<CpuMark>(); }

    double seconds_between(const Mark& from, const Mark& to) const override {
        return std::chrono::duration<double>(ours<CpuMark>(to).time() - ours<CpuMark>(from).time()).count();
    }

    void synchronize() override {}

private:
    static constexpr std::size_t page = 4096, huge_page = std::size_t{2} << 20;

    template<class Ours, class Theirs> const Ours& ours(const Theirs& thing) const { return made_by<Ours>(info_.name, thing); }

    void check(const Launch& launch) const {
        check_shape(launch);
        (void)ours<CpuKernel>(*launch.kernel);
    }

    [[noreturn]] static void out_of_memory(std::size_t bytes, const std::string& why) {
        throw Error(Failure::memory, fmt::format("the CPU has no {} of memory to give", readable_bytes(bytes)), why,
                    "make the grid smaller, or close other programs");
    }

    // The system places a page near the thread that touches it first. Pieces of pages are cut as pieces of places are.
    void first_touch(void* start, std::size_t bytes) {
        const auto pages = static_cast<std::int64_t>((bytes + page - 1) / page);
        pool_.run(pages, [=](std::int64_t begin, std::int64_t end) {
            const auto first = static_cast<std::size_t>(begin) * page;
            std::memset(static_cast<std::byte*>(start) + first, 0, std::min(static_cast<std::size_t>(end) * page, bytes) - first);
        });
    }

    void run(const Launch& launch, std::size_t number) {
        const auto entry = static_cast<const CpuKernel*>(launch.kernel)->entry();
        const void* args = launch.args.data();
        std::atomic<bool> faulty{false};
        pool_.run(launch.items, [=, &faulty](std::int64_t begin, std::int64_t end) {
            if (!comes_to_its_end(entry, args, begin, end)) faulty = true;
        });
        if (faulty) throw KernelFault(launch.kernel->name(), number);
    }

    DeviceInfo info_;
    ThreadPool pool_;
};

} // namespace

DeviceInfo cpu_info(int threads) {
    return {"cpu", fmt::format("{}, {} {}", cpu_model(), threads, threads == 1 ? "thread" : "threads"), "cpu", memory_total(), threads};
}

std::unique_ptr<Device> open_cpu_device(int threads) { return std::make_unique<CpuDevice>(threads); }

} // namespace tessera
