// azimuth_bins_before: sums of distance and brightness and counts by direction of a turning scanner, about 48 neighbouring points to a
// direction, three atomics a point.
struct Bin {
    float distance, brightness, points, unused;
};

__device__ __forceinline__ int direction(int i, float jitter) { return (int)(i * (1.0f / 48.0f) + jitter); }

extern "C" __global__ void __launch_bounds__(256) azimuth_bins_before(Bin* bin, const float* __restrict__ jitter, const float* __restrict__ distance, const float* __restrict__ brightness, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < points) {
        Bin& own = bin[direction(i, jitter[i])];
        atomicAdd(&own.distance, distance[i]);
        atomicAdd(&own.brightness, brightness[i]);
        atomicAdd(&own.points, 1.0f);
    }
}
