// SPDX-License-Identifier: Apache-2.0
// What every other header of the SDK stands on: the fixed-width integers and the few compiler differences.
//
// Nothing is included, here or in any header of the SDK: a model is compiled with the SDK alone, by NVRTC, g++ and clang++ alike,
// so that it means the same on each and needs no header of CUDA or of the C++ library at run time.
#pragma once

#if defined(__CUDACC_RTC__)
#define TESSERA_GPU 1
#define TESSERA_FN __device__ __forceinline__
#define TESSERA_CONSTANT __constant__ // memory for tables, fast where all threads of a warp ask for the same entry
#else
#define TESSERA_GPU 0
#if defined(TESSERA_DEBUG)
#define TESSERA_FN inline // calls that a debugger can step into, and `self` to be looked at
#else
#define TESSERA_FN inline __attribute__((always_inline))
#endif
#define TESSERA_CONSTANT

// Memory of a shared library that is set before anything of it is called, and a constant that stands there. Compilers see that nothing
// writes it, so that they need not read it again after each store, but not what it is.
#define TESSERA_UNKNOWN_CONSTANT(symbol, bytes)                                                                   \
    __asm__(".pushsection .bss\n.balign 8\n.globl " symbol "\n.protected " symbol "\n.type " symbol ", @object\n" \
            ".size " symbol ", " bytes "\n" symbol ":\n.zero " bytes "\n.popsection\n");
#define TESSERA_NAMED(symbol) __asm__(symbol) __attribute__((visibility("protected")))
#endif

namespace std {
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;
using size_t = decltype(sizeof(0));
} // namespace std
