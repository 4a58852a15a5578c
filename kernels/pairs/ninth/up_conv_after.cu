// up_conv_after: a transposed convolution, 4 × 4, stride 2, padding 1, a thread to the four outputs over an input.
extern "C" __global__ void __launch_bounds__(256) up_conv_after(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int from, int to, int high, int wide)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int o = blockIdx.z % to, b = blockIdx.z / to;
    if (x >= wide || y >= high) {
        return;
    }
    const bool left = x > 0, right = x + 1 < wide, up = y > 0, down = y + 1 < high;
    float s00 = 0.0f, s01 = 0.0f, s10 = 0.0f, s11 = 0.0f;
    for (int c = 0; c < from; ++c) {
        const float* const v = in + ((b * from + c) * high + y) * wide + x;
        const float4* const w = reinterpret_cast<const float4*>(weight + (c * to + o) * 16);
        const float4 w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
        const float a = up && left ? v[-wide - 1] : 0.0f, d = up ? v[-wide] : 0.0f, e = up && right ? v[-wide + 1] : 0.0f;
        const float f = left ? v[-1] : 0.0f, g = v[0], h = right ? v[1] : 0.0f;
        const float i = down && left ? v[wide - 1] : 0.0f, j = down ? v[wide] : 0.0f, k = down && right ? v[wide + 1] : 0.0f;
        s00 += g * w1.y + f * w1.w + d * w3.y + a * w3.w;
        s01 += h * w1.x + g * w1.z + e * w3.x + d * w3.z;
        s10 += j * w0.y + i * w0.w + g * w2.y + f * w2.w;
        s11 += k * w0.x + j * w0.z + h * w2.x + g * w2.z;
    }
    float2* const top = reinterpret_cast<float2*>(out + ((b * to + o) * 2 * high + 2 * y) * 2 * wide + 2 * x);
    top[0] = make_float2(s00, s01);
    top[wide] = make_float2(s10, s11);
}
