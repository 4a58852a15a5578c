// black_scholes: one option to a thread, in double precision with the same polynomial; grid 32768, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__device__ double normal(double d)
{
    const double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    const double sum = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = 0.39894228040143267794 * exp(-0.5 * d * d) * sum;
    return d > 0.0 ? 1.0 - tail : tail;
}

__global__ void black_scholes_ref(float* call, float* put, const float* option)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const double spot = option[index * 5u], strike = option[index * 5u + 1u], years = option[index * 5u + 2u];
    const double rate = option[index * 5u + 3u], volatility = option[index * 5u + 4u];
    const double spread = volatility * sqrt(years);
    const double d = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
    const double discounted = strike * exp(-rate * years);
    call[index] = static_cast<float>(spot * normal(d) - discounted * normal(d - spread));
    put[index] = static_cast<float>(discounted * (1.0 - normal(d - spread)) - spot * (1.0 - normal(d)));
}
