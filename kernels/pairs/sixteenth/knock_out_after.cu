// knock_out_after: the day on which each path of a price first passes a barrier.
#define AHEAD 16

// A thread to a path; the number of days if the barrier is never passed.
extern "C" __global__ void __launch_bounds__(128) knock_out_after(unsigned int* __restrict__ out, const float* __restrict__ price, float barrier, int paths, int days)
{
    const int p = blockIdx.x * 128 + threadIdx.x;
    if (p >= paths) {
        return;
    }
    int passed = days;
    for (int d0 = 0; d0 < days && passed == days; d0 += AHEAD) {
        float v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            v[k] = price[(long long)(d0 + k) * paths + p];
        }
#pragma unroll
        for (int k = AHEAD - 1; k >= 0; --k) {
            if (v[k] > barrier) {
                passed = d0 + k;
            }
        }
    }
    out[p] = passed;
}
