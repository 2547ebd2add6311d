// Stands between the SDK and a model's own text when the engine compiles it, and makes the compilers agree on what the text can name.
//
// The text is compiled inside of namespace `tessera_model`. NVRTC has names in the global namespace that other compilers do not have (its own
// math functions, thread numbers, vector types). Here the SDK's names are brought nearer than those, and the others are hidden:
// using one is an error with every compiler.
#pragma once

#include <tessera/model.hpp>

namespace tessera_model {

using tessera::abs;
using tessera::atan;
using tessera::atan2;
using tessera::ceil;
using tessera::clamp;
using tessera::cos;
using tessera::exp;
using tessera::floor;
using tessera::fma;
using tessera::fmod;
using tessera::isfinite;
using tessera::isinf;
using tessera::isnan;
using tessera::log;
using tessera::max;
using tessera::min;
using tessera::pow;
using tessera::round;
using tessera::sin;
using tessera::sqrt;
using tessera::tan;
using tessera::tanh;
using tessera::to_int;
using tessera::trunc;

#define TESSERA_HIDE_ONE(unused, name) struct name;
#define TESSERA_HIDE(...) TESSERA_EACH(TESSERA_HIDE_ONE, , __VA_ARGS__)
TESSERA_HIDE(fabs, fabsf, floorf, ceilf, truncf, roundf, fmodf, sqrtf, expf, logf, sinf, cosf, tanf, atan2f, powf, tanhf, fmaf, fmin, fminf, fmax, fmaxf,
             acos, acosf, acosh, acoshf, asin, asinf, asinh, asinhf, atanf, atanh, atanhf, cbrt, cbrtf, copysign, copysignf, cosh, coshf,
             cospi, cospif, erf, erff, erfc, erfcf, exp2, exp2f, exp10, exp10f, expm1, expm1f, fdim, fdimf, fdivide, fdividef, frexp, frexpf,
             hypot, hypotf, ilogb, ilogbf, ldexp, ldexpf, lgamma, lgammaf, llrint, llrintf, llround, llroundf, log10, log10f, log1p, log1pf,
             log2, log2f, logb, logbf, lrint, lrintf, lround, lroundf, modf, modff, nan, nanf, nearbyint, nearbyintf, nextafter,
             nextafterf, norm, normf, norm3d, norm3df, norm4d, norm4df, rcbrt, rcbrtf, remainder, remainderf, remquo, remquof, rhypot,
             rhypotf, rint, rintf, rsqrt, rsqrtf, scalbn, scalbnf, scalbln, scalblnf, sincos, sincosf, sincospi, sincospif, sinh, sinhf,
             sinpi, sinpif, tgamma, tgammaf, j0, j0f, j1, j1f, jn, jnf, y0, y0f, y1, y1f, yn, ynf, signbit, labs, llabs,
             umin, umax, llmin, llmax, ullmin, ullmax, mulhi, saturate, clock, clock64, printf, malloc, free, memcpy, memset, alloca,
             threadIdx, blockIdx, blockDim, gridDim, warpSize, atomicAdd, atomicSub, atomicExch, atomicMin, atomicMax, atomicInc,
             atomicDec, atomicCAS, atomicAnd, atomicOr, atomicXor)
TESSERA_HIDE(dim3, char1, char2, char3, char4, uchar1, uchar2, uchar3, uchar4, short1, short2, short3, short4, ushort1, ushort2, ushort3,
             ushort4, int1, int2, int3, int4, uint1, uint2, uint3, uint4, long1, long2, long3, long4, ulong1, ulong2, ulong3,
             ulong4, longlong1, longlong2, longlong3, longlong4, ulonglong1, ulonglong2, ulonglong3, ulonglong4, float1, float2,
             float3, float4, double1, double2, double3, double4)
TESSERA_HIDE(make_char1, make_char2, make_char3, make_char4, make_uchar1, make_uchar2, make_uchar3, make_uchar4, make_short1,
             make_short2, make_short3, make_short4, make_ushort1, make_ushort2, make_ushort3, make_ushort4, make_int1, make_int2,
             make_int3, make_int4, make_uint1, make_uint2, make_uint3, make_uint4, make_long1, make_long2, make_long3, make_long4,
             make_ulong1, make_ulong2, make_ulong3, make_ulong4, make_longlong1, make_longlong2, make_longlong3, make_longlong4,
             make_ulonglong1, make_ulonglong2, make_ulonglong3, make_ulonglong4, make_float1, make_float2, make_float3, make_float4,
             make_double1, make_double2, make_double3, make_double4)
#undef TESSERA_HIDE
#undef TESSERA_HIDE_ONE

} // namespace tessera_model
