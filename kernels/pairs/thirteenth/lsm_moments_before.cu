// lsm_moments_before: sums for the regression of a step of the Longstaff-Schwartz method for an American put.
// Sums of 1, x, x^2, x^3, x^4, y, y x and y x^2 over the paths in the money.
extern "C" __global__ void __launch_bounds__(256) lsm_moments_before(float* __restrict__ out, const float* __restrict__ spot, const float* __restrict__ later, float strike, float discount, int paths)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= paths) {
        return;
    }
    const float x = spot[i] / strike;
    if (x < 1.0f) {
        const float y = discount * later[i];
        atomicAdd(&out[0], 1.0f);
        atomicAdd(&out[1], x);
        atomicAdd(&out[2], x * x);
        atomicAdd(&out[3], x * x * x);
        atomicAdd(&out[4], x * x * x * x);
        atomicAdd(&out[5], y);
        atomicAdd(&out[6], y * x);
        atomicAdd(&out[7], y * x * x);
    }
}
