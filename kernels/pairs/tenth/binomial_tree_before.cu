// binomial_tree_before: American puts by a binomial tree of 511 steps, a block to an option, a thread to a leaf, neighbours by one row of shared memory.
constexpr int leaves = 512;

extern "C" __global__ void __launch_bounds__(leaves) binomial_tree_before(float* __restrict__ out, const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ volatility, float rate, float years)
{
    __shared__ float row[leaves + 1];
    const int option = blockIdx.x, leaf = threadIdx.x;
    const float dt = years / (leaves - 1), up = expf(volatility[option] * sqrtf(dt)), down = 1.0f / up, grown = expf(rate * dt), k = strike[option];
    const float high = (grown - down) / (up - down) / grown, low = 1.0f / grown - high;
    float price = spot[option] * expf((2 * leaf - (leaves - 1)) * volatility[option] * sqrtf(dt)), value = fmaxf(k - price, 0.0f);
    for (int step = leaves - 2; step >= 0; --step) {
        row[leaf] = value;
        __syncthreads();
        const float above = row[leaf + 1];
        __syncthreads();
        price *= up;
        value = fmaxf(high * above + low * value, k - price);
    }
    if (leaf == 0) {
        out[option] = value;
    }
}
