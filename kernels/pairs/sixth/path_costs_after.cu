// path_costs_after: costs of matching along the rows of an image pair, 64 disparities, a warp to a row, costs of four pixels loaded ahead.
extern "C" __global__ void __launch_bounds__(128) path_costs_after(float2* __restrict__ out, const float2* __restrict__ cost, int rows, int width, float step, float jump)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const long long first = (long long)row * width * 32 + lane;
    float2 path = make_float2(0.0f, 0.0f);
    float least = 0.0f;
    float2 next[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        next[k] = cost[first + k * 32LL];
    }
#pragma unroll 1
    for (int x0 = 0; x0 < width; x0 += 4) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int x = x0 + k;
            const float2 c = next[k];
            if (x + 4 < width) {
                next[k] = cost[first + (x + 4) * 32LL];
            }
            const float below = __shfl_up_sync(~0u, path.y, 1), above = __shfl_down_sync(~0u, path.x, 1);
            const float left = lane == 0 ? path.x : below, right = lane == 31 ? path.y : above;
            const float limit = least + jump;
            const float a = fminf(fminf(path.x, limit), fminf(left, path.y) + step);
            const float b = fminf(fminf(path.y, limit), fminf(right, path.x) + step);
            path = make_float2(c.x + a - least, c.y + b - least);
            least = fminf(path.x, path.y);
#pragma unroll
            for (int d = 16; d; d /= 2) {
                least = fminf(least, __shfl_xor_sync(~0u, least, d));
            }
            out[first + x * 32LL] = path;
        }
    }
}
