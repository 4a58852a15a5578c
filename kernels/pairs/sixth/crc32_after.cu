// crc32_after: checksums of messages of 256 bytes, a thread to a message, four bytes at a time by tables in shared memory.
extern "C" __global__ void __launch_bounds__(256) crc32_after(unsigned* out, const unsigned* __restrict__ message, int messages, int words)
{
    __shared__ unsigned table[4][256];
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned entry = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int bit = 0; bit < 8; ++bit) {
            entry = entry >> 1 ^ ((entry & 1u) ? 0xEDB88320u : 0u);
        }
        table[k][threadIdx.x] = entry;
    }
    __syncthreads();
    unsigned crc = ~0u;
#pragma unroll 4
    for (int w = 0; w < words; ++w) {
        crc ^= message[(long long)w * messages + id];
        crc = table[3][crc & 255u] ^ table[2][crc >> 8 & 255u] ^ table[1][crc >> 16 & 255u] ^ table[0][crc >> 24];
    }
    out[id] = ~crc;
}
