#include "tests/bench/reference_kernel.hpp"

#include "device_runtime/error.hpp"
#include "jit/host_compiler.hpp"
#include "jit/nvrtc.hpp"
#include "tests/test_data.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::bench {
namespace {

constexpr std::uint64_t recorded_steps = 64;

std::string text_of(const std::string& file) {
    std::ifstream in(test_data("bench/reference/" + file));
    if (!in) throw Error(Failure::input, "cannot read the reference kernel " + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The kernel as written, called from one that takes its arguments as one struct, as the engine's do.
std::string with_entry(std::string text, int launch_bounds, const std::string& members, const std::string& arguments) {
    const std::string head = fmt::format("extern \"C\" __global__ void __launch_bounds__({})", launch_bounds);
    const auto at = text.find(head);
    if (at == std::string::npos) throw Error(Failure::internal, "a reference kernel does not begin with " + head);
    text.replace(at, head.size(), "__device__ __forceinline__ void");
    return text + fmt::format("\nstruct entry_args {{ {} }};\n{} entry(const __grid_constant__ entry_args a) {{ step({}); }}\n", members, head, arguments);
}

std::vector<std::byte> compile(const std::string& name, const std::string& text, const std::string& architecture) {
    const auto& nvrtc = jit::Nvrtc::find();
    const auto output = nvrtc.output_for(architecture);
    const auto result = nvrtc.compile(text, {}, output, nvrtc.options(output, false));
    if (!result.ok) throw Error(Failure::compile, name + " does not compile", result.log);
    return result.image;
}

std::vector<std::byte> compile(const ReferenceSpec& spec, const std::string& architecture) {
    const auto members = fmt::format("{0}* first; {0}* second; int nx, ny; long long pitch; float factor;", spec.value_type);
    const std::string arguments = "a.first, a.second, a.nx, a.ny, a.pitch";
    return compile(spec.file, with_entry(text_of(spec.file), spec.launch_bounds, members, arguments + (spec.has_factor ? ", a.factor" : "")), architecture);
}

struct Args {
    void *first, *second;
    int nx, ny;
    long long pitch;
    float factor;
    int padding;
};

} // namespace

ReferenceKernel::ReferenceKernel(Device& device, const ReferenceSpec& spec, int size, const std::vector<std::byte>& first,
                                 const std::vector<std::byte>& second)
    : device_(device), spec_(spec), size_(size) {
    const auto row = (static_cast<std::size_t>(size) * spec.value_bytes + 144 + 127) / 128 * 128;
    pitch_ = static_cast<std::int64_t>(row / spec.value_bytes);
    const auto image = compile(spec, device.info().architecture);
    program_ = device.load({spec.file, image});
    for (auto& grid : grids_) grid = device.allocate(128 + (static_cast<std::size_t>(size) + 2) * row + 256);
    upload(grids_[0], first);
    upload(grids_[1], second);
    std::vector<Launch> launches;
    for (std::uint64_t i = 0; i < recorded_steps; ++i) launches.push_back(step(i % 2 == 1));
    many_ = device.record(launches);
}

void ReferenceKernel::upload(const Memory& memory, const std::vector<std::byte>& dense) {
    std::vector<std::byte> image(memory.size());
    const auto bytes = spec_.value_bytes, row = static_cast<std::size_t>(pitch_) * bytes, line = static_cast<std::size_t>(size_) * bytes;
    for (std::int64_t y = -1; y <= size_; ++y) {
        const auto* from = dense.data() + static_cast<std::size_t>((y + size_) % size_) * line;
        auto* to = image.data() + 128 + static_cast<std::size_t>(y + 1) * row;
        std::memcpy(to, from, line);
        std::memcpy(to - bytes, from + line - bytes, bytes);
        std::memcpy(to + line, from, bytes);
    }
    device_.write(memory.address(), image.data(), image.size());
}

Launch ReferenceKernel::step(bool swapped) const {
    const auto place = [&](int grid) { return static_cast<std::byte*>(grids_[grid].address()) + 128 + static_cast<std::size_t>(pitch_) * spec_.value_bytes; };
    Launch launch;
    launch.kernel = &program_->kernel("entry");
    launch.block = spec_.block;
    for (std::size_t axis = 0; axis < 2; ++axis)
        launch.grid[axis] = static_cast<unsigned>((size_ + spec_.places_a_block[axis] - 1) / spec_.places_a_block[axis]);
    launch.args = bytes_of(Args{place(swapped ? 1 : 0), place(swapped ? 0 : 1), static_cast<int>(size_), static_cast<int>(size_), pitch_, spec_.factor, 0});
    return launch;
}

void ReferenceKernel::advance(std::uint64_t steps) {
    for (; steps >= recorded_steps && !swapped_; steps -= recorded_steps) device_.replay(*many_);
    for (; steps > 0; --steps, swapped_ = !swapped_) device_.launch(step(swapped_));
    device_.synchronize();
}

std::vector<std::byte> ReferenceKernel::state() const {
    const auto& grid = grids_[swapped_ ? 1 : 0];
    std::vector<std::byte> image(grid.size());
    device_.read(image.data(), grid.address(), image.size());
    const auto line = static_cast<std::size_t>(size_) * spec_.value_bytes, row = static_cast<std::size_t>(pitch_) * spec_.value_bytes;
    std::vector<std::byte> dense(line * static_cast<std::size_t>(size_));
    for (std::size_t y = 0; y < static_cast<std::size_t>(size_); ++y) std::memcpy(dense.data() + y * line, image.data() + 128 + (y + 1) * row, line);
    return dense;
}

Copy make_copy(Device& device, const Memory& from, const Memory& to) {
    struct CopyArgs {
        const void* in;
        void* out;
        long long count;
    };
    const auto image = compile("copy.cu", with_entry(text_of("copy.cu"), 256, "const float4* in; float4* out; long long count;", "a.in, a.out, a.count"),
                               device.info().architecture);
    Copy copy;
    copy.program = device.load({"copy.cu", image});
    copy.launch.kernel = &copy.program->kernel("entry");
    copy.launch.block = {256, 1, 1};
    copy.launch.grid = {static_cast<unsigned>(from.size() / 16384), 1, 1};
    copy.launch.args = bytes_of(CopyArgs{from.address(), to.address(), static_cast<long long>(from.size() / 16)});
    return copy;
}

} // namespace tessera::bench
