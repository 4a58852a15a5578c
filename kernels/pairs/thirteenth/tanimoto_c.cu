// tanimoto_c: likeness of molecules, bits two fingerprints of 1,024 bits share over the bits either has.
// A thread to a pair, fingerprints of 16 x 16 pairs in shared memory, bits of each counted once.
extern "C" __global__ void __launch_bounds__(256) tanimoto_c(float* __restrict__ out, const unsigned int* __restrict__ query, const unsigned int* __restrict__ library, int molecules)
{
    __shared__ unsigned int left[16][33], right[16][33];
    __shared__ int left_bits[16], right_bits[16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int i = threadIdx.x; i < 16 * 32; i += 256) {
        left[i / 32][i % 32] = query[blockIdx.y * 16 * 32 + i];
        right[i / 32][i % 32] = library[blockIdx.x * 16 * 32 + i];
    }
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int r = warp; r < 16; r += 8) {
        const int in_left = __reduce_add_sync(0xffffffffu, __popc(left[r][lane]));
        const int in_right = __reduce_add_sync(0xffffffffu, __popc(right[r][lane]));
        if (lane == 0) {
            left_bits[r] = in_left;
            right_bits[r] = in_right;
        }
    }
    __syncthreads();
    int both = 0;
#pragma unroll
    for (int w = 0; w < 32; ++w) {
        both += __popc(left[y][w] & right[x][w]);
    }
    out[(long long)(blockIdx.y * 16 + y) * molecules + blockIdx.x * 16 + x] = (float)both / (float)(left_bits[y] + right_bits[x] - both);
}
