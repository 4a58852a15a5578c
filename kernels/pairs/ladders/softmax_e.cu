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
extern "C" __global__ void __launch_bounds__(256) softmax_e(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float s[2][8];
    const float4* x = reinterpret_cast<const float4*>(in + (long long)blockIdx.x * columns);
    float4* y = reinterpret_cast<float4*>(out + (long long)blockIdx.x * columns);
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = x[threadIdx.x + i * 256];
    }
    float m = -INFINITY;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    m = of_block(m, s[0], true);
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = make_float4(__expf(v[i].x - m), __expf(v[i].y - m), __expf(v[i].z - m), __expf(v[i].w - m));
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    const float scale = 1.f / of_block(sum, s[1], false);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        y[threadIdx.x + i * 256] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
    }
}
