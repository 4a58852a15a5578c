// chacha20_after: text xored with the key stream of ChaCha20.
__device__ __forceinline__ unsigned int turn(unsigned int v, int n)
{
    return __funnelshift_l(v, v, n);
}

__device__ __forceinline__ void quarter(unsigned int& a, unsigned int& b, unsigned int& c, unsigned int& d)
{
    a += b;
    d = turn(d ^ a, 16);
    c += d;
    b = turn(b ^ c, 12);
    a += b;
    d = turn(d ^ a, 8);
    c += d;
    b = turn(b ^ c, 7);
}

// A thread to a block of 64 bytes.
extern "C" __global__ void __launch_bounds__(256) chacha20_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ text, const unsigned int* __restrict__ key, unsigned int nonce0, unsigned int nonce1, unsigned int nonce2, int blocks)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= blocks) {
        return;
    }
    unsigned int start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        start[4 + k] = key[k];
    }
    start[12] = i;
    start[13] = nonce0;
    start[14] = nonce1;
    start[15] = nonce2;
    unsigned int x[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        x[k] = start[k];
    }
#pragma unroll 2
    for (int round = 0; round < 10; ++round) {
        quarter(x[0], x[4], x[8], x[12]);
        quarter(x[1], x[5], x[9], x[13]);
        quarter(x[2], x[6], x[10], x[14]);
        quarter(x[3], x[7], x[11], x[15]);
        quarter(x[0], x[5], x[10], x[15]);
        quarter(x[1], x[6], x[11], x[12]);
        quarter(x[2], x[7], x[8], x[13]);
        quarter(x[3], x[4], x[9], x[14]);
    }
    const uint4* from = (const uint4*)text + i * 4;
    uint4* to = (uint4*)out + i * 4;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 v = from[k];
        v.x ^= x[4 * k] + start[4 * k];
        v.y ^= x[4 * k + 1] + start[4 * k + 1];
        v.z ^= x[4 * k + 2] + start[4 * k + 2];
        v.w ^= x[4 * k + 3] + start[4 * k + 3];
        to[k] = v;
    }
}
