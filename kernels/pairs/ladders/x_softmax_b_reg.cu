// softmax_e: a block a row of 4,096, which stays in registers; float4 and shuffles.
__device__ __forceinline__ float of_block(float v, float* s, bool maximum)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const float w = __shfl_xor_sync(0xffffffffu, v, d);
        v = maximum ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = v;
    }
    __syncthreads();
    v = s[threadIdx.x % 8];
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
        const float w = __shfl_xor_sync(0xffffffffu, v, d);
        v = maximum ? fmaxf(v, w) : v + w;
    }
    return v;
}
extern "C" __global__ void __launch_bounds__(256) x_softmax_b_reg(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float s[2][8];
    const float* x = in + (long long)blockIdx.x * columns;
    float* y = out + (long long)blockIdx.x * columns;
    float v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = x[threadIdx.x + i * 256];
    }
    float m = -INFINITY;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        m = fmaxf(m, v[i]);
    }
    m = of_block(m, s[0], true);
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = __expf(v[i] - m);
        sum += v[i];
    }
    const float scale = 1.f / of_block(sum, s[1], false);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        y[threadIdx.x + i * 256] = v[i] * scale;
    }
}
