// The driver functions that Tessera calls. Needs cuda.h: only the cuda_*.cpp files include this.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace tessera {

// cuda.h defines many of these names as macros for a version of the function (cuMemFree -> cuMemFree_v2). Both the type and the symbol
// to look up come from the expanded name, so that they cannot differ. All of them exist since CUDA 12.0.
#define TESSERA_CUDA_FUNCTIONS(USE)    \
    USE(cuInit)                        \
    USE(cuDriverGetVersion)            \
    USE(cuGetErrorName)                \
    USE(cuGetErrorString)              \
    USE(cuDeviceGetCount)              \
    USE(cuDeviceGet)                   \
    USE(cuDeviceGetName)               \
    USE(cuDeviceGetAttribute)          \
    USE(cuDeviceTotalMem)              \
    USE(cuDeviceCanAccessPeer)         \
    USE(cuDeviceGetP2PAttribute)       \
    USE(cuDevicePrimaryCtxRetain)      \
    USE(cuDevicePrimaryCtxRelease)     \
    USE(cuCtxSetCurrent)               \
    USE(cuCtxGetStreamPriorityRange)   \
    USE(cuCtxSynchronize)              \
    USE(cuMemGetInfo)                  \
    USE(cuMemGetAllocationGranularity) \
    USE(cuMemAddressReserve)           \
    USE(cuMemAddressFree)              \
    USE(cuMemCreate)                   \
    USE(cuMemRelease)                  \
    USE(cuMemMap)                      \
    USE(cuMemUnmap)                    \
    USE(cuMemSetAccess)                \
    USE(cuMemAllocManaged)             \
    USE(cuMemFree)                     \
    USE(cuMemHostAlloc)                \
    USE(cuMemFreeHost)                 \
    USE(cuMemcpyAsync)                 \
    USE(cuMemcpyHtoDAsync)             \
    USE(cuMemcpyDtoHAsync)             \
    USE(cuMemsetD8Async)               \
    USE(cuModuleLoadData)              \
    USE(cuModuleUnload)                \
    USE(cuModuleGetFunction)           \
    USE(cuModuleGetGlobal)             \
    USE(cuLaunchKernel)                \
    USE(cuStreamCreateWithPriority)    \
    USE(cuStreamDestroy)               \
    USE(cuStreamSynchronize)           \
    USE(cuStreamWaitEvent)             \
    USE(cuEventCreate)                 \
    USE(cuEventDestroy)                \
    USE(cuEventRecord)                 \
    USE(cuEventQuery)                  \
    USE(cuEventSynchronize)            \
    USE(cuGraphCreate)                 \
    USE(cuGraphDestroy)                \
    USE(cuGraphAddKernelNode)          \
    USE(cuGraphInstantiateWithFlags)   \
    USE(cuGraphExecDestroy)            \
    USE(cuGraphUpload)                 \
    USE(cuGraphLaunch)

struct CudaFunctions {
#define TESSERA_CUDA_MEMBER(function) decltype(&::function) function = nullptr;
    TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_MEMBER)
#undef TESSERA_CUDA_MEMBER
    // Newer headers name a version of it that older drivers lack; the first one serves, and has the same parameters.
    CUresult(CUDAAPI* event_elapsed_time)(float* milliseconds, CUevent from, CUevent to) = nullptr;
#if CUDA_VERSION >= 12030
    // Since CUDA 12.3; null with an older driver.
    CUresult(CUDAAPI* graph_add_dependencies)(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
                                              std::size_t count) = nullptr;
#endif
};

// "CUDA_ERROR_INVALID_VALUE: invalid argument"
[[nodiscard]] std::string text_of(const CudaFunctions& cuda, CUresult result);

} // namespace tessera
