#include "device_runtime/cuda_program.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/image_bundle.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace tessera {
namespace {

std::vector<std::byte> bytes_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw Error(Failure::plugin, fmt::format("the compiled model {} could not be read", file.string()));
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
}

std::string_view advice_on_image(CUresult result) {
    switch (result) {
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE: return "compile it again: it was made for another GPU, or is damaged";
    case CUDA_ERROR_INVALID_PTX: return "compile it again: it is damaged, or uses what this GPU does not have";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return "update the NVIDIA driver, or compile the model with an older CUDA toolkit";
    default: return {};
    }
}

} // namespace

CudaProgram::CudaProgram(std::shared_ptr<const CudaContext> context, const ProgramImage& image)
    : context_(std::move(context)), file_(image.file.string()) {
    const auto of_file = image.bytes.empty() ? bytes_of_file(image.file) : std::vector<std::byte>{};
    try {
        for (const auto bytes : unbundled(image.bytes.empty() ? of_file : image.bytes)) load(bytes);
    } catch (...) {
        unload();
        throw;
    }
}

CudaProgram::~CudaProgram() {
    context_->drain();
    unload();
}

void CudaProgram::load(std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size()); // c_str() ends with the zero that PTX needs
    const auto& cuda = context_->enter();
    Module made;
    const auto result = cuda.cuModuleLoadData(&made.module, text.c_str());
    const auto advice = advice_on_image(result);
    const auto operation = fmt::format("load the compiled model {}", file_);
    if (advice.empty()) context_->check(result, operation);
    context_->check(result, operation, Failure::plugin, advice);
    CUdeviceptr address = 0;
    std::size_t size = 0;
    made.follows_launches = cuda.cuModuleGetGlobal(&address, &size, made.module, "tessera_follows_launches") == CUDA_SUCCESS;
    modules_.push_back(made);
}

void CudaProgram::unload() noexcept {
    for (const auto& each : modules_) context_->enter_to_release().cuModuleUnload(each.module);
}

const Kernel& CudaProgram::kernel(const std::string& name) {
    const auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    CUfunction function = nullptr;
    auto found = CUDA_ERROR_NOT_FOUND;
    auto each = modules_.begin();
    for (; each != modules_.end(); ++each)
        if (found = context_->enter().cuModuleGetFunction(&function, each->module, name.c_str()); found != CUDA_ERROR_NOT_FOUND) break;
    expect(found, "function", name);
    return kernels_.try_emplace(name, name, function, each->follows_launches, *context_).first->second;
}

Global CudaProgram::global(const std::string& name) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    auto found = CUDA_ERROR_NOT_FOUND;
    for (const auto& each : modules_)
        if (found = context_->enter().cuModuleGetGlobal(&address, &size, each.module, name.c_str()); found != CUDA_ERROR_NOT_FOUND) break;
    expect(found, "variable", name);
    return {reinterpret_cast<void*>(address), size};
}

void CudaProgram::expect(CUresult found, const char* what, const std::string& name) const {
    if (found == CUDA_ERROR_NOT_FOUND) {
        throw Error(Failure::plugin, fmt::format("the compiled model {} has no {} \"{}\"", file_, what, name),
                    "it was made by another version of Tessera, or is not a model", "compile it again");
    }
    if (found != CUDA_SUCCESS) context_->check(found, fmt::format("look up the {} \"{}\" of {}", what, name, file_));
}

} // namespace tessera
