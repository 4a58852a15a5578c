// solve8_after: symmetric systems of 8 unknowns by L D L', a system to a thread in registers, arrays of one entry of all systems; registers held down for more warps.
extern "C" __global__ void __launch_bounds__(128, 10) solve8_after(float* out, const float* __restrict__ matrix, const float* __restrict__ right, int systems, float shift)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    float a[36], b[8];
#pragma unroll
    for (int i = 0; i < 36; ++i) {
        a[i] = matrix[(long long)i * systems + s];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        b[i] = right[(long long)i * systems + s];
        a[i * (i + 1) / 2 + i] += shift;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const float inverse = __frcp_rn(a[k * (k + 1) / 2 + k]);
#pragma unroll
        for (int i = k + 1; i < 8; ++i) {
            const float factor = a[i * (i + 1) / 2 + k] * inverse;
#pragma unroll
            for (int j = i; j < 8; ++j) {
                a[j * (j + 1) / 2 + i] -= factor * a[j * (j + 1) / 2 + k];
            }
            b[i] -= factor * b[k];
        }
#pragma unroll
        for (int i = k + 1; i < 8; ++i) {
            a[i * (i + 1) / 2 + k] *= inverse;
        }
        b[k] *= inverse;
    }
#pragma unroll
    for (int k = 7; k >= 0; --k) {
#pragma unroll
        for (int i = k + 1; i < 8; ++i) {
            b[k] -= a[i * (i + 1) / 2 + k] * b[i];
        }
        out[(long long)k * systems + s] = b[k];
    }
}
