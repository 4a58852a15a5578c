// bond_yields_sorted: yields of bonds of half-yearly coupons, the kernel of before, its bonds in order of length (4 to 60, from a count that only grows).
// A bond a thread, five steps of Newton.
extern "C" __global__ void __launch_bounds__(256) bond_yields_sorted(double* __restrict__ out, const double* __restrict__ price, const double* __restrict__ coupon, const int* __restrict__ place, int bonds)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= bonds) {
        return;
    }
    const double target = price[i], pay = coupon[i];
    const int n = min(4 + (int)(place[i] * 57ll / bonds), 60);
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
