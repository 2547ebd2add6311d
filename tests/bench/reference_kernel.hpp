// A kernel of tests/bench/reference/ on a GPU: compiled through NVRTC, with its two grids, stepped and timed like the engine.
#pragma once

#include "device_runtime/device.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

struct ReferenceSpec {
    std::string file;            // "life_vector.cu"
    std::size_t value_bytes = 4; // of a place
    std::string value_type = "float";
    std::array<unsigned, 3> block{64, 4, 1};
    std::array<int, 2> places_a_block{64, 4}; // that a block covers on x and y
    bool has_factor = true;      // a last argument: r or k
    float factor = 0;
    int launch_bounds = 256;
};

class ReferenceKernel {
public:
    // `first` and `second` are dense grids of size * size values: what the kernel calls in and out, or now and before.
    ReferenceKernel(Device& device, const ReferenceSpec& spec, int size, const std::vector<std::byte>& first, const std::vector<std::byte>& second);

    // Makes `steps` steps, exchanging the grids behind each; a multiple of 64 is replayed from a recording. Returns when they are done.
    void advance(std::uint64_t steps);

    // What the next step would read.
    [[nodiscard]] std::vector<std::byte> state() const;

private:
    void upload(const Memory& memory, const std::vector<std::byte>& dense);
    [[nodiscard]] Launch step(bool swapped) const;

    Device& device_;
    ReferenceSpec spec_;
    std::int64_t size_, pitch_; // places
    std::unique_ptr<Program> program_;
    Memory grids_[2];
    std::unique_ptr<Recording> many_;
    bool swapped_ = false;
};

// copy.cu over two buffers of one size, a multiple of 16 KiB.
struct Copy {
    std::unique_ptr<Program> program;
    Launch launch;
};
[[nodiscard]] Copy make_copy(Device& device, const Memory& from, const Memory& to);

} // namespace tessera::bench
