// divergent: all eight results of every step, of which one is taken; grid 2112, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void divergent_ref(unsigned* out, const unsigned* in, unsigned count)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    if (index >= count) {
        return;
    }
    unsigned x = in[index];
    const unsigned key = x % 8u;
    for (unsigned k = 0; k < 128u; ++k) {
        const unsigned results[8] = {x * 1664525u + 1013904223u, x ^ (x << 13), (x ^ (x >> 7)) ^ k, (x << 5) | (x >> 27),
                                     (x + k) * 9u, x - (x << 3) + k, (x ^ 0x9e3779b9u) * 3u, ~x + (x >> 3)};
        x = results[key];
    }
    out[index] = x;
}
