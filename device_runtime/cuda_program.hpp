// A CUBIN or PTX image loaded on a GPU, or a bundle of such (image_bundle.hpp), and its kernels. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/device.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera {

class CudaKernel final : public Kernel {
public:
    CudaKernel(std::string name, CUfunction function, bool follows_launches, const CudaContext& context)
        : name_(std::move(name)), function_(function), follows_launches_(follows_launches), context_(context) {}
    const std::string& name() const noexcept override { return name_; }
    [[nodiscard]] CUfunction function() const noexcept { return function_; }
    // Whether it waits by itself until the launch before it is done (kernels/launch/launch.hpp).
    [[nodiscard]] bool follows_launches() const noexcept { return follows_launches_; }
    [[nodiscard]] bool is_of(const CudaContext& context) const noexcept { return &context_ == &context; }

private:
    std::string name_;
    CUfunction function_;
    bool follows_launches_;
    const CudaContext& context_; // of the program, which owns the kernel
};

class CudaProgram final : public Program {
public:
    CudaProgram(std::shared_ptr<const CudaContext> context, const ProgramImage& image);
    ~CudaProgram() override;
    CudaProgram(const CudaProgram&) = delete;
    CudaProgram& operator=(const CudaProgram&) = delete;

    const Kernel& kernel(const std::string& name) override;
    Global global(const std::string& name) override;

private:
    struct Module {
        CUmodule module = nullptr;
        bool follows_launches = false; // of all its kernels
    };
    void load(std::span<const std::byte> bytes);
    void unload() noexcept;
    void expect(CUresult found, const char* what, const std::string& name) const;

    std::shared_ptr<const CudaContext> context_;
    std::string file_;
    std::vector<Module> modules_;
    std::map<std::string, CudaKernel> kernels_;
};

} // namespace tessera
