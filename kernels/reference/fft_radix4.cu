// fft_radix4: one output to a thread, in double precision; grid 65536, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void fft_radix4_ref(float2* out, const float2* in, unsigned stride)
{
    const unsigned at = blockIdx.x * 256u + threadIdx.x;
    const unsigned k = at % stride, j = at / stride % 4u, t = at / (4u * stride) * stride + k;
    double real = 0.0, imaginary = 0.0;
    for (unsigned l = 0; l < 4u; ++l) {
        const float2 value = in[t + l * 4194304u];
        const double angle = -2.0 * static_cast<double>(l) * (static_cast<double>(k) / (4.0 * stride) + j / 4.0);
        const double cosine = cospi(angle), sine = sinpi(angle);
        real += value.x * cosine - value.y * sine;
        imaginary += value.x * sine + value.y * cosine;
    }
    out[at] = make_float2(static_cast<float>(real), static_cast<float>(imaginary));
}
