// The remainder of what stands outside of reductions: it needs mathematics, that most models are compiled without.
#pragma once

#include <tessera/kernels/reduce/reduction.hpp>
#include <tessera/math.hpp>

namespace tessera {

TESSERA_FN whole_or_real remainder_of(const whole_or_real& a, const whole_or_real& b, std::uint32_t& faults) {
    if (a.is_real || b.is_real) return real_value(fmod(as_real(a), as_real(b)));
    return whole_value(whole_remainder_of(a.whole, b.whole, faults));
}

} // namespace tessera
