// permute5_after: the same permutation, divisions as products with ceil(2^32 / extent) that the host made.
__global__ void __launch_bounds__(256) permute5_after(float* out, const float* __restrict__ in, unsigned A, unsigned B, unsigned C,
                                                      unsigned D, unsigned E, unsigned by_a, unsigned by_c, unsigned by_d, unsigned by_e)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const unsigned q1 = __umulhi(index, by_e), e = index - q1 * E;
    const unsigned q2 = __umulhi(q1, by_c), c = q1 - q2 * C;
    const unsigned q3 = __umulhi(q2, by_d), d = q2 - q3 * D;
    const unsigned b = __umulhi(q3, by_a), a = q3 - b * A;
    out[index] = in[(((a * B + b) * C + c) * D + d) * E + e];
}
