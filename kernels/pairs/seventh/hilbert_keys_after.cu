// hilbert_keys_after: places of points of 16 + 16 bits along Hilbert's curve, four bits of each coordinate at a time by a table of the curve's
// four turns in shared memory.
struct Turns {
    unsigned short entry[4][256];
    __device__ __forceinline__ void fill()
    {
        for (int e = threadIdx.x; e < 1024; e += blockDim.x) {
            unsigned swap = e >> 8 & 1, flip = e >> 9, key = 0;
            for (int bit = 3; bit >= 0; --bit) {
                const unsigned x = e >> (4 + bit) & 1, y = e >> bit & 1;
                const unsigned rx = (swap ? y : x) ^ flip, ry = (swap ? x : y) ^ flip;
                key = key * 4 + ((3 * rx) ^ ry);
                if (ry == 0) {
                    flip ^= rx;
                    swap ^= 1;
                }
            }
            entry[e >> 8][e & 255] = key | swap << 8 | flip << 9;
        }
    }
};

__device__ __forceinline__ unsigned along(const Turns& turns, unsigned x, unsigned y)
{
    unsigned key = 0, state = 0;
#pragma unroll
    for (int bits = 12; bits >= 0; bits -= 4) {
        const unsigned e = turns.entry[state][(x >> bits & 15) << 4 | (y >> bits & 15)];
        key = key << 8 | (e & 255);
        state = e >> 8;
    }
    return key;
}

extern "C" __global__ void __launch_bounds__(256) hilbert_keys_after(unsigned* __restrict__ out, const unsigned* __restrict__ point, int points)
{
    __shared__ Turns turns;
    turns.fill();
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < points; i += gridDim.x * 256) {
        const unsigned p = point[i];
        out[i] = along(turns, p & 65535, p >> 16);
    }
}
