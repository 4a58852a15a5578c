// mma_i8_ref: C = A Bt of int8, a thread to a value; grid [n / 16, m / 16], block [16, 16]. What both kernels of the pair are checked against.
extern "C" __global__ void mma_i8_ref(int* c, const signed char* a, const signed char* b, int n, int k)
{
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const char4* x = reinterpret_cast<const char4*>(a + (long long)row * k);
    const char4* y = reinterpret_cast<const char4*>(b + (long long)column * k);
    int sum = 0;
    for (int i = 0; i < k / 4; ++i) {
        const char4 p = x[i], q = y[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    c[(long long)row * n + column] = sum;
}
