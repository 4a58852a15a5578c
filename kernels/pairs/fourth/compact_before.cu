// compact_before: values over a threshold kept close together in any order, a place for each from one counter.
__device__ float compact_kept[33554432];

extern "C" __global__ void __launch_bounds__(256) compact_before(unsigned* count, const float* __restrict__ in, float threshold)
{
    const float v = in[blockIdx.x * 256 + threadIdx.x];
    if (v > threshold) {
        compact_kept[atomicAdd(count, 1u)] = v;
    }
}
