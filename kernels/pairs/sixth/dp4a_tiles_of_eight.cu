// dp4a_tiles_of_eight: product of 8-bit integers by __dp4a, tiles of 128 x 128 x 64, 64 sums to a thread, loads of shared memory of 16 bytes.
extern "C" __global__ void __launch_bounds__(256, 2) dp4a_tiles_of_eight(int* __restrict__ c, const int* __restrict__ a, const int* __restrict__ b, unsigned words)
{
    __shared__ int4 left[128 * 5], right[128 * 5];
    const unsigned tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    int sum[8][8] = {};
    for (unsigned first = 0; first < words; first += 16u) {
#pragma unroll
        for (unsigned i = 0; i < 2u; ++i) {
            const unsigned row = threadIdx.x / 4u + 64u * i, quad = threadIdx.x % 4u;
            left[row * 5u + quad] = *reinterpret_cast<const int4*>(a + (blockIdx.y * 128u + row) * words + first + 4u * quad);
            right[row * 5u + quad] = *reinterpret_cast<const int4*>(b + (blockIdx.x * 128u + row) * words + first + 4u * quad);
        }
        __syncthreads();
#pragma unroll 1
        for (unsigned quad = 0; quad < 4u; ++quad) {
            int4 column[8];
#pragma unroll
            for (unsigned j = 0; j < 8u; ++j) {
                column[j] = right[(tx + 16u * j) * 5u + quad];
            }
#pragma unroll
            for (unsigned i = 0; i < 8u; ++i) {
                const int4 row = left[(ty + 16u * i) * 5u + quad];
#pragma unroll
                for (unsigned j = 0; j < 8u; ++j) {
                    sum[i][j] = __dp4a(row.x, column[j].x, sum[i][j]);
                    sum[i][j] = __dp4a(row.y, column[j].y, sum[i][j]);
                    sum[i][j] = __dp4a(row.z, column[j].z, sum[i][j]);
                    sum[i][j] = __dp4a(row.w, column[j].w, sum[i][j]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
#pragma unroll
        for (unsigned j = 0; j < 8u; ++j) {
            c[(blockIdx.y * 128u + ty + 16u * i) * (gridDim.x * 128u) + blockIdx.x * 128u + tx + 16u * j] = sum[i][j];
        }
    }
}
