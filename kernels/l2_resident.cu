// l2_resident: sums a 16 MiB buffer 32 times, past L1.
//
// Shows:      high L2 throughput beside idle device memory: the buffer fits L2, and the loads do not allocate in L1.
// Limiter:    L2 bandwidth (L1 to L2 reads).
// Shape:      count4 = 1048576 vectors of 4 floats (16 MiB), a power of two.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [grid * block], const float4* in [count4], unsigned count4
// Result:     out[t] == sum over p < 124 of x + y + z + w of in[(t + p * 270336) mod count4], t the global thread index

__global__ void l2_resident(float* __restrict__ out, const float4* in, unsigned count4)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 4
    for (unsigned pass = 0; pass < 124u; ++pass) {
        const float4 value = __ldcg(in + ((thread + pass * threads) & (count4 - 1u)));  // limiter
        sum += (value.x + value.y) + (value.z + value.w);
    }
    out[thread] = sum;
}
