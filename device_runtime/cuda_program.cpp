#include "device_runtime/cuda_program.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace tessera {
namespace {

std::string bytes_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw Error(Failure::plugin, fmt::format("the compiled model {} could not be read", file.string()));
    return bytes;
}

std::string image_bytes(const ProgramImage& image) {
    if (image.bytes.empty()) return bytes_of_file(image.file);
    return {reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size()};
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
    const auto bytes = image_bytes(image); // c_str() ends with the zero that PTX needs
    const auto& cuda = context_->enter();
    const auto result = cuda.cuModuleLoadData(&module_, bytes.c_str());
    const auto advice = advice_on_image(result);
    const auto operation = fmt::format("load the compiled model {}", file_);
    if (advice.empty()) context_->check(result, operation);
    context_->check(result, operation, Failure::plugin, advice);
    CUdeviceptr address = 0;
    std::size_t size = 0;
    follows_launches_ = cuda.cuModuleGetGlobal(&address, &size, module_, "tessera_follows_launches") == CUDA_SUCCESS;
}

CudaProgram::~CudaProgram() {
    context_->drain();
    context_->enter_to_release().cuModuleUnload(module_);
}

const Kernel& CudaProgram::kernel(const std::string& name) {
    auto found = kernels_.find(name);
    if (found == kernels_.end()) {
        CUfunction function = nullptr;
        expect(context_->enter().cuModuleGetFunction(&function, module_, name.c_str()), "function", name);
        found = kernels_.try_emplace(name, name, function, follows_launches_, *context_).first;
    }
    return found->second;
}

Global CudaProgram::global(const std::string& name) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    expect(context_->enter().cuModuleGetGlobal(&address, &size, module_, name.c_str()), "variable", name);
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
