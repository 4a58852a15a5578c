// lsm_moments_after: sums for the regression of a step of the Longstaff-Schwartz method for an American put.
// Sums of 1, x, x^2, x^3, x^4, y, y x and y x^2 over the paths in the money.
extern "C" __global__ void __launch_bounds__(256) lsm_moments_after(float* __restrict__ out, const float* __restrict__ spot, const float* __restrict__ later, float strike, float discount, int paths)
{
    __shared__ float part[8][8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v[8] = {};
    if (i < paths) {
        const float x = spot[i] / strike;
        if (x < 1.0f) {
            const float y = discount * later[i];
            v[0] = 1.0f;
            v[1] = x;
            v[2] = x * x;
            v[3] = x * x * x;
            v[4] = x * x * x * x;
            v[5] = y;
            v[6] = y * x;
            v[7] = y * x * x;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            v[k] += __shfl_xor_sync(0xffffffffu, v[k], step);
        }
        if (lane == 0) {
            part[warp][k] = v[k];
        }
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        float all = 0.0f;
        for (int k = 0; k < 8; ++k) {
            all += part[k][threadIdx.x];
        }
        atomicAdd(&out[threadIdx.x], all);
    }
}
