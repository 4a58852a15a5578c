// attn_a: scores = scale · Q · Kᵀ of each head to device memory, a thread a score.
extern "C" __global__ void __launch_bounds__(256) attn_a(float* __restrict__ scores, const float* __restrict__ q, const float* __restrict__ k, int n, float scale)
{
    const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    const float* qi = q + ((long long)blockIdx.z * n + i) * 64;
    const float* kj = k + ((long long)blockIdx.z * n + j) * 64;
    float sum = 0.f;
    for (int d = 0; d < 64; ++d) {
        sum += qi[d] * kj[d];
    }
    scores[((long long)blockIdx.z * n + i) * n + j] = sum * scale;
}
