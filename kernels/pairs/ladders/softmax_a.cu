// softmax_a: a thread a row, three passes.
extern "C" __global__ void __launch_bounds__(128) softmax_a(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) {
        return;
    }
    const float* x = in + (long long)r * columns;
    float* y = out + (long long)r * columns;
    float m = -INFINITY;
    for (int i = 0; i < columns; ++i) {
        m = fmaxf(m, x[i]);
    }
    float d = 0.f;
    for (int i = 0; i < columns; ++i) {
        d += __expf(x[i] - m);
    }
    for (int i = 0; i < columns; ++i) {
        y[i] = __expf(x[i] - m) / d;
    }
}
