// What a device is: memory, programs, and queues for work. CPU (cpu_device.hpp) and CUDA (cuda_device.hpp) stand behind this one interface;
// devices.hpp lists and opens them, queue.hpp says what a queue does.
#pragma once

#include "device_runtime/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tessera {

enum class DeviceKind { cpu, cuda };

struct DeviceInfo {
    std::string name; // "cpu", "cuda:0"; two devices may have one
    DeviceKind kind = DeviceKind::cpu;
    std::string description;        // "NVIDIA H200, 132 SMs, 139.8 GiB"; "AMD EPYC 9654, 2 threads"
    std::string architecture;       // "sm_90"; "cpu"
    std::uint64_t memory_total = 0; // bytes
    int processors = 0;             // multiprocessors of a GPU; threads of the CPU device
    double memory_bandwidth = 0;    // bytes a second, by its clock and width; 0: not known
};

// Owner of a range of addresses and of the memory behind them. It may outlive the devices that it is of; giving it back waits for every
// queue of each device that reaches it, and for nothing else.
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
    [[nodiscard]] Block* block() const noexcept { return block_.get(); } // for devices

private:
    std::unique_ptr<Block> block_;
};

// A global variable of a program, in device memory.
struct Global {
    void* address = nullptr;
    std::size_t size = 0; // bytes
};

// What a program is loaded from: a file, or bytes in memory (then `file` is what messages call it).
struct ProgramImage {
    std::filesystem::path file;
    std::span<const std::byte> bytes{}; // PTX ends in a zero byte

    ProgramImage(std::filesystem::path file_) : file(std::move(file_)) {} // NOLINT: a file is an image
    ProgramImage(std::filesystem::path name, std::span<const std::byte> bytes_) : file(std::move(name)), bytes(bytes_) {}
};

// A loaded image: kernels and global variables by name. It may outlive its Device; destroying it waits for every queue of the device.
class Program {
public:
    virtual ~Program() = default;
    // Throws Failure::plugin, naming the image's file, when it has no such kernel or variable.
    [[nodiscard]] virtual const Kernel& kernel(const std::string& name) = 0;
    [[nodiscard]] virtual Global global(const std::string& name) = 0;
};

// Whether memory stays with the device that was asked for it, or its pages move to whichever device touches them (managed memory of CUDA).
enum class Paging { fixed, migrating };

// A Device serves one thread at a time; its queues have their own threads. All errors are Error: Failure::memory when memory is short, else
// Failure::device.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t free_memory() const = 0; // bytes

    // Zero-filled when the call returns, aligned to 4096 bytes at least (but see Overruns), and reached by this device alone. It waits for
    // no queue. Nothing is allocated for 0 bytes.
    [[nodiscard]] virtual Memory allocate(std::size_t bytes) = 0;

    // Memory of the host, zero-filled, that the queues of all devices copy from and to (Queue::copy), as fast as this one can. Nothing is
    // allocated for 0 bytes.
    [[nodiscard]] virtual Memory host_memory(std::size_t bytes) = 0;

    // Addresses without memory behind them, which this device and all of `sharers` will reach. Throws Failure::device when one of them does
    // not reach another (reaches()), or has no memory of that kind.
    [[nodiscard]] virtual Memory reserve(std::size_t bytes, std::span<Device* const> sharers = {}, Paging paging = Paging::fixed) = 0;
    // Puts zero-filled memory of this device behind a part of a range that it shares: `offset` is a multiple of granularity(), `bytes` is
    // rounded up to one, and parts do not overlap (Failure::internal). A part stays until the range is given back.
    virtual void back(const Memory& range, std::size_t offset, std::size_t bytes) = 0;
    // The bytes of a page, as back() counts; a power of two.
    [[nodiscard]] virtual std::size_t granularity() const = 0;
    // Whether this device's kernels can read and write memory of the other in a range that both share.
    [[nodiscard]] virtual bool reaches(const Device& other) const = 0;
    // Whether its kernels' atomic operations on the memory of one that it reaches are atomic for that one's as well.
    [[nodiscard]] virtual bool is_atomic_on(const Device& other) const { return reaches(other); }

    // Loads a shared library (CPU) or a CUBIN or PTX (CUDA). Throws Failure::plugin when it cannot be loaded. A shared library stays in the
    // process until its end: an edited one needs a file name of its own. One that is loaded from memory has its variables for itself.
    [[nodiscard]] virtual std::unique_ptr<Program> load(const ProgramImage& image) = 0;

    // A new queue, with nothing in it. Of several queues' work that could run, a GPU begins that of high priority first; a CPU takes it as
    // it comes, one launch at a time over all its threads.
    [[nodiscard]] virtual std::unique_ptr<Queue> queue(Priority priority = Priority::normal, Execution execution = Execution::queued) = 0;

    // The device's time between two marks of its queues; waits for both, and throws what waiting throws.
    [[nodiscard]] virtual double seconds_between(const Mark& from, const Mark& to) const = 0;
};

} // namespace tessera
