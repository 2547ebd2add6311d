#include "device_runtime/float_environment.hpp"

#include <cfloat>

namespace tessera {

void set_default_arithmetic() noexcept { std::fesetenv(FE_DFL_ENV); }

bool has_default_arithmetic() noexcept {
    if (std::fegetround() != FE_TONEAREST || fegetexcept() != 0) return false;
    volatile double smallest = DBL_MIN; // computed now, and not by the compiler
    volatile double half = smallest * 0.5;
    volatile double same = half * 1.0;
    return half != 0 && same * 2.0 == smallest;
}

} // namespace tessera
