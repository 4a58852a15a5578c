// row_cosines_before: cosine of each row with a query, a warp to a row.
__device__ float all(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(256) row_cosines_before(float* __restrict__ out, const float* __restrict__ row, const float* __restrict__ query, int rows, int length)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) {
        return;
    }
    const float* own = row + (long long)r * length;
    float dot = 0.0f, norm = 0.0f;
    for (int c = lane; c < length; c += 32) {
        dot += all(own[c] * query[c]);
        norm += all(own[c] * own[c]);
    }
    if (lane == 0) {
        out[r] = dot * rsqrtf(norm + 1e-12f);
    }
}
