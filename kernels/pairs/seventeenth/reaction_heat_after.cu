// reaction_heat_after: heat of 96 reactions in the cells of a flame, rates by the law of Arrhenius with a power of the temperature.
#define REACTIONS 96

// A cell a thread; the reactions in shared memory.
extern "C" __global__ void __launch_bounds__(256) reaction_heat_after(float* __restrict__ out, const float* __restrict__ temperature, const float* __restrict__ factor, const float* __restrict__ power, const float* __restrict__ barrier, const float* __restrict__ heat, int cells)
{
    __shared__ float4 reaction[REACTIONS];
    for (int r = threadIdx.x; r < REACTIONS; r += 256) {
        reaction[r] = make_float4(log2f(factor[r]), power[r], barrier[r] * -1.44269504f, heat[r]);
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= cells) {
        return;
    }
    const float t = temperature[i];
    const float l = log2f(t), inverse = 1.0f / t;
    float sum = 0.0f;
#pragma unroll 4
    for (int r = 0; r < REACTIONS; ++r) {
        const float4 k = reaction[r];
        sum += exp2f(k.x + k.y * l + k.z * inverse) * k.w;
    }
    out[i] = sum;
}
