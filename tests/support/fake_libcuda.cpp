// A stand-in for the NVIDIA driver library, which tests load: memory is host memory, an image is a text file with the path of a shared
// library, and what is put into a stream is done when somebody waits for it: by cuStreamSynchronize, cuEventSynchronize or
// cuCtxSynchronize, one thing at each cuEventQuery, and what it waits for in other streams before. The environment says how it behaves:
//     FAKE_CUDA_VERSION=11040       the version of the driver
//     FAKE_CUDA_DEVICES=2           how many GPUs there are, each with a primary context
//     FAKE_CUDA_FAIL=cuMemCreate:2  the function that fails, and with which error; cuMemCreate:2@1 only where GPU 1 is current
//     FAKE_CUDA_PEERS=0             no GPU reaches another's memory; 2: each is said to, and cannot map it
//     FAKE_CUDA_ATOMICS=0           no GPU's atomic operations are atomic on another's memory
//     FAKE_CUDA_MEMORY=64           MiB of each
//     FAKE_CUDA_UNLIKE=1            the GPU that has another name
//     FAKE_CUDA_MANAGED=0           no GPU has managed memory
//     FAKE_CUDA_FOLLOWS=1           kernels of every image wait by themselves for the launch before them
// It counts live objects, refuses to release what it did not make, and counts what a program may never do while work is queued.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_image = 200, invalid_context = 201, no_peer = 217,
              invalid_handle = 400, not_found = 500, not_ready = 600;
constexpr std::size_t granularity = std::size_t{2} << 20;
constexpr int most_devices = 8;

using Function = void (*)(const void*, std::int64_t, std::int64_t);

struct Context {
    int device = 0, users = 0;
};
struct Stream {
    Context* context = nullptr;
    int priority = 0;
    std::deque<std::function<void()>> work;
    std::uint64_t given = 0, done = 0; // counts what was put in and what came out
};
struct Event {
    Context* context = nullptr;
    Stream* stream = nullptr;   // that it was recorded in
    std::uint64_t position = 0; // reached when so much of the stream's work is done
};
struct Kernel {
    Function function = nullptr;
    Context* context = nullptr;
};
struct Module {
    void* library = nullptr;
    Context* context = nullptr;
    std::map<std::string, Kernel> kernels;
};
struct Call {
    Function function;
    std::int64_t threads;
    std::vector<char> args;
};
struct Graph {
    std::vector<Call> calls;
    std::size_t joined = 0; // of the calls, those that come behind the one before
};
struct Params { // as CUDA_KERNEL_NODE_PARAMS begins
    void* function;
    unsigned grid[3], block[3], shared;
    void** params;
};
struct Edge { // as CUgraphEdgeData
    unsigned char from_port, to_port, type, reserved[5];
};
struct Location { // as CUmemLocation
    int type, device;
};
struct Access { // as CUmemAccessDesc
    Location location;
    int flags;
};
struct AllocationKind { // as CUmemAllocationProp begins
    int type, handles;
    Location location;
};
struct Physical {
    std::size_t size = 0;
    int device = 0;
    bool released = false, mapped = false;
};
struct Mapping {
    std::size_t size = 0;
    std::uint64_t handle = 0;
    std::set<int> devices; // that reach it
};

int setting(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

std::size_t memory_size() { return static_cast<std::size_t>(setting("FAKE_CUDA_MEMORY", 1024)) << 20; }

thread_local Context* current = nullptr;

int failure(const char* function) {
    const char* text = std::getenv("FAKE_CUDA_FAIL");
    const auto length = std::strlen(function);
    if (text == nullptr || std::strncmp(text, function, length) != 0 || text[length] != ':') return success;
    const char* only_on = std::strchr(text, '@');
    if (only_on != nullptr && (current == nullptr || current->device != std::atoi(only_on + 1))) return success;
    return std::atoi(text + length + 1);
}

std::recursive_mutex driver; // held in each call
#define MAY_FAIL                                            \
    const std::lock_guard<std::recursive_mutex> in(driver); \
    if (const int error = failure(__func__)) return error

std::set<void*>& live() {
    static std::set<void*> objects;
    return objects;
}
std::map<std::uint64_t, Physical>& physical() { // of what is not yet released or still mapped
    static std::map<std::uint64_t, Physical> blocks;
    return blocks;
}
std::map<char*, std::size_t>& reserved() {
    static std::map<char*, std::size_t> ranges;
    return ranges;
}
std::map<char*, Mapping>& mapped() {
    static std::map<char*, Mapping> parts;
    return parts;
}
std::map<char*, std::size_t>& managed() {
    static std::map<char*, std::size_t> all;
    return all;
}
std::map<char*, std::size_t>& pinned() {
    static std::map<char*, std::size_t> buffers;
    return buffers;
}
std::set<Stream*>& streams() {
    static std::set<Stream*> all;
    return all;
}
Context* primary(int device) {
    static Context contexts[most_devices];
    contexts[device].device = device;
    return &contexts[device];
}
int misuses = 0, close_launches = 0;

template<class Object> Object* make(void** out) {
    auto* object = new Object();
    live().insert(*out = object);
    return object;
}
template<class Object> int destroy(void* object) {
    if (live().erase(object) == 0) return invalid_value;
    delete static_cast<Object*>(object);
    return success;
}

void put(Stream* stream, std::function<void()> work) {
    stream->work.push_back(std::move(work));
    ++stream->given;
}
void do_next(Stream* stream) {
    const auto work = std::move(stream->work.front());
    stream->work.pop_front();
    work();
    ++stream->done;
}
void run_until(Stream* stream, std::uint64_t position) {
    while (stream->done < position) do_next(stream);
}
bool is_reached(const Event& event) {
    return event.stream == nullptr || streams().count(event.stream) == 0 || event.stream->done >= event.position;
}
void reach(const Event& event) {
    if (!is_reached(event)) run_until(event.stream, event.position);
}
bool is_idle(int device) {
    return std::all_of(streams().begin(), streams().end(),
                       [&](const Stream* stream) { return stream->context->device != device || stream->work.empty(); });
}

bool is_pinned(const void* host, std::size_t bytes) {
    const auto* at = static_cast<const char*>(host);
    return std::any_of(pinned().begin(), pinned().end(),
                       [&](const auto& buffer) { return at >= buffer.first && at + bytes <= buffer.first + buffer.second; });
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

std::size_t fake_cuda_live() {
    return live().size() + physical().size() + mapped().size() + reserved().size() + pinned().size() + managed().size();
}

// How often memory was unmapped or a module unloaded while a GPU that reaches it had work.
int fake_cuda_misuses() { return misuses; }

// How many launches were recorded that follow the one before closely.
int fake_cuda_close_launches() { return close_launches; }

// Whether the GPU reaches the memory mapped there.
int fake_cuda_reaches(int device, const void* address) {
    for (const auto& [start, part] : mapped())
        if (address >= start && address < start + part.size) return part.devices.count(device) != 0;
    return 0;
}

// Of the GPU whose physical memory is mapped there; -1: none.
int fake_cuda_owner(const void* address) {
    for (const auto& [start, part] : mapped())
        if (address >= start && address < start + part.size) return physical().at(part.handle).device;
    return -1;
}

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
    return index < most_devices ? success : invalid_value;
}
int cuDeviceGetName(char* name, int, int device) {
    MAY_FAIL;
    std::strcpy(name, device == setting("FAKE_CUDA_UNLIKE", -1) ? "Other GPU" : "Fake GPU");
    return success;
}
int cuDeviceGetAttribute(int* value, int which, int) {
    MAY_FAIL;
    *value = which == 16 ? 132 : which == 75 ? 9 : which == 89 ? setting("FAKE_CUDA_MANAGED", 1) : 0;
    return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = memory_size();
    return success;
}
int cuDeviceCanAccessPeer(int* reaches, int device, int peer) {
    MAY_FAIL;
    *reaches = device != peer && setting("FAKE_CUDA_PEERS", 1) != 0; // none is its own peer
    return success;
}
int cuDeviceGetP2PAttribute(int* value, int which, int, int) {
    MAY_FAIL;
    *value = which == 3 ? setting("FAKE_CUDA_ATOMICS", 1) : 0;
    return success;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
    MAY_FAIL;
    if (++primary(device)->users == 1) live().insert(primary(device));
    *context = primary(device);
    return success;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (primary(device)->users == 0) return invalid_context;
    if (--primary(device)->users == 0) live().erase(primary(device));
    return success;
}
int cuCtxSetCurrent(void* context) {
    MAY_FAIL;
    current = static_cast<Context*>(context);
    return success;
}
int cuCtxSynchronize() {
    MAY_FAIL;
    if (current == nullptr) return invalid_context;
    for (auto* stream : streams())
        if (stream->context == current) run_until(stream, stream->given);
    return success;
}
int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    MAY_FAIL;
    *least = 0;
    *greatest = -5;
    return success;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (current == nullptr) return invalid_context;
    std::size_t used = 0;
    for (const auto& [handle, block] : physical())
        if (block.device == current->device) used += block.size;
    *free = memory_size() - used;
    *total = memory_size();
    return success;
}
int cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationKind*, int) {
    *bytes = granularity;
    return success;
}
int cuMemAddressReserve(char** address, std::size_t bytes, std::size_t, std::uint64_t, std::uint64_t) {
    MAY_FAIL;
    if (bytes % granularity != 0) return invalid_value;
    void* start = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return out_of_memory;
    reserved()[*address = static_cast<char*>(start)] = bytes;
    return success;
}
int cuMemAddressFree(char* address, std::size_t bytes) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    const auto found = reserved().find(address);
    if (found == reserved().end() || found->second != bytes) return invalid_value;
    for (const auto& [start, part] : mapped())
        if (start >= address && start < address + bytes) return invalid_value;
    munmap(address, bytes);
    reserved().erase(found);
    return success;
}
int cuMemCreate(std::uint64_t* handle, std::size_t bytes, const AllocationKind* kind, std::uint64_t) {
    MAY_FAIL;
    static std::uint64_t next = 0;
    std::size_t used = 0;
    for (const auto& [number, block] : physical())
        if (block.device == kind->location.device) used += block.size;
    if (bytes % granularity != 0 || kind->location.type != 1) return invalid_value;
    if (bytes > memory_size() - used) return out_of_memory;
    physical()[*handle = ++next] = {bytes, kind->location.device, false, false};
    return success;
}
int cuMemRelease(std::uint64_t handle) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    const auto found = physical().find(handle);
    if (found == physical().end() || found->second.released) return invalid_value;
    found->second.released = true;
    if (!found->second.mapped) physical().erase(found);
    return success;
}
int cuMemMap(char* address, std::size_t bytes, std::size_t offset, std::uint64_t handle, std::uint64_t) {
    MAY_FAIL;
    const auto found = physical().find(handle);
    if (found == physical().end() || found->second.mapped || found->second.size != bytes || offset != 0) return invalid_value;
    const auto inside = std::any_of(reserved().begin(), reserved().end(), [&](const auto& range) {
        return address >= range.first && address + bytes <= range.first + range.second && (address - range.first) % granularity == 0;
    });
    const auto overlaps = std::any_of(mapped().begin(), mapped().end(), [&](const auto& part) {
        return address < part.first + part.second.size && part.first < address + bytes;
    });
    if (!inside || overlaps) return invalid_value;
    mapped()[address] = {bytes, handle, {}};
    found->second.mapped = true;
    return success;
}
int cuMemUnmap(char* address, std::size_t bytes) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    const auto found = mapped().find(address);
    if (found == mapped().end() || found->second.size != bytes) return invalid_value;
    for (const int device : found->second.devices) misuses += is_idle(device) ? 0 : 1;
    auto& block = physical().at(found->second.handle);
    block.mapped = false;
    if (block.released) physical().erase(found->second.handle);
    mapped().erase(found);
    return mprotect(address, bytes, PROT_NONE);
}
int cuMemSetAccess(char* address, std::size_t bytes, const Access* access, std::size_t count) {
    MAY_FAIL;
    const auto found = mapped().find(address);
    if (found == mapped().end() || found->second.size != bytes) return invalid_value;
    const int owner = physical().at(found->second.handle).device;
    for (std::size_t i = 0; i < count; ++i) {
        const int device = access[i].location.device;
        if (access[i].location.type != 1 || access[i].flags != 3 || !found->second.devices.insert(device).second) return invalid_value;
        if (device != owner && setting("FAKE_CUDA_PEERS", 1) != 1) return no_peer;
    }
    if (mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0) return invalid_value;
    std::memset(address, 0xA5, bytes); // a GPU's memory is not clear either
    return success;
}
int cuMemAllocManaged(char** address, std::size_t bytes, unsigned flags) {
    MAY_FAIL;
    if (current == nullptr || bytes == 0 || flags != 1) return invalid_value;
    managed()[*address = static_cast<char*>(std::aligned_alloc(granularity, bytes))] = bytes;
    std::memset(*address, 0xA5, bytes);
    return success;
}
int cuMemFree_v2(char* address) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (managed().erase(address) == 0) return invalid_value;
    for (int device = 0; device < most_devices; ++device) misuses += is_idle(device) ? 0 : 1;
    std::free(address);
    return success;
}
int cuMemHostAlloc(void** bytes, std::size_t size, unsigned) {
    MAY_FAIL;
    pinned()[static_cast<char*>(*bytes = std::malloc(size))] = size;
    return success;
}
int cuMemFreeHost(char* bytes) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (pinned().erase(bytes) == 0) return invalid_value;
    std::free(bytes);
    return success;
}
// From pageable memory the bytes are taken during the call, from pinned memory when it is their turn.
int cuMemcpyHtoDAsync_v2(void* to, const char* from, std::size_t bytes, Stream* stream) {
    MAY_FAIL;
    if (stream->context != current) return invalid_handle;
    if (is_pinned(from, bytes))
        put(stream, [=] { std::memcpy(to, from, bytes); });
    else
        put(stream, [to, copy = std::vector<char>(from, from + bytes)] { std::memcpy(to, copy.data(), copy.size()); });
    return success;
}
int cuMemcpyAsync(void* to, const void* from, std::size_t bytes, Stream* stream) {
    MAY_FAIL;
    if (stream->context != current) return invalid_handle;
    put(stream, [=] { std::memcpy(to, from, bytes); });
    return success;
}
int cuMemcpyDtoHAsync_v2(void* to, const void* from, std::size_t bytes, Stream* stream) {
    MAY_FAIL;
    if (stream->context != current) return invalid_handle;
    put(stream, [=] { std::memcpy(to, from, bytes); });
    if (!is_pinned(to, bytes)) run_until(stream, stream->given);
    return success;
}
int cuMemsetD8Async(void* address, unsigned char value, std::size_t bytes, Stream* stream) {
    MAY_FAIL;
    put(stream, [=] { std::memset(address, value, bytes); });
    return success;
}

int cuModuleLoadData(void** module, const void* image) {
    MAY_FAIL;
    std::string path = static_cast<const char*>(image);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return invalid_image;
    auto* made = make<Module>(module);
    made->library = library;
    made->context = current;
    return success;
}
int cuModuleUnload(Module* module) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (live().count(module) != 0 && !is_idle(module->context->device)) ++misuses;
    return destroy<Module>(module);
}
int cuModuleGetFunction(void** kernel, Module* module, const char* name) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    const auto function = reinterpret_cast<Function>(dlsym(module->library, name));
    if (function == nullptr) return not_found;
    *kernel = &(module->kernels[name] = {function, module->context});
    return success;
}
int cuModuleGetGlobal_v2(void** address, std::size_t* size, Module* module, const char* name) {
    if (std::strcmp(name, "tessera_follows_launches") == 0) return std::getenv("FAKE_CUDA_FOLLOWS") != nullptr ? success : not_found;
    *size = sizeof(std::int32_t); // what the tests' images have
    return (*address = dlsym(module->library, name)) == nullptr ? not_found : success;
}
int cuLaunchKernel(const Kernel* kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned,
                   Stream* stream, void** params, void**) {
    MAY_FAIL;
    if (kernel->context != current || stream->context != current) return invalid_handle;
    const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    put(stream,
        [function = kernel->function, args = copy_of(params), threads = threads_of(grid, block)] { function(args.data(), 0, threads); });
    return success;
}

int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    MAY_FAIL;
    if (flags != 1 || priority > 0 || priority < -5 || current == nullptr) return invalid_value;
    auto* made = make<Stream>(stream);
    made->context = current;
    made->priority = priority;
    streams().insert(made);
    return success;
}
int cuStreamDestroy_v2(Stream* stream) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (live().count(stream) == 0) return invalid_value;
    run_until(stream, stream->given); // the work goes on
    streams().erase(stream);
    return destroy<Stream>(stream);
}
int cuStreamSynchronize(Stream* stream) {
    MAY_FAIL;
    if (live().count(stream) == 0) { // a driver reads what is no longer there
        ++misuses;
        return invalid_handle;
    }
    run_until(stream, stream->given);
    return success;
}
int cuStreamWaitEvent(Stream* stream, const Event* event, unsigned flags) {
    MAY_FAIL;
    if (flags != 0) return invalid_value;
    put(stream, [recorded = *event] { reach(recorded); });
    return success;
}
int cuEventCreate(void** event, unsigned) {
    MAY_FAIL;
    make<Event>(event)->context = current;
    return success;
}
int cuEventDestroy_v2(void* event) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    return destroy<Event>(event);
}
int cuEventRecord(Event* event, Stream* stream) {
    MAY_FAIL;
    if (event->context != stream->context) return invalid_handle;
    event->stream = stream;
    event->position = stream->given;
    return success;
}
int cuEventQuery(const Event* event) {
    MAY_FAIL;
    if (is_reached(*event)) return success;
    do_next(event->stream);
    return is_reached(*event) ? success : not_ready;
}
int cuEventSynchronize(const Event* event) {
    MAY_FAIL;
    reach(*event);
    return success;
}
int cuEventElapsedTime(float* milliseconds, const Event* from, const Event* to) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    if (from->context != to->context) return invalid_handle;
    if (!is_reached(*from) || !is_reached(*to)) return not_ready;
    *milliseconds = 2500;
    return success;
}

int cuGraphCreate(void** graph, unsigned) {
    MAY_FAIL;
    make<Graph>(graph);
    return success;
}
int cuGraphDestroy(void* graph) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    return destroy<Graph>(graph);
}
int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* after, std::size_t count, const Params* launch) {
    MAY_FAIL;
    auto& calls = static_cast<Graph*>(graph)->calls;
    if (count > 1 || (count == 1 && *after != reinterpret_cast<void*>(calls.size()))) return invalid_value; // a chain
    const auto* kernel = static_cast<const Kernel*>(launch->function);
    if (kernel->context != current) return invalid_handle;
    calls.push_back({kernel->function, threads_of(launch->grid, launch->block), copy_of(launch->params)});
    *node = reinterpret_cast<void*>(calls.size());
    static_cast<Graph*>(graph)->joined += count;
    return success;
}
int cuGraphAddDependencies_v2(void* graph, void* const* from, void* const* to, const Edge* edge, std::size_t count) {
    MAY_FAIL;
    auto& known = *static_cast<Graph*>(graph);
    const auto last = known.calls.size();
    if (count != 1 || *to != reinterpret_cast<void*>(last) || *from != reinterpret_cast<void*>(last - 1)) return invalid_value;
    if (edge->from_port != 1 || edge->to_port != 0 || edge->type != 1) return invalid_value; // programmatic
    ++known.joined;
    ++close_launches;
    return success;
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, std::uint64_t) {
    MAY_FAIL;
    const auto& known = *static_cast<Graph*>(graph);
    if (!known.calls.empty() && known.joined != known.calls.size() - 1) return invalid_value; // some would run side by side
    *make<Graph>(executable) = *static_cast<Graph*>(graph);
    return success;
}
int cuGraphExecDestroy(void* executable) {
    const std::lock_guard<std::recursive_mutex> in(driver);
    return destroy<Graph>(executable);
}
int cuGraphUpload(void*, Stream* stream) {
    MAY_FAIL;
    return stream->context == current ? success : invalid_handle;
}
int cuGraphLaunch(void* executable, Stream* stream) {
    MAY_FAIL;
    if (stream->context != current) return invalid_handle;
    put(stream, [calls = static_cast<Graph*>(executable)->calls] { // a replay goes on when its graph is destroyed
        for (const auto& call : calls) call.function(call.args.data(), 0, call.threads);
    });
    return success;
}

} // extern "C"
