// pulse_match_before: strongest answer of each stretch of a radar signal to each of a set of pulses.
#define TAPS 8

// A block takes 2,048 samples and one template.
extern "C" __global__ void __launch_bounds__(256) pulse_match_before(float* __restrict__ out, const float* __restrict__ signal, const float* __restrict__ pulse)
{
    __shared__ float part[8];
    const int tile = blockIdx.x, which = blockIdx.y;
    const float4* from = (const float4*)(signal + (long long)tile * 2048 + threadIdx.x * 8);
    float v[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 f = from[i];
        v[4 * i] = f.x;
        v[4 * i + 1] = f.y;
        v[4 * i + 2] = f.z;
        v[4 * i + 3] = f.w;
    }
    float sum[8] = {};
#pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        const float p = pulse[which * TAPS + k];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            sum[i] += p * v[i + k];
        }
    }
    float peak = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        peak = fmaxf(peak, fabsf(sum[i]));
    }
    for (int d = 16; d > 0; d /= 2) {
        peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, d));
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = peak;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) {
            peak = fmaxf(peak, part[i]);
        }
        out[which * gridDim.x + tile] = peak;
    }
}
