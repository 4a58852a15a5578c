// softmax_c: a block a row, maximum and sum in one pass, reductions in shared memory.
extern "C" __global__ void __launch_bounds__(256) softmax_c(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float s[256];
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
    s[t] = m;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] = fmaxf(s[t], s[t + d]);
        }
        __syncthreads();
    }
    const float top = s[0];
    __syncthreads();
    s[t] = sum * __expf(m - top);
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
        }
        __syncthreads();
    }
    sum = s[0];
    for (int i = t; i < columns; i += 256) {
        y[i] = __expf(x[i] - top) / sum;
    }
}
