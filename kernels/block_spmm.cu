// block_spmm: a sparse matrix of columns of 32 values times a dense one, one row to a lane, 96 sums in its registers.
//
// Shows:      96 sums to a thread: 127 registers leave room for four blocks of four warps, and for four loads in flight.
// Limiter:    occupancy, by registers: a step loads an index, waits for it, and loads a row of the dense matrix from L2 in six
//             turns, each of which it waits for, around 96 multiply-adds; four warps to a scheduler cover a fifth of that.
// Lever:      half as many columns to a thread, so that twice as many warps fit; or the next index and row loaded ahead, which
//             needs registers of its own.
// Shape:      strips = 1056 of 32 rows, 64 columns of 32 values in each; dense matrix of 4096 rows of 768 (12 MiB).
// Launch:     grid 1056 x 2 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* c [strips * 32 * 768], const float* value [strips * 64 * 32], const unsigned* column [strips * 64],
//             const float* b [4096 * 768]
// Result:     c[s * 32 + r][j] == sum over i < 64 of value[s][i][r] * b[column[s][i]][j]

__global__ void block_spmm(float* __restrict__ c, const float* __restrict__ value, const unsigned* __restrict__ column,
                           const float* __restrict__ b)
{
    const unsigned lane = threadIdx.x % 32u, strip = blockIdx.x;
    const unsigned first = (blockIdx.y * 4u + threadIdx.x / 32u) * 96u;
    float sum[96] = {};
#pragma unroll 1
    for (unsigned i = 0; i < 64u; ++i) {
        const float own = value[(strip * 64u + i) * 32u + lane];
        const float4* row = reinterpret_cast<const float4*>(b + column[strip * 64u + i] * 768u + first);
#pragma unroll
        for (unsigned j = 0; j < 24u; ++j) {
            const float4 dense = row[j];  // limiter
            sum[4u * j] += own * dense.x;
            sum[4u * j + 1u] += own * dense.y;
            sum[4u * j + 2u] += own * dense.z;
            sum[4u * j + 3u] += own * dense.w;
        }
    }
#pragma unroll
    for (unsigned j = 0; j < 24u; ++j) {
        *reinterpret_cast<float4*>(c + (strip * 32u + lane) * 768u + first + 4u * j) =
            make_float4(sum[4u * j], sum[4u * j + 1u], sum[4u * j + 2u], sum[4u * j + 3u]);
    }
}
