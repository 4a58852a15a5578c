// mc_option_after: Asian call by Monte Carlo, a path to a thread, constants and functions in single precision.
__device__ unsigned next(unsigned& s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void __launch_bounds__(256) mc_option_after(float* payoff, const unsigned* __restrict__ seed, int steps, float rate, float volatility, float dt, float strike)
{
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed[path] | 1u;
    float price = 1.0f, sum = 0.0f;
    for (int i = 0; i < steps; ++i) {
        const float u = ((next(state) >> 9) + 0.5f) * 1.1920928955078125e-7f;
        const float v = (next(state) >> 8) * 5.9604644775390625e-8f;
        const float z = sqrtf(-2.0f * logf(u)) * cosf(6.283185307179586f * v);
        price *= expf((rate - 0.5f * volatility * volatility) * dt + volatility * sqrtf(dt) * z);
        sum += price;
    }
    payoff[path] = fmaxf(sum / steps - strike, 0.0f) * expf(-rate * dt * steps);
}
