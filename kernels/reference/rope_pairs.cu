// rope_pairs: one pair to a thread, angles in double precision; grid 65536, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_fp16.h>

__global__ void rope_pairs_ref(__half2* out, const __half2* in, const unsigned* position)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const double angle = position[index / 2048u] * pow(10000.0, -(index % 64u / 64.0));
    const float2 point = __half22float2(in[index]);
    out[index] = __floats2half2_rn(static_cast<float>(point.x * cos(angle) - point.y * sin(angle)),
                                   static_cast<float>(point.x * sin(angle) + point.y * cos(angle)));
}
