// fft_radix4: one radix-4 stage of a Fourier transform of 16 million points (Stockham), twiddle factors computed on the spot.
//
// Shows:      sine and cosine of a double for single-precision data, as a literal without an f and M_PI bring about.
// Limiter:    device memory, by a little: the 2 KiB of a warp take an SM's part of it 102 cycles; its instructions, most of them
//             for sine and cosine, take 95 cycles of issue, the FP64 pipe 47.
// Lever:      at the roof of this stage: only fewer passes over the data help, a larger radix or several stages in shared memory.
// Shape:      count = 16777216 complex floats (128 MiB), stride = 1024.
// Launch:     grid 16384 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float2* out [count], const float2* in [count], unsigned stride
// Result:     with n = count / 4, k = t % stride, v[j] = in[t + j * n] * exp(-2 pi i j k / (4 stride)):
//             out[4 (t - k) + k + j * stride] == sum over l < 4 of v[l] * exp(-2 pi i j l / 4)

__device__ float2 turned(float2 value, double angle)
{
    const float cosine = cos(angle), sine = sin(angle);
    return make_float2(value.x * cosine - value.y * sine, value.x * sine + value.y * cosine);
}

__global__ void fft_radix4(float2* __restrict__ out, const float2* __restrict__ in, unsigned stride)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned quarter = gridDim.x * blockDim.x;
    const unsigned k = thread & (stride - 1u);
    const double angle = -2.0 * 3.14159265358979323846 * k / (4.0 * stride);
    float2 value[4];
#pragma unroll
    for (unsigned j = 0; j < 4u; ++j) {
        value[j] = in[thread + j * quarter];  // limiter
    }
    const float2 a = value[0];
    const float2 b = turned(value[1], angle), c = turned(value[2], 2.0 * angle), d = turned(value[3], 3.0 * angle);
    const float2 even = make_float2(a.x + c.x, a.y + c.y), odd = make_float2(a.x - c.x, a.y - c.y);
    const float2 sum = make_float2(b.x + d.x, b.y + d.y), difference = make_float2(b.x - d.x, b.y - d.y);
    float2* to = out + 4u * (thread - k) + k;
    to[0] = make_float2(even.x + sum.x, even.y + sum.y);
    to[stride] = make_float2(odd.x + difference.y, odd.y - difference.x);
    to[2u * stride] = make_float2(even.x - sum.x, even.y - sum.y);
    to[3u * stride] = make_float2(odd.x - difference.y, odd.y + difference.x);
}
