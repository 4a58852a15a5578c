// splat_colours_after: colours of Gaussian splats as the eye sees them, from spherical harmonics.
__device__ __forceinline__ void basis(float (&b)[16], float x, float y, float z)
{
    const float xx = x * x, yy = y * y, zz = z * z;
    b[0] = 0.28209479f;
    b[1] = -0.48860251f * y;
    b[2] = 0.48860251f * z;
    b[3] = -0.48860251f * x;
    b[4] = 1.09254843f * x * y;
    b[5] = -1.09254843f * y * z;
    b[6] = 0.31539157f * (2.0f * zz - xx - yy);
    b[7] = -1.09254843f * x * z;
    b[8] = 0.54627421f * (xx - yy);
    b[9] = -0.59004359f * y * (3.0f * xx - yy);
    b[10] = 2.89061144f * x * y * z;
    b[11] = -0.45704579f * y * (4.0f * zz - xx - yy);
    b[12] = 0.37317633f * z * (2.0f * zz - 3.0f * xx - 3.0f * yy);
    b[13] = -0.45704579f * x * (4.0f * zz - xx - yy);
    b[14] = 1.44530572f * z * (xx - yy);
    b[15] = -0.59004359f * x * (xx - 3.0f * yy);
}

extern "C" __global__ void __launch_bounds__(128) splat_colours_after(float* __restrict__ out, const float* __restrict__ harmonic, const float* __restrict__ mean, float eye_x, float eye_y, float eye_z, int splats)
{
    __shared__ float s[128 * 49];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const int count = min(128, splats - (int)blockIdx.x * 128) * 48;
    for (int k = threadIdx.x; k < count; k += 128) {
        s[k / 48 * 49 + k % 48] = harmonic[(long long)blockIdx.x * 128 * 48 + k];
    }
    __syncthreads();
    if (i >= splats) {
        return;
    }
    const float* own = s + threadIdx.x * 49;
    float x = mean[i] - eye_x, y = mean[splats + i] - eye_y, z = mean[2 * splats + i] - eye_z;
    const float n = rsqrtf(x * x + y * y + z * z);
    float b[16];
    basis(b, x * n, y * n, z * n);
    float red = 0.5f, green = 0.5f, blue = 0.5f;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        red += b[k] * own[3 * k];
        green += b[k] * own[3 * k + 1];
        blue += b[k] * own[3 * k + 2];
    }
    out[i] = fmaxf(red, 0.0f);
    out[splats + i] = fmaxf(green, 0.0f);
    out[2 * splats + i] = fmaxf(blue, 0.0f);
}
