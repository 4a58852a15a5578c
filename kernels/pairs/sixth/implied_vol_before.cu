// implied_vol_before: volatility implied by prices of calls, Newton's steps first, halving where those do not converge.
__device__ __forceinline__ float normal(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__device__ __forceinline__ float call(float log_ratio, float strike, float root, float sigma)
{
    const float spread = sigma * root, d = __fdividef(log_ratio, spread) + 0.5f * spread;
    return normal(d) - strike * normal(d - spread);
}

__device__ __forceinline__ float vega(float log_ratio, float root, float sigma)
{
    const float spread = sigma * root, d = __fdividef(log_ratio, spread) + 0.5f * spread;
    return 0.39894228f * root * __expf(-0.5f * d * d);
}

__device__ __forceinline__ bool newton(float price, float strike, float time, float& sigma)
{
    const float root = sqrtf(time), log_ratio = -logf(strike);
    sigma = 0.4f;
    float error = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 5; ++k) {
        error = call(log_ratio, strike, root, sigma) - price;
        sigma = fminf(fmaxf(sigma - __fdividef(error, vega(log_ratio, root, sigma) + 1e-6f), 0.01f), 4.0f);
    }
    return fabsf(call(log_ratio, strike, root, sigma) - price) < 1e-5f;
}

__device__ __forceinline__ float halving(float price, float strike, float time)
{
    const float root = sqrtf(time), log_ratio = -logf(strike);
    float low = 0.001f, high = 4.0f;
#pragma unroll 1
    for (int k = 0; k < 40; ++k) {
        const float middle = 0.5f * (low + high);
        if (call(log_ratio, strike, root, middle) < price) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5f * (low + high);
}

extern "C" __global__ void __launch_bounds__(256) implied_vol_before(float* out, const float* __restrict__ price, const float* __restrict__ strike, const float* __restrict__ time)
{
    const int base = blockIdx.x * 2048;
#pragma unroll 1
    for (int k = threadIdx.x; k < 2048; k += 256) {
        float sigma;
        if (!newton(price[base + k], strike[base + k], time[base + k], sigma)) {
            sigma = halving(price[base + k], strike[base + k], time[base + k]);
        }
        out[base + k] = sigma;
    }
}
