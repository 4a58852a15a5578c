// softmax_d: a block a row, maximum and sum in one pass, reductions by shuffles.
extern "C" __global__ void __launch_bounds__(256) softmax_d(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float s[16];
    const int t = threadIdx.x;
    const float* x = in + (long long)blockIdx.x * columns;
    float* y = out + (long long)blockIdx.x * columns;
    float m = -INFINITY, sum = 0.f;
    for (int i = t; i < columns; i += 256) {
        const float v = x[i];
        if (v > m) {
            sum *= __expf(m - v);
            m = v;
        }
        sum += __expf(v - m);
    }
    float top = m;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    }
    sum *= __expf(m - top);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (t % 32 == 0) {
        s[t / 32] = top;
        s[8 + t / 32] = sum;
    }
    __syncthreads();
    m = s[t % 8];
    sum = s[8 + t % 8];
    top = m;
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    }
    sum *= __expf(m - top);
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    for (int i = t; i < columns; i += 256) {
        y[i] = __expf(x[i] - top) / sum;
    }
}
