// azimuth_bins_after: sums of distance and brightness and counts by direction of a turning scanner, about 48 neighbouring points to a
// direction, sums of a warp's points of each direction by shuffles, three atomics for each.
struct Bin {
    float distance, brightness, points, unused;
};

__device__ __forceinline__ int direction(int i, float jitter) { return (int)(i * (1.0f / 48.0f) + jitter); }

__device__ __forceinline__ float whole(float v)
{
#pragma unroll
    for (int d = 16; d; d /= 2) {
        v += __shfl_xor_sync(~0u, v, d);
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(256) azimuth_bins_after(Bin* bin, const float* __restrict__ jitter, const float* __restrict__ distance, const float* __restrict__ brightness, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;
    const bool real = i < points;
    const int own = real ? direction(i, jitter[i]) : -1;
    const float far = real ? distance[i] : 0.0f, bright = real ? brightness[i] : 0.0f;
    unsigned left = __ballot_sync(~0u, real);
    while (left) {
        const int at = __shfl_sync(~0u, own, __ffs(left) - 1);
        const unsigned same = __ballot_sync(~0u, own == at);
        const float a = whole(own == at ? far : 0.0f), b = whole(own == at ? bright : 0.0f);
        if (lane == 0) {
            atomicAdd(&bin[at].distance, a);
            atomicAdd(&bin[at].brightness, b);
            atomicAdd(&bin[at].points, (float)__popc(same));
        }
        left &= ~same;
    }
}
