// base64_before: base64 of 12 bytes to a thread, letters looked up in constant memory.
__constant__ unsigned char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

extern "C" __global__ void __launch_bounds__(256) base64_before(uint4* __restrict__ out, const unsigned* __restrict__ in)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const unsigned a = in[i * 3u], b = in[i * 3u + 1u], c = in[i * 3u + 2u];
    // Three bytes each, the first of them on top.
    const unsigned three[4] = {__byte_perm(a, 0u, 0x4012), __byte_perm(a, b, 0x0345) & 0xffffffu, __byte_perm(b, c, 0x0234) & 0xffffffu,
                               __byte_perm(c, 0u, 0x4123)};
    unsigned word[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        word[k] = alphabet[three[k] >> 18] | alphabet[three[k] >> 12 & 63u] << 8 | alphabet[three[k] >> 6 & 63u] << 16 |
                  static_cast<unsigned>(alphabet[three[k] & 63u]) << 24;
    }
    out[i] = make_uint4(word[0], word[1], word[2], word[3]);
}
