// A shared library loaded into this process, and its kernels.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/shared_library.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace tessera {

class ThreadPool;

using CpuFunction = void (*)(const void* args, std::int64_t begin, std::int64_t end);

// A kernel that is a part of the program and cuts its work for the device's threads itself. The thread that launches calls it, once.
using CpuTeamFunction = void (*)(const void* args, ThreadPool& team);

// What a launch needs of its kernel when its program may be gone. The code itself stays in the process.
struct CpuEntry {
    std::string name;
    CpuFunction function = nullptr;
    CpuTeamFunction of_team = nullptr; // instead of it
};

class CpuKernel final : public Kernel {
public:
    CpuKernel(const std::string& name, CpuFunction function) : entry_(std::make_shared<const CpuEntry>(CpuEntry{name, function})) {}
    CpuKernel(const std::string& name, CpuTeamFunction function)
        : entry_(std::make_shared<const CpuEntry>(CpuEntry{name, nullptr, function})) {}
    const std::string& name() const noexcept override { return entry_->name; }
    [[nodiscard]] const std::shared_ptr<const CpuEntry>& entry() const noexcept { return entry_; }

private:
    std::shared_ptr<const CpuEntry> entry_;
};

class CpuProgram final : public Program {
public:
    explicit CpuProgram(const std::filesystem::path& file) : CpuProgram(file, SharedLibrary(file)) {}
    // Of a library that messages call `name`.
    CpuProgram(std::filesystem::path name, SharedLibrary library) : file_(std::move(name)), library_(library) {}

    const Kernel& kernel(const std::string& name) override;
    Global global(const std::string& name) override;

private:
    [[nodiscard]] void* address_of(const std::string& name, const char* what) const;

    std::filesystem::path file_;
    SharedLibrary library_;
    std::map<std::string, CpuKernel> kernels_;
};

} // namespace tessera
