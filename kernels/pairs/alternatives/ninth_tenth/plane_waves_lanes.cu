// plane_waves_lanes: structure factors, a thread to a wave vector, 32 points at a time in the registers of a warp, handed round by shuffles.
extern "C" __global__ void __launch_bounds__(128) plane_waves_lanes(float* __restrict__ out, const float* __restrict__ wave, const float* __restrict__ point, int waves, int points)
{
    const int t = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    const float4* const p = reinterpret_cast<const float4*>(point);
    float re = 0.0f, im = 0.0f;
    float4 next = lane < points ? p[lane] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i0 = 0; i0 < points; i0 += 32) {
        const float4 own = next;
        if (i0 + 32 + lane < points) {
            next = p[i0 + 32 + lane];
        } else {
            next.w = 0.0f;
        }
#pragma unroll 8
        for (int i = 0; i < 32; ++i) {
            const float x = __shfl_sync(~0u, own.x, i), y = __shfl_sync(~0u, own.y, i), z = __shfl_sync(~0u, own.z, i), weight = __shfl_sync(~0u, own.w, i);
            float s, c;
            __sincosf(kx * x + ky * y + kz * z, &s, &c);
            re += weight * c;
            im += weight * s;
        }
    }
    if (t < waves) {
        reinterpret_cast<float2*>(out)[t] = make_float2(re, im);
    }
}
