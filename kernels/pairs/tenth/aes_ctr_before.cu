// aes_ctr_before: key stream of AES-128 in counter mode, a thread to a block of 16 bytes, the four tables of a round side by side in shared memory.
struct Tables {
    unsigned word[4][256];
    __device__ __forceinline__ void fill(const unsigned* __restrict__ table)
    {
        for (int i = threadIdx.x; i < 256; i += 256) {
            for (int k = 0; k < 4; ++k) {
                word[k][i] = __funnelshift_l(table[i], table[i], 8 * k);
            }
        }
    }
    template <int k> __device__ __forceinline__ unsigned at(unsigned x) const { return word[k][x >> 8 * k & 255]; }
};

extern "C" __global__ void __launch_bounds__(256) aes_ctr_before(uint4* __restrict__ out, const unsigned* __restrict__ table, const unsigned* __restrict__ keys, int blocks, unsigned nonce)
{
    __shared__ Tables tables;
    tables.fill(table);
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < blocks; i += gridDim.x * 256) {
        unsigned a = nonce ^ keys[0], b = ~nonce ^ keys[1], c = keys[2], d = i ^ keys[3];
#pragma unroll
        for (int round = 1; round < 10; ++round) {
            const unsigned e = tables.at<0>(a) ^ tables.at<1>(b) ^ tables.at<2>(c) ^ tables.at<3>(d) ^ keys[4 * round];
            const unsigned f = tables.at<0>(b) ^ tables.at<1>(c) ^ tables.at<2>(d) ^ tables.at<3>(a) ^ keys[4 * round + 1];
            const unsigned g = tables.at<0>(c) ^ tables.at<1>(d) ^ tables.at<2>(a) ^ tables.at<3>(b) ^ keys[4 * round + 2];
            const unsigned h = tables.at<0>(d) ^ tables.at<1>(a) ^ tables.at<2>(b) ^ tables.at<3>(c) ^ keys[4 * round + 3];
            a = e;
            b = f;
            c = g;
            d = h;
        }
        const auto last = [&](unsigned w, unsigned x, unsigned y, unsigned z, unsigned key) {
            return ((tables.at<0>(w) & 0xffu) | (tables.at<1>(x) & 0xff00u) | (tables.at<2>(y) & 0xff0000u) | (tables.at<3>(z) & 0xff000000u)) ^ key;
        };
        out[i] = make_uint4(last(a, b, c, d, keys[40]), last(b, c, d, a, keys[41]), last(c, d, a, b, keys[42]), last(d, a, b, c, keys[43]));
    }
}
