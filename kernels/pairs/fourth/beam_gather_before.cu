// beam_gather_before: caches of 512 beams put in the order of their parents after a step of beam search.
extern "C" __global__ void __launch_bounds__(256) beam_gather_before(uint4* out, const uint4* __restrict__ cache, const unsigned* __restrict__ parent, int words)
{
    const uint4* from = cache + (long long)parent[blockIdx.y] * words;
    uint4* to = out + (long long)blockIdx.y * words;
    const int first = blockIdx.x * 1024 + threadIdx.x;
    uint4 kept[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        kept[i] = from[first + i * 256];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        to[first + i * 256] = kept[i];
    }
}
