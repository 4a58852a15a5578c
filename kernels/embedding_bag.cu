// embedding_bag: sums 32 rows of an embedding table for each bag, one warp to a bag, one lane to a dimension.
//
// Shows:      a gather of whole rows of 128 bytes from a table of 32 MiB, which stays in L2 and is far larger than L1.
// Limiter:    L2: each bag brings 32 rows from it, 512 MiB in sum, of which device memory reads the table once.
// Lever:      rows in half precision: half of the sectors. The gather is inherent and coalesced.
// Shape:      rows = 262144 of 32 floats (32 MiB), bags = 131072 of 32 rows.
// Launch:     grid 16384 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [bags * 32], const float* table [rows * 32], const unsigned* index [bags * 32]
// Result:     out[b][d] == sum over j < 32 of table[index[b * 32 + j]][d]

__global__ void embedding_bag(float* __restrict__ out, const float* __restrict__ table, const unsigned* __restrict__ index)
{
    const unsigned bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    const unsigned lane = threadIdx.x % 32u;
    float sum = 0.0f;
    for (unsigned j = 0; j < 32u; ++j) {
        sum += table[index[bag * 32u + j] * 32u + lane];  // limiter
    }
    out[bag * 32u + lane] = sum;
}
