// rope_pairs: rotary embedding of queries in half precision, pairs side by side, with the angle computed for each pair.
//
// Shows:      an elementwise kernel that computes sine, cosine and a power for four bytes of data; the way for large angles is in
//             its code, and no thread of this launch takes it.
// Limiter:    instruction issue: about 110 slots for a warp's 128 bytes in and 128 out, twice what device memory takes.
// Lever:      a table of sine and cosine by position and pair, which all 32 heads share; device memory limits then.
// Shape:      tokens = 8192, heads = 32, pairs = 64 (64 MiB in, 64 MiB out).
// Launch:     grid 65536 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  __half2* out [tokens * heads * pairs], const __half2* in [tokens * heads * pairs], const unsigned* position [tokens]
// Result:     out == in turned by position[token] * 10000^(-pair / 64), each pair of values as a point in the plane

#include <cuda_fp16.h>

__global__ void rope_pairs(__half2* __restrict__ out, const __half2* __restrict__ in, const unsigned* __restrict__ position)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned pair = index % 64u, token = index / 2048u;
    float sine, cosine;
    sincosf(position[token] * powf(10000.0f, pair / -64.0f), &sine, &cosine);  // limiter
    const float2 point = __half22float2(in[index]);
    out[index] = __floats2half2_rn(point.x * cosine - point.y * sine, point.x * sine + point.y * cosine);
}
