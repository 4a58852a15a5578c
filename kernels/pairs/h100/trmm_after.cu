// trmm_after: the same product, rows of tiles from the longest to the shortest.
extern "C" __global__ void __launch_bounds__(256) trmm_after(float* c, const float* __restrict__ l, const float* __restrict__ b, int m, int n)
{
    __shared__ float ls[16][68], bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int by = gridDim.y - 1 - blockIdx.y;
    const int row = by * 64 + t / 4, part = t % 4 * 4;
    const float* lp = l + (long long)row * m + part;
    const float* bp = b + (long long)(t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    float sum[4][4] = {};
    for (int base = 0; base < (by + 1) * 64; base += 16) {
        float4 lv = *reinterpret_cast<const float4*>(lp + base);
        const float4 bv = *reinterpret_cast<const float4*>(bp + (long long)base * n);
        lv.x = base + part <= row ? lv.x : 0.0f;
        lv.y = base + part + 1 <= row ? lv.y : 0.0f;
        lv.z = base + part + 2 <= row ? lv.z : 0.0f;
        lv.w = base + part + 3 <= row ? lv.w : 0.0f;
        __syncthreads();
        ls[part][t / 4] = lv.x;
        ls[part + 1][t / 4] = lv.y;
        ls[part + 2][t / 4] = lv.z;
        ls[part + 3][t / 4] = lv.w;
        *reinterpret_cast<float4*>(&bs[t / 16][t % 16 * 4]) = bv;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float x[4], y[4];
            *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&ls[k][ty * 4]);
            *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += x[i] * y[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<float4*>(c + (long long)(by * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    }
}
