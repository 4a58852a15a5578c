// permute5_before: [A, B, C, D, E] to [B, A, D, C, E], a thread to an element, its coordinates by integer divisions.
__global__ void __launch_bounds__(256) permute5_before(float* out, const float* __restrict__ in, unsigned A, unsigned B, unsigned C,
                                                       unsigned D, unsigned E)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    unsigned rest = index;
    const unsigned e = rest % E;
    rest /= E;
    const unsigned c = rest % C;
    rest /= C;
    const unsigned d = rest % D;
    rest /= D;
    const unsigned a = rest % A;
    const unsigned b = rest / A;
    out[index] = in[(((a * B + b) * C + c) * D + d) * E + e];
}
