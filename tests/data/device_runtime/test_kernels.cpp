// The kernels of the tests for the CPU, and for the stand-in driver; test_kernels.ptx has the same for a GPU.
#include <algorithm>
#include <cstdint>

namespace {

struct Args { // as in test_devices.hpp
    std::int32_t size;
    std::uint32_t value;
    std::uint32_t* data;
    std::int64_t count;
};

} // namespace

extern "C" {

std::uint32_t scale = 3;

void double_and_add(const void* bytes, std::int64_t begin, std::int64_t end) {
    const auto& args = *static_cast<const Args*>(bytes);
    for (auto i = begin; i < std::min(end, args.count); ++i)
        args.data[i] = 2 * args.data[i] + args.value * scale + static_cast<std::uint32_t>(i);
}

// Writes where each piece begins and ends: data[begin] = end.
void show_pieces(const void* bytes, std::int64_t begin, std::int64_t end) {
    static_cast<const Args*>(bytes)->data[begin] = static_cast<std::uint32_t>(end);
}

} // extern "C"
