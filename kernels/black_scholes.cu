// black_scholes: prices of eight million European options, each a struct of five floats, one option to a thread.
//
// Shows:      loads 20 bytes apart: each asks for 20 sectors where 4 would hold its words, but the five loads of an option share
//             them, and L1 has them after the first.
// Limiter:    device memory bandwidth: every byte that DRAM moves is used. The spread-out loads cost L1 little: 25 wavefronts where
//             DRAM takes 45 cycles.
// Lever:      at the roof; coalescing gains nothing. Only fewer bytes help: one rate for all options, half precision.
// Shape:      count = 8388608 options (160 MiB in, 64 MiB out).
// Launch:     grid 32768 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* call [count], float* put [count], const Option* option [count]
// Result:     call and put of Black and Scholes; the normal distribution by the polynomial of Abramowitz and Stegun 26.2.17

struct Option {
    float spot, strike, years, rate, volatility;
};

__device__ float normal(float d)
{
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float polynomial = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

__global__ void black_scholes(float* call, float* put, const Option* option)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const Option own = option[index];  // limiter
    const float spread = own.volatility * sqrtf(own.years);
    const float drift = (own.rate + 0.5f * own.volatility * own.volatility) * own.years;
    const float d = __fdividef(__logf(__fdividef(own.spot, own.strike)) + drift, spread);
    const float above = normal(d), below = normal(d - spread);
    const float discounted = own.strike * __expf(-own.rate * own.years);
    call[index] = own.spot * above - discounted * below;
    put[index] = discounted * (1.0f - below) - own.spot * (1.0f - above);
}
