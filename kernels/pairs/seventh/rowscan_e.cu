// rowscan_e: running sums of rows of 1,024, a block to a row, by shuffles in warps and again over their sums.
__device__ __forceinline__ float running(float v, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const float before = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? before : 0.0f;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(1024) rowscan_e(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float sum[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const long long i = (long long)blockIdx.x * 1024 + t;
    float v = running(in[i], lane);
    if (lane == 31) {
        sum[warp] = v;
    }
    __syncthreads();
    if (warp == 0) {
        sum[lane] = running(sum[lane], lane);
    }
    __syncthreads();
    out[i] = v + (warp > 0 ? sum[warp - 1] : 0.0f);
}
