// Launches of a recording that follow each other closely: programmatic dependent launch, of GPUs from sm_90 on. Blocks come onto the GPU
// when those of the launch before have ended, and wait there until all is written that these wrote. So every kernel of an image begins with
// `follow_last_launch`, and reads nothing before: that a launch is done is known to the one behind it alone.
// (Why not earlier: docs/decisions/launches-that-follow.md.)
#pragma once

#include <tessera/kernels/launch/arguments.hpp>

#if TESSERA_GPU && __CUDA_ARCH__ >= 900
// That an image's kernels do so: where it is missing, launches wait for each other in the usual way (device_runtime/cuda_recording.cpp).
extern "C" __device__ const unsigned char tessera_follows_launches = 1;
#endif

namespace tessera {

#if TESSERA_GPU
__device__ __forceinline__ void follow_last_launch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Whether this launch does nothing. One GPU is given several rounds of a repeat, or several steps, before it is known how many of them are
// made; the launches of those that are not made return at once (docs/decisions/reduce-and-repeat.md). To be asked behind
// follow_last_launch, which waits for the launch that decides it. Code for a run that never asks does not look.
template<class Arguments> __device__ __forceinline__ bool is_left_out([[maybe_unused]] const Arguments& args) {
#if defined(TESSERA_WITHOUT_QUESTIONS)
    return false;
#else
    if constexpr (requires { args.left_out_at_yes; })
        return args.left_out_at_yes != 0 && static_cast<const volatile std::uint64_t*>(args.first_step)[left_out_word] != 0;
    else if constexpr (requires { args.left_out; })
        return args.left_out != nullptr && *static_cast<const volatile std::uint64_t*>(args.left_out) != 0;
    else
        return false;
#endif
}
#endif

} // namespace tessera
