#include "host/bench/reference_kernel.hpp"

#include "device_runtime/error.hpp"
#include "host/schedule/kernel_image.hpp"
#include "host/world/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::bench {
namespace {

constexpr std::uint64_t recorded_steps = 64;
constexpr std::size_t line_bytes = 128; // what addresses of rows are multiples of

bool is_cuda(const Device& device) { return device.info().name != "cpu"; }

const char* plain_name(Scalar type) {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::i8: return "signed char";
    case Scalar::u8: return "unsigned char";
    case Scalar::i16: return "short";
    case Scalar::u16: return "unsigned short";
    case Scalar::i32: return "int";
    case Scalar::u32: return "unsigned int";
    case Scalar::i64: return "long long";
    case Scalar::u64: return "unsigned long long";
    case Scalar::f32: return "float";
    case Scalar::f64: break;
    }
    return "double";
}

const ParameterValue& parameter(const Setup& setup, const std::string& name) {
    const auto is_this = [&](const ParameterValue& each) { return each.name == name; };
    return *std::find_if(setup.parameters.begin(), setup.parameters.end(), is_this); // obstacle() has looked
}

struct FixedArguments { // what the entry point's struct begins with
    void *in, *out;
    long long nx, ny, pitch;
};

Scalar type_of(const Reference& reference, const Setup& setup) {
    const auto& row = setup.row_of(setup.collections[*setup.find_collection(*reference.collection)]);
    return row.members[*row.find(*reference.members.front())].type;
}

} // namespace

jit::SourceFile reference_text(const Reference& reference, const ReferenceSource& source, const Setup& setup, bool cuda) {
    std::ifstream stream(source.file, std::ios::binary);
    if (!stream) throw Error(Failure::input, fmt::format("cannot read {}", source.file.string()), fmt::format("{} names it", reference.file.string()));
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::string members, arguments = "a.in, a.out, a.nx, a.ny, a.pitch";
    for (const auto& name : reference.parameters) {
        members += fmt::format(" alignas(8) {} {};", plain_name(parameter(setup, *name).type), *name);
        arguments += ", a." + *name;
    }
    text += fmt::format("\n#line 1 \"tessera-generated\"\nstruct tessera_entry {{ {0} *in, *out; long long nx, ny, pitch;{1} }};\n",
                        plain_name(type_of(reference, setup)), members);
    if (cuda)
        text += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) entry(const __grid_constant__ tessera_entry a) {{ step({}); }}\n",
                            source.block[0] * source.block[1], arguments);
    else
        text += fmt::format("extern \"C\" [[gnu::visibility(\"default\")]] void entry(const void* args, long begin, long end) {{\n"
                            "    const tessera_entry& a = *static_cast<const tessera_entry*>(args);\n    step({}, begin, end);\n}}\n",
                            arguments);
    return {source.file.string(), text, source.file.filename().string()};
}

ReferenceKernel::ReferenceKernel(const Reference& reference, const ReferenceSource& source, const Setup& setup, const std::vector<Array>& initial,
                                 Device& device, jit::Compiler& compiler)
    : device_(device), block_(source.block), covers_(source.covers), members_(initial.size()) {
    const auto& first = initial.front();
    shape_ = {first.type, first.size, first.elements, first.dimensions, {}};
    line_ = static_cast<std::size_t>(shape_.size[0]) * size_of(shape_.type);
    row_ = (line_ + line_bytes + 16 + line_bytes - 1) / line_bytes * line_bytes;
    for (const auto& name : reference.parameters) {
        const auto& bytes = parameter(setup, *name).bytes;
        parameters_.insert(parameters_.end(), bytes.begin(), bytes.end());
        parameters_.resize((parameters_.size() + 7) / 8 * 8);
    }
    const bool cuda = is_cuda(device);
    const auto text = reference_text(reference, source, setup, cuda);
    const auto image = compiler.compile_text(text, target_for(setup, cuda, device.info().architecture));
    program_ = image.file.empty() ? device.load({source.file, image.bytes}) : device.load(image.file);
    kernel_ = &program_->kernel("entry");
    // A row of ghosts above and below, and room for what is read beyond the last.
    for (auto& grid : grids_) grid = device.allocate(line_bytes + (static_cast<std::size_t>(shape_.size[1]) + 2) * row_ + 2 * line_bytes);
    for (std::size_t i = 0; i < 2; ++i) upload(grids_[i], initial[std::min(i, members_ - 1)]);
    std::vector<Launch> launches;
    for (std::uint64_t i = 0; i < recorded_steps; ++i) launches.push_back(step(i % 2 == 1));
    many_ = device.record(launches);
}

std::byte* ReferenceKernel::place(const Memory& memory) const { return static_cast<std::byte*>(memory.address()) + line_bytes + row_; }

// With the ghosts of a torus, which a kernel for other boundaries has no use for.
void ReferenceKernel::upload(const Memory& memory, const Array& values) {
    std::vector<std::byte> image(memory.size());
    const auto one = size_of(shape_.type);
    const auto ny = shape_.size[1];
    for (std::int64_t y = -1; y <= ny; ++y) {
        const auto* from = values.bytes.data() + static_cast<std::size_t>((y + ny) % ny) * line_;
        auto* to = image.data() + line_bytes + static_cast<std::size_t>(y + 1) * row_;
        std::memcpy(to, from, line_);
        std::memcpy(to - one, from + line_ - one, one);
        std::memcpy(to + line_, from, one);
    }
    device_.write(memory.address(), image.data(), image.size());
}

Array ReferenceKernel::download(const Memory& memory) const {
    std::vector<std::byte> image(memory.size());
    device_.read(image.data(), memory.address(), image.size());
    Array values = shape_;
    const auto rows = static_cast<std::size_t>(shape_.size[1]);
    values.bytes.resize(line_ * rows);
    for (std::size_t y = 0; y < rows; ++y) std::memcpy(values.bytes.data() + y * line_, image.data() + line_bytes + (y + 1) * row_, line_);
    return values;
}

Launch ReferenceKernel::step(bool swapped) const {
    const auto pitch = static_cast<long long>(row_ / size_of(shape_.type));
    Launch launch;
    launch.kernel = kernel_;
    launch.block = {block_[0], block_[1], 1};
    for (std::size_t axis = 0; axis < 2; ++axis) launch.grid[axis] = static_cast<unsigned>((shape_.size[axis] + covers_[axis] - 1) / covers_[axis]);
    launch.items = shape_.size[1];
    launch.args = bytes_of(FixedArguments{place(grids_[swapped ? 1 : 0]), place(grids_[swapped ? 0 : 1]), shape_.size[0], shape_.size[1], pitch});
    launch.args.insert(launch.args.end(), parameters_.begin(), parameters_.end());
    return launch;
}

void ReferenceKernel::advance(std::uint64_t steps) {
    for (; steps >= recorded_steps && !swapped_; steps -= recorded_steps) device_.replay(*many_);
    for (; steps > 0; --steps, swapped_ = !swapped_) device_.launch(step(swapped_));
    device_.synchronize();
}

std::vector<Array> ReferenceKernel::state() const {
    std::vector<Array> values;
    for (std::size_t i = 0; i < members_; ++i) values.push_back(download(grids_[(swapped_ ? 1 : 0) ^ i]));
    return values;
}

} // namespace tessera::bench
