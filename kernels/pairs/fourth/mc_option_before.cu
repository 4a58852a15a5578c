// mc_option_before: Asian call by Monte Carlo, a path to a thread, constants and functions in double by their spelling.
__device__ unsigned next(unsigned& s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void __launch_bounds__(256) mc_option_before(float* payoff, const unsigned* __restrict__ seed, int steps, float rate, float volatility, float dt, float strike)
{
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed[path] | 1u;
    float price = 1.0f, sum = 0.0f;
    for (int i = 0; i < steps; ++i) {
        const float u = ((next(state) >> 9) + 0.5) * 1.1920928955078125e-7;
        const float v = (next(state) >> 8) * 5.9604644775390625e-8;
        const float z = sqrt(-2.0 * logf(u)) * cosf(6.283185307179586 * v);
        price *= exp((rate - 0.5 * volatility * volatility) * dt + volatility * sqrt(dt) * z);
        sum += price;
    }
    payoff[path] = fmaxf(sum / steps - strike, 0.0f) * exp(-rate * dt * steps);
}
