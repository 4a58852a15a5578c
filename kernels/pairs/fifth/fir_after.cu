// fir_after: a filter of 128 taps over a long signal, four neighbouring outputs to a thread from a window in registers.
extern "C" __global__ void __launch_bounds__(256) fir_after(float* out, const float* __restrict__ in, const float* __restrict__ taps, int samples)
{
    constexpr int TAPS = 128, OUT = 1024;
    __shared__ float4 tap[TAPS / 4], part[(OUT + TAPS) / 4];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * OUT;
    for (int i = t; i < (OUT + TAPS) / 4; i += 256) {
        part[i] = first + 4 * i < samples + TAPS ? reinterpret_cast<const float4*>(in + first)[i] : make_float4(0, 0, 0, 0);
    }
    if (t < TAPS / 4) {
        tap[t] = reinterpret_cast<const float4*>(taps)[t];
    }
    __syncthreads();
    float sum[4] = {0, 0, 0, 0};
    float4 now = part[t];
#pragma unroll 8
    for (int k = 0; k < TAPS / 4; ++k) {
        const float4 next = part[t + k + 1], c = tap[k];
        const float window[8] = {now.x, now.y, now.z, now.w, next.x, next.y, next.z, next.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sum[i] += c.x * window[i];
            sum[i] += c.y * window[i + 1];
            sum[i] += c.z * window[i + 2];
            sum[i] += c.w * window[i + 3];
        }
        now = next;
    }
    if (first + 4 * t < samples) {
        reinterpret_cast<float4*>(out + first)[t] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
}
