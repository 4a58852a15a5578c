// option_book_before: values of a book of options of four kinds.
struct Contract {
    float spot, strike, volatility, years;
};

__device__ __forceinline__ float vanilla(Contract c, float rate)
{
    const float s = c.volatility * sqrtf(c.years);
    const float d = (logf(c.spot / c.strike) + rate * c.years) / s + 0.5f * s;
    return c.spot * normcdff(d) - c.strike * expf(-rate * c.years) * normcdff(d - s);
}

__device__ __forceinline__ float down_and_out(Contract c, float rate)
{
    const float barrier = 0.8f * c.strike;
    const float s = c.volatility * sqrtf(c.years);
    const float power = 2.0f * rate / (c.volatility * c.volatility);
    const float d = (logf(barrier * barrier / (c.spot * c.strike)) + rate * c.years) / s + 0.5f * s;
    const float image = powf(barrier / c.spot, power) * (barrier * barrier / c.spot * normcdff(d) - c.strike * expf(-rate * c.years) * normcdff(d - s));
    return c.spot > barrier ? vanilla(c, rate) - image : 0.0f;
}

__device__ __forceinline__ float geometric_asian(Contract c, float rate)
{
    const float v = c.volatility * 0.57735027f;
    const float drift = 0.5f * (rate - c.volatility * c.volatility / 6.0f);
    const float s = v * sqrtf(c.years);
    const float d = (logf(c.spot / c.strike) + drift * c.years) / s + 0.5f * s;
    return expf(-rate * c.years) * (c.spot * expf(drift * c.years) * normcdff(d) - c.strike * normcdff(d - s));
}

__device__ __forceinline__ float chooser(Contract c, float rate)
{
    Contract half = c;
    half.years = 0.5f * c.years;
    const float s = c.volatility * sqrtf(half.years);
    const float d = (logf(c.spot / c.strike) + rate * c.years) / s + 0.5f * s;
    return vanilla(c, rate) + c.strike * expf(-rate * c.years) * normcdff(s - d) - c.spot * normcdff(-d);
}

__device__ __forceinline__ float value(unsigned int kind, Contract c, float rate)
{
    switch (kind) {
    case 0: return vanilla(c, rate);
    case 1: return down_and_out(c, rate);
    case 2: return geometric_asian(c, rate);
    default: return chooser(c, rate);
    }
}

extern "C" __global__ void __launch_bounds__(256) option_book_before(float* __restrict__ out, const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ volatility, const float* __restrict__ years, const unsigned int* __restrict__ kind, int contracts, float rate)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < contracts) {
        out[i] = value(kind[i], {spot[i], strike[i], volatility[i], years[i]}, rate);
    }
}
