// crc32_before: checksums of messages of 256 bytes, a thread to a message, bit by bit.
extern "C" __global__ void __launch_bounds__(256) crc32_before(unsigned* out, const unsigned* __restrict__ message, int messages, int words)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = ~0u;
#pragma unroll 4
    for (int w = 0; w < words; ++w) {
        crc ^= message[(long long)w * messages + id];
#pragma unroll
        for (int bit = 0; bit < 32; ++bit) {
            crc = crc >> 1 ^ ((crc & 1u) ? 0xEDB88320u : 0u);
        }
    }
    out[id] = ~crc;
}
