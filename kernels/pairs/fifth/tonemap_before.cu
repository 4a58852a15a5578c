// tonemap_before: pixels of high range to display values, a filmic curve and gamma by powf.
__device__ float display(float x, float gamma)
{
    x = fmaxf(x, 0.0f);
    const float y = __saturatef(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
    return y <= 0.0031308f ? 12.92f * y : 1.055f * powf(y, gamma) - 0.055f;
}

extern "C" __global__ void __launch_bounds__(256) tonemap_before(float4* out, const float4* __restrict__ in, int pixels, float exposure, float gamma)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        const float4 c = in[i];
        out[i] = make_float4(display(c.x * exposure, gamma), display(c.y * exposure, gamma), display(c.z * exposure, gamma), c.w);
    }
}
