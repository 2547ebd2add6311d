#include "host/bench/copy_bandwidth.hpp"

#include "host/bench/samples.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::bench {
namespace {

// 64 bytes a thread.
constexpr const char* on_gpu = R"(struct arguments { const float4* in; float4* out; long long count; };
extern "C" __global__ void __launch_bounds__(256) copy(const __grid_constant__ arguments a) {
    const long long first = blockIdx.x * 1024LL + threadIdx.x;
    float4 values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * 256 < a.count) values[i] = __ldg(a.in + first + i * 256);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * 256 < a.count) a.out[first + i * 256] = values[i];
}
)";

constexpr const char* copy_on_cpu = R"(struct arguments { const char* in; char* out; long long count; };
extern "C" [[gnu::visibility("default")]] void copy(const void* args, long begin, long end) {
    const arguments& a = *static_cast<const arguments*>(args);
    __builtin_memcpy(a.out + begin * 16, a.in + begin * 16, static_cast<unsigned long>(end - begin) * 16);
}
)";

constexpr std::size_t unit_bytes = 16, units_a_block = 1024;

struct Arguments {
    const void* in;
    void* out;
    long long count; // of 16 bytes
};

} // namespace

jit::SourceFile copy_text(bool cuda) { return {"copy", cuda ? on_gpu : copy_on_cpu, "copy"}; }

double copy_bandwidth(Device& device, jit::Compiler& compiler) {
    constexpr std::uint64_t granule = unit_bytes * units_a_block;
    constexpr int samples = 5;
    const bool cuda = device.info().kind == DeviceKind::cuda;
    const std::uint64_t most = std::uint64_t{1} << (cuda ? 30 : 28),
                        bytes = std::clamp(device.free_memory() / 8 / granule * granule, granule, most);
    jit::Target target;
    target.kind = cuda ? jit::Target::Kind::cuda : jit::Target::Kind::cpu;
    target.architecture = device.info().architecture;
    const auto image = compiler.compile_text(copy_text(cuda), target);
    const auto program = image.file.empty() ? device.load({"copy", image.bytes}) : device.load(image.file);
    const auto from = device.allocate(bytes), to = device.allocate(bytes);
    const auto queue = device.queue(Priority::normal, Execution::inline_);
    Launch launch;
    launch.kernel = &program->kernel("copy");
    launch.block = {256, 1, 1};
    launch.grid = {static_cast<unsigned>(bytes / granule), 1, 1};
    launch.items = static_cast<std::int64_t>(bytes / unit_bytes);
    launch.args = bytes_of(Arguments{from.address(), to.address(), static_cast<long long>(bytes / unit_bytes)});
    if (!cuda) std::memset(from.address(), 1, bytes); // pages that were never written may all be one page of the system's
    Sampler sampler([&](std::uint64_t steps) {
        for (std::uint64_t i = 0; i < steps; ++i) queue->launch(launch);
        queue->synchronize();
        return steps;
    });
    return 2 * static_cast<double>(bytes) / quartiles(samples_of(sampler, samples)).median;
}

} // namespace tessera::bench
