#include "tests/bench/by_hand.hpp"

#include "tests/bench/reference/heat_cpu.hpp"
#include "tests/bench/reference/life_cpu.hpp"

namespace tessera::bench {

void life_by_hand(const void* in, void* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, std::int64_t first, std::int64_t last) {
    by_hand::life(static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out), nx, ny, pitch, first, last);
}

void heat_by_hand(const void* in, void* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, std::int64_t first, std::int64_t last) {
    by_hand::heat(static_cast<const float*>(in), static_cast<float*>(out), nx, ny, pitch, 0.2f, first, last);
}

} // namespace tessera::bench
