// embed_bwd_before: gradient of an embedding table, a block to a token, an atomic to a value.
// Grid: tokens; a row of gradients is 512 floats.
extern "C" __global__ void __launch_bounds__(128) embed_bwd_before(float* table, const float* __restrict__ gradient, const unsigned* __restrict__ token)
{
    float* to = table + (long long)token[blockIdx.x] * 512;
    const float* from = gradient + (long long)blockIdx.x * 512;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        atomicAdd(to + k * 128 + threadIdx.x, from[k * 128 + threadIdx.x]);
    }
}
