// lut3d_after: the same, a load of 16 bytes to a corner.
// table: [33][33][33] colours of four floats, blue slowest; trilinear interpolation of the first three, the fourth of the pixel is kept.
extern "C" __global__ void __launch_bounds__(256) lut3d_after(float4* __restrict__ out, const float4* __restrict__ in, const float* __restrict__ table)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const float4 pixel = in[i];
    const float r = pixel.x * 32.0f, g = pixel.y * 32.0f, b = pixel.z * 32.0f;
    const int x = min(static_cast<int>(r), 31), y = min(static_cast<int>(g), 31), z = min(static_cast<int>(b), 31);
    const float fx = r - x, fy = g - y, fz = b - z;
    float red = 0.0f, green = 0.0f, blue = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
        const float weight = (dx ? fx : 1.0f - fx) * (dy ? fy : 1.0f - fy) * (dz ? fz : 1.0f - fz);
        const float4 colour = reinterpret_cast<const float4*>(table)[((z + dz) * 33 + y + dy) * 33 + x + dx];
        red += weight * colour.x;
        green += weight * colour.y;
        blue += weight * colour.z;
    }
    out[i] = make_float4(red, green, blue, pixel.w);
}
