// rc4_after: streams of RC4, one to a thread, its permutation in shared memory as bytes, each lane in a bank of its own.
extern "C" __global__ void __launch_bounds__(32) rc4_after(unsigned* out, const unsigned* __restrict__ key, int streams, int words)
{
    __shared__ unsigned char state[256 * 32];
    auto at = [&](unsigned i) -> unsigned char& { return state[(i / 4) * 128 + threadIdx.x * 4 + i % 4]; };
    const int lane = threadIdx.x, id = blockIdx.x * 32 + lane;
    unsigned k[4];
    for (int i = 0; i < 4; ++i) {
        k[i] = key[(long long)i * streams + id];
    }
    for (int i = 0; i < 256; ++i) {
        at(i) = i;
    }
    unsigned j = 0;
    for (int base = 0; base < 256; base += 16) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const unsigned si = at(base + i);
            j = (j + si + (k[i / 4] >> (8 * (i % 4)))) & 255;
            at(base + i) = at(j);
            at(j) = si;
        }
    }
    unsigned i = 0;
    j = 0;
    for (int w = 0; w < words; ++w) {
        unsigned word = 0;
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            i = (i + 1) & 255;
            const unsigned si = at(i);
            j = (j + si) & 255;
            const unsigned sj = at(j);
            at(i) = sj;
            at(j) = si;
            word |= unsigned(at((si + sj) & 255)) << (8 * b);
        }
        out[(long long)w * streams + id] = word;
    }
}
