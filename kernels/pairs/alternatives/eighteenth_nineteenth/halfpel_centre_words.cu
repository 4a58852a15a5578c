// halfpel_centre_words: samples halfway between pixels both ways, four pixels a thread from 32-bit words, bytes taken from these; six rows filtered as before.
__device__ __forceinline__ int byte_of(unsigned int word, int i)
{
    return word >> 8 * i & 255;
}

// 128 x 8 pixels of a frame to a block, four of a row a thread.
extern "C" __global__ void __launch_bounds__(256) halfpel_centre_words(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, int width, int height, int pitch)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, frame = blockIdx.z;
    if (4 * x >= width || y >= height) {
        return;
    }
    const unsigned int* from = in + ((long long)frame * (height + 5) + y) * (pitch / 4) + x;
    const int taps[6] = {1, -5, 20, 20, -5, 1};
    int sum[4] = {512, 512, 512, 512};
#pragma unroll
    for (int r = 0; r < 6; ++r) {
        const unsigned int words[3] = {from[r * (pitch / 4)], from[r * (pitch / 4) + 1], from[r * (pitch / 4) + 2]};
        int row[9];
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            row[k] = byte_of(words[k / 4], k % 4);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sum[k] += taps[r] * (row[k] - 5 * row[k + 1] + 20 * row[k + 2] + 20 * row[k + 3] - 5 * row[k + 4] + row[k + 5]);
        }
    }
    unsigned int word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        word |= (unsigned int)min(max(sum[k] >> 10, 0), 255) << 8 * k;
    }
    out[((long long)frame * height + y) * (width / 4) + x] = word;
}
