// bond_yields_grouped: yields of bonds of half-yearly coupons, the bonds of a block put in order of their lengths in shared memory before the loop.
#define LENGTHS 64

// A bond a thread, five steps of Newton; which of the block's bonds, the order says.
extern "C" __global__ void __launch_bounds__(256) bond_yields_grouped(double* __restrict__ out, const double* __restrict__ price, const double* __restrict__ coupon, const int* __restrict__ periods, int bonds)
{
    __shared__ int first[LENGTHS], order[256];
    const int x = threadIdx.x, own = blockIdx.x * 256 + x;
    const int length = own < bonds ? min(periods[own], LENGTHS - 1) : 0;
    if (x < LENGTHS) {
        first[x] = 0;
    }
    __syncthreads();
    const int before = atomicAdd(&first[length], 1);
    __syncthreads();
    if (x < 32) {
        const int a = first[2 * x], b = first[2 * x + 1];
        int sum = a + b;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const int less = __shfl_up_sync(0xffffffffu, sum, d);
            sum += x >= d ? less : 0;
        }
        first[2 * x] = sum - a - b;
        first[2 * x + 1] = sum - b;
    }
    __syncthreads();
    order[first[length] + before] = own;
    __syncthreads();
    const int i = order[x];
    if (i >= bonds) {
        return;
    }
    const double target = price[i], pay = coupon[i];
    const int n = periods[i];
    double yield = 0.05;
    for (int step = 0; step < 5; ++step) {
        double value = 0.0, slope = 0.0;
        for (int k = 1; k <= n; ++k) {
            const double factor = exp(-0.5 * yield * k);
            const double flow = k == n ? pay + 100.0 : pay;
            value += flow * factor;
            slope += 0.5 * k * flow * factor;
        }
        yield += (value - target) / slope;
    }
    out[i] = yield;
}
