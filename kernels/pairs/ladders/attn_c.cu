// attn_c: attention of each head in one kernel, 64 queries by 64 keys at a time; a thread 4 × 4 scores and 4 × 4 outputs in registers.
constexpr int PITCH = 68;
extern "C" __global__ void __launch_bounds__(256) attn_c(float* __restrict__ o, const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, int n, float scale)
{
    extern __shared__ __align__(16) float shared[];
    float* qt = shared;               // [d][query]
    float* kt = shared + 64 * PITCH;  // [d][key], then the probabilities [key][query]
    float* vs = kt + 64 * PITCH;      // [key][d]
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const long long head = (long long)blockIdx.y * n * 64;
    const float* qb = q + head + blockIdx.x * 64 * 64;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int p = t + i * 256, row = p % 64, d = p / 64 * 4;
        const float4 x = *reinterpret_cast<const float4*>(qb + row * 64 + d);
        qt[(d + 0) * PITCH + row] = x.x * scale;
        qt[(d + 1) * PITCH + row] = x.y * scale;
        qt[(d + 2) * PITCH + row] = x.z * scale;
        qt[(d + 3) * PITCH + row] = x.w * scale;
    }
    float m[4], l[4] = {}, acc[4][4] = {};
    for (int i = 0; i < 4; ++i) {
        m[i] = -INFINITY;
    }
    for (int j0 = 0; j0 < n; j0 += 64) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int p = t + i * 256, row = p % 64, d = p / 64 * 4;
            const float4 x = *reinterpret_cast<const float4*>(k + head + (j0 + row) * 64 + d);
            kt[(d + 0) * PITCH + row] = x.x;
            kt[(d + 1) * PITCH + row] = x.y;
            kt[(d + 2) * PITCH + row] = x.z;
            kt[(d + 3) * PITCH + row] = x.w;
            *reinterpret_cast<float4*>(vs + p / 16 * PITCH + p % 16 * 4) = *reinterpret_cast<const float4*>(v + head + (j0 + p / 16) * 64 + p % 16 * 4);
        }
        __syncthreads();
        float s[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; ++d) {
            const float4 x = *reinterpret_cast<const float4*>(qt + d * PITCH + ty * 4), y = *reinterpret_cast<const float4*>(kt + d * PITCH + tx * 4);
            const float u[4] = {x.x, x.y, x.z, x.w}, w[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    s[i][j] += u[i] * w[j];
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float top = fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3]));
#pragma unroll
            for (int x = 8; x > 0; x /= 2) {
                top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, x));
            }
            top = fmaxf(top, m[i]);
            const float shrink = __expf(m[i] - top);
            m[i] = top;
            l[i] *= shrink;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                acc[i][j] *= shrink;
                s[i][j] = __expf(s[i][j] - top);
                l[i] += s[i][j];
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            *reinterpret_cast<float4*>(kt + (tx * 4 + j) * PITCH + ty * 4) = make_float4(s[0][j], s[1][j], s[2][j], s[3][j]);
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; ++j) {
            const float4 x = *reinterpret_cast<const float4*>(kt + j * PITCH + ty * 4), y = *reinterpret_cast<const float4*>(vs + j * PITCH + tx * 4);
            const float u[4] = {x.x, x.y, x.z, x.w}, w[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int d = 0; d < 4; ++d) {
                    acc[i][d] += u[i] * w[d];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float sum = l[i];
#pragma unroll
        for (int x = 8; x > 0; x /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, x);
        }
        const float r = 1.f / sum;
        *reinterpret_cast<float4*>(o + head + (blockIdx.x * 64 + ty * 4 + i) * 64 + tx * 4) = make_float4(acc[i][0] * r, acc[i][1] * r, acc[i][2] * r, acc[i][3] * r);
    }
}
