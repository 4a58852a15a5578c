// alpha_over_before: one picture over another, four pixels of four bytes to a thread.
__device__ __forceinline__ unsigned over(unsigned b, unsigned f)
{
    const unsigned alpha = f >> 24, rest = 255 - alpha;
    unsigned to = 0;
#pragma unroll
    for (int s = 0; s < 32; s += 8) {
        const unsigned v = (f >> s & 255) * alpha + (b >> s & 255) * rest + 128;
        to |= (v + (v >> 8)) >> 8 << s;
    }
    return to;
}

__device__ __forceinline__ uint4 over(uint4 b, uint4 f)
{
    return make_uint4(over(b.x, f.x), over(b.y, f.y), over(b.z, f.z), over(b.w, f.w));
}

extern "C" __global__ void __launch_bounds__(256) alpha_over_before(unsigned* __restrict__ out, const unsigned* __restrict__ back, const unsigned* __restrict__ front, int fours)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < fours) {
        reinterpret_cast<uint4*>(out)[i] = over(reinterpret_cast<const uint4*>(back)[i], reinterpret_cast<const uint4*>(front)[i]);
    }
}
