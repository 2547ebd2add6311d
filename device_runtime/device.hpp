// What a device is: memory, programs, launches in order, recordings to replay, and marks to wait for and time by.
// CPU (cpu_device.hpp) and CUDA (cuda_device.hpp) stand behind this one interface; devices.hpp lists and opens them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

struct DeviceInfo {
    std::string name;               // "cpu", "cuda:0"
    std::string description;        // "NVIDIA H200, 132 SMs, 139.8 GiB"; "AMD EPYC 9654, 2 threads"
    std::string architecture;       // "sm_90"; "cpu"
    std::uint64_t memory_total = 0; // bytes
    int processors = 0;             // multiprocessors of a GPU; threads of the CPU device
    double memory_bandwidth = 0;    // bytes a second, by its clock and width; 0: not known
};

// The bytes that Launch::args may hold.
inline constexpr std::size_t max_launch_args = 4000;

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
};

// The bytes of a kernel's argument struct, for Launch::args.
template<class Args> [[nodiscard]] std::vector<std::byte> bytes_of(const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= max_launch_args);
    const auto* first = reinterpret_cast<const std::byte*>(&args);
    return {first, first + sizeof(Args)};
}

// Owner of device memory. It may outlive the Device that allocated it; giving it back waits for the launches before.
class Memory {
public:
    // What a device hands out; its destructor gives the memory back.
    struct Block {
        void* address = nullptr;
        std::size_t size = 0; // bytes, as asked for

        Block() = default;
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;
        virtual ~Block() = default;
    };

    Memory() = default;
    explicit Memory(std::unique_ptr<Block> block) noexcept : block_(std::move(block)) {}

    [[nodiscard]] void* address() const noexcept { return block_ ? block_->address : nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return block_ ? block_->size : 0; }

private:
    std::unique_ptr<Block> block_;
};

// A global variable of a program, in device memory.
struct Global {
    void* address = nullptr;
    std::size_t size = 0; // bytes
};

// What a program is loaded from: a file, or, for CUDA, bytes in memory (then `file` is what messages call it).
struct ProgramImage {
    std::filesystem::path file;
    std::span<const std::byte> bytes{}; // PTX ends in a zero byte

    ProgramImage(std::filesystem::path file_) : file(std::move(file_)) {} // NOLINT: a file is an image
    ProgramImage(std::filesystem::path name, std::span<const std::byte> bytes_) : file(std::move(name)), bytes(bytes_) {}
};

// A loaded image: kernels and global variables by name. It may outlive its Device; destroying it waits for the launches before.
class Program {
public:
    virtual ~Program() = default;
    // Throws Failure::plugin, naming the image's file, when it has no such kernel or variable.
    [[nodiscard]] virtual const Kernel& kernel(const std::string& name) = 0;
    [[nodiscard]] virtual Global global(const std::string& name) = 0;
};

// Launches in order, fixed with their arguments, to replay on the device that recorded them: a CUDA graph, or a list.
// It may be destroyed while a replay is queued; the programs whose kernels it launches must outlive it.
class Recording {
public:
    virtual ~Recording() = default;
    [[nodiscard]] virtual std::size_t launches() const noexcept = 0;
};

// A point in a device's order of work: reached when all that was queued before it is done.
class Mark {
public:
    virtual ~Mark() = default;
    virtual void wait() const = 0;               // throws what a launch before it ran into
    [[nodiscard]] virtual bool done() const = 0; // likewise, without waiting
};

// Work is done in the order in which it was asked for. A Device serves one thread at a time; several devices may be
// driven from several threads. All errors are Error: Failure::memory when memory is short, else Failure::device.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t free_memory() const = 0; // bytes

    // Zero-filled, aligned to 4096 bytes at least. Nothing is allocated for 0 bytes.
    [[nodiscard]] virtual Memory allocate(std::size_t bytes) = 0;

    // Copies between host and device memory, in order with the launches; returns when the copy is complete.
    virtual void write(void* device, const void* host, std::size_t bytes) = 0;
    virtual void read(void* host, const void* device, std::size_t bytes) = 0;

    // Loads a shared library (CPU, by its file) or a CUBIN or PTX (CUDA). Throws Failure::plugin when it cannot be loaded. A shared library
    // stays in the process until its end: an edited one needs a file name of its own.
    [[nodiscard]] virtual std::unique_ptr<Program> load(const ProgramImage& image) = 0;

    // Queues the launch; `args` is copied before the call returns. (The CPU is done when it returns.)
    virtual void launch(const Launch& launch) = 0;

    [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Launch> launches) = 0;
    virtual void replay(const Recording& recording) = 0; // queues it

    [[nodiscard]] virtual std::unique_ptr<Mark> mark() = 0;
    // The device's time between two of its marks; waits for both.
    [[nodiscard]] virtual double seconds_between(const Mark& from, const Mark& to) const = 0;

    // Waits for all that was queued, and throws what a launch ran into.
    virtual void synchronize() = 0;
};

} // namespace tessera
