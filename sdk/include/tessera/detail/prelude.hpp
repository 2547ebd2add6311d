// SPDX-License-Identifier: Apache-2.0
// Stands between the SDK and a model's own text when the engine compiles it, and makes the compilers agree on what the text can name.
//
// The text is compiled inside of namespace `tessera_model`. NVRTC has names in the global namespace that other compilers do not have (its
// own math functions, thread numbers, vector types). Here the SDK's names are brought nearer than those, and the others are hidden: using
// one is an error with every compiler.
#pragma once

#include <tessera/model.hpp>

namespace tessera_model {

#if !defined(TESSERA_WITHOUT_MATH)
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
#endif

// Written out: a macro over so many names takes a compiler longer than all the rest of the SDK.
// clang-format off
struct fabs; struct fabsf; struct floorf; struct ceilf; struct truncf; struct roundf; struct fmodf; struct sqrtf; struct expf;
struct logf; struct sinf; struct cosf; struct tanf; struct atan2f; struct powf; struct tanhf; struct fmaf; struct fmin; struct fminf;
struct fmax; struct fmaxf; struct acos; struct acosf; struct acosh; struct acoshf; struct asin; struct asinf; struct asinh;
struct asinhf; struct atanf; struct atanh; struct atanhf; struct cbrt; struct cbrtf; struct copysign; struct copysignf; struct cosh;
struct coshf; struct cospi; struct cospif; struct erf; struct erff; struct erfc; struct erfcf; struct exp2; struct exp2f; struct exp10;
struct exp10f; struct expm1; struct expm1f; struct fdim; struct fdimf; struct fdivide; struct fdividef; struct frexp; struct frexpf;
struct hypot; struct hypotf; struct ilogb; struct ilogbf; struct ldexp; struct ldexpf; struct lgamma; struct lgammaf; struct llrint;
struct llrintf; struct llround; struct llroundf; struct log10; struct log10f; struct log1p; struct log1pf; struct log2; struct log2f;
struct logb; struct logbf; struct lrint; struct lrintf; struct lround; struct lroundf; struct modf; struct modff; struct nan;
struct nanf; struct nearbyint; struct nearbyintf; struct nextafter; struct nextafterf; struct norm; struct normf; struct norm3d;
struct norm3df; struct norm4d; struct norm4df; struct rcbrt; struct rcbrtf; struct remainder; struct remainderf; struct remquo;
struct remquof; struct rhypot; struct rhypotf; struct rint; struct rintf; struct rsqrt; struct rsqrtf; struct scalbn; struct scalbnf;
struct scalbln; struct scalblnf; struct sincos; struct sincosf; struct sincospi; struct sincospif; struct sinh; struct sinhf;
struct sinpi; struct sinpif; struct tgamma; struct tgammaf; struct j0; struct j0f; struct j1; struct j1f; struct jn; struct jnf;
struct y0; struct y0f; struct y1; struct y1f; struct yn; struct ynf; struct signbit; struct labs; struct llabs; struct umin;
struct umax; struct llmin; struct llmax; struct ullmin; struct ullmax; struct mulhi; struct saturate; struct clock; struct clock64;
struct printf; struct malloc; struct free; struct memcpy; struct memset; struct alloca; struct threadIdx; struct blockIdx;
struct blockDim; struct gridDim; struct warpSize; struct atomicAdd; struct atomicSub; struct atomicExch; struct atomicMin;
struct atomicMax; struct atomicInc; struct atomicDec; struct atomicCAS; struct atomicAnd; struct atomicOr; struct atomicXor;
struct dim3; struct char1; struct char2; struct char3; struct char4; struct uchar1; struct uchar2; struct uchar3; struct uchar4;
struct short1; struct short2; struct short3; struct short4; struct ushort1; struct ushort2; struct ushort3; struct ushort4;
struct int1; struct int2; struct int3; struct int4; struct uint1; struct uint2; struct uint3; struct uint4; struct long1; struct long2;
struct long3; struct long4; struct ulong1; struct ulong2; struct ulong3; struct ulong4; struct longlong1; struct longlong2;
struct longlong3; struct longlong4; struct ulonglong1; struct ulonglong2; struct ulonglong3; struct ulonglong4; struct float1;
struct float2; struct float3; struct float4; struct double1; struct double2; struct double3; struct double4; struct make_char1;
struct make_char2; struct make_char3; struct make_char4; struct make_uchar1; struct make_uchar2; struct make_uchar3;
struct make_uchar4; struct make_short1; struct make_short2; struct make_short3; struct make_short4; struct make_ushort1;
struct make_ushort2; struct make_ushort3; struct make_ushort4; struct make_int1; struct make_int2; struct make_int3; struct make_int4;
struct make_uint1; struct make_uint2; struct make_uint3; struct make_uint4; struct make_long1; struct make_long2; struct make_long3;
struct make_long4; struct make_ulong1; struct make_ulong2; struct make_ulong3; struct make_ulong4; struct make_longlong1;
struct make_longlong2; struct make_longlong3; struct make_longlong4; struct make_ulonglong1; struct make_ulonglong2;
struct make_ulonglong3; struct make_ulonglong4; struct make_float1; struct make_float2; struct make_float3; struct make_float4;
struct make_double1; struct make_double2; struct make_double3; struct make_double4;
// clang-format on

} // namespace tessera_model
