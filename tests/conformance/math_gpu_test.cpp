// The SDK's mathematics and random numbers on a GPU against the CPU, bit for bit: tests/gpu/math_bits.cu evaluates each function by number;
// and functions of floats in pairs against those in double (tests/gpu/float_pairs.cu).
#include "jit/host_compiler.hpp"
#include "jit/nvrtc.hpp"
#include "jit/sdk_headers.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include <dlfcn.h>
#include <unistd.h>

namespace tessera::test::math_gpu_test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The same text, compiled for the CPU.
class OnCpu {
public:
    explicit OnCpu(const std::string& text) : folder_(fs::temp_directory_path() / ("tessera_math_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        const auto& compiler = jit::HostCompiler::find();
        const auto output = jit::HostCompiler::Output::shared_library;
        // What the text exports is not marked visible, as entry points of models are.
        const auto visible = "#pragma GCC visibility push(default)\n" + text + "\n#pragma GCC visibility pop\n";
        const auto result = compiler.compile(visible, jit::sdk_headers(), {}, output, compiler.options(output, false), folder_);
        if (!result.ok) throw std::runtime_error(result.log);
        std::ofstream(folder_ / "math.so", std::ios::binary)
            .write(reinterpret_cast<const char*>(result.image.data()), static_cast<std::streamsize>(result.image.size()));
        library_ = dlopen((folder_ / "math.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
    }
    ~OnCpu() { fs::remove_all(folder_); }
    OnCpu(const OnCpu&) = delete;
    OnCpu& operator=(const OnCpu&) = delete;

    template<class F> F* function(const char* name) const { return reinterpret_cast<F*>(dlsym(library_, name)); }

private:
    fs::path folder_;
    void* library_ = nullptr;
};

// Arguments of every magnitude, and the ones that are special.
std::vector<double> arguments(unsigned seed) {
    std::vector<double> values;
    const double inf = std::numeric_limits<double>::infinity();
    for (const double v :
         {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, inf, -inf, std::nan(""), 1e-310, -1e-310, 1e308, 3.4e38, 1e-45, 4503599627370496.5, -2.5, 2.5})
        values.push_back(v);
    std::mt19937_64 random(seed);
    while (values.size() < 1 << 20) {
        std::uint64_t bits = random();
        double any;
        std::memcpy(&any, &bits, sizeof(any));
        values.push_back(any);
        values.push_back(std::uniform_real_distribution<double>(-100, 100)(random));
        values.push_back(std::uniform_real_distribution<double>(-2, 2)(random));
    }
    std::shuffle(values.begin() + 17, values.end(), random);
    return values;
}

class MathOnGpu : public ::testing::Test {
protected:
    void SetUp() override {
        if (!cuda_status().devices.empty()) return;
        if (const char* required = std::getenv("REQUIRE_GPU"); required != nullptr && std::string(required) == "1")
            FAIL() << "no GPU: " << cuda_status().why_not;
        GTEST_SKIP() << "no GPU: " << cuda_status().why_not;
    }
    static std::unique_ptr<Program> load(Device& device, const std::string& name, const std::string& text) {
        const auto& nvrtc = jit::Nvrtc::find();
        const auto output = nvrtc.output_for(device.info().architecture);
        const auto compiled = nvrtc.compile(text, jit::sdk_headers(), output, nvrtc.options(output, false));
        if (!compiled.ok) throw std::runtime_error(compiled.log);
        return device.load({name, compiled.image});
    }
};

TEST_F(MathOnGpu, HasTheBitsOfTheCpu) {
    const auto text = text_of(test_data("gpu/math_bits.cu"));
    ASSERT_FALSE(text.empty());
    const OnCpu cpu(text);
    const auto device = open_device("cuda:0", 1);
    const auto program = load(*device, "math_bits.cu", text);

    const auto x = arguments(1), y = arguments(2);
    const auto bytes = x.size() * sizeof(double);
    const auto device_x = device->allocate(bytes), device_y = device->allocate(bytes), device_out = device->allocate(bytes);
    const auto queue = device->queue();
    queue->write(device_x.address(), x.data(), bytes);
    queue->write(device_y.address(), y.data(), bytes);
    std::vector<double> on_gpu(x.size()), on_cpu(x.size());
    const int count = cpu.function<int()>("math_bits_count")();
    ASSERT_GT(count, 40);
    for (int function = 0; function < count; ++function) {
        struct Arguments {
            long function;
            const void *x, *y;
            void* out;
            long n;
        };
        Launch launch;
        launch.kernel = &program->kernel("math_bits");
        launch.grid = {1024, 1, 1};
        launch.block = {256, 1, 1};
        launch.args =
            bytes_of(Arguments{function, device_x.address(), device_y.address(), device_out.address(), static_cast<long>(x.size())});
        queue->launch(launch);
        queue->read(on_gpu.data(), device_out.address(), bytes);
        cpu.function<void(int, const double*, const double*, double*, long)>("math_bits_cpu")(function, x.data(), y.data(), on_cpu.data(),
                                                                                              static_cast<long>(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::memcmp(&on_gpu[i], &on_cpu[i], sizeof(double)) != 0) {
                ADD_FAILURE() << cpu.function<const char*(int)>("math_bits_name")(function) << " of " << x[i] << ", " << y[i] << ": GPU "
                              << on_gpu[i] << ", CPU " << on_cpu[i];
                break;
            }
    }
}

// The root of a float is made of an estimate: of every float it is what the GPU's correctly rounded instruction says.
TEST_F(MathOnGpu, RootsOfAllFloatsAreRoundedCorrectly) {
    const auto device = open_device("cuda:0", 1);
    const auto program = load(*device, "roots.cu", R"(#include <tessera/math.hpp>
struct arguments { unsigned* wrong; };
extern "C" __global__ void roots(const __grid_constant__ arguments args) {
    unsigned wrong = 0;
    for (unsigned low = 0; low < 1u << 16; ++low) {
        const float x = __uint_as_float((blockIdx.x * blockDim.x + threadIdx.x) << 16 | low), root = tessera::sqrt(x), right = __fsqrt_rn(x);
        wrong += __float_as_uint(root) == __float_as_uint(right) || (root != root && right != right) ? 0 : 1;
    }
    if (wrong != 0) atomicAdd(args.wrong, wrong);
})");
    const auto count = device->allocate(sizeof(unsigned));
    const auto queue = device->queue();
    unsigned wrong = 0;
    queue->write(count.address(), &wrong, sizeof(wrong));
    Launch launch;
    launch.kernel = &program->kernel("roots");
    launch.grid = {256, 1, 1};
    launch.block = {256, 1, 1};
    launch.args = bytes_of(count.address());
    queue->launch(launch);
    queue->read(&wrong, count.address(), sizeof(wrong));
    EXPECT_EQ(wrong, 0u);
}

// In pairs of floats every float has the bits that it has in double, whichever of the two this GPU uses; pow is tried with 2^32 draws.
TEST_F(MathOnGpu, PairsOfFloatsHaveTheBitsOfDoubles) {
    const auto text = text_of(test_data("gpu/float_pairs.cu"));
    ASSERT_FALSE(text.empty());
    const OnCpu cpu(text);
    const auto device = open_device("cuda:0", 1);
    const auto program = load(*device, "float_pairs.cu", text);
    const auto counts = device->allocate(2 * sizeof(std::uint64_t));
    const auto queue = device->queue();
    const int functions = cpu.function<int()>("float_pairs_count")();
    ASSERT_EQ(functions, 6);
    for (int function = 0; function < functions; ++function) {
        std::uint64_t found[2] = {}; // how many differ, and one of them
        queue->write(counts.address(), found, sizeof(found));
        struct Arguments {
            long function, first, stride, n;
            void *wrong, *example;
        };
        auto* const wrong = static_cast<std::uint64_t*>(counts.address());
        Launch launch;
        launch.kernel = &program->kernel("float_pairs");
        launch.grid = {4096, 1, 1};
        launch.block = {256, 1, 1};
        launch.args = bytes_of(Arguments{function, 0, 1, 1l << 32, wrong, wrong + 1});
        queue->launch(launch);
        queue->read(found, counts.address(), sizeof(found));
        EXPECT_EQ(found[0], 0u) << cpu.function<const char*(int)>("float_pairs_name")(function) << ", argument " << found[1];
    }
}

} // namespace
} // namespace tessera::test::math_gpu_test
