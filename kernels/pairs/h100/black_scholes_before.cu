// black_scholes_before: prices of European options; constants without an f, so that most of it is promoted to double.
__device__ float normal(float d)
{
    const float k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    const float tail = 0.39894228040143267794 * exp(-0.5 * d * d) *
                       (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return d > 0 ? 1.0 - tail : tail;
}

__global__ void __launch_bounds__(256) black_scholes_before(float* call, float* put, const float* spot, const float* strike,
                                                            const float* years, float rate, float volatility)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const float s = spot[i], x = strike[i], t = years[i];
    const float root = sqrt(t);
    const float d1 = (logf(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal(d1), n2 = normal(d2);
    const float discount = exp(-1.0 * rate * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1.0 - n2) - s * (1.0 - n1);
}
