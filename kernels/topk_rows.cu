// topk_rows: the eight largest distinct values of each row of 1024, one warp to a row, its values in registers.
//
// Shows:      eight rounds over 32 registers a lane: find the largest, then strike it out everywhere.
// Limiter:    the integer and logic pipe, where comparisons, maxima and selections run at half the rate of issue: three for each
//             value and round.
// Lever:      let only the lane that held the maximum search again, or keep each lane's values sorted: a few comparisons a round.
// Shape:      rows = 65536 of 1024 floats (256 MiB).
// Launch:     grid 8192 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows * 8], const float* in [rows * 1024]
// Result:     out[r] == the eight largest distinct values of in[r], descending

__global__ void topk_rows(float* __restrict__ out, const float* __restrict__ in)
{
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    float value[32];
#pragma unroll
    for (unsigned i = 0; i < 32u; ++i) {
        value[i] = in[row * 1024u + i * 32u + lane];
    }
    for (unsigned k = 0; k < 8u; ++k) {
        float top = value[0];
#pragma unroll
        for (unsigned i = 1; i < 32u; ++i) {
            top = fmaxf(top, value[i]);
        }
#pragma unroll
        for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, distance));
        }
#pragma unroll
        for (unsigned i = 0; i < 32u; ++i) {
            value[i] = value[i] == top ? -INFINITY : value[i];  // limiter
        }
        if (lane == 0u) {
            out[row * 8u + k] = top;
        }
    }
}
