// softmax_b: a block a row, three passes, reductions in shared memory.
extern "C" __global__ void __launch_bounds__(256) softmax_b(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    const float* x = in + (long long)blockIdx.x * columns;
    float* y = out + (long long)blockIdx.x * columns;
    float m = -INFINITY;
    for (int i = t; i < columns; i += 256) {
        m = fmaxf(m, x[i]);
    }
    s[t] = m;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] = fmaxf(s[t], s[t + d]);
        }
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    float sum = 0.f;
    for (int i = t; i < columns; i += 256) {
        sum += __expf(x[i] - m);
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
        }
        __syncthreads();
    }
    sum = s[0];
    for (int i = t; i < columns; i += 256) {
        y[i] = __expf(x[i] - m) / sum;
    }
}
