// softmax_rows: softmax over rows of 32 attention scores, one warp and one row to a block.
//
// Shows:      over a million blocks of one warp each: a warp ends sooner than the next blocks can start.
// Limiter:    the rate at which blocks start; warps live about a thousand cycles, and the slots of an SM are not refilled in time.
// Lever:      several rows to a block (256 threads or more), or a grid of resident blocks that stride over the rows.
// Shape:      rows = 1048576 of 32 floats (128 MiB).
// Launch:     grid 1048576 x 1 x 1, block 32 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows * 32], const float* in [rows * 32]
// Result:     out[r][c] == exp(in[r][c]) / (sum over c' of exp(in[r][c']))

__global__ void softmax_rows(float* __restrict__ out, const float* __restrict__ in)
{
    const unsigned index = blockIdx.x * 32u + threadIdx.x;
    const float value = in[index];
    float top = value;
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, distance));
    }
    const float weight = __expf(value - top);
    float sum = weight;
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    out[index] = weight / sum;
}
