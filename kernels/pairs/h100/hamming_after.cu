// hamming_after: the same, seven of eight words added bitwise by full adders first: four population counts instead of eight.
// A full adder of each bit.
__device__ __forceinline__ void add(unsigned& carry, unsigned& sum, unsigned a, unsigned b, unsigned c)
{
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(carry) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
}

__device__ __forceinline__ unsigned bits(const unsigned (&x)[8])
{
    unsigned one, two, four, s, t, u, v, w;
    add(u, s, x[0], x[1], x[2]);
    add(v, t, x[3], x[4], x[5]);
    add(w, one, s, t, x[6]);
    add(four, two, u, v, w);
    return __popc(one) + __popc(x[7]) + 2u * __popc(two) + 4u * __popc(four);
}

// code: [count, 8 words]; nearest: least distance of a query to a code, and which, as distance * 65536 + index.
extern "C" __global__ void __launch_bounds__(128) hamming_after(unsigned* nearest, const uint4* __restrict__ query, const uint4* __restrict__ code, unsigned codes)
{
    __shared__ uint4 tile[128][2];
    const unsigned t = threadIdx.x, first = blockIdx.x * 256u + t;
    unsigned q[2][8], best[2] = {~0u, ~0u};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        *reinterpret_cast<uint4*>(&q[i][0]) = query[(first + i * 128u) * 2u];
        *reinterpret_cast<uint4*>(&q[i][4]) = query[(first + i * 128u) * 2u + 1u];
    }
    for (unsigned base = 0; base < codes; base += 128u) {
        __syncthreads();
        tile[t][0] = code[(base + t) * 2u];
        tile[t][1] = code[(base + t) * 2u + 1u];
        __syncthreads();
#pragma unroll 4
        for (unsigned j = 0; j < 128u; ++j) {
            unsigned c[8];
            *reinterpret_cast<uint4*>(&c[0]) = tile[j][0];
            *reinterpret_cast<uint4*>(&c[4]) = tile[j][1];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                unsigned x[8];
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    x[k] = q[i][k] ^ c[k];
                }
                best[i] = min(best[i], bits(x) * 65536u + base + j);
            }
        }
    }
    nearest[first] = best[0];
    nearest[first + 128u] = best[1];
}
