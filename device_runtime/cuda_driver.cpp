#include "device_runtime/cuda_driver.hpp"

#include "device_runtime/cuda_functions.hpp"
#include "device_runtime/shared_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace tessera {
namespace {

namespace fs = std::filesystem;

template<class Function> bool look_up(const SharedLibrary& library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(library.find(name));
    return function != nullptr;
}

// The name of the first function that the library lacks; empty when it has all.
std::string look_up_all(const SharedLibrary& library, CudaFunctions& cuda) {
#define TESSERA_TEXT(name) #name
#define TESSERA_LOOK_UP(function) \
    if (!look_up(library, TESSERA_TEXT(function), cuda.function)) return TESSERA_TEXT(function);
    TESSERA_CUDA_FUNCTIONS(TESSERA_LOOK_UP)
#undef TESSERA_LOOK_UP
#undef TESSERA_TEXT
    if (!look_up(library, "cuEventElapsedTime", cuda.event_elapsed_time)) return "cuEventElapsedTime";
#if CUDA_VERSION >= 12030
    look_up(library, "cuGraphAddDependencies_v2", cuda.graph_add_dependencies);
#endif
    return {};
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// Empty when the version will do. Asked first, since an old driver also lacks functions.
std::string version_problem(const SharedLibrary& library, int& version) {
    decltype(&::cuDriverGetVersion) get_version = nullptr;
    if (!look_up(library, "cuDriverGetVersion", get_version))
        return "the library is no NVIDIA driver: it has no function cuDriverGetVersion";
    if (const auto result = get_version(&version); result == CUDA_ERROR_STUB_LIBRARY) {
        return "the libcuda.so.1 that was found is the CUDA toolkit's stub for linking, not the NVIDIA driver";
    } else if (result != CUDA_SUCCESS) {
        return fmt::format("the NVIDIA driver does not tell its version: error {}", static_cast<int>(result));
    }
    if (version >= oldest_cuda_version) return {};
    return fmt::format("the NVIDIA driver is too old: it supports CUDA {}, and Tessera needs a driver for CUDA {} or later",
                       version_text(version), version_text(oldest_cuda_version));
}

std::string no_gpu() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible == nullptr) return "the NVIDIA driver is installed, but it sees no GPU in this machine";
    return fmt::format("the NVIDIA driver is installed, but it sees no GPU; the environment variable CUDA_VISIBLE_DEVICES is \"{}\", "
                       "which may hide them",
                       visible);
}

// Empty when the driver starts and has a GPU.
std::string start_problem(const CudaFunctions& cuda, int& devices) {
    auto result = cuda.cuInit(0);
    if (result == CUDA_SUCCESS) result = cuda.cuDeviceGetCount(&devices);
    if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && devices == 0)) return no_gpu();
    if (result == CUDA_SUCCESS) return {};
    return "the NVIDIA driver is installed, but does not start: " + text_of(cuda, result);
}

CudaSearch use(const SharedLibrary& library) {
    CudaSearch found;
    found.why_not = version_problem(library, found.driver_version);
    if (!found.why_not.empty()) return found;
    auto functions = std::make_unique<CudaFunctions>();
    if (const auto missing = look_up_all(library, *functions); !missing.empty()) {
        found.why_not = fmt::format("the NVIDIA driver is damaged: its library has no function {}", missing);
        return found;
    }
    int devices = 0;
    found.why_not = start_problem(*functions, devices);
    if (found.why_not.empty()) found.driver = std::make_shared<const CudaDriver>(std::move(functions), found.driver_version, devices);
    return found;
}

// Loads `file` if it can be loaded; else adds to `tried` what was looked for and what came of it.
std::optional<SharedLibrary> load(const fs::path& file, std::string& tried) {
    std::error_code ignored;
    const bool bare = !file.has_parent_path();
    std::string outcome = "not there";
    if (bare || fs::exists(file, ignored)) {
        try {
            return SharedLibrary(file);
        } catch (const std::runtime_error& error) {
            const std::string words = error.what(); // a dependency of the library may be what is not there: then it is named
            if (words.rfind(file.string() + ": cannot open shared object file: No such file", 0) != 0) outcome = words;
        }
    }
    tried += fmt::format("{}{}{} ({})", tried.empty() ? "" : "; ", file.string(), bare ? " on the system's library path" : "", outcome);
    return std::nullopt;
}

} // namespace

CudaDriver::CudaDriver(std::unique_ptr<const CudaFunctions> functions, int version, int devices)
    : functions_(std::move(functions)), version_(version), devices_(devices) {}

CudaDriver::~CudaDriver() = default;

std::string text_of(const CudaFunctions& cuda, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    cuda.cuGetErrorName(result, &name);
    cuda.cuGetErrorString(result, &text);
    if (name == nullptr) return fmt::format("the driver reports the unknown error {}", static_cast<int>(result));
    return fmt::format("{}: {}", name, text == nullptr ? "no explanation" : text);
}

bool built_with_cuda() noexcept { return true; }

std::vector<fs::path> usual_cuda_libraries() {
    return {
        "libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1",
    };
}

CudaSearch find_cuda_driver(const std::vector<fs::path>& candidates) {
    std::string tried;
    for (const auto& file : candidates) {
        if (const auto library = load(file, tried)) return use(*library);
    }
    return {nullptr, "no NVIDIA driver was found; tried " + tried, 0};
}

const CudaSearch& cuda_driver() {
    static const auto& found = *new CudaSearch(find_cuda_driver(usual_cuda_libraries())); // the driver stays loaded until the process ends
    return found;
}

} // namespace tessera
