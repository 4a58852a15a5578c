// trmm_ref: C = L B with a lower triangular L, a thread to a value; grid [n / 32, m / 8], block [32, 8]. What both kernels of the pair are checked against.
extern "C" __global__ void trmm_ref(float* c, const float* l, const float* b, int m, int n)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k <= row; ++k) {
        sum += l[(long long)row * m + k] * b[(long long)k * n + column];
    }
    c[(long long)row * n + column] = sum;
}
