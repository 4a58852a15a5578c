// bond_yields_sorted_reference: the bonds of bond_yields_sorted by the kernel of bond_yields_after; a reference for outputs alone.
// A bond a thread, five steps of Newton.
extern "C" __global__ void __launch_bounds__(256) bond_yields_sorted_reference(double* __restrict__ out, const double* __restrict__ price, const double* __restrict__ coupon, const int* __restrict__ place, int bonds)
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
        const double discount = exp(-0.5 * yield);
        double factor = 1.0;
        for (int k = 1; k <= n; ++k) {
            factor *= discount;
            const double flow = k == n ? pay + 100.0 : pay;
            value += flow * factor;
            slope += 0.5 * k * flow * factor;
        }
        yield += (value - target) / slope;
    }
    out[i] = yield;
}
