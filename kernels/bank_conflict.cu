// bank_conflict: reads shared memory with a stride of 8 words between lanes.
//
// Shows:      an 8-way bank conflict on every shared load, with almost no global traffic beside it.
// Limiter:    shared-memory wavefronts (short scoreboard and MIO throttle stalls).
// Shape:      count = 270336 floats in, as many out.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [grid * 256], const float* in [grid * 256]
// Result:     with table = the block's 256 floats of in and t the thread in its block,
//             out[i] == sum over k < 512 of table[(t * 8 + k) mod 256], added in that order

__global__ void bank_conflict(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float table[256];
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    table[threadIdx.x] = in[index];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 8
    for (unsigned k = 0; k < 512u; ++k) {
        sum += table[(threadIdx.x * 8u + k) & 255u];  // limiter
    }
    out[index] = sum;
}
