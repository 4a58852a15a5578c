// delta_unpack_after: a column of integers stored as differences of a byte, a first value for each chunk of 256.
// A warp to a chunk, eight values a lane.
extern "C" __global__ void __launch_bounds__(128) delta_unpack_after(unsigned int* __restrict__ out, const unsigned char* __restrict__ delta, const unsigned int* __restrict__ first, int chunks)
{
    const int chunk = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (chunk >= chunks) {
        return;
    }
    const uint2 d = ((const uint2*)delta)[chunk * 32 + lane];
    unsigned int v[8];
    unsigned int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        sum += (k < 4 ? d.x : d.y) >> (8 * (k % 4)) & 255;
        v[k] = sum;
    }
    unsigned int up = sum;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffu, up, step);
        if (lane >= step) {
            up += other;
        }
    }
    const unsigned int base = first[chunk] + up - sum;
    uint4* to = (uint4*)out + (chunk * 32 + lane) * 2;
    to[0] = make_uint4(base + v[0], base + v[1], base + v[2], base + v[3]);
    to[1] = make_uint4(base + v[4], base + v[5], base + v[6], base + v[7]);
}
