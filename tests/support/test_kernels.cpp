// The kernels of the tests for the CPU, and for the stand-in driver; data/device_runtime/test_kernels.ptx has the same for a GPU.
#include <algorithm>
#include <cstdint>

namespace {

struct Args { // as in unit/device_runtime/test_devices.hpp
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

// Notes when it began and ended in a count that goes on with each note, in data[0]: data[1 + 2 * value] and the next.
void note(const void* bytes, std::int64_t, std::int64_t) {
    const auto& args = *static_cast<const Args*>(bytes);
    const auto tick = [&] { return __atomic_add_fetch(args.data, 1, __ATOMIC_SEQ_CST); };
    args.data[1 + 2 * args.value] = tick();
    for (std::uint32_t i = 0; i < args.value % 7 * 500; ++i) __atomic_load_n(args.data, __ATOMIC_SEQ_CST); // some take longer
    args.data[2 + 2 * args.value] = tick();
}

// Has no end.
void divide_by_zero(const void* bytes, std::int64_t, std::int64_t) {
    const auto& args = *static_cast<const Args*>(bytes);
    volatile int many = 1000, zero = 0; // a compiler that knows the dividend may not divide
    args.data[1 + 2 * args.value] = static_cast<std::uint32_t>(many / zero);
}

} // extern "C"
