// stream_triad: a = b + scale * c over vectors far larger than L2.
//
// Shows:      a kernel that is limited by device memory and has nothing wrong with it: 16-byte accesses, fully coalesced.
// Limiter:    device memory bandwidth.
// Shape:      count4 = 16777216 vectors of 4 floats (3 x 256 MiB).
// Launch:     grid 65536 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float4* a [count4], const float4* b [count4], const float4* c [count4], float scale, unsigned count4
// Result:     a[i] == fma(scale, c[i], b[i])

__global__ void stream_triad(float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                             float scale, unsigned count4)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count4) {
        const float4 x = b[index];
        const float4 y = c[index];  // limiter
        a[index] = make_float4(fmaf(scale, y.x, x.x), fmaf(scale, y.y, x.y), fmaf(scale, y.z, x.z), fmaf(scale, y.w, x.w));
    }
}
