// attn_ref: what attn_a gives, a thread eight scores; grid [n / 256, n / 8, heads], block 256.
extern "C" __global__ void attn_ref(float* scores, const float* q, const float* k, int n, float scale)
{
    const int j = blockIdx.x * 256 + threadIdx.x;
    const float* kj = k + ((long long)blockIdx.z * n + j) * 64;
    for (int r = 0; r < 8; ++r) {
        const int i = blockIdx.y * 8 + r;
        double sum = 0.0;
        for (int d = 0; d < 64; ++d) {
            sum += (double)q[((long long)blockIdx.z * n + i) * 64 + d] * kj[d];
        }
        scores[((long long)blockIdx.z * n + i) * n + j] = (float)(sum * scale);
    }
}
