// hilbert_keys_before: places of points of 16 + 16 bits along Hilbert's curve, a bit of each coordinate at a time.
__device__ __forceinline__ unsigned along(unsigned x, unsigned y)
{
    unsigned key = 0;
#pragma unroll
    for (unsigned s = 1u << 15; s; s /= 2) {
        const unsigned rx = (x & s) != 0, ry = (y & s) != 0;
        key += s * s * ((3 * rx) ^ ry);
        if (ry == 0) {
            if (rx == 1) {
                x = 65535 - x;
                y = 65535 - y;
            }
            const unsigned swap = x;
            x = y;
            y = swap;
        }
    }
    return key;
}

extern "C" __global__ void __launch_bounds__(256) hilbert_keys_before(unsigned* __restrict__ out, const unsigned* __restrict__ point, int points)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < points; i += gridDim.x * 256) {
        const unsigned p = point[i];
        out[i] = along(p & 65535, p >> 16);
    }
}
