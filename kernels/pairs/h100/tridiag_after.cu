// tridiag_after: the same systems by parallel cyclic reduction, a warp to a system and a lane to an unknown.
__global__ void __launch_bounds__(128) tridiag_after(float* x, const float* a, const float* b, const float* c, const float* d, int n)
{
    const int lane = threadIdx.x & 31;
    const long long at = (long long)(blockIdx.x * 4u + threadIdx.x / 32u) * n + lane;
    const bool in = lane < n;
    float lower = in && lane > 0 ? a[at] : 0.0f, middle = in ? b[at] : 1.0f;
    float upper = in && lane < n - 1 ? c[at] : 0.0f, right = in ? d[at] : 0.0f;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        float la = __shfl_up_sync(~0u, lower, s), lb = __shfl_up_sync(~0u, middle, s);
        float lc = __shfl_up_sync(~0u, upper, s), ld = __shfl_up_sync(~0u, right, s);
        float ua = __shfl_down_sync(~0u, lower, s), ub = __shfl_down_sync(~0u, middle, s);
        float uc = __shfl_down_sync(~0u, upper, s), ud = __shfl_down_sync(~0u, right, s);
        if (lane < s) {
            la = 0.0f, lb = 1.0f, lc = 0.0f, ld = 0.0f;
        }
        if (lane + s > 31) {
            ua = 0.0f, ub = 1.0f, uc = 0.0f, ud = 0.0f;
        }
        const float k1 = lower / lb, k2 = upper / ub;
        middle -= lc * k1 + ua * k2;
        right -= ld * k1 + ud * k2;
        lower = -la * k1;
        upper = -uc * k2;
    }
    if (in) {
        x[at] = right / middle;
    }
}
