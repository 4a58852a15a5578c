// attn_pv: O = P · V of each head, a thread an element; block [64, 4].
extern "C" __global__ void __launch_bounds__(256) attn_pv(float* __restrict__ o, const float* __restrict__ p, const float* __restrict__ v, int n)
{
    const int i = blockIdx.x * 4 + threadIdx.y, d = threadIdx.x;
    const float* pi = p + ((long long)blockIdx.y * n + i) * n;
    const float* vh = v + (long long)blockIdx.y * n * 64;
    float sum = 0.f;
    for (int j = 0; j < n; ++j) {
        sum += pi[j] * vh[j * 64 + d];
    }
    o[((long long)blockIdx.y * n + i) * 64 + d] = sum;
}
