// halfpel_centre_dp4a: samples halfway between pixels both ways, four pixels a thread from 32-bit words, rows filtered by products of four bytes (dp4a).
// Sum of products of four unsigned bytes and four signed taps.
__device__ __forceinline__ int four(unsigned int bytes, unsigned int taps, int sum)
{
    int result;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(bytes), "r"(taps), "r"(sum));
    return result;
}

// 128 x 8 pixels of a frame to a block, four of a row a thread; taps 1, -5, 20, 20, -5, 1 lie in words shifted by the pixel.
extern "C" __global__ void __launch_bounds__(256) halfpel_centre_dp4a(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, int width, int height, int pitch)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, frame = blockIdx.z;
    if (4 * x >= width || y >= height) {
        return;
    }
    const unsigned int* from = in + ((long long)frame * (height + 5) + y) * (pitch / 4) + x;
    const int taps[3] = {1, -5, 20};
    int sum[4] = {512, 512, 512, 512};
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        int row[4] = {0, 0, 0, 0};
        // Rows of the same tap.
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            const unsigned int* at = from + (side ? 5 - r : r) * (pitch / 4);
            const unsigned int a = at[0], b = at[1], c = at[2];
            row[0] = four(b, 0x000001fbu, four(a, 0x1414fb01u, row[0]));
            row[1] = four(b, 0x0001fb14u, four(a, 0x14fb0100u, row[1]));
            row[2] = four(b, 0x01fb1414u, four(a, 0xfb010000u, row[2]));
            row[3] = four(c, 0x00000001u, four(b, 0xfb1414fbu, four(a, 0x01000000u, row[3])));
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sum[k] += taps[r] * row[k];
        }
    }
    unsigned int word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        word |= (unsigned int)min(max(sum[k] >> 10, 0), 255) << 8 * k;
    }
    out[((long long)frame * height + y) * (width / 4) + x] = word;
}
