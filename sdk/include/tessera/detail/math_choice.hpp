// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: how functions of floats are computed where a model is compiled for.
#pragma once

#include <tessera/detail/math_floats.hpp>

// Most GPUs make doubles at 1/32 or 1/64 of the rate of floats: there, functions of floats compute in pairs of floats. GPUs of data centres
// make them at half of that rate, and CPUs at the same. The bits are the same; a value given here tries the other way.
#if !defined(TESSERA_FLOATS_IN_PAIRS)
#if !TESSERA_GPU || __CUDA_ARCH__ == 600 || __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#define TESSERA_FLOATS_IN_PAIRS 0
#else
#define TESSERA_FLOATS_IN_PAIRS 1
#endif
#endif

#if TESSERA_FLOATS_IN_PAIRS
#include <tessera/detail/math_pairs.hpp>
namespace tessera::math_detail {
namespace floats = in_pairs;
}
#else
namespace tessera::math_detail {
namespace floats = in_doubles;
}
#endif
