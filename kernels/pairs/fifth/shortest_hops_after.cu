// shortest_hops_after: the product of two matrices by minimum and sum, tiles of 64 x 64, blocks in bands of eight rows of tiles.
extern "C" __global__ void __launch_bounds__(256) shortest_hops_after(float* out, const float* __restrict__ a, const float* __restrict__ b, int n, int depth)
{
    __shared__ float4 left[16][17], right[16][16];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int block = blockIdx.y * gridDim.x + blockIdx.x, band = block / (8 * gridDim.x), within = block % (8 * gridDim.x);
    const int x = within / 8 * 64, y = (band * 8 + within % 8) * 64;
    float best[4][4];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            best[i][j] = 3.0e38f;
        }
    }
    for (int k = 0; k < depth; k += 16) {
        const float4 v = *reinterpret_cast<const float4*>(a + (long long)(y + t / 4) * depth + k + t % 4 * 4);
        float* l = reinterpret_cast<float*>(left);
        l[(t % 4 * 4 + 0) * 68 + t / 4] = v.x;
        l[(t % 4 * 4 + 1) * 68 + t / 4] = v.y;
        l[(t % 4 * 4 + 2) * 68 + t / 4] = v.z;
        l[(t % 4 * 4 + 3) * 68 + t / 4] = v.w;
        right[ty][tx] = *reinterpret_cast<const float4*>(b + (long long)(k + ty) * n + x + tx * 4);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            const float4 p = left[kk][ty], q = right[kk][tx];
            const float ps[4] = {p.x, p.y, p.z, p.w}, qs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    best[i][j] = fminf(best[i][j], ps[i] + qs[j]);
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<float4*>(out + (long long)(y + ty * 4 + i) * n + x + tx * 4) = make_float4(best[i][0], best[i][1], best[i][2], best[i][3]);
    }
}
