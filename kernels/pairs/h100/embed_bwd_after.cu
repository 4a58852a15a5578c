// embed_bwd_after: the same, an atomic of 16 bytes to four values.
// Grid: tokens; a row of gradients is 512 floats.
extern "C" __global__ void __launch_bounds__(128) embed_bwd_after(float* table, const float* __restrict__ gradient, const unsigned* __restrict__ token)
{
    float* to = table + (long long)token[blockIdx.x] * 512;
    const float* from = gradient + (long long)blockIdx.x * 512;
    atomicAdd(reinterpret_cast<float4*>(to) + threadIdx.x, reinterpret_cast<const float4*>(from)[threadIdx.x]);
}
