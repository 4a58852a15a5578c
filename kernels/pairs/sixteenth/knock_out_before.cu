// knock_out_before: the day on which each path of a price first passes a barrier.
// A thread to a path; the number of days if the barrier is never passed.
extern "C" __global__ void __launch_bounds__(128) knock_out_before(unsigned int* __restrict__ out, const float* __restrict__ price, float barrier, int paths, int days)
{
    const int p = blockIdx.x * 128 + threadIdx.x;
    if (p >= paths) {
        return;
    }
    int passed = days;
    for (int d = 0; d < days; ++d) {
        if (price[(long long)d * paths + p] > barrier) {
            passed = d;
            break;
        }
    }
    out[p] = passed;
}
