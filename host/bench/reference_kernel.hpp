// A kernel written by hand on a device: compiled, with its grids, stepped like the engine.
#pragma once

#include "device_runtime/device.hpp"
#include "host/array.hpp"
#include "host/bench/reference.hpp"
#include "jit/compiler.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

// What is compiled: the author's text with an entry point that takes its arguments as one struct, as the engine's kernels do.
// Throws Failure::input if the file cannot be read.
[[nodiscard]] jit::SourceFile reference_text(const Reference& reference, const ReferenceSource& source, const Setup& setup, bool cuda);

class ReferenceKernel {
public:
    // `initial` has the reference's members. `device` must outlive the kernel. Throws what compiling, loading and allocating throw.
    ReferenceKernel(const Reference& reference, const ReferenceSource& source, const Setup& setup, const std::vector<Array>& initial,
                    Device& device, jit::Compiler& compiler);

    // Makes the fewest launches that come to `steps` steps; returns how many steps they made, when they are done.
    std::uint64_t advance(std::uint64_t steps);

    // The values of the reference's members.
    [[nodiscard]] std::vector<Array> state() const;

private:
    void upload(const Memory& memory, const Array& values);
    [[nodiscard]] Array download(const Memory& memory) const;
    [[nodiscard]] std::size_t offset(std::int64_t y, std::int64_t z) const; // of a row's first place, in bytes
    [[nodiscard]] std::byte* place(const Memory& memory) const;             // address of place (0, 0, 0)
    [[nodiscard]] const Memory& grid(std::size_t i, bool swapped) const {
        return grids_[((swapped ? grids_.size() / 2 : 0) + i) % grids_.size()];
    }
    [[nodiscard]] Launch launch(bool swapped) const;

    std::unique_ptr<Queue> queue_;
    ReferenceSource source_;
    std::size_t members_;
    Array shape_;                                // of a member, without its values
    std::size_t line_ = 0, row_ = 0, plane_ = 0; // bytes of a row's values, from one row to the next, and from one plane to the next
    std::int64_t ghost_planes_ = 0;              // on either side of a volume
    std::vector<std::byte> parameters_;          // 8 bytes each
    std::unique_ptr<Program> program_;
    const Kernel* kernel_ = nullptr;
    std::vector<Memory> grids_;       // the first half is read, the second written; then they change places
    std::unique_ptr<Recording> many_; // of an even number of launches
    bool swapped_ = false;
};

} // namespace tessera::bench
