// template_scores_before: inner products of chunks of 1,024 samples with 64 templates, a block to 32 chunks and four templates,
// chunks first in the order of blocks.
extern "C" __global__ void __launch_bounds__(256) template_scores_before(float* score, const float4* __restrict__ signal, const float4* __restrict__ shape, int chunks)
{
    __shared__ float4 held[4][256];
    const int t = threadIdx.x, lane = t % 32, group = blockIdx.y * 4;
    const long long chunk = (long long)blockIdx.x * 32 + t / 32 * 4;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        held[k][t] = shape[(group + k) * 256 + t];
    }
    __syncthreads();
    float sum[4][4] = {};
#pragma unroll 2
    for (int q = lane; q < 256; q += 32) {
        float4 x[4];
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            x[c] = signal[(chunk + c) * 256 + q];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float4 y = held[k][q];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                sum[c][k] += x[c].x * y.x + x[c].y * y.y + x[c].z * y.z + x[c].w * y.w;
            }
        }
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int d = 16; d; d /= 2) {
                sum[c][k] += __shfl_xor_sync(~0u, sum[c][k], d);
            }
            if (lane == c * 4 + k) {
                score[(long long)(group + k) * chunks + chunk + c] = sum[c][k];
            }
        }
    }
}
