// A stand-in for the NVIDIA driver library, built by the tests: memory is host memory, an image is a text file with the path of a shared
// library, and a launch calls its function at once. The environment says how it behaves:
//     FAKE_CUDA_VERSION=11040       the version of the driver
//     FAKE_CUDA_DEVICES=2           how many GPUs there are
//     FAKE_CUDA_FAIL=cuMemCreate:2  the function that fails, and with which error
// It counts live objects and refuses to release what it did not make.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_image = 200, not_found = 500;
constexpr std::size_t granularity = std::size_t{2} << 20;
constexpr std::size_t memory_size = std::size_t{1} << 30;

using Function = void (*)(const void*, std::int64_t, std::int64_t);

struct Call {
    Function function;
    std::int64_t threads;
    std::vector<char> args;
};
struct Graph {
    std::vector<Call> calls;
};
struct Params { // as CUDA_KERNEL_NODE_PARAMS begins
    void* function;
    unsigned grid[3], block[3], shared;
    void** params;
};

int setting(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

int failure(const char* function) {
    const char* text = std::getenv("FAKE_CUDA_FAIL");
    const auto length = std::strlen(function);
    return text != nullptr && std::strncmp(text, function, length) == 0 && text[length] == ':' ? std::atoi(text + length + 1) : success;
}
#define MAY_FAIL \
    if (const int error = failure(__func__)) return error

std::set<void*>& live() {
    static std::set<void*> objects;
    return objects;
}
std::map<std::uint64_t, std::size_t>& physical() { // handle -> size, of what is not yet released or still mapped
    static std::map<std::uint64_t, std::size_t> blocks;
    return blocks;
}
std::map<void*, std::uint64_t>& mapped() { // address -> handle
    static std::map<void*, std::uint64_t> ranges;
    return ranges;
}

int& users_of_primary() {
    static int users = 0;
    return users;
}

template<class Object> int make(void** out) {
    *out = new Object();
    live().insert(*out);
    return success;
}
template<class Object> int destroy(void* object) {
    if (live().erase(object) == 0) return invalid_value;
    delete static_cast<Object*>(object);
    return success;
}

// The functions of the tests' kernels begin with the size of what they take.
std::vector<char> copy_of(void** params) {
    std::int32_t size = 0;
    std::memcpy(&size, params[0], sizeof size);
    const auto* first = static_cast<const char*>(params[0]);
    return {first, first + size};
}
std::int64_t threads_of(const unsigned* grid, const unsigned* block) {
    std::int64_t threads = 1;
    for (int i = 0; i < 3; ++i) threads *= std::int64_t{grid[i]} * block[i];
    return threads;
}

} // namespace

extern "C" {

std::size_t fake_cuda_live() { return live().size() + physical().size() + mapped().size(); }

int cuDriverGetVersion(int* version) {
    MAY_FAIL;
    *version = setting("FAKE_CUDA_VERSION", 13000);
    return success;
}
int cuInit(unsigned) {
    MAY_FAIL;
    return setting("FAKE_CUDA_DEVICES", 1) == 0 ? no_device : success;
}
int cuGetErrorName(int error, const char** name) {
    *name = error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == 700         ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == 999         ? nullptr
                                   : "CUDA_ERROR_FAKE";
    return success;
}
int cuGetErrorString(int error, const char** text) {
    *text = error == out_of_memory ? "out of memory" : "as the test asked";
    return success;
}

int cuDeviceGetCount(int* count) {
    MAY_FAIL;
    *count = setting("FAKE_CUDA_DEVICES", 1);
    return success;
}
int cuDeviceGet(int* device, int index) {
    MAY_FAIL;
    *device = index;
    return success;
}
int cuDeviceGetName(char* name, int, int) {
    MAY_FAIL;
    std::strcpy(name, "Fake GPU");
    return success;
}
int cuDeviceGetAttribute(int* value, int which, int) {
    MAY_FAIL;
    *value = which == 16 ? 132 : which == 75 ? 9 : 0;
    return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = memory_size;
    return success;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
    MAY_FAIL;
    static int primary;
    if (++users_of_primary() == 1) live().insert(&primary);
    *context = &primary;
    return success;
}
int cuDevicePrimaryCtxRelease_v2(int) {
    void* primary = nullptr;
    if (users_of_primary() == 0) return invalid_value;
    cuDevicePrimaryCtxRetain(&primary, 0);
    if ((users_of_primary() -= 2) == 0) live().erase(primary);
    return success;
}
int cuCtxSetCurrent(void*) {
    MAY_FAIL;
    return success;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    std::size_t used = 0;
    for (const auto& [handle, size] : physical()) used += size;
    *free = memory_size - used;
    *total = memory_size;
    return success;
}
int cuMemGetAllocationGranularity(std::size_t* bytes, const void*, int) {
    *bytes = granularity;
    return success;
}
int cuMemAddressReserve(void** address, std::size_t bytes, std::size_t, std::uint64_t, std::uint64_t) {
    MAY_FAIL;
    if (bytes % granularity != 0) return invalid_value;
    *address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*address == MAP_FAILED) return out_of_memory;
    live().insert(*address);
    return success;
}
int cuMemAddressFree(void* address, std::size_t bytes) {
    if (mapped().count(address) != 0 || live().erase(address) == 0) return invalid_value;
    munmap(address, bytes);
    return success;
}
int cuMemCreate(std::uint64_t* handle, std::size_t bytes, const void*, std::uint64_t) {
    MAY_FAIL;
    static std::uint64_t next = 0;
    std::size_t free = 0, total = 0;
    cuMemGetInfo_v2(&free, &total);
    if (bytes % granularity != 0) return invalid_value;
    if (bytes > free) return out_of_memory;
    physical()[*handle = ++next] = bytes;
    return success;
}
int cuMemRelease(std::uint64_t handle) {
    for (const auto& [address, used] : mapped())
        if (used == handle) return success;
    return physical().erase(handle) == 1 ? success : invalid_value;
}
int cuMemMap(void* address, std::size_t bytes, std::size_t, std::uint64_t handle, std::uint64_t) {
    MAY_FAIL;
    if (live().count(address) == 0 || physical().at(handle) != bytes) return invalid_value;
    mapped()[address] = handle;
    return success;
}
int cuMemUnmap(void* address, std::size_t bytes) {
    const auto found = mapped().find(address);
    if (found == mapped().end()) return invalid_value;
    physical().erase(found->second);
    mapped().erase(found);
    return mprotect(address, bytes, PROT_NONE);
}
int cuMemSetAccess(void* address, std::size_t bytes, const void*, std::size_t) {
    MAY_FAIL;
    if (mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0) return invalid_value;
    std::memset(address, 0xA5, bytes); // a GPU's memory is not clear either
    return success;
}
int cuMemHostAlloc(void** bytes, std::size_t size, unsigned) {
    MAY_FAIL;
    live().insert(*bytes = std::malloc(size));
    return success;
}
int cuMemFreeHost(void* bytes) {
    if (live().erase(bytes) == 0) return invalid_value;
    std::free(bytes);
    return success;
}
int cuMemcpyHtoDAsync_v2(void* to, const void* from, std::size_t bytes, void*) {
    MAY_FAIL;
    std::memcpy(to, from, bytes);
    return success;
}
int cuMemcpyDtoHAsync_v2(void* to, const void* from, std::size_t bytes, void*) {
    MAY_FAIL;
    std::memcpy(to, from, bytes);
    return success;
}
int cuMemsetD8Async(void* address, unsigned char value, std::size_t bytes, void*) {
    MAY_FAIL;
    std::memset(address, value, bytes);
    return success;
}

int cuModuleLoadData(void** module, const void* image) {
    MAY_FAIL;
    std::string path = static_cast<const char*>(image);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return invalid_image;
    make<void*>(module);
    *static_cast<void**>(*module) = library;
    return success;
}
int cuModuleUnload(void* module) { return destroy<void*>(module); }
int cuModuleGetFunction(void** function, void* module, const char* name) {
    *function = dlsym(*static_cast<void**>(module), name);
    return *function == nullptr ? not_found : success;
}
int cuModuleGetGlobal_v2(void** address, std::size_t* size, void* module, const char* name) {
    *size = sizeof(std::int32_t); // what the tests' images have
    return cuModuleGetFunction(address, module, name);
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void*,
                   void** params, void**) {
    MAY_FAIL;
    const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    reinterpret_cast<Function>(function)(params[0], 0, threads_of(grid, block));
    return success;
}

int cuStreamCreate(void** stream, unsigned flags) {
    MAY_FAIL;
    return flags == 1 ? make<int>(stream) : invalid_value;
}
int cuStreamDestroy_v2(void* stream) { return destroy<int>(stream); }
int cuStreamSynchronize(void*) {
    MAY_FAIL;
    return success;
}
int cuEventCreate(void** event, unsigned) {
    MAY_FAIL;
    return make<int>(event);
}
int cuEventDestroy_v2(void* event) { return destroy<int>(event); }
int cuEventRecord(void*, void*) {
    MAY_FAIL;
    return success;
}
int cuEventQuery(void*) {
    MAY_FAIL;
    return success;
}
int cuEventSynchronize(void*) {
    MAY_FAIL;
    return success;
}
int cuEventElapsedTime(float* milliseconds, void*, void*) {
    *milliseconds = 2500;
    return success;
}

int cuGraphCreate(void** graph, unsigned) {
    MAY_FAIL;
    return make<Graph>(graph);
}
int cuGraphDestroy(void* graph) { return destroy<Graph>(graph); }
int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* after, std::size_t count, const Params* launch) {
    MAY_FAIL;
    auto& calls = static_cast<Graph*>(graph)->calls;
    if (count != (calls.empty() ? 0u : 1u)) return invalid_value; // a chain
    if (count == 1 && *after != reinterpret_cast<void*>(calls.size())) return invalid_value;
    calls.push_back({reinterpret_cast<Function>(launch->function), threads_of(launch->grid, launch->block), copy_of(launch->params)});
    *node = reinterpret_cast<void*>(calls.size());
    return success;
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, std::uint64_t) {
    MAY_FAIL;
    make<Graph>(executable);
    *static_cast<Graph*>(*executable) = *static_cast<Graph*>(graph);
    return success;
}
int cuGraphExecDestroy(void* executable) { return destroy<Graph>(executable); }
int cuGraphUpload(void*, void*) {
    MAY_FAIL;
    return success;
}
int cuGraphLaunch(void* executable, void*) {
    MAY_FAIL;
    for (const auto& call : static_cast<Graph*>(executable)->calls) call.function(call.args.data(), 0, call.threads);
    return success;
}

} // extern "C"
