// degamma12_after: pairs of 12-bit samples through a curve of 4,096 entries kept in shared memory, as many blocks as the GPU holds, which
// go on from 1,024 pairs to the next.
template <int Entries> struct Curve {
    float value[Entries];
    __device__ __forceinline__ void fill(const float* __restrict__ from)
    {
        for (int i = threadIdx.x * 4; i < Entries; i += blockDim.x * 4) {
            *reinterpret_cast<float4*>(value + i) = *reinterpret_cast<const float4*>(from + i);
        }
    }
    __device__ __forceinline__ float operator()(unsigned sample) const { return value[sample & (Entries - 1)]; }
};

extern "C" __global__ void __launch_bounds__(256) degamma12_after(float2* __restrict__ out, const unsigned* __restrict__ in, const float* __restrict__ curve, int pairs, float gain)
{
    __shared__ __align__(16) Curve<4096> table;
    table.fill(curve);
    __syncthreads();
    for (int first = blockIdx.x * 1024; first < pairs; first += gridDim.x * 1024) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = first + k * 256 + threadIdx.x;
            if (i < pairs) {
                const unsigned v = in[i];
                out[i] = make_float2(gain * table(v), gain * table(v >> 16));
            }
        }
    }
}
