// plane_waves_warps_4: structure factors, a thread to a wave vector and a quarter of the points, quarters in warps of one block, joined in shared memory.
constexpr int Parts = 4;

extern "C" __global__ void __launch_bounds__(128 * Parts) plane_waves_warps_4(float* __restrict__ out, const float* __restrict__ wave, const float* __restrict__ point, int waves, int points)
{
    __shared__ float2 part[Parts][128];
    const int x = threadIdx.x % 128, y = threadIdx.x / 128, t = blockIdx.x * 128 + x;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    const float4* const p = reinterpret_cast<const float4*>(point);
    const int each = (points + Parts - 1) / Parts, first = y * each, last = min(first + each, points);
    float re = 0.0f, im = 0.0f;
#pragma unroll 4
    for (int i = first; i < last; ++i) {
        const float4 v = p[i];
        float s, c;
        __sincosf(kx * v.x + ky * v.y + kz * v.z, &s, &c);
        re += v.w * c;
        im += v.w * s;
    }
    part[y][x] = make_float2(re, im);
    __syncthreads();
    if (y == 0 && t < waves) {
#pragma unroll
        for (int k = 1; k < Parts; ++k) {
            re += part[k][x].x;
            im += part[k][x].y;
        }
        reinterpret_cast<float2*>(out)[t] = make_float2(re, im);
    }
}
