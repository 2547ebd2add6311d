#include "host/bench/reference_kernel.hpp"

#include "device_runtime/error.hpp"
#include "host/bench/handed_over.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace tessera::bench {
namespace {

constexpr std::uint64_t recorded_launches = 64;
constexpr std::size_t line_bytes = 128; // what addresses of rows are multiples of

bool is_cuda(const Device& device) { return device.info().kind == DeviceKind::cuda; }

// Names of the grids' addresses in the entry point's struct, which begins with them, in the order of the author's function.
std::vector<std::string> names_of_grids(const Reference& reference, const ReferenceSource& source) {
    if (source.steps > 1 && reference.members.size() > 1) return {"in_0", "in_1", "out_0", "out_1"};
    return {"in_0", "out_0"};
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size())) text.replace(at, part.size(), by);
    return text;
}

Scalar type_of(const Reference& reference, const Setup& setup) {
    const auto& row = setup.row_of(setup.collections[*setup.find_collection(*reference.collection)]);
    return row.members[*row.find(*reference.members.front())].type;
}

} // namespace

jit::SourceFile reference_text(const Reference& reference, const ReferenceSource& source, const Setup& setup, bool cuda) {
    auto text = author_text(reference, source);
    const auto grids = names_of_grids(reference, source);
    const std::string extents = reference.dimensions == 3 ? "nx, ny, nz, pitch, plane" : "nx, ny, pitch";
    std::string members, arguments = fmt::format("a.{}, a.{}", fmt::join(grids, ", a."), replaced(extents, ", ", ", a."));
    for (const auto& name : reference.parameters) {
        members += fmt::format(" alignas(8) {} {};", plain_name(value_of(setup, *name).type), *name);
        arguments += ", a." + *name;
    }
    text += fmt::format("\n#line 1 \"tessera-generated\"\nstruct tessera_entry {{ {0} *{1}; long long {2};{3} }};\n",
                        plain_name(type_of(reference, setup)), fmt::join(grids, ", *"), extents, members);
    if (cuda)
        text += fmt::format(
            "extern \"C\" __global__ void __launch_bounds__({}) entry(const __grid_constant__ tessera_entry a) {{ step({}); }}\n",
            source.block[0] * source.block[1] * source.block[2], arguments);
    else
        text += fmt::format("extern \"C\" [[gnu::visibility(\"default\")]] void entry(const void* args, long begin, long end) {{\n"
                            "    const tessera_entry& a = *static_cast<const tessera_entry*>(args);\n    step({}, begin, end);\n}}\n",
                            arguments);
    return {source.file.string(), text, source.file.filename().string()};
}

ReferenceKernel::ReferenceKernel(const Reference& reference, const ReferenceSource& source, const Setup& setup,
                                 const std::vector<Array>& initial, Device& device, jit::Compiler& compiler)
    : queue_(device.queue(Priority::normal, Execution::inline_)), source_(source), members_(initial.size()),
      grids_(names_of_grids(reference, source).size()) {
    const auto& first = initial.front();
    static_cast<ArrayShape&>(shape_) = first;
    line_ = static_cast<std::size_t>(shape_.size[0]) * size_of(shape_.type);
    row_ = (line_ + line_bytes + 16 + line_bytes - 1) / line_bytes * line_bytes;
    plane_ = (static_cast<std::size_t>(shape_.size[1]) + 2) * row_;
    ghost_planes_ = reference.dimensions == 3 ? 1 : 0;
    for (const auto& name : reference.parameters) add_value(parameters_, value_of(setup, *name));
    const bool cuda = is_cuda(device);
    const auto text = reference_text(reference, source, setup, cuda);
    const auto image = compiler.compile_text(text, target_for(setup, cuda, device.info().architecture));
    program_ = image.file.empty() ? device.load({source.file, image.bytes}) : device.load(image.file);
    kernel_ = &program_->kernel("entry");
    // A row of ghosts above and below, a plane before and behind where there are planes, and room for what is read beyond the last.
    const auto planes = static_cast<std::size_t>(shape_.size[2] + 2 * ghost_planes_);
    for (auto& grid : grids_) grid = device.allocate(line_bytes + planes * plane_ + 2 * line_bytes);
    for (std::size_t i = 0; i < grids_.size(); ++i) upload(grids_[i], initial[i % members_]);
    std::vector<Launch> launches;
    for (std::uint64_t i = 0; i < recorded_launches; ++i) launches.push_back(launch(i % 2 == 1));
    many_ = queue_->record(launches);
}

std::size_t ReferenceKernel::offset(std::int64_t y, std::int64_t z) const {
    return line_bytes + static_cast<std::size_t>(z + ghost_planes_) * plane_ + static_cast<std::size_t>(y + 1) * row_;
}

std::byte* ReferenceKernel::place(const Memory& memory) const { return static_cast<std::byte*>(memory.address()) + offset(0, 0); }

// With the ghosts of a torus, which a kernel for other boundaries has no use for.
void ReferenceKernel::upload(const Memory& memory, const Array& values) {
    std::vector<std::byte> image(memory.size());
    const auto one = size_of(shape_.type);
    const auto ny = shape_.size[1], nz = shape_.size[2];
    for (std::int64_t z = -ghost_planes_; z < nz + ghost_planes_; ++z)
        for (std::int64_t y = -1; y <= ny; ++y) {
            const auto* from = values.bytes.data() + static_cast<std::size_t>((z + nz) % nz * ny + (y + ny) % ny) * line_;
            auto* to = image.data() + offset(y, z);
            std::memcpy(to, from, line_);
            std::memcpy(to - one, from + line_ - one, one);
            std::memcpy(to + line_, from, one);
        }
    queue_->write(memory.address(), image.data(), image.size());
}

Array ReferenceKernel::download(const Memory& memory) const {
    std::vector<std::byte> image(memory.size());
    queue_->read(image.data(), memory.address(), image.size());
    Array values = shape_;
    const auto ny = shape_.size[1], nz = shape_.size[2];
    values.bytes.resize(line_ * static_cast<std::size_t>(ny * nz));
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y)
            std::memcpy(values.bytes.data() + static_cast<std::size_t>(z * ny + y) * line_, image.data() + offset(y, z), line_);
    return values;
}

Launch ReferenceKernel::launch(bool swapped) const {
    Launch launch;
    launch.kernel = kernel_;
    const bool is_volume = ghost_planes_ > 0;
    launch.block = source_.block;
    if (source_.blocks > 0)
        launch.grid[0] = source_.blocks;
    else
        for (std::size_t axis = 0; axis < 3; ++axis)
            launch.grid[axis] = static_cast<unsigned>((shape_.size[axis] + source_.covers[axis] - 1) / source_.covers[axis]);
    launch.items = is_volume ? shape_.size[2] : shape_.size[1];
    const auto add = [&](const auto& value) {
        const auto bytes = bytes_of(value);
        launch.args.insert(launch.args.end(), bytes.begin(), bytes.end());
    };
    for (std::size_t i = 0; i < grids_.size(); ++i) add(place(grid(i, swapped)));
    const auto values_in = [&](std::size_t bytes) { return static_cast<std::int64_t>(bytes / size_of(shape_.type)); };
    add(shape_.size[0]);
    add(shape_.size[1]);
    if (is_volume) add(shape_.size[2]);
    add(values_in(row_));
    if (is_volume) add(values_in(plane_));
    launch.args.insert(launch.args.end(), parameters_.begin(), parameters_.end());
    return launch;
}

std::uint64_t ReferenceKernel::advance(std::uint64_t steps) {
    const auto launches = (steps + source_.steps - 1) / source_.steps;
    auto left = launches;
    for (; left >= recorded_launches && !swapped_; left -= recorded_launches) queue_->replay(*many_);
    for (; left > 0; --left, swapped_ = !swapped_) queue_->launch(launch(swapped_));
    queue_->synchronize();
    return launches * source_.steps;
}

std::vector<Array> ReferenceKernel::state() const {
    std::vector<Array> values;
    for (std::size_t i = 0; i < members_; ++i) values.push_back(download(grid(i, swapped_)));
    return values;
}

} // namespace tessera::bench
