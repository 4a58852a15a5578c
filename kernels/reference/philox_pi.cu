// philox_pi: the same generator with 64-bit products by halves and rounds not unrolled; grid 1056, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void philox_pi_ref(unsigned* inside, const uint2* key, unsigned counters)
{
    const unsigned thread = blockIdx.x * 256u + threadIdx.x;
    unsigned count = 0u;
    for (unsigned at = 0; at < counters; ++at) {
        unsigned word[4] = {at, thread, 0u, 0u};
#pragma unroll 1
        for (unsigned round = 0; round < 10u; ++round) {
            const unsigned high = __umulhi(word[0], 0xd2511f53u), low = word[0] * 0xd2511f53u;
            const unsigned up = __umulhi(word[2], 0xcd9e8d57u), down = word[2] * 0xcd9e8d57u;
            word[0] = up ^ word[1] ^ (key[blockIdx.x].x + round * 0x9e3779b9u);
            word[1] = down;
            word[2] = high ^ word[3] ^ (key[blockIdx.x].y + round * 0xbb67ae85u);
            word[3] = low;
        }
        for (unsigned pair = 0; pair < 4u; pair += 2u) {
            const float x = static_cast<float>(word[pair] >> 8) / 16777216.0f;
            const float y = static_cast<float>(word[pair + 1u] >> 8) / 16777216.0f;
            count += fmaf(x, x, __fmul_rn(y, y)) < 1.0f ? 1u : 0u;
        }
    }
    inside[thread] = count;
}
