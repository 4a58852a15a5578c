// attn_b: attention of each head in one kernel, a thread a query; Q, K, V tiles and the scores in shared memory.
extern "C" __global__ void __launch_bounds__(64) attn_b(float* __restrict__ o, const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, int n, float scale)
{
    __shared__ float qs[64][64];
    __shared__ float ks[32][64];
    __shared__ float vs[32][64];
    __shared__ float ss[64][32];
    const int t = threadIdx.x;
    const long long head = (long long)blockIdx.y * n * 64;
    const float* qb = q + head + blockIdx.x * 64 * 64;
    for (int i = 0; i < 64; ++i) {
        qs[i][t] = qb[i * 64 + t];
    }
    float m = -INFINITY, l = 0.f, acc[64] = {};
    for (int j0 = 0; j0 < n; j0 += 32) {
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            ks[j][t] = k[head + (j0 + j) * 64 + t];
            vs[j][t] = v[head + (j0 + j) * 64 + t];
        }
        __syncthreads();
        float top = m;
        for (int j = 0; j < 32; ++j) {
            float sum = 0.f;
            for (int d = 0; d < 64; ++d) {
                sum += qs[t][d] * ks[j][d];
            }
            sum *= scale;
            ss[t][j] = sum;
            top = fmaxf(top, sum);
        }
        const float shrink = __expf(m - top);
        m = top;
        l *= shrink;
#pragma unroll
        for (int d = 0; d < 64; ++d) {
            acc[d] *= shrink;
        }
        for (int j = 0; j < 32; ++j) {
            const float p = __expf(ss[t][j] - m);
            l += p;
#pragma unroll
            for (int d = 0; d < 64; ++d) {
                acc[d] += p * vs[j][d];
            }
        }
    }
    float* ob = o + head + (blockIdx.x * 64 + t) * 64;
#pragma unroll
    for (int d = 0; d < 64; ++d) {
        ob[d] = acc[d] / l;
    }
}
