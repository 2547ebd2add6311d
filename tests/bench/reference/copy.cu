// Copies memory, 64 bytes a thread: what a step that reads and writes each value once can reach at best.
//
// Launch: block (256), grid (ceil(count / 1024)).
// Arguments: in, out, aligned to 16 bytes; count: number of float4, of 16 bytes each.
extern "C" __global__ void __launch_bounds__(256) step(const float4* __restrict__ in, float4* __restrict__ out, long long count) {
    const long long first = blockIdx.x * 1024LL + threadIdx.x;
    float4 values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * 256 < count) values[i] = __ldg(in + first + i * 256);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + i * 256 < count) out[first + i * 256] = values[i];
}
