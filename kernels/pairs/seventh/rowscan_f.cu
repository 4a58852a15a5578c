// rowscan_f: running sums of rows of 1,024, a block of 256 threads to a row, four values to a thread, by shuffles in warps and again over
// their sums.
__device__ __forceinline__ float running(float v, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const float before = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? before : 0.0f;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(256) rowscan_f(float4* __restrict__ out, const float4* __restrict__ in)
{
    __shared__ float sum[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const long long i = (long long)blockIdx.x * 256 + t;
    float4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const float whole = running(v.w, lane);
    if (lane == 31) {
        sum[warp] = whole;
    }
    __syncthreads();
    float before = whole - v.w;
#pragma unroll
    for (int k = 0; k < 7; ++k) {
        before += k < warp ? sum[k] : 0.0f;
    }
    out[i] = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
