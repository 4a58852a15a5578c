// lu_batched_after: LU without pivots of matrices of 32 x 32, a warp to a matrix, a column to a lane in registers, factors by shuffles.
extern "C" __global__ void __launch_bounds__(256) lu_batched_after(float* lu, const float* __restrict__ in, float shift)
{
    const int lane = threadIdx.x & 31;
    const long long base = ((long long)blockIdx.x * 8 + threadIdx.x / 32) * 1024;
    float a[32];
#pragma unroll
    for (int r = 0; r < 32; ++r) {
        a[r] = in[base + r * 32 + lane] + (r == lane ? shift : 0.0f);
    }
#pragma unroll
    for (int k = 0; k < 31; ++k) {
        const float inverse = 1.0f / a[k];
#pragma unroll
        for (int r = k + 1; r < 32; ++r) {
            const float factor = __shfl_sync(~0u, a[r] * inverse, k);
            a[r] = lane > k ? a[r] - factor * a[k] : lane == k ? factor : a[r];
        }
    }
#pragma unroll
    for (int r = 0; r < 32; ++r) {
        lu[base + r * 32 + lane] = a[r];
    }
}
